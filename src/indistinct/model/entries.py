"""Entries: rows of a table that are alike in all that a method is shown, put together.

Work that takes long is on entries, not on rows: copies of a row cost nothing. Rows of one entry
stay together whatever the method chooses; what is asked of a release, and what it loses, is counted
in rows by their weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.table import FrequencySet, Table


@dataclass(frozen=True, eq=False)
class Parts:
    """Entries of a table cut into parts, each of which goes its own way.

    Attributes
    ----------
    entry
        The entry that each part is of.
    rows
        How many rows each part is.
    """

    entry: NDArray[np.intp]
    rows: NDArray[np.int64]

    def of_table(self, table: Table) -> Table:
        """Return the table whose entries are the parts."""
        return replace(table.part(self.entry), weights=self.rows)


@dataclass(frozen=True, eq=False)
class Entries:
    """What a method is given of a table, and which entry of it each row went into.

    Attributes
    ----------
    table
        Its entries, sorted by their quasi values.
    of_row
        The entry of each row of the table before; of each part, where entries were cut.
    parts
        How entries of the table before were cut; None where none was.
    """

    table: Table
    of_row: NDArray[np.int32]
    parts: Parts | None = None

    @classmethod
    def of_rows(cls, table: Table) -> Entries:
        """Take each row as it is."""
        return cls(table, np.arange(table.entries, dtype=np.int32))


def put_together(table: Table) -> Entries:
    """Make one entry of all that are alike in quasi columns, sensitive columns and people.

    Where rows have respondents there are hardly any alike: the table stays as it is.
    """
    if table.has_respondents:
        return Entries.of_rows(table)
    distinct = table.frequency_set
    if not table.sensitive:
        whole = replace(table.part(_first_of(distinct)), weights=distinct.counts)
        whole.__dict__["frequency_set"] = _every_one(distinct)  # as it is cached
        return Entries(whole, distinct.inverse)
    of_row, first = _numbered(table)
    counts = table.rows_by(of_row, first.size)
    whole = replace(table.part(first), weights=counts)
    inverse = distinct.inverse[first]
    whole.__dict__["frequency_set"] = replace(distinct, inverse=inverse)
    return Entries(whole, of_row)


def loosened(table: Table, entries: Entries, least: int, order: NDArray[np.intp]) -> Entries:
    """Split entries of many rows: as many as make a group stay together, the others come loose.

    Whatever rows of an entry are a group by themselves lose nothing, and no other group needs more
    than `least - 1` of them to be large enough; so at most that many of them are worth parting.
    Entries of fewer than `least` rows stay whole.

    Parameters
    ----------
    table
        What the entries were put together from.
    least
        How many rows make a group.
    order
        The rows of the table in the order in which those of an entry are taken; a secret one.
    """
    weights = entries.table.row_counts
    loose = np.where(weights >= least, np.minimum(weights - least, least - 1), 0)
    return _split(table, entries, weights - loose, order)


def all_apart(table: Table, entries: Entries, order: NDArray[np.intp]) -> Entries:
    """Split every entry into its rows."""
    return _split(table, entries, np.ones_like(entries.table.row_counts), order)


def _split(
    table: Table, entries: Entries, heavy: NDArray[np.int64], order: NDArray[np.intp]
) -> Entries:
    """Split each entry into one piece of so many rows and pieces of one row."""
    pieces = entries.table.row_counts - heavy + 1
    entry = np.repeat(np.arange(heavy.size), pieces)
    start = np.cumsum(pieces) - pieces
    counts = np.ones(entry.size, dtype=np.int64)
    counts[start] = heavy
    split = replace(entries.table.part(entry), weights=counts)
    distinct = entries.table.frequency_set
    split.__dict__["frequency_set"] = replace(distinct, inverse=distinct.inverse[entry])
    taken = order[np.argsort(entries.of_row[order], kind="stable")]
    parts, piece = _cut(entries.of_row[taken], table.row_counts[taken], heavy, start)
    if table.weights is not None:
        return Entries(split, piece, Parts(taken[parts.entry], parts.rows))
    of_row = np.empty(table.entries, dtype=np.int32)
    of_row[taken] = piece
    return Entries(split, of_row)


def _cut(
    entry: NDArray[np.int32],
    rows: NDArray[np.int64],
    heavy: NDArray[np.int64],
    start: NDArray[np.int64],
) -> tuple[Parts, NDArray[np.int32]]:
    """Lay lots of rows along the pieces of their entries, and cut each where a piece ends.

    Parameters
    ----------
    entry, rows
        The entry of each lot, those of an entry one after the other, and how many rows it is.
    heavy, start
        How many rows the first piece of each entry has, and its number; the others have one.
    """
    ends = np.cumsum(rows)
    first = np.flatnonzero(np.diff(entry, prepend=-1))
    before = np.repeat((ends - rows)[first], np.diff(np.append(first, entry.size)))
    low, high, most = ends - rows - before, ends - before, heavy[entry]
    in_heavy = low < most
    single = np.maximum(high - np.maximum(low, most), 0)
    count = in_heavy + single
    lot = np.repeat(np.arange(entry.size), count)
    place = np.arange(lot.size) - np.repeat(np.cumsum(count) - count, count)
    of_heavy = in_heavy[lot] & (place == 0)
    ones = np.maximum(low[lot] - most[lot], 0) + place - in_heavy[lot] + 1
    piece = start[entry[lot]] + np.where(of_heavy, 0, ones)
    size = np.where(of_heavy, np.minimum(high, most)[lot] - low[lot], 1)
    return Parts(lot, size), piece.astype(np.int32)


def _every_one(distinct: FrequencySet) -> FrequencySet:
    """Return the frequency set of a table that has each of its rows once, in the same order."""
    return replace(distinct, inverse=np.arange(distinct.size, dtype=np.int32))


def _numbered(table: Table) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Number the entries by quasi values, then by sensitive ones; say where each came first."""
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    distinct = table.frequency_set
    columns = [distinct.inverse, *(column.codes for column in table.sensitive)]
    sizes = [distinct.size, *(len(column.values) for column in table.sensitive)]
    keys, _ = row_keys(columns, sizes)
    numbers, first = rank_keys(keys)
    order = np.argsort(keys[first])
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    return place[numbers], first[order]


def _first_of(distinct: FrequencySet) -> NDArray[np.intp]:
    """Say which row of the table comes first of those that each distinct row stands for."""
    first = np.empty(distinct.size, dtype=np.intp)
    backwards = np.arange(distinct.inverse.size - 1, -1, -1)
    first[distinct.inverse[backwards]] = backwards
    return first
