"""Cutting two near groups anew, between passes of the annealing of `best`.

Rows that move one by one cannot turn two large groups that are parted by one column into two that
are parted by another: on the way there both would be wide. Here the rows of two groups are put
together and cut in two at the cheapest place along any column, as `splitting_kernel` does with one
group; the cut is made if it is cheaper than what the two cost before and both sides satisfy. Lists
and boxes are as `linked_groups_kernel` says. Two groups that would cost more than twice as much as
one group are not tried: of 400,000 such pairs of a generated table nine could be cut for the
better.

Only groups of one part change, as in `annealing_kernel`, so parts are cut side by side; arrays are
`lent` for the same reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import lent
from indistinct.kernels.compiled import inner, njit
from indistinct.methods.common.linked_groups_kernel import (
    AFTER,
    BOX,
    GROUP,
    HEAD,
    NONE,
    PART,
    SIZE,
    WEIGHT,
    allowed,
    cost_of,
    join,
    leave,
    tighten,
)
from indistinct.methods.partition.annealing_kernel import LEAST
from indistinct.methods.partition.splitting_kernel import cheapest_cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.asked import Asked
    from indistinct.methods.common.linked_groups_kernel import Groups
    from indistinct.methods.partition.annealing_kernel import Space
    from indistinct.methods.partition.splitting_kernel import Scratch

STEPS = 2
APART = 2.0


class Pairs(NamedTuple):
    """Which groups are cut anew with those near them.

    Attributes
    ----------
    heads, part
        A row of each of the groups, and the part of the groups that may change.
    seen, stamp
        When each group was last looked at, and a number larger than any there.
    """

    heads: NDArray[np.int32]
    part: int
    seen: NDArray[np.int64]
    stamp: int


@njit
def recut(
    space: Space,
    groups: Groups,
    price: NDArray[np.float64],
    asked: Asked,
    pairs: Pairs,
    scratch: Scratch,
) -> int:
    """Cut the group of each of some rows anew with every group near the row; return how often.

    Two groups of more rows than there is scratch for are left as they are.
    """
    table, orders, places = lent(space)
    records, rows = lent(groups)
    prices = lent(price)
    heads, seen, part = lent(pairs.heads), lent(pairs.seen), pairs.part
    arrays = lent(scratch)
    made = 0
    for turn in range(heads.size):
        row = np.int64(heads[turn])
        home = np.int64(rows[row, GROUP])
        if records[home, PART] != part:
            continue
        stamp = pairs.stamp + turn
        seen[home] = stamp
        for which in range(places.shape[1]):
            for step in range(-STEPS, STEPS + 1):
                there = np.int64(rows[orders[places[row, which] + step], GROUP])
                if records[there, PART] != part or seen[there] == stamp:
                    continue
                seen[there] = stamp
                if _cut_anew(table, records, rows, prices, asked, home, there, arrays):
                    made += 1
                    home = np.int64(rows[row, GROUP])
    return made


@inner
def _cut_anew(table, records, rows, price, asked, home, there, scratch):
    """Cut two groups anew if that is cheaper; return whether they were."""
    members, chosen, old = scratch.members, scratch.chosen, scratch.old
    one, two = np.int64(records[home, SIZE]), np.int64(records[there, SIZE])
    now = _price(table, records, price, home) * one + _price(table, records, price, there) * two
    if now < LEAST or one + two < 2 * asked.k:
        return False
    if _together(table, records, home, there) * (one + two) > now * APART:
        return False
    held = _listed(records, rows, home, members, np.int64(0))
    held = _listed(records, rows, there, members, held)
    if held > members.size:
        return False
    size, most = one + two, now - LEAST
    cut = cheapest_cut(table, records, rows, home, there, held, size, asked.k, most, scratch)
    if cut == 0:
        return False
    for i in range(held):
        old[i] = rows[chosen[i], GROUP]
    _deal(records, rows, chosen, held, cut, home, there)
    tighten(records, rows, home)
    tighten(records, rows, there)
    if allowed(records, rows, asked.demands, asked.tally, home, NONE, NONE) and allowed(
        records, rows, asked.demands, asked.tally, there, NONE, NONE
    ):
        price[home] = price[there] = -1.0
        return True
    for i in range(held):
        _send(records, rows, chosen[i], old[i])
    tighten(records, rows, home)
    tighten(records, rows, there)
    return False


@inner
def _price(table, records, price, target):
    """Return what a row of a group costs, from memory if its box did not change."""
    if price[target] < 0.0:
        price[target] = cost_of(table, records, target)
    return price[target]


@inner
def _together(table, records, one, two):
    """Return what a row costs if two groups are one."""
    columns = table.shape[0]
    cost = 0.0
    for column in range(columns):
        low, high = BOX + column, BOX + columns + column
        cost += table[
            column,
            min(records[one, low], records[two, low]),
            max(records[one, high], records[two, high]),
        ]
    return cost


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
