"""Improving a regular graph by exchanges of two edges.

Box b covers row `out` and another box covers row `new`: they exchange the two. Each row stays in k
boxes and each box keeps k rows, all different. An exchange is made if it lowers the summed cost of
the two boxes, or raises it by less than a random threshold that shrinks as the search cools down.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coarsen._kernels.chance import below, word
from coarsen._kernels.covering import LEAST, growth_of, replace, slot_of

DROP_BITS = 12
DROPS = -np.log((np.arange(1 << DROP_BITS) + 0.5) / (1 << DROP_BITS)).astype(np.float32)
"""Evenly spread values of an exponential distribution: how much worse may be, in units of heat."""


@njit(cache=True, nogil=True)
def _best_giver(graph, box, out, new, most):
    """Find the box that can best give a row and take another: its place, and its growth."""
    best, place, mine = most, -1, graph.side[box]
    for number in range(graph.held.shape[1]):
        giver = graph.held[new, number]
        if graph.side[giver] != mine or -graph.cost[giver] >= best:
            continue
        if slot_of(graph.covered, giver, out) >= 0:
            continue
        growth = growth_of(graph, giver, new, out)
        if growth < best:
            best, place = growth, number
    return place, best


@njit(cache=True, nogil=True, inline="always")
def may_be_worse(heat, warmth, one, two, drawn):
    """Draw how much worse a change may be; the cooler one of two rows counts."""
    threshold = np.float32(-LEAST)
    if heat > 0.0:
        drop = DROPS[drawn >> np.uint64(64 - DROP_BITS)]
        threshold += np.float32(heat) * min(warmth[one], warmth[two]) * drop
    return threshold


@njit(cache=True, nogil=True)
def anneal(graph, boxes, tries, heat, warmth, state):
    """Try some exchanges for each of some boxes; rows near those of a box come in question.

    `tries` says how many for each box, `heat` how much worse an exchange may be on average, for
    rows of `warmth` 1.
    """
    covered, held, cost, near = graph.covered, graph.held, graph.cost, graph.near
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
            threshold = may_be_worse(heat, warmth, out, new, drawn)
            growth = growth_of(graph, box, out, new)
            if growth > threshold:
                continue
            place, other = _best_giver(graph, box, out, new, threshold - growth)
            if place >= 0:
                giver = held[new, place]
                held[new, place] = box
                held[out, slot_of(held, out, box)] = giver
                replace(graph, box, out, new, growth)
                replace(graph, giver, new, out, other)
