"""Improving a regular graph by exchanges of two edges, with simulated annealing.

A kernel of `freeform`, whose model is that of Doka et al. (2015) and whose search is our own.

Box b covers row `out` and another box covers row `new`: they exchange the two. Each row stays in k
boxes and each box keeps k rows, all different. An exchange is made if it lowers the summed cost of
the two boxes, or raises it by less than a random threshold that shrinks as the search cools down.

Most rows of a box could leave it without making it cheaper, the more of them the larger k is. Three
of four tries are for those that would, in proportion to what the box would save.

Invariants: those of `boxes_kernel`; only boxes of the same side as the box in turn change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import pointer_to
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.random import below, word
from indistinct.methods.freeform.boxes_kernel import (
    LEAST,
    growth_of,
    replace,
    slot_of,
)
from indistinct.methods.freeform.lanes_kernel import (
    LAST_BUT_ONE,
    LEAST_CODE,
    MOST_CODE,
    SECOND_CODE,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.freeform.boxes_kernel import Graph, Numbers

EVERY_ROW = 4
"""Every so many-th try is for any row of a box."""

DROP_BITS = 12
DROPS = -np.log((np.arange(1 << DROP_BITS) + 0.5) / (1 << DROP_BITS)).astype(np.float32)
"""Evenly spread values of an exponential distribution: how much worse may be, in units of heat."""


class Heat(NamedTuple):
    """How much worse a change may be: on average by `mean`, for rows of `warmth` 1.

    Attributes
    ----------
    warmth
        Of each row: those that lie apart are warmer.
    state
        Of the random numbers (see `kernels.random`).
    """

    mean: float
    warmth: NDArray[np.float32]
    state: NDArray[np.uint64]


@inner
def _best_giver(graph, box, out, new, most):
    """Find the box that can best give a row and take another: its place, and its growth."""
    best, place, mine = most, -1, graph.side[box]
    for number in range(graph.held.shape[1]):
        giver = graph.held[new, number]
        if graph.side[giver] != mine or -graph.cost[giver] >= best:
            continue
        growth = growth_of(graph, giver, new, out)
        if growth < best and slot_of(graph.covered, giver, out) < 0:
            best, place = growth, number
    return place, best


@inner
def may_be_worse(heat, one, two, drawn):
    """Draw how much worse a change may be; the cooler one of two rows counts."""
    threshold = np.float32(-LEAST)
    if heat.mean > 0.0:
        drop = DROPS[drawn >> np.uint64(64 - DROP_BITS)]
        threshold += np.float32(heat.mean) * min(heat.warmth[one], heat.warmth[two]) * drop
    return threshold


@inner
def _add_up_savings(graph, box, saved):
    """Fill in what a box would save without each of its rows, added up from the first one on."""
    table, ends = graph.table, graph.ends
    for slot in range(saved.size):
        saved[slot] = 0.0
    for column in range(graph.first.size):
        least, second = ends[box, LEAST_CODE, column], ends[box, SECOND_CODE, column]
        last_but_one, most = ends[box, LAST_BUT_ONE, column], ends[box, MOST_CODE, column]
        if least == second and last_but_one == most:
            continue  # two rows at either end: without one of them it spans the same
        begin, width = graph.first[column], graph.size[column]
        cost = table[begin + least * width + most]
        without_least = cost - table[begin + second * width + most]
        without_most = cost - table[begin + least * width + last_but_one]
        for slot in range(saved.size):
            code = graph.codes[graph.covered[box, slot], column]
            if code == least:
                saved[slot] += without_least
            elif code == most:
                saved[slot] += without_most
    for slot in range(1, saved.size):
        saved[slot] += saved[slot - 1]


@inner
def _row_to_drop(saved, drawn):
    """Draw one of the rows of a box, most often one without which it would cost less."""
    if saved[-1] <= 0.0 or (drawn >> np.uint64(48)) % np.uint64(EVERY_ROW) == 0:
        return below(drawn, np.uint64(16), saved.size)
    point, slot = (
        saved[-1]
        * np.float32(below(drawn, np.uint64(16), np.int64(1 << 16)))
        / np.float32(1 << 16),
        0,
    )
    while saved[slot] <= point:
        slot += 1
    return slot


@njit
def anneal(
    graph: Graph,
    boxes: Numbers,
    tries: NDArray[np.int64],
    heat: Heat,
    saved: NDArray[np.float32],
) -> None:
    """Try some exchanges for each of some boxes; rows near those of a box come in question.

    `tries` says how many for each box; `saved` is scratch for a number of each row of a box.
    """
    graph, heat = pointer_to(graph), pointer_to(heat)
    covered, held, cost, near = graph.covered, graph.held, graph.cost, graph.near
    k, state = covered.shape[1], heat.state
    for turn in range(boxes.size):
        box = boxes[turn]
        _add_up_savings(graph, box, saved)
        for _ in range(tries[box]):
            if cost[box] <= 0.0:
                break
            # one word is enough for all: each draw takes other bits of it
            drawn = word(state)
            slot = _row_to_drop(saved, drawn)
            # a row near one that stays may come instead
            kept = below(drawn, np.uint64(0), k - 1)
            kept += kept >= slot
            new = near[covered[box, kept], below(drawn, np.uint64(32), near.shape[1])]
            if slot_of(covered, box, new) >= 0:
                continue
            out = covered[box, slot]
            threshold = may_be_worse(heat, out, new, drawn)
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
                _add_up_savings(graph, box, saved)
