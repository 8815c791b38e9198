"""Cutting groups in two where that is cheaper, between passes of the annealing of `best`.

A group of 2k rows or more is tried in the order of each of its columns, as Mondrian cuts (LeFevre,
DeWitt, Ramakrishnan 2006), but at every place that leaves k rows on both sides, not only at the
median; the cheapest cut of all is made if it is cheaper than none and both sides satisfy. Lists and
boxes are as `linked_groups_kernel` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import lent
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
    tighten,
    widen,
)
from indistinct.methods.partition.annealing_kernel import LEAST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.asked import Asked
    from indistinct.methods.common.linked_groups_kernel import Groups

FEW = 24


class Scratch(NamedTuple):
    """Arrays to write in.

    Attributes
    ----------
    members, order, chosen, old, costs
        The rows that are cut, in the order of a column, in the best one; the groups that they were
        in; what rows cost behind each cut.
    free
        To count values in.
    side
        The record of one side of a cut.
    """

    members: NDArray[np.int64]
    order: NDArray[np.int64]
    chosen: NDArray[np.int64]
    old: NDArray[np.int64]
    costs: NDArray[np.float64]
    free: NDArray[np.int64]
    side: NDArray[np.int32]


def scratch_for(table: NDArray[np.float64], groups: Groups, rows: int) -> Scratch:
    """Allocate what one thread needs to write in, to cut so many rows at once."""
    return Scratch(
        members=np.empty(rows, dtype=np.int64),
        order=np.empty(rows, dtype=np.int64),
        chosen=np.empty(rows, dtype=np.int64),
        old=np.empty(rows, dtype=np.int64),
        costs=np.empty(rows + 1),
        free=np.empty(table.shape[1] + 2, dtype=np.int64),
        side=np.empty((1, groups.records.shape[1]), dtype=np.int32),
    )


@njit
def split(
    table: NDArray[np.float64],
    groups: Groups,
    price: NDArray[np.float64],
    asked: Asked,
    begin: int,
    end: int,
    count: int,
    scratch: Scratch,
) -> int:
    """Cut groups from one number to another in two; return how many groups there are then.

    A new group gets the number `count`. The last record is for rows that are left out. There must
    be scratch for the rows of the largest group.
    """
    records, rows = groups.records, groups.rows
    k, demands, tally = asked.k, asked.demands, asked.tally
    members, order = scratch.members, scratch.chosen
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
        most = cost * size - LEAST
        cut = cheapest_cut(table, records, rows, target, target, held, size, k, most, scratch)
        if cut == 0:
            target += 1
            continue
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
def cheapest_cut(table, records, rows, one, two, held, size, k, most, scratch):
    """Find the cheapest cut along any column of the members of two groups, or of one taken twice.

    Return where it is, 0 if none costs less than `most`; the members are `chosen` in its order.
    `size` is what all of them weigh.
    """
    members, order, chosen, _, costs, free, side = lent(scratch)
    columns = table.shape[0]
    best, cut = most, np.int64(0)
    for number in range(columns):
        column = np.int64(number)
        low = min(records[one, BOX + column], records[two, BOX + column])
        high = max(records[one, BOX + columns + column], records[two, BOX + columns + column])
        if low == high:
            continue
        _sort_by(rows, members, held, column, low, high, free, order)
        dear, at = _best_cut(table, rows, order[:held], size, k, best, side, costs)
        if dear < best:
            best, cut = dear, at
            for i in range(held):
                chosen[i] = order[i]
    return cut


@inner
def _sort_by(rows, members, held, column, low, high, free, order):
    """Sort rows by their code, equal ones in the order they have.

    Few are put in their places one by one; of many the codes, from lowest to highest, are counted.
    """
    if held <= FEW:
        for i in range(held):
            row = members[i]
            code, at = rows[row, CODES + column], i
            while at > 0 and rows[order[at - 1], CODES + column] > code:
                order[at] = order[at - 1]
                at -= 1
            order[at] = row
        return
    for code in range(high - low + 2):
        free[code] = 0
    for i in range(held):
        free[rows[members[i], CODES + column] - low + 1] += 1
    for code in range(1, high - low + 2):
        free[code] += free[code - 1]
    for i in range(held):
        code = rows[members[i], CODES + column] - low
        order[free[code]] = members[i]
        free[code] += 1


@inner
def _best_cut(table, rows, order, size, k, most, side, costs):
    """Find the cheapest cut of some rows in an order; return the cost of all rows, and where.

    From the end on, the box of all rows behind grows; what a row costs there is kept for the way
    back from the beginning. `size` is what all rows weigh. Cuts that cost `most` are not sought:
    one side alone costs no less with more rows.
    """
    line = np.int64(0)
    empty_box(side, line)
    behind, at = np.int64(0), order.size
    while at > 1:
        row = order[at - 1]
        behind += rows[row, WEIGHT]
        if behind > size - k:
            break
        at -= 1
        widen(side, rows, row, line)
        if behind >= k:
            costs[at] = cost_of(table, side, line)
            if costs[at] * behind >= most:
                at += 1
                break
    first = at
    empty_box(side, line)
    best, cut = most, np.int64(0)
    before = np.int64(0)
    for i in range(order.size):
        before += rows[order[i], WEIGHT]
        if before > size - k:
            break
        widen(side, rows, order[i], line)
        if before >= k and i + 1 >= first:
            front = cost_of(table, side, line) * before
            if front >= best:
                break
            cost = front + costs[i + 1] * (size - before)
            if cost < best:
                best, cut = cost, np.int64(i + 1)
    return best, cut
