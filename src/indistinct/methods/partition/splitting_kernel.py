"""Cutting groups in two where that is cheaper, between passes of the annealing of `best`.

A group of 2k rows or more is tried in the order of each of its columns, as Mondrian cuts (LeFevre,
DeWitt, Ramakrishnan 2006), but at every place that leaves k rows on both sides, not only at the
median; the cheapest cut of all is made if it is cheaper than none and both sides satisfy. Lists and
boxes are as `linked_groups_kernel` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.methods.common.linked_groups_kernel import (
    AFTER,
    BOX,
    CODES,
    HEAD,
    NONE,
    SIZE,
    WEIGHT,
    allowed,
    cost_of,
    empty_box,
    join,
    leave,
    most_members,
    tighten,
    widen,
)
from indistinct.methods.partition.annealing_kernel import LEAST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.asked import Asked
    from indistinct.methods.common.linked_groups_kernel import Groups


@njit
def split(
    table: NDArray[np.float64],
    groups: Groups,
    price: NDArray[np.float64],
    asked: Asked,
    begin: int,
    end: int,
    count: int,
) -> int:
    """Cut groups from one number to another in two; return how many groups there are then.

    A new group gets the number `count`. The last record is for rows that are left out.
    """
    records, rows = groups.records, groups.rows
    k, demands, tally = asked.k, asked.demands, asked.tally
    largest = 0
    for group in range(begin, end):
        largest = max(largest, most_members(records, rows, np.int64(group)))
    members = np.empty(largest, dtype=np.int64)
    order = np.empty(largest, dtype=np.int64)
    costs = np.empty(largest)
    free = np.empty(table.shape[1] + 1, dtype=np.int64)
    side = np.empty((1, records.shape[1]), dtype=np.int32)
    columns = table.shape[0]
    target = np.int64(begin)
    while target < end:
        size = np.int64(records[target, SIZE])
        cost = cost_of(table, records, target) if size else 0.0
        if size < 2 * k or count >= records.shape[0] - 1 or cost == 0.0:
            target += 1
            continue
        row, held = np.int64(records[target, HEAD]), np.int64(0)
        while row >= 0:
            members[held] = row
            row = np.int64(rows[row, AFTER])
            held += 1
        best, cut, along = cost * size - LEAST, np.int64(0), np.int64(0)
        for number in range(columns):
            column = np.int64(number)
            if records[target, BOX + column] != records[target, BOX + columns + column]:
                _sort(rows, members, held, column, free, order)
                dear, at = best_cut(table, rows, order[:held], size, k, side, costs)
                if dear < best:
                    best, cut, along = dear, at, column
        if cut == 0:
            target += 1
            continue
        _sort(rows, members, held, along, free, order)
        new = np.int64(count)
        _send(records, rows, order, cut, new)
        tighten(records, rows, target)
        if allowed(records, rows, demands, tally, target, NONE, NONE) and allowed(
            records, rows, demands, tally, new, NONE, NONE
        ):
            price[target] = price[new] = -1.0
            count += 1  # and the same group again: it may be cut once more
        else:
            _send(records, rows, order, cut, target)
            tighten(records, rows, new)
            target += 1
    return count


@inner
def _send(records, rows, order, cut, target):
    """Let the first rows of an order join a group."""
    for i in range(cut):
        leave(records, rows, order[i])
        join(records, rows, order[i], target)


@inner
def _sort(rows, members, size, column, free, order):
    """Sort rows by their code, equal ones in the order they have (counting sort)."""
    for code in range(free.size):
        free[code] = 0
    for i in range(size):
        free[rows[members[i], CODES + column] + 1] += 1
    for code in range(1, free.size):
        free[code] += free[code - 1]
    for i in range(size):
        code = rows[members[i], CODES + column]
        order[free[code]] = members[i]
        free[code] += 1


@inner
def best_cut(table, rows, order, size, k, side, costs):
    """Find the cheapest cut of some rows in an order; return the cost of all rows, and where.

    From the end on, the box of all rows behind grows; what a row costs there is kept for the way
    back from the beginning. `size` is what all rows weigh.
    """
    line = np.int64(0)
    empty_box(side, line)
    before, at = size, order.size
    while at > 0 and before - rows[order[at - 1], WEIGHT] >= k:
        at -= 1
        before -= rows[order[at], WEIGHT]
        widen(side, rows, order[at], line)
        costs[at] = cost_of(table, side, line)
    empty_box(side, line)
    best, cut = np.inf, np.int64(0)
    before = np.int64(0)
    for i in range(order.size):
        before += rows[order[i], WEIGHT]
        if before > size - k:
            break
        widen(side, rows, order[i], line)
        if before >= k:
            cost = cost_of(table, side, line) * before + costs[i + 1] * (size - before)
            if cost < best:
                best, cut = cost, np.int64(i + 1)
    return best, cut
