"""Which rows of a table fit which people, column by column, exactly or through what texts cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault, no_columns
from indistinct.hierarchy import TOP
from indistinct.io.encoding import encode
from indistinct.model.names import published_names
from indistinct.model.table import FrequencySet, frequency_set
from indistinct.risk.counted import CountedRows
from indistinct.risk.covers import Covers, Meaning, covers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Label
    from indistinct.plan import Plan
    from indistinct.risk.counted import Rows
    from indistinct.risk.fit_kernel import Cover, Trie


@dataclass(frozen=True, eq=False)
class Side:
    """Some columns of a table, coded: the distinct texts of each, and the distinct rows.

    Attributes
    ----------
    texts
        For each column its distinct texts.
    distinct
        The distinct rows, in lexicographic order of their codes, with their counts.
    weights
        How many rows each row of the table stands for; None where each is one.
    """

    columns: tuple[str, ...]
    texts: tuple[tuple[Label, ...], ...]
    distinct: FrequencySet
    weights: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, rows: Rows, columns: Sequence[str], *, place: str = "data") -> Side:
        """Code the named columns of a table; a column of ranges may be there as its two bounds."""
        counted = CountedRows.of(rows)
        refuse_missing(counted.rows, columns, place)
        coded = [encode(published_column(counted.rows, name), name) for name in columns]
        sizes = [len(column.domain.values) for column in coded]
        return cls(
            tuple(columns),
            tuple(column.domain.values for column in coded),
            frequency_set([column.codes for column in coded], sizes, counted.counts),
            counted.counts,
        )

    @property
    def codes(self) -> NDArray[np.int32]:
        """The distinct rows as a matrix."""
        return np.ascontiguousarray(np.stack(self.distinct.codes, axis=1))

    def first_rows(self) -> NDArray[np.int64]:
        """Return for each distinct row the first row of the table that is like it."""
        first = np.empty(self.distinct.size, dtype=np.int64)
        backwards = np.arange(self.distinct.inverse.size - 1, -1, -1)
        first[self.distinct.inverse[backwards]] = backwards
        return first


@dataclass(frozen=True, eq=False)
class Fit:
    """What fits what.

    Attributes
    ----------
    rows
        For each person the number of rows that fit.
    match
        For each person the one row that fits, where it is one; -1 otherwise.
    people
        For each row the number of people that it fits.
    """

    rows: NDArray[np.int64]
    match: NDArray[np.int64]
    people: NDArray[np.int64]


def published_column(rows: pa.Table, name: str) -> pa.ChunkedArray:
    """Return a published column; where only its bounds are published, the ranges they make."""
    if name in rows.column_names:
        return rows.column(name)
    low, high = (rows.column(part).cast(pa.string()) for part in published_names(name, "bounds"))
    ranges = pc.binary_join_element_wise("[", low, ", ", high, "]", "")
    return pc.fill_null(ranges, TOP)


def refuse_missing(rows: pa.Table, columns: Sequence[str], place: str) -> None:
    """Raise if a table has neither a column nor its bounds."""
    if faults := missing(rows, columns, place):
        raise DataError(faults)


def missing(rows: pa.Table, columns: Iterable[str], place: str) -> list[Fault]:
    """Report each column that a table has neither itself nor as its bounds."""
    present = rows.column_names
    asked = [name for name in columns if not set(published_names(name, "bounds")) <= set(present)]
    return no_columns(place, asked, present)


def meanings_of(plan: Plan | None, columns: Sequence[str]) -> tuple[Meaning, ...]:
    """Return for each column what the plan says of its texts."""
    meanings = []
    for name in columns:
        column = plan.columns.get(name) if plan else None
        spec = column.hierarchy if column else None
        base = plan.base if plan else None
        meaning = (
            Meaning() if base is None else Meaning.of(spec, place=f"column {name!r}", base=base)
        )
        meanings.append(meaning)
    return tuple(meanings)


def covers_between(
    target: Side, values: Sequence[Sequence[Label]], meanings: Sequence[Meaning]
) -> list[Covers]:
    """Return for each column which of a table's texts cover which values."""
    return [
        covers_of(texts, asked, meaning)
        for texts, asked, meaning in zip(target.texts, values, meanings, strict=True)
    ]


def fit(target: Side, people: Side, meanings: Sequence[Meaning]) -> Fit:
    """Find for each person the rows of a table that fit, and for each row the people.

    Columns correspond by place. Distinct people are led through a trie of distinct rows in
    lexicographic order, so that what people share is looked up once; it costs as much as there are
    prefixes that fit.
    """
    from indistinct.risk.fit_kernel import fitting

    order = column_order(target)
    covers = covers_between(target, people.texts, meanings)
    classes, place = _sorted(target, order)
    heads, person = _sorted(people, order)
    counts, class_counts, last, fitted = fitting(
        trie_of(classes),
        cover_of([covers[c] for c in order]),
        heads,
        people.distinct.counts[person],
        target.distinct.counts[place],
    )
    of_person = np.empty(person.size, dtype=np.int64)
    of_person[person] = np.arange(person.size)
    of_class = np.empty(place.size, dtype=np.int64)
    of_class[place] = np.arange(place.size)
    single = (counts == 1) & (class_counts == 1)
    match = np.where(single, target.first_rows()[place[np.maximum(last, 0)]], -1)
    return Fit(
        rows=counts[of_person][people.distinct.inverse],
        match=match[of_person][people.distinct.inverse],
        people=fitted[of_class][target.distinct.inverse],
    )


def column_order(target: Side) -> list[int]:
    """Put columns with few texts first: their prefixes are shared by most."""
    return sorted(range(len(target.columns)), key=lambda c: len(target.texts[c]))


def _sorted(side: Side, order: Sequence[int]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    place = side.distinct.sorted_by(order)
    return np.ascontiguousarray(side.codes[place][:, list(order)]), place


def trie_of(codes: NDArray[np.int32]) -> Trie:
    """Build the trie of distinct rows that stand in lexicographic order."""
    from indistinct.risk.fit_kernel import Trie

    rows, depth = codes.shape
    fresh = np.zeros(rows, dtype=bool)
    fresh[:1] = True
    starts = []
    for column in range(depth):
        fresh[1:] |= codes[1:, column] != codes[:-1, column]
        starts.append(np.flatnonzero(fresh))
    children = []
    for level in range(depth):
        below = starts[min(level + 1, depth - 1)]
        begin = np.searchsorted(below, starts[level])
        end = np.append(begin[1:], below.size)
        children.append(np.stack([begin, end], axis=1))
    return Trie(
        np.cumsum([0, *(s.size for s in starts)]).astype(np.int64),
        np.concatenate([codes[s, c] for c, s in enumerate(starts)]).astype(np.int32),
        np.concatenate(children).astype(np.int64),
    )


def cover_of(covers: Sequence[Covers]) -> Cover:
    """Lay the covers of several columns one after the other."""
    from indistinct.risk.fit_kernel import Cover

    values = [c.starts.size for c in covers]
    held = np.cumsum([0, *(c.texts.size for c in covers)])
    return Cover(
        np.cumsum([0, *values]).astype(np.int64)[:-1],
        np.concatenate([c.starts + held[i] for i, c in enumerate(covers)]).astype(np.int64),
        np.concatenate([c.texts for c in covers]).astype(np.int32),
    )


def covers_pairs(
    covers: Sequence[Covers],
    people: NDArray[np.int32],
    classes: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Return for pairs of a person and a class (rows of two matrices) whether the class fits."""
    fits = np.ones(people.shape[0], dtype=bool)
    for column, cover in enumerate(covers):
        value = np.repeat(np.arange(cover.starts.size - 1), np.diff(cover.starts))
        keys = value * cover.count + cover.texts
        wanted = people[:, column].astype(np.int64) * cover.count + classes[:, column]
        place = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
        fits &= keys[place] == wanted if keys.size else False
    return fits


def of_people(people: CountedRows, on: Mapping[str, str], place: str) -> CountedRows:
    """Return the columns of an external table under the names they have in the release."""
    if faults := no_columns(place, list(on.values()), people.rows.column_names):
        raise DataError(faults)
    named = pa.table({ours: people.rows.column(theirs) for ours, theirs in on.items()})
    return CountedRows(named, people.counts)
