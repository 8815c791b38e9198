"""Improving groups of rows by single changes: simulated annealing (Kirkpatrick et al. 1983).

Each row in turn may move to the group of a near row, swap groups with a near row, or see its small
group dissolved. The best of these changes is made if it lowers the summed cost, or raises it by
less than a random threshold that shrinks as the search cools down: to accept a change for the worse
by d with probability exp(-d / heat) is to draw u once and accept whatever is below -heat log u.

A row may weigh as much as several that are alike: it moves as a whole, and groups cost, and are
large enough, by what their rows weigh.

What holds between two turns: every group weighs k or more, or nothing, and satisfies what is
demanded; lists and boxes are as `linked_groups_kernel` says, and notes as `Notes` does. Only groups
of one part change. Parts are searched side by side: a row of another part may change its group
meanwhile, but never to one of this part, so what is skipped does not depend on who is faster.

Arrays are `lent` to the loops: two processors that count references to the same ones wait for each
other longer than all the rest takes. What is lent must outlive the loops, so all of it comes from
outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import lent
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.random import share
from indistinct.methods.common.linked_groups_kernel import (
    AFTER,
    BOX,
    CODES,
    GROUP,
    HEAD,
    NONE,
    PART,
    SEEN,
    SIZE,
    WEIGHT,
    allowed,
    bounds_without,
    cost_of,
    cost_with,
    empty_box,
    join,
    leave,
    tighten,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.asked import Asked
    from indistinct.methods.common.linked_groups_kernel import Groups

LEAST = 1e-9
REACH = 4


class Space(NamedTuple):
    """What a search knows of the rows.

    Attributes
    ----------
    table
        The cost of each span of each column.
    orders
        Orders in which near rows stand near each other, one after the other. The last `REACH` rows
        of each also stand before its beginning, and the first after its end, so that no neighbour
        is sought beyond.
    places
        For each row where in `orders` it stands, in each of them.
    """

    table: NDArray[np.float64]
    orders: NDArray[np.int32]
    places: NDArray[np.int32]


class Notes(NamedTuple):
    """What is noted of groups as they change, to be looked up fast.

    Attributes
    ----------
    price
        What a row of each group costs; -1 where its box has changed since that was known.
    standing
        The group of each row that stands in `orders`: which groups are near a row is read off in a
        few stretches, without a look at the rows.
    """

    price: NDArray[np.float64]
    standing: NDArray[np.int32]


class Visits(NamedTuple):
    """Which rows are tried, and how.

    Attributes
    ----------
    rows, part
        The rows, one after the other; the part of the groups that may change.
    heat
        How large the changes for the worse are that may be accepted.
    stamp
        A number for the first row that is larger than any row had before, to mark groups with.
    state
        Of random numbers.
    """

    rows: NDArray[np.int32]
    part: int
    heat: float
    stamp: int
    state: NDArray[np.uint64]


class Scratch(NamedTuple):
    """Arrays to write in.

    Attributes
    ----------
    nearby
        Where rows stand in `orders` that are near the row in turn.
    rest
        The record of a group without the row in turn.
    """

    nearby: NDArray[np.int64]
    rest: NDArray[np.int32]


def scratch_for(space: Space, groups: Groups) -> Scratch:
    """Allocate what one thread needs to write in."""
    nearby = np.empty(space.places.shape[1] * 2 * REACH, dtype=np.int64)
    return Scratch(nearby, np.empty((1, groups.records.shape[1]), dtype=np.int32))


@njit
def anneal(
    space: Space, groups: Groups, notes: Notes, asked: Asked, visits: Visits, scratch: Scratch
) -> None:
    """Try to move, to swap, or to dissolve, for each of some rows."""
    table, orders, places = lent(space)
    records, rows = lent(groups)
    price, standing = lent(notes)
    k, demands, tally = asked.k, asked.demands, asked.tally
    turns, part, heat, state = visits.rows, visits.part, visits.heat, visits.state
    nearby, rest = lent(scratch)
    alone = np.int64(0)
    for turn in range(turns.size):
        row = np.int64(turns[turn])
        home = np.int64(rows[row, GROUP])
        cost = _price(table, records, price, home)
        if cost == 0.0:
            continue
        weight, held = np.int64(rows[row, WEIGHT]), np.int64(records[home, SIZE])
        _list_near(places, row, nearby)
        stamp = visits.stamp + turn
        limit = -LEAST
        if heat > 0.0:
            limit -= heat * np.log(max(share(state), 1e-300))
        _box_without(records, rows, home, row, rest)
        without = cost_of(table, rest, alone)
        if held - weight >= k and allowed(records, rows, demands, tally, home, row, NONE):
            gain = without * (held - weight) - cost * held
            target = NONE
            records[home, SEEN] = stamp
            for place in nearby:
                there = np.int64(standing[place])
                if records[there, SEEN] == stamp or records[there, PART] != part:
                    continue
                records[there, SEEN] = stamp
                size = records[there, SIZE]
                now = _price(table, records, price, there) * size
                # beyond this the change cannot be the best one, whatever rounding does
                most = (limit - gain + now) / (size + weight) + LEAST
                joined = cost_with(table, records, rows, there, row, most)
                change = gain + joined * (size + weight) - now
                if change < limit and allowed(records, rows, demands, tally, there, NONE, row):
                    limit, target = change, there
            if target >= 0:
                leave(records, rows, row)
                tighten(records, rows, home)
                join(records, rows, row, target)
                _note(places, price, standing, row, target)
                price[home] = -1.0
                continue
        if without < cost - LEAST:
            partner = NONE
            for place in nearby:
                there = np.int64(standing[place])
                if there == home or records[there, PART] != part:
                    continue
                size = records[there, SIZE]
                now = _price(table, records, price, there) * size
                if (without - cost) * held + without * (1 - weight) - now >= limit:
                    continue  # too dear even if the other row weighed one and did not widen this
                other = np.int64(orders[place])
                more = np.int64(rows[other, WEIGHT]) - weight
                if held + more < k or size - more < k:
                    continue
                most = (limit + now + cost * held) / (held + more) + LEAST
                joined = cost_with(table, rest, rows, alone, other, most)
                change = (joined - cost) * held + joined * more - now
                if change >= limit:
                    continue  # too dear even if the other group then cost nothing
                most = (limit - change) / (size - more) + LEAST
                swapped = _cost_swapped(table, records, rows, there, other, row, most)
                change += swapped * (size - more)
                if (
                    change < limit
                    and allowed(records, rows, demands, tally, home, row, other)
                    and allowed(records, rows, demands, tally, there, other, row)
                ):
                    limit, partner = change, other
            if partner >= 0:
                there = np.int64(rows[partner, GROUP])
                leave(records, rows, row)
                leave(records, rows, partner)
                join(records, rows, row, there)
                join(records, rows, partner, home)
                tighten(records, rows, home)
                tighten(records, rows, there)
                _note(places, price, standing, row, there)
                _note(places, price, standing, partner, home)
                continue
        # once for each group, when its first row has its turn; rules of other groups are not asked
        if demands is None and records[home, SIZE] < 2 * k and records[home, HEAD] == row:
            _dissolve(table, places, records, rows, price, standing, home, cost, nearby)


@inner(inline="always")
def _price(table, records, price, target):
    """Return what a row of a group costs, from memory if its box did not change."""
    if price[target] < 0.0:
        price[target] = cost_of(table, records, target)
    return price[target]


@inner
def _list_near(places, row, nearby):
    """List where rows stand that are near a row, order by order, the nearest of each first."""
    number = 0
    for which in range(places.shape[1]):
        place = np.int64(places[row, which])
        for step in range(1, REACH + 1):
            nearby[number] = place + step
            nearby[number + 1] = place - step
            number += 2


@inner
def _note(places, price, standing, row, target):
    """Note that a row has joined a group, wherever it stands; also around the ends of orders."""
    price[target] = -1.0
    rows, orders = places.shape
    length = rows + 2 * REACH
    for which in range(orders):
        begin = which * length
        place = (places[row, which] - begin) % rows
        while place < length:
            standing[begin + place] = target
            place += rows


@inner
def _box_without(records, rows, target, out, rest):
    """Write the box of a group once a row has left it."""
    columns = rows.shape[1] - CODES
    for column in range(columns):
        low, high = bounds_without(records, rows, target, column, out)
        rest[0, BOX + column] = low
        rest[0, BOX + columns + column] = high


@inner
def _cost_swapped(table, records, rows, target, out, into, limit):
    """Return what a row of a group costs once a row was swapped; the limit, or more, if so."""
    cost = 0.0
    for column in range(table.shape[0]):
        low, high = bounds_without(records, rows, target, column, out)
        code = rows[into, CODES + column]
        cost += table[column, min(low, code), max(high, code)]
        if cost >= limit:
            break
    return cost


@inner
def _cheapest(table, places, records, rows, price, standing, row, nearby):
    """Find the nearby group of its part, other than its own, that a row joins at least cost."""
    home, weight = np.int64(rows[row, GROUP]), np.int64(rows[row, WEIGHT])
    best, target = np.inf, NONE
    _list_near(places, row, nearby)
    for place in nearby:
        there = np.int64(standing[place])
        if there != home and records[there, PART] == records[home, PART]:
            size = np.int64(records[there, SIZE])
            more = cost_with(table, records, rows, there, row, np.inf) * (size + weight)
            more -= _price(table, records, price, there) * size
            if more < best:
                best, target = more, there
    return best, target


@inner
def _dissolve(table, places, records, rows, price, standing, home, cost, nearby):
    """Send the rows of a group to others if that is cheaper."""
    now = cost * records[home, SIZE]
    elsewhere = 0.0
    for sent in range(2):  # what it costs is summed up first
        row = np.int64(records[home, HEAD])
        while row >= 0 and (sent or elsewhere < now):
            following = np.int64(rows[row, AFTER])
            more, target = _cheapest(table, places, records, rows, price, standing, row, nearby)
            if sent:
                leave(records, rows, row)
                join(records, rows, row, target)
                _note(places, price, standing, row, target)
            else:
                elsewhere += more
            row = following
        if elsewhere >= now - LEAST:
            return
    empty_box(records, home)
    price[home] = -1.0
