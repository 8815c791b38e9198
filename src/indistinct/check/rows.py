"""The independent check: count the published rows and hold them to the definitions.

Nothing here is shared with the methods: rows are grouped by what is published, from the published
table or file alone. What cannot be decided from that (people with several rows, when the release
does not say whose row is whose) is said, not guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.check.reading import equal_numbers, read_column
from indistinct.requirements import SensitiveRequirement
from indistinct.requirements.base import ClassValues, PublishedClasses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.check.limits import LimitFound
    from indistinct.requirements import Measured, Requirement

BLANK = "*"
MOST_KEYS = 2**62
SLACK = 1e-9
MOST_CELLS = 1 << 22


@dataclass(frozen=True)
class Evidence:
    """What one requirement promised for one quasi-identifier, and what the published rows show.

    Attributes
    ----------
    column
        The sensitive column it is about, if any.
    holds
        None where the published rows alone cannot decide it.
    worst_class
        The published values of the class that measured worst.
    """

    requirement: Requirement
    quasi_set: str
    column: str | None
    measured: float
    holds: bool | None
    worst_class: dict[str, str]
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        data = self.requirement.model_dump(mode="json")
        data |= {"promised": self.requirement.asked()}
        measured = self.measured if isfinite(self.measured) else None
        data |= {"measured": measured, "holds": self.holds, "set": self.quasi_set}
        data |= {"column": self.column} if self.column else {}
        data |= {"description": self.requirement.describe(), "worst_class": self.worst_class}
        return data | ({"note": self.note} if self.note else {})


@dataclass(frozen=True, eq=False)
class Verified:
    """The outcome of a check.

    Attributes
    ----------
    class_sizes
        The size of each class over all quasi columns together.
    released_rows, blank_rows
        Rows that say something, and rows blanked out.
    limits
        What was measured of the plan's limits beside its requirements.
    untold
        What the plan limits and what is at hand does not show; no requirement rests on it.
    same_file
        With a certificate, whether it is the certified file, or another one with the same rows.
    """

    evidence: tuple[Evidence, ...]
    class_sizes: NDArray[np.int64]
    released_rows: int
    blank_rows: int
    limits: tuple[LimitFound, ...] = ()
    untold: tuple[str, ...] = ()
    same_file: bool | None = None

    @property
    def holds(self) -> bool | None:
        """Whether every promise holds; None where nothing breaks one but not all can be decided."""
        verdicts = {part.holds for part in self.evidence} | {part.holds for part in self.limits}
        return False if False in verdicts else None if None in verdicts else True

    def _repr_html_(self) -> str:
        from indistinct.display import verified_html

        sizes, counts = np.unique(self.class_sizes, return_counts=True)
        return verified_html(
            [part.as_json() for part in self.evidence],
            [part.as_json() for part in self.limits],
            dict(zip(sizes.tolist(), counts.tolist(), strict=True)),
            holds=self.holds,
            rows=self.released_rows,
            untold=self.untold,
        )


@dataclass(frozen=True, eq=False)
class ValueFacts:
    """What is known of a sensitive column beside the published rows.

    Attributes
    ----------
    names
        Its values in order.
    shares
        Their shares in the private table; None where only the release is known.
    levels
        For each level of their hierarchy, the node of each value; None where it is not at hand.
    """

    names: tuple[str | None, ...]
    shares: NDArray[np.float64] | None
    levels: NDArray[np.int32] | None


def verify_rows(
    rows: pa.Table,
    requirements: Sequence[Requirement],
    sets: Mapping[str, Sequence[str]],
    respondents: Mapping[str, NDArray[Any] | None],
    sensitive: Mapping[str, ValueFacts],
    *,
    counts: NDArray[np.int64] | None = None,
    blank: NDArray[np.bool_] | None = None,
    most_suppressed: float = 0.0,
) -> Verified:
    """Check every requirement on every quasi-identifier of published rows.

    Parameters
    ----------
    sets
        The columns of each quasi-identifier.
    respondents
        For each set whose respondents have several rows, whose row each published row is, or None
        where that is not known; sets that are absent have one row per respondent.
    sensitive
        What is known of each sensitive column.
    counts
        How many published rows each of these stands for; one if not given.
    blank
        Which rows are suppressed ones, blanked to `*`, which say nothing; none if not given.
    most_suppressed
        The share of the private table that may have been suppressed.
    """
    blank = np.zeros(rows.num_rows, dtype=bool) if blank is None else blank
    kept = rows.filter(pa.array(~blank)) if blank.any() else rows
    times = None if counts is None else counts[~blank]
    everything = list(dict.fromkeys(column for columns in sets.values() for column in columns))
    codes = {name: equal_numbers(kept.column(name)) for name in everything}
    together = _classes([codes[column] for column in everything], kept.num_rows)
    values = {name: (_coded(kept.column(name), f.names), f) for name, f in sensitive.items()}
    evidence: list[Evidence] = []
    for name, columns in sets.items():
        people = respondents.get(name)
        group = _Group(name, list(columns), kept, together, values, times)
        group.people = None if people is None else people[~blank]
        group.undecided = name in respondents and people is None
        group.most_suppressed = most_suppressed
        if group.columns != everything:
            group.classes = _classes([codes[column] for column in columns], kept.num_rows)
        for requirement in requirements:
            evidence.extend(group.evidence(requirement))
    return Verified(
        tuple(evidence),
        np.bincount(together, times).astype(np.int64),
        counted_rows(~blank, counts),
        counted_rows(blank, counts),
    )


@dataclass(eq=False)
class _Group:
    """The published rows as one quasi-identifier sees them."""

    name: str
    columns: list[str]
    rows: pa.Table
    classes: NDArray[np.intp]
    values: dict[str, tuple[NDArray[np.int64], ValueFacts]]
    times: NDArray[np.int64] | None
    people: NDArray[Any] | None = None
    undecided: bool = False
    most_suppressed: float = 0.0

    def evidence(self, requirement: Requirement) -> Iterator[Evidence]:
        """Measure a requirement; one on sensitive columns for each of them."""
        if not isinstance(requirement, SensitiveRequirement):
            yield self._measured(requirement, None, self.classes, None)
            return
        for name in self.values:
            if requirement.column in {None, name}:
                classes = self._joined(name) if requirement.joined else self.classes
                yield self._measured(requirement, name, classes, self._counts(name, classes))

    def _measured(
        self,
        requirement: Requirement,
        column: str | None,
        classes: NDArray[np.intp],
        values: ClassValues | None,
    ) -> Evidence:
        rows = np.bincount(classes, self.times).astype(np.int64)
        heads = rows if self.people is None else _distinct(classes, self.people)
        measured = requirement.measure(PublishedClasses(rows, heads, values))
        worst = {} if measured.worst is None else self._shown(classes, measured.worst)
        holds, note = self._decided(requirement, column, measured)
        return Evidence(requirement, self.name, column, measured.value, holds, worst, note)

    def _decided(
        self, requirement: Requirement, column: str | None, measured: Measured
    ) -> tuple[bool | None, str]:
        if self.undecided and (measured.holds or isinstance(requirement, SensitiveRequirement)):
            return (
                None,
                "the release does not say which rows belong to one person; rows were counted",
            )
        facts = self.values[column][1] if column is not None else None
        if facts is not None and facts.levels is None and requirement.needs_hierarchy:
            return None, f"the hierarchy of {column!r} is not available"
        unknown = facts is not None and facts.shares is None
        if unknown and requirement.compares_with_table and self.most_suppressed > 0:
            note = "the table before suppression is not known; the released one was used"
            return requirement.decided_without_table(measured.value, self.most_suppressed), note
        return measured.holds, ""

    def _joined(self, name: str) -> NDArray[np.intp]:
        """Split classes by the other sensitive columns too."""
        others = [
            (codes, len(facts.names))
            for other, (codes, facts) in self.values.items()
            if other != name
        ]
        sizes = int(self.classes.max(initial=0)) + 1
        return _classes([(self.classes.astype(np.int64), sizes), *others], self.classes.size)

    def _counts(self, name: str, classes: NDArray[np.intp]) -> ClassValues:
        codes, facts = self.values[name]
        size = max(len(facts.names), 1)
        keys, times = classes.astype(np.int64) * size + codes, self.times
        if self.people is not None:
            _, first = np.unique(
                np.stack([keys, self.people.astype(np.int64)]), axis=1, return_index=True
            )
            keys, times = keys[first], None
        pairs, counts = _counted(keys, times)
        shares = facts.shares
        if shares is None:
            held = np.bincount(codes, self.times, minlength=size)
            shares = held / max(held.sum(), 1)
        levels = facts.levels if facts.levels is not None else np.arange(size, dtype=np.int32)[None]
        return ClassValues(
            pairs // size, pairs % size, counts.astype(np.int64), shares, levels, facts.names
        )

    def _shown(self, classes: NDArray[np.intp], number: int) -> dict[str, str]:
        row = int(np.flatnonzero(classes == number)[0])
        return {column: _shown(self.rows.column(column)[row].as_py()) for column in self.columns}


def _counted(
    keys: NDArray[np.int64], times: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys, in order, and how many rows have each."""
    if times is None:
        return np.unique(keys, return_counts=True)
    distinct, place = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(place.ravel(), times, minlength=distinct.size).astype(np.int64)


def counted_rows(chosen: NDArray[np.bool_], counts: NDArray[np.int64] | None) -> int:
    """Count some rows, given how many each stands for."""
    return int(np.count_nonzero(chosen) if counts is None else counts[chosen].sum())


def _shown(value: Any) -> str:
    return "" if value is None else str(value)


def blank_rows(rows: pa.Table) -> NDArray[np.bool_]:
    """Return which rows are `*` in every column."""
    blank = np.ones(rows.num_rows, dtype=bool)
    for column in rows.columns:
        texts = column.cast(pa.string())
        same = pc.fill_null(pc.equal(texts, BLANK), False)  # noqa: FBT003 - Arrow's own signature
        blank &= same.to_numpy(zero_copy_only=False)
    return blank


def without_blanks(rows: pa.Table) -> pa.Table:
    """Return the published rows that say something; all where none would be left."""
    blank = blank_rows(rows)
    return rows if blank.all() else rows.filter(pa.array(~blank))


def _classes(columns: list[tuple[NDArray[np.int64], int]], rows: int) -> NDArray[np.intp]:
    """Give equal rows the same class number."""
    keys = np.zeros(rows, dtype=np.int64)
    space = 1
    for codes, size in columns:
        if space > MOST_KEYS // size:
            distinct, keys = np.unique(keys, return_inverse=True)
            space = distinct.size
        keys = keys * size + codes
        space *= size
    if space > max(MOST_CELLS, rows):
        return np.unique(keys, return_inverse=True)[1]
    return (np.cumsum(np.bincount(keys, minlength=1) > 0) - 1)[keys]


def _coded(column: pa.ChunkedArray, names: tuple[str | None, ...]) -> NDArray[np.int64]:
    """Number published values by their place among known names."""
    read = read_column(column, "sensitive")
    place = {name: code for code, name in enumerate(names)}
    return np.array([place[text] for text in read.texts], dtype=np.int64)[read.codes]


def _distinct(classes: NDArray[np.intp], people: NDArray[Any]) -> NDArray[np.int64]:
    """Count the distinct people of each class."""
    pairs = np.unique(np.stack([classes, people.astype(np.intp)]), axis=1)
    return np.bincount(pairs[0]).astype(np.int64)
