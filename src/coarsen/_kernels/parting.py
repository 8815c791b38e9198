"""Improving a regular graph by parting the rows of two boxes anew, many of them at once.

Of all the rows that two boxes cover, those nearest to some row make up the one box, the others the
other one. So two boxes that differ in one column may come to differ in another, which exchanges of
single rows reach only through boxes that span both.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coarsen._kernels.chance import below, word
from coarsen._kernels.covering import find_ends, pair_cost, slot_of
from coarsen._kernels.exchanging import may_be_worse


@njit(cache=True, nogil=True, inline="always")
def _pool(covered, box, other, pair, pool):
    """Put what both boxes cover into either of the pair, the rest into a pool; count the former."""
    shared, count = 0, 0
    for slot in range(covered.shape[1]):
        row = covered[box, slot]
        if slot_of(covered, other, row) >= 0:
            pair[:, shared] = row
            shared += 1
        else:
            pool[count] = row
            count += 1
    for slot in range(covered.shape[1]):
        if slot_of(covered, box, covered[other, slot]) < 0:
            pool[count] = covered[other, slot]
            count += 1
    return shared


@njit(cache=True, nogil=True, inline="always")
def _sort(graph, kept, pool, apart, count):
    """Sort a pool by how near its rows are to one row."""
    for number in range(count):
        row, place = pool[number], number
        cost = pair_cost(graph.table, graph.first, graph.size, graph.codes, kept, row)
        while place > 0 and apart[place - 1] > cost:
            apart[place], pool[place] = apart[place - 1], pool[place - 1]
            place -= 1
        apart[place], pool[place] = cost, row


@njit(cache=True, nogil=True, inline="always")
def _deal(covered, box, pool, pair, shared):
    """Deal a sorted pool to the pair; tell whether that makes two new boxes."""
    left, stay = covered.shape[1] - shared, 0
    for place in range(left):
        pair[0, shared + place] = pool[place]
        pair[1, shared + place] = pool[left + place]
        stay += slot_of(covered, box, pool[place]) >= 0
    return 0 < stay < left


@njit(cache=True, nogil=True)
def _spent(graph, rows, limit):
    """Return what a box of some rows costs, or something above a limit."""
    codes = graph.codes
    cost = np.float32(0.0)
    for column in range(codes.shape[1]):
        least = most = codes[rows[0], column]
        for slot in range(1, rows.size):
            code = codes[rows[slot], column]
            least, most = min(least, code), max(most, code)
        cost += graph.table[graph.first[column] + least * graph.size[column] + most]
        if cost > limit:
            break
    return cost


@njit(cache=True, nogil=True)
def _settle(graph, box, other, pair):
    """Let two boxes cover the rows of a pair."""
    covered, held = graph.covered, graph.held
    for row in pair[0]:
        if slot_of(covered, box, row) < 0:
            held[row, slot_of(held, row, other)] = box
    for row in pair[1]:
        if slot_of(covered, other, row) < 0:
            held[row, slot_of(held, row, box)] = other
    covered[box], covered[other] = pair[0], pair[1]
    find_ends(graph, box)
    find_ends(graph, other)


@njit(cache=True, nogil=True)
def part(graph, boxes, tries, heat, warmth, state):
    """For each of some boxes, try to part what it and another cover; arguments as of `anneal`."""
    covered, held, cost, near = graph.covered, graph.held, graph.cost, graph.near
    k = covered.shape[1]
    pair = np.empty((2, k), dtype=covered.dtype)
    pool = np.empty(2 * k, dtype=covered.dtype)
    apart = np.empty(2 * k, dtype=cost.dtype)
    for turn in range(boxes.size):
        box = boxes[turn]
        for _ in range(tries[box]):
            drawn = word(state)
            kept = covered[box, below(drawn, 0, k)]
            new = near[kept, below(drawn, 16, near.shape[1])]
            other = held[new, below(drawn, 32, held.shape[1])]
            if graph.side[other] != graph.side[box] or slot_of(covered, box, new) >= 0:
                continue
            if min(cost[box], cost[other]) <= 0.0:
                continue
            shared = _pool(covered, box, other, pair, pool)
            _sort(graph, kept, pool, apart, 2 * (k - shared))
            if not _deal(covered, box, pool, pair, shared):
                continue
            limit = cost[box] + cost[other] + may_be_worse(heat, warmth, kept, new, drawn)
            one = _spent(graph, pair[0], limit)
            if one > limit:
                continue
            two = _spent(graph, pair[1], limit - one)
            if one + two <= limit:
                _settle(graph, box, other, pair)
                cost[box], cost[other] = one, two
