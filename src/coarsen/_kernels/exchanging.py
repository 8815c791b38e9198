"""Improving a regular graph of boxes and rows by exchanges of two edges.

Box b covers row `out` and another box covers row `new`: they exchange the two. Each row stays in k
boxes and each box keeps k rows, all different. An exchange is made if it lowers the summed cost of
the two boxes, or raises it by less than a random threshold that shrinks as the search cools down.

Throughout: `table` holds for each column what the span of two codes costs, column c from `first[c]`
on, `size[c]` codes wide; `codes` the codes of each row; `covered` the rows of each box; `held` the
boxes of each row; `cost` what each box costs. `ends` holds for each box and column the least and
the second least code, the second greatest and the greatest: they tell what a box spans without any
one of its rows. Costs are multiples of a power of two, and so few that sums of them are exact:
what a box costs is kept up to date by adding what changes.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coarsen._kernels.chance import below, word
from coarsen._kernels.growing import insert

LEAST = 1e-6
DROP_BITS = 12
DROPS = -np.log((np.arange(1 << DROP_BITS) + 0.5) / (1 << DROP_BITS)).astype(np.float32)
"""Evenly spread values of an exponential distribution: how much worse may be, in units of heat."""


@njit(cache=True, nogil=True, inline="always")
def pair_cost(table, first, size, codes, one, two):
    """Return what two rows cost together."""
    cost = np.float32(0.0)
    for column in range(codes.shape[1]):
        low, high = codes[one, column], codes[two, column]
        if low > high:
            low, high = high, low
        cost += table[first[column] + low * size[column] + high]
    return cost


@njit(cache=True, nogil=True)
def distances(table, first, size, codes, others, apart):
    """Fill in what each row costs together with another."""
    for row in range(codes.shape[0]):
        apart[row] = pair_cost(table, first, size, codes, row, others[row])


@njit(cache=True, nogil=True)
def nearest(table, first, size, codes, orders, places, reach, near):
    """Fill in for each row the rows that are nearest, of those beside it in one of the orders."""
    rows = codes.shape[0]
    apart = np.empty(near.shape[1], dtype=np.float32)
    for row in range(rows):
        apart[:] = np.inf
        near[row] = row
        for order in range(orders.shape[0]):
            place = places[order, row]
            for step in range(-reach, reach + 1):
                other = orders[order, (place + step) % rows]
                if other == row:
                    continue
                cost = pair_cost(table, first, size, codes, row, other)
                if cost < apart[-1]:
                    _insert_once(apart, near[row], cost, other)


@njit(cache=True, nogil=True)
def _insert_once(apart, near, cost, row):
    """Put a row into the sorted list of the nearest ones, unless it is there."""
    for place in range(near.size):
        if near[place] == row:
            return
    insert(apart, near, cost, row)


@njit(cache=True, nogil=True)
def measure(table, first, size, codes, covered, ends, cost):
    """Fill in what each box spans and costs."""
    for box in range(covered.shape[0]):
        find_ends(codes, covered, ends, box)
        cost[box] = 0.0
        for column in range(codes.shape[1]):
            least, most = ends[box, column, 0], ends[box, column, 3]
            cost[box] += table[first[column] + least * size[column] + most]


@njit(cache=True, nogil=True)
def find_ends(codes, covered, ends, box):
    for column in range(codes.shape[1]):
        _find_end(codes, covered, ends, box, column)


@njit(cache=True, nogil=True, inline="always")
def _find_end(codes, covered, ends, box, column):
    one, two = codes[covered[box, 0], column], codes[covered[box, 1], column]
    least, most = min(one, two), max(one, two)
    second, last_but_one = most, least
    for slot in range(2, covered.shape[1]):
        code = codes[covered[box, slot], column]
        second = min(second, max(least, code))
        last_but_one = max(last_but_one, min(most, code))
        least, most = min(least, code), max(most, code)
    ends[box, column, 0] = least
    ends[box, column, 1] = second
    ends[box, column, 2] = last_but_one
    ends[box, column, 3] = most


@njit(cache=True, nogil=True)
def _update_ends(codes, covered, ends, box, out, new):
    """Find the ends anew where they may have changed, now that a box covers another row."""
    for column in range(codes.shape[1]):
        gone, code = codes[out, column], codes[new, column]
        second, last_but_one = ends[box, column, 1], ends[box, column, 2]
        if gone != code and (min(gone, code) <= second or max(gone, code) >= last_but_one):
            _find_end(codes, covered, ends, box, column)


@njit(cache=True, nogil=True)
def _growth(table, first, size, codes, ends, box, out, new):
    """Return by how much a box costs more with one row instead of another."""
    growth = np.float32(0.0)
    for column in range(codes.shape[1]):
        gone, code = codes[out, column], codes[new, column]
        if gone == code:
            continue
        least, most = ends[box, column, 0], ends[box, column, 3]
        low = ends[box, column, 1] if gone == least else least
        high = ends[box, column, 2] if gone == most else most
        low, high = min(low, code), max(high, code)
        if low != least or high != most:
            growth += table[first[column] + low * size[column] + high]
            growth -= table[first[column] + least * size[column] + most]
    return growth


@njit(cache=True, nogil=True, inline="always")
def slot_of(covered, box, row):
    """Return where a box covers a row; -1 if it does not."""
    for slot in range(covered.shape[1]):
        if covered[box, slot] == row:
            return slot
    return -1


@njit(cache=True, nogil=True)
def _best_giver(table, first, size, codes, covered, held, ends, cost, out, new, most):
    """Find the box that can best give a row and take another: its place, and its growth."""
    best, place = most, -1
    for number in range(held.shape[1]):
        giver = held[new, number]
        if -cost[giver] >= best or slot_of(covered, giver, out) >= 0:
            continue
        growth = _growth(table, first, size, codes, ends, giver, new, out)
        if growth < best:
            best, place = growth, number
    return place, best


@njit(cache=True, nogil=True)
def _exchange(codes, covered, held, ends, box, slot, place, new):
    """Let a box take a row from another, the one in `place` among its boxes, for its own."""
    out = covered[box, slot]
    giver = held[new, place]
    covered[giver, slot_of(covered, giver, new)] = out
    covered[box, slot] = new
    held[new, place] = box
    held[out, slot_of(held, out, box)] = giver
    _update_ends(codes, covered, ends, box, out, new)
    _update_ends(codes, covered, ends, giver, new, out)
    return giver


@njit(cache=True, nogil=True)
def anneal(
    table,
    first,
    size,
    codes,
    covered,
    held,
    ends,
    cost,
    near,
    boxes,
    tries,
    heat,
    warmth,
    state,
):
    """Try some exchanges for each of some boxes; rows near those of a box come in question.

    `tries` says how many for each box, `heat` how much worse an exchange may be on average, for
    rows of `warmth` 1; what counts is the cooler one of the two rows.
    """
    k = covered.shape[1]
    for turn in range(boxes.size):
        box = boxes[turn]
        for _ in range(tries[box]):
            if cost[box] <= 0.0:
                break
            drawn = word(state)
            kept = below(drawn, 0, k)
            slot = below(drawn, 16, k - 1)
            slot += slot >= kept
            new = near[covered[box, kept], below(drawn, 32, near.shape[1])]
            if slot_of(covered, box, new) >= 0:
                continue
            out = covered[box, slot]
            threshold = np.float32(-LEAST)
            if heat > 0.0:
                drop = DROPS[drawn >> np.uint64(64 - DROP_BITS)]
                threshold += np.float32(heat) * min(warmth[out], warmth[new]) * drop
            growth = _growth(table, first, size, codes, ends, box, out, new)
            if growth > threshold:
                continue
            place, other = _best_giver(
                table, first, size, codes, covered, held, ends, cost, out, new, threshold - growth
            )
            if place >= 0:
                giver = _exchange(codes, covered, held, ends, box, slot, place, new)
                cost[box] += growth
                cost[giver] += other
