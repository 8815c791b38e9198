"""Improving a regular graph of boxes and rows by exchanges of two edges.

Box b covers row `out` and another box covers row `new`: they exchange the two. Each row stays in k
boxes and each box keeps k rows, all different. An exchange is made if it lowers the summed cost of
the two boxes, or raises it by less than a random threshold that shrinks as the search cools down.

Throughout: `table` holds for each column what the span of two codes costs, column c from `first[c]`
on, `size[c]` codes wide; `codes` the codes of each row; `covered` the rows of each box; `held` the
boxes of each row; `low`, `high` and `cost` what each box spans and costs.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LEAST = 1e-6


@njit(cache=True, nogil=True, inline="always")
def _word(state):
    """Draw 64 bits (xorshift64*)."""
    word = state[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    state[0] = word
    return word * np.uint64(2685821657736338717)


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
                cost = np.float32(0.0)
                for column in range(codes.shape[1]):
                    low, high = codes[row, column], codes[other, column]
                    if low > high:
                        low, high = high, low
                    cost += table[first[column] + low * size[column] + high]
                if cost < apart[-1]:
                    _insert(apart, near[row], cost, other)


@njit(cache=True, nogil=True)
def _insert(apart, near, cost, row):
    """Put a row into the sorted list of the nearest ones, once."""
    for place in range(near.size):
        if near[place] == row:
            return
    place = near.size - 1
    while place > 0 and apart[place - 1] > cost:
        apart[place] = apart[place - 1]
        near[place] = near[place - 1]
        place -= 1
    apart[place] = cost
    near[place] = row


@njit(cache=True, nogil=True)
def measure(table, first, size, codes, covered, low, high, cost):
    """Fill in what each box spans and costs."""
    for box in range(covered.shape[0]):
        _span(codes, covered, low, high, box)
        cost[box] = 0.0
        for column in range(codes.shape[1]):
            place = first[column] + low[box, column] * size[column] + high[box, column]
            cost[box] += table[place]


@njit(cache=True, nogil=True)
def _span(codes, covered, low, high, box):
    for column in range(codes.shape[1]):
        least = codes[covered[box, 0], column]
        most = least
        for slot in range(1, covered.shape[1]):
            code = codes[covered[box, slot], column]
            least, most = min(least, code), max(most, code)
        low[box, column] = least
        high[box, column] = most


@njit(cache=True, nogil=True)
def _cost_with(table, first, size, codes, covered, low, high, box, slot, new, most_cost):
    """Return what a box costs once the row in a slot is replaced, or something above a limit."""
    out = covered[box, slot]
    cost = np.float32(0.0)
    for column in range(codes.shape[1]):
        least, most = low[box, column], high[box, column]
        gone, code = codes[out, column], codes[new, column]
        if least != most and gone != code and (gone == least or gone == most):  # noqa: PLR1714, SIM109 - for numba
            least, most = code, code
            for other in range(covered.shape[1]):
                if other != slot:
                    kept = codes[covered[box, other], column]
                    least, most = min(least, kept), max(most, kept)
        else:
            least, most = min(least, code), max(most, code)
        cost += table[first[column] + least * size[column] + most]
        if cost > most_cost:
            break
    return cost


@njit(cache=True, nogil=True, inline="always")
def _slot(covered, box, row):
    """Return where a box covers a row; -1 if it does not."""
    for slot in range(covered.shape[1]):
        if covered[box, slot] == row:
            return slot
    return -1


@njit(cache=True, nogil=True)
def _best_giver(table, first, size, codes, covered, held, low, high, cost, out, new, most):
    """Find the box that can best give a row and take another: its place, and its new cost."""
    best, place, price = np.float32(most), -1, np.float32(0.0)
    for number in range(held.shape[1]):
        giver = held[new, number]
        if -cost[giver] >= best or _slot(covered, giver, out) >= 0:
            continue
        slot = _slot(covered, giver, new)
        other = _cost_with(
            table, first, size, codes, covered, low, high, giver, slot, out, cost[giver] + best
        )
        if other - cost[giver] < best:
            best, place, price = other - cost[giver], number, other
    return place, price


@njit(cache=True, nogil=True)
def _exchange(codes, covered, held, low, high, box, slot, place, new):
    """Let a box take a row from another, the one in `place` among its boxes, for its own."""
    out = covered[box, slot]
    giver = held[new, place]
    covered[giver, _slot(covered, giver, new)] = out
    covered[box, slot] = new
    held[new, place] = box
    held[out, _slot(held, out, box)] = giver
    _span(codes, covered, low, high, box)
    _span(codes, covered, low, high, giver)
    return giver


@njit(cache=True, nogil=True)
def anneal(
    table,
    first,
    size,
    codes,
    covered,
    held,
    low,
    high,
    cost,
    near,
    boxes,
    tries,
    heat,
    state,
):
    """Try some exchanges for each of some boxes; rows near those of a box come in question."""
    k = covered.shape[1]
    for box in boxes:
        for _ in range(tries):
            if cost[box] <= 0.0:
                break
            drawn = np.int64(_word(state) >> np.uint64(24))
            kept, drawn = drawn % k, drawn // k
            slot, drawn = (kept + 1 + drawn % (k - 1)) % k, drawn // (k - 1)
            new = near[covered[box, kept], drawn % near.shape[1]]
            if _slot(covered, box, new) >= 0:
                continue
            threshold = np.float32(-LEAST)
            if heat > 0.0:
                even = float(_word(state) >> np.uint64(11)) / 9007199254740992.0
                threshold -= np.float32(heat * np.log(even + 1e-12))
            most_cost = cost[box] + threshold
            price = _cost_with(
                table, first, size, codes, covered, low, high, box, slot, new, most_cost
            )
            gained = price - cost[box]
            if gained > threshold:
                continue
            place, other = _best_giver(
                table, first, size, codes, covered, held, low, high, cost,
                covered[box, slot], new, threshold - gained,
            )  # fmt: skip
            if place >= 0:
                giver = _exchange(codes, covered, held, low, high, box, slot, place, new)
                cost[box] = price
                cost[giver] = other
