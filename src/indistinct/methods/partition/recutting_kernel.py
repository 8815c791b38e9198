"""Cutting two near groups anew, between passes of the annealing of `best`.

Rows that move one by one cannot turn two large groups that are parted by one column into two that
are parted by another: on the way there both would be wide. Here the rows of two groups are put
together and cut in two at the cheapest place along any column, as `splitting_kernel` does with one
group; the cut is made if it is cheaper than what the two cost before and both sides satisfy. Lists
and boxes are as `linked_groups_kernel` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.methods.common.linked_groups_kernel import (
    AFTER,
    BOX,
    CODES,
    GROUP,
    HEAD,
    NONE,
    SIZE,
    WEIGHT,
    allowed,
    join,
    leave,
    tighten,
)
from indistinct.methods.partition.annealing_kernel import LEAST
from indistinct.methods.partition.splitting_kernel import best_cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.asked import Asked
    from indistinct.methods.common.linked_groups_kernel import Groups
    from indistinct.methods.partition.annealing_kernel import Space

STEPS = 2


@njit
def recut(
    space: Space,
    groups: Groups,
    price: NDArray[np.float64],
    asked: Asked,
    turns: NDArray[np.int32],
    seen: NDArray[np.int64],
    stamp: int,
) -> int:
    """Cut the group of each of some rows anew with every group near the row; return how often.

    Parameters
    ----------
    seen, stamp
        When each group was last looked at, and a number larger than any there.
    """
    table, orders, places = space.table, space.orders, space.places
    records, rows = groups.records, groups.rows
    k, demands, tally = asked.k, asked.demands, asked.tally
    columns, last = table.shape[0], records.shape[0] - 1
    room = 64
    members = np.empty(room, dtype=np.int64)
    order = np.empty(room, dtype=np.int64)
    chosen = np.empty(room, dtype=np.int64)
    old = np.empty(room, dtype=np.int64)
    costs = np.empty(room)
    free = np.empty(table.shape[1] + 2, dtype=np.int64)
    side = np.empty((1, records.shape[1]), dtype=np.int32)
    made = 0
    for turn in range(turns.size):
        row = np.int64(turns[turn])
        home = np.int64(rows[row, GROUP])
        if home == last:
            continue
        seen[home] = stamp + turn
        for which in range(places.shape[1]):
            for step in range(-STEPS, STEPS + 1):
                there = np.int64(rows[orders[places[row, which] + step], GROUP])
                if there == last or seen[there] == stamp + turn:
                    continue
                seen[there] = stamp + turn
                size = np.int64(records[home, SIZE]) + np.int64(records[there, SIZE])
                now = _price(table, records, price, home) * records[home, SIZE]
                now += _price(table, records, price, there) * records[there, SIZE]
                if now < LEAST or size < 2 * k:
                    continue
                held = _listed(records, rows, home, members, np.int64(0))
                held = _listed(records, rows, there, members, held)
                if held > room:
                    room = 2 * held
                    members = np.empty(room, dtype=np.int64)
                    order = np.empty(room, dtype=np.int64)
                    chosen = np.empty(room, dtype=np.int64)
                    old = np.empty(room, dtype=np.int64)
                    costs = np.empty(room)
                    held = _listed(records, rows, home, members, np.int64(0))
                    held = _listed(records, rows, there, members, held)
                best, cut = now - LEAST, np.int64(0)
                for number in range(columns):
                    column = np.int64(number)
                    low = min(records[home, BOX + column], records[there, BOX + column])
                    high = max(
                        records[home, BOX + columns + column],
                        records[there, BOX + columns + column],
                    )
                    if low == high:
                        continue
                    _sort(rows, members, held, column, low, high, free, order)
                    dear, at = best_cut(table, rows, order[:held], size, k, side, costs)
                    if dear < best:
                        best, cut = dear, at
                        for i in range(held):
                            chosen[i] = order[i]
                if cut == 0:
                    continue
                for i in range(held):
                    old[i] = rows[chosen[i], GROUP]
                _deal(records, rows, chosen, held, cut, home, there)
                tighten(records, rows, home)
                tighten(records, rows, there)
                if allowed(records, rows, demands, tally, home, NONE, NONE) and allowed(
                    records, rows, demands, tally, there, NONE, NONE
                ):
                    price[home] = price[there] = -1.0
                    made += 1
                else:
                    for i in range(held):
                        _send(records, rows, chosen[i], old[i])
                    tighten(records, rows, home)
                    tighten(records, rows, there)
                home = np.int64(rows[row, GROUP])
    return made


@inner
def _price(table, records, price, target):
    """Return what a row of a group costs, from memory if its box did not change."""
    if price[target] < 0.0:
        cost = 0.0
        columns = table.shape[0]
        for column in range(columns):
            low, high = records[target, BOX + column], records[target, BOX + columns + column]
            cost += table[column, low, high]
        price[target] = cost
    return price[target]


@inner
def _listed(records, rows, target, members, held):
    """List the rows of a group behind others, as far as there is room; return how many all are."""
    row = np.int64(records[target, HEAD])
    while row >= 0:
        if held < members.size:
            members[held] = row
        held += 1
        row = np.int64(rows[row, AFTER])
    return held


@inner
def _sort(rows, members, held, column, low, high, free, order):
    """Sort rows by their code, from the lowest to the highest (counting sort)."""
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
def _deal(records, rows, chosen, held, cut, one, two):
    """Send the rows before a cut to one group, the others to another; the larger part may stay."""
    stay = np.int64(0)
    for i in range(held):
        here = rows[chosen[i], GROUP] == one
        stay += rows[chosen[i], WEIGHT] if here == (i < cut) else -rows[chosen[i], WEIGHT]
    if stay < 0:
        one, two = two, one
    for i in range(held):
        _send(records, rows, chosen[i], one if i < cut else two)


@inner
def _send(records, rows, row, target):
    """Let a row join a group, unless it is there."""
    if rows[row, GROUP] != target:
        leave(records, rows, row)
        join(records, rows, row, target)
