"""Entries: rows of a table that are alike in all that a method is shown, put together.

Work that takes long is on entries, not on rows: copies of a row cost nothing. Rows of one entry
stay together unless entries are cut: before a search, as its method asks, or by the method itself.
What is asked of a release, and what it loses, is counted in rows by their weights.
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
        The entry that each part is of; where a method cut them, entry after entry.
    rows
        How many rows each part is.
    """

    entry: NDArray[np.intp]
    rows: NDArray[np.int64]

    def of_table(self, table: Table) -> Table:
        """Return the table whose entries are the parts."""
        parts = replace(table.part(self.entry), weights=self.rows)
        distinct = table.frequency_set
        inverse = distinct.inverse[self.entry]
        parts.__dict__["frequency_set"] = replace(distinct, inverse=inverse)  # as it is cached
        return parts

    @classmethod
    def whole(cls, weights: NDArray[np.int64]) -> Parts:
        """Cut no entry."""
        return cls(np.arange(weights.size), weights)

    @classmethod
    def with_one_loose_end(cls, weights: NDArray[np.int64], least: int) -> Parts:
        """Cut entries as `loosened` says."""
        loose = np.where(weights >= least, np.minimum(weights - least, least - 1), 0)
        return cls._of_pieces(weights, np.zeros_like(loose), weights - loose)

    @classmethod
    def with_loose_ends(cls, weights: NDArray[np.int64], least: int) -> Parts:
        """Cut entries as `loosened_ends` says."""
        many = weights >= 3 * least - 2
        lead = np.where(many, least - 1, 0)
        return cls._of_pieces(weights, lead, np.where(many, weights - 2 * lead, 1))

    @classmethod
    def of_one_row_each(cls, weights: NDArray[np.int64]) -> Parts:
        """Cut every entry into its rows."""
        entry = np.repeat(np.arange(weights.size), weights)
        return cls(entry, np.ones(entry.size, dtype=np.int64))

    @classmethod
    def _of_pieces(
        cls, weights: NDArray[np.int64], lead: NDArray[np.int64], heavy: NDArray[np.int64]
    ) -> Parts:
        """Of each entry, let so many rows come one by one, so many together, and the rest again."""
        count = weights - heavy + 1
        entry = np.repeat(np.arange(count.size), count)
        rows = np.ones(entry.size, dtype=np.int64)
        rows[np.cumsum(count) - count + lead] = heavy
        return cls(entry, rows)


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
    return dealt(table, entries, Parts.with_one_loose_end(weights, least), order)


def loosened_ends(table: Table, entries: Entries, least: int, order: NDArray[np.intp]) -> Entries:
    """Split entries for methods whose groups are runs of an order, so that nothing is lost by it.

    Of an entry of 3 least - 2 rows or more, the first and the last least - 1 come loose, and those
    between stay together; entries of fewer rows come loose as a whole.

    *Lemma.* Let groups be runs of `least` rows or more of an order in which copies of a row follow
    each other, a wider group costing each of its rows no less. Then some best groups cut such an
    entry nowhere between. *Proof.* Let each group that has rows before (after) the entry keep the
    first (last) least - 1 of its copies, if it has as many: with one other row it has `least`, and
    it is no wider than before. All copies between are now a group, since they are
    3 least - 2 - 2 (least - 1) = `least` or more; it costs nothing.
    """
    weights = entries.table.row_counts
    return dealt(table, entries, Parts.with_loose_ends(weights, least), order)


def all_apart(table: Table, entries: Entries, order: NDArray[np.intp]) -> Entries:
    """Split every entry into its rows."""
    return dealt(table, entries, Parts.of_one_row_each(entries.table.row_counts), order)


def dealt(table: Table, entries: Entries, parts: Parts, order: NDArray[np.intp]) -> Entries:
    """Deal parts of entries, entry after entry, out to the rows of the table in the order given."""
    split = parts.of_table(entries.table)
    taken = order[np.argsort(entries.of_row[order], kind="stable")]
    if table.weights is not None:
        cut, piece = laid_along(table.weights[taken], parts.rows)
        return Entries(split, piece, Parts(taken[cut.entry], cut.rows))
    of_row = np.empty(table.entries, dtype=np.int32)
    of_row[taken] = np.repeat(np.arange(parts.rows.size, dtype=np.int32), parts.rows)
    return Entries(split, of_row)


def laid_along(
    lots: NDArray[np.int64], pieces: NDArray[np.int64]
) -> tuple[Parts, NDArray[np.int32]]:
    """Lay lots of rows along pieces, and cut each lot where a piece ends; both are as many rows.

    Returns
    -------
    tuple
        The parts of lots, one after the other, and the piece that each lies along.

    Examples
    --------
    >>> parts, piece = laid_along(np.array([2, 3]), np.array([1, 2, 2]))
    >>> parts.entry.tolist(), parts.rows.tolist(), piece.tolist()
    ([0, 0, 1, 1], [1, 1, 1, 2], [0, 1, 1, 2])
    """
    lot_ends, piece_ends = np.cumsum(lots), np.cumsum(pieces)
    ends = np.union1d(lot_ends, piece_ends)
    parts = Parts(np.searchsorted(lot_ends, ends), np.diff(ends, prepend=0))
    return parts, np.searchsorted(piece_ends, ends).astype(np.int32)


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
