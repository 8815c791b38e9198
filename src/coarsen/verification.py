"""The independent check: count the published rows and hold them to the definitions.

Nothing here is shared with the methods: rows are grouped by what is published, from the published
table or file alone. What cannot be decided from that (people with several rows, when the release
does not say whose row is whose) is said, not guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from coarsen.requirements.base import PublishedClasses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from coarsen.requirements import Requirement

BLANK = "*"
MOST_KEYS = 2**62
MOST_CELLS = 1 << 22


@dataclass(frozen=True)
class Evidence:
    """What one requirement promised for one quasi-identifier, and what the published rows show.

    Attributes
    ----------
    holds
        None where the published rows alone cannot tell.
    worst_class
        The published values of the class that measured worst.
    """

    requirement: Requirement
    quasi_set: str
    measured: float
    holds: bool | None
    worst_class: dict[str, str]
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        told = self.requirement.model_dump(mode="json")
        told |= {"measured": self.measured, "holds": self.holds, "set": self.quasi_set}
        told |= {"description": self.requirement.describe(), "worst_class": self.worst_class}
        return told | ({"note": self.note} if self.note else {})


@dataclass(frozen=True, eq=False)
class Verified:
    """The outcome of a check.

    Attributes
    ----------
    class_sizes
        The size of each class over all quasi columns together.
    released_rows, blank_rows
        Rows that say something, and rows blanked out.
    """

    evidence: tuple[Evidence, ...]
    class_sizes: NDArray[np.int64]
    released_rows: int
    blank_rows: int

    @property
    def holds(self) -> bool:
        """Whether nothing was found that breaks a promise."""
        return all(found.holds is not False for found in self.evidence)


def verify_rows(
    rows: pa.Table,
    requirements: Sequence[Requirement],
    sets: Mapping[str, Sequence[str]],
    respondents: Mapping[str, NDArray[Any] | None],
    *,
    blanks: bool = False,
) -> Verified:
    """Check every requirement on every quasi-identifier of published rows.

    Parameters
    ----------
    sets
        The columns of each quasi-identifier.
    respondents
        For each set whose respondents have several rows, whose row each published row is, or None
        where that is not known; sets that are absent have one row per respondent.
    blanks
        Whether rows that are `*` in every column are suppressed rows, which say nothing.
    """
    blank = _blank_rows(rows) if blanks else np.zeros(rows.num_rows, dtype=bool)
    kept = rows.filter(pa.array(~blank)) if blank.any() else rows
    everything = list(dict.fromkeys(column for columns in sets.values() for column in columns))
    codes = {name: _numbered(kept.column(name)) for name in everything}
    together = _classes([codes[column] for column in everything], kept.num_rows)
    evidence: list[Evidence] = []
    for name, columns in sets.items():
        group = _Group(name, list(columns), kept, together)
        if group.columns != everything:
            group.classes = _classes([codes[column] for column in columns], kept.num_rows)
        people = respondents.get(name)
        counted = _counted(group.classes, None if people is None else people[~blank])
        undecided = name in respondents and people is None
        evidence.extend(
            _evidence(requirement, group, counted, undecided=undecided)
            for requirement in requirements
        )
    return Verified(
        tuple(evidence),
        np.bincount(together).astype(np.int64),
        kept.num_rows,
        int(np.count_nonzero(blank)),
    )


@dataclass(eq=False)
class _Group:
    """The published rows as one quasi-identifier sees them."""

    name: str
    columns: list[str]
    rows: pa.Table
    classes: NDArray[np.intp]

    def shown(self, number: int) -> dict[str, str]:
        row = int(np.flatnonzero(self.classes == number)[0])
        return {column: _shown(self.rows.column(column)[row].as_py()) for column in self.columns}


def _evidence(
    requirement: Requirement, group: _Group, counted: PublishedClasses, *, undecided: bool
) -> Evidence:
    measured = requirement.measure(counted)
    worst = {} if measured.worst is None else group.shown(measured.worst)
    holds: bool | None = measured.holds
    note = ""
    if undecided and measured.holds:
        holds = None
        note = "rows were counted; the release does not say which rows are one person's"
    return Evidence(requirement, group.name, measured.value, holds, worst, note)


def _shown(value: Any) -> str:
    return "" if value is None else str(value)


def _blank_rows(rows: pa.Table) -> NDArray[np.bool_]:
    blank = np.ones(rows.num_rows, dtype=bool)
    for column in rows.columns:
        texts = column.cast(pa.string())
        same = pc.fill_null(pc.equal(texts, BLANK), False)  # noqa: FBT003 - Arrow's own signature
        blank &= same.to_numpy(zero_copy_only=False)
    return blank


def _numbered(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], int]:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode(null_encoding="encode")
    chunks = column.unify_dictionaries().chunks
    if not chunks:
        return np.zeros(0, dtype=np.int64), 1
    size = len(chunks[0].dictionary)
    indices = pa.concat_arrays([chunk.indices for chunk in chunks])
    indices = indices.cast(pa.int64())
    codes = pc.fill_null(indices, size) if indices.null_count else indices
    return codes.to_numpy(zero_copy_only=False), size + 1


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


def _counted(classes: NDArray[np.intp], people: NDArray[Any] | None) -> PublishedClasses:
    rows = np.bincount(classes).astype(np.int64)
    if people is None:
        return PublishedClasses(rows, rows)
    pairs = np.unique(np.stack([classes, people.astype(np.intp)]), axis=1)
    return PublishedClasses(rows, np.bincount(pairs[0]).astype(np.int64))
