"""Copies of a row that a first partition put into one group, gathered to one entry.

Methods that cut an order are given copies one by one, and may part them anywhere. A search that
then moves rows does better, and faster, with those that went together as one entry: of k copies or
more some stay loose, as in `model/entries.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.demands import kept_by_more, least_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.model.table import Table


@dataclass(frozen=True, eq=False)
class Gathered:
    """A problem of fewer entries.

    Attributes
    ----------
    problem
        The problem.
    first
        For each of its entries the first one of those that it was gathered from.
    entry
        For each entry of the problem before, which one it went into.
    """

    problem: Problem
    first: NDArray[np.intp]
    entry: NDArray[np.intp]


def gathered(problem: Problem, groups: NDArray[np.int32]) -> Gathered:
    """Make one entry of the copies of a row in a group, but for some of k or more.

    Where more rows of a value may break what is asked, every entry stays as it is.
    """
    table = problem.table
    each = np.arange(table.entries)
    if table.has_respondents or not kept_by_more(problem.requirements):
        return Gathered(problem, each, each)
    kinds = _kinds(table, groups)
    order = np.argsort(kinds, kind="stable")
    begins = np.flatnonzero(np.diff(kinds[order], prepend=-1))
    if begins.size == table.entries:
        return Gathered(problem, each, each)
    leader = np.empty_like(each)
    leader[order] = np.repeat(order[begins], np.diff(begins, append=order.size))
    loose = _loose(table.row_counts[order], begins, least_rows(problem))
    leader[order[loose]] = order[loose]
    first, entry = np.unique(leader, return_inverse=True)
    weights = table.rows_by(entry.astype(np.int32), first.size)
    fewer = replace(table.part(first), weights=weights)
    distinct = table.frequency_set
    fewer.__dict__["frequency_set"] = replace(distinct, inverse=distinct.inverse[first])
    return Gathered(replace(problem, table=fewer), first, entry)


def _kinds(table: Table, groups: NDArray[np.int32]) -> NDArray[np.int64]:
    """Number rows that are alike and in one group alike."""
    from indistinct.model.ranking_kernel import row_keys

    columns = [table.frequency_set.inverse, groups + 1, *(c.codes for c in table.sensitive)]
    values = [len(column.values) for column in table.sensitive]
    return row_keys(columns, [table.frequency_set.size, int(groups.max()) + 2, *values])[0]


def _loose(weights: NDArray[np.int64], begins: NDArray[np.intp], least: int) -> NDArray[np.bool_]:
    """Mark, of each run of copies, as many of the last single ones as are worth parting.

    >>> _loose(np.array([1, 1, 1, 1, 1]), np.array([0, 4]), 2).tolist()
    [False, False, False, True, False]
    """
    single = weights == 1
    runs = np.repeat(np.arange(begins.size), np.diff(begins, append=weights.size))
    many = np.add.reduceat(weights, begins)
    before = np.cumsum(single)
    last = np.append(begins[1:], weights.size) - 1
    behind = before[last][runs] - before  # single ones behind each in its run
    most = np.minimum(np.maximum(many - least, 0), least - 1)[runs]
    first = np.zeros(weights.size, dtype=np.bool_)
    first[begins] = True
    loose: NDArray[np.bool_] = single & ~first & (behind < most)
    return loose
