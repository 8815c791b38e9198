"""Entries: rows of a table that are alike in all that a method is shown, put together.

Work that takes long is on entries, not on rows: copies of a row cost nothing. Rows of one entry
stay together whatever the method chooses; what is asked of a release, and what it loses, is counted
in rows by their weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.table import FrequencySet, Table


@dataclass(frozen=True, eq=False)
class Entries:
    """A table of fewer entries, and which of them each entry of the table before went into.

    Attributes
    ----------
    table
        One entry for all that are alike, in lexicographic order of their quasi values.
    of_row
        The entry of each row (or entry) of the table before.
    """

    table: Table
    of_row: NDArray[np.int32]

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


def loosened(entries: Entries, least: int, order: NDArray[np.intp]) -> Entries:
    """Split entries of many rows: as many as make a group stay together, the others come loose.

    Whatever rows of an entry are a group by themselves lose nothing, and no other group needs more
    than `least - 1` of them to be large enough; so at most that many of them are worth parting.
    Entries of fewer than `least` rows stay whole.

    Parameters
    ----------
    least
        How many rows make a group.
    order
        The rows in the order in which those of an entry are taken; a secret one.
    """
    weights = entries.table.row_counts
    loose = np.where(weights >= least, np.minimum(weights - least, least - 1), 0)
    return _in_pieces(entries, order, np.zeros_like(loose), loose)


def loosened_ends(entries: Entries, least: int, order: NDArray[np.intp]) -> Entries:
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
    many = weights >= 3 * least - 2
    lead = np.where(many, least - 1, 0)
    return _in_pieces(entries, order, lead, np.where(many, 2 * lead, weights - 1))


def _in_pieces(
    entries: Entries, order: NDArray[np.intp], lead: NDArray[np.int64], loose: NDArray[np.int64]
) -> Entries:
    """Let some rows of each entry come loose, so many of them before those that stay together."""
    weights = entries.table.row_counts
    pieces = loose + 1
    entry = np.repeat(np.arange(weights.size), pieces)
    start = np.cumsum(pieces) - pieces
    counts = np.ones(entry.size, dtype=np.int64)
    counts[start + lead] = weights - loose
    table = replace(entries.table.part(entry), weights=counts)
    distinct = entries.table.frequency_set
    table.__dict__["frequency_set"] = replace(distinct, inverse=distinct.inverse[entry])
    sizes = _Sizes(start, lead, weights - loose)
    return Entries(table, _pieces_of_rows(entries.of_row, order, sizes))


class _Sizes(NamedTuple):
    """Of each entry its first piece, how many loose ones come before the heavy one, its rows."""

    start: NDArray[np.int64]
    lead: NDArray[np.int64]
    heavy: NDArray[np.int64]


def _pieces_of_rows(
    of_row: NDArray[np.int32], order: NDArray[np.intp], sizes: _Sizes
) -> NDArray[np.int32]:
    """Give the rows of each entry its pieces, in the order given."""
    taken = order[np.argsort(of_row[order], kind="stable")]
    entry = of_row[taken]
    first = np.flatnonzero(np.diff(entry, prepend=-1))
    rows = np.diff(np.append(first, entry.size))
    place = np.arange(entry.size) - np.repeat(first, rows)
    lead, heavy = sizes.lead[entry], sizes.heavy[entry]
    piece = np.empty(of_row.size, dtype=np.int32)
    after = np.maximum(place - lead - heavy + 1, 0)
    piece[taken] = sizes.start[entry] + np.minimum(place, lead) + after
    return piece


def _every_one(distinct: FrequencySet) -> FrequencySet:
    """Return the frequency set of a table that has each of its rows once, in the same order."""
    return replace(distinct, inverse=np.arange(distinct.size, dtype=np.int32))


def _numbered(table: Table) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Number the entries by quasi values, then by sensitive ones; say where each came first."""
    from indistinct.kernels.ranking import rank_keys, row_keys

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
