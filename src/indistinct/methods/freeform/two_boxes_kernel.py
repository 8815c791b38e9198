"""Improving a regular graph by dealing the rows of two boxes anew, many of them at once.

A kernel of `freeform`, whose model is that of Doka et al. (2015) and whose search is our own.

Of all the rows that two boxes cover, those nearest to some row make up the one box, the others the
other one. So two boxes that differ in one column may come to differ in another, which exchanges of
single rows reach only through boxes that span both.

Invariants: those of `boxes_kernel`. A row that both cover stays in both, so each row keeps its k
boxes; the rest is dealt in two halves, so each box keeps its k rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import pointer_to
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.random import below, word
from indistinct.methods.freeform.boxes_kernel import pair_cost, slot_of, spans_from
from indistinct.methods.freeform.exchanges_kernel import may_be_worse
from indistinct.methods.freeform.lanes_kernel import (
    LANES,
    LEAST_CODE,
    MOST_CODE,
    begin_ends,
    widen_ends,
    width_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.freeform.boxes_kernel import Codes, Graph, Numbers
    from indistinct.methods.freeform.exchanges_kernel import Heat

BOTH, ONE, MARKS = np.uint32(1), np.uint32(2), np.uint32(3)


class Pair(NamedTuple):
    """Two boxes whose rows are dealt anew.

    Attributes
    ----------
    rows, ends
        What the two would cover, and their ends.
    pool, apart
        The rows that only one of them covers, and how far the nearest of these are from one row.
    begin
        Where the table has what spans from that row cost.
    mark, clock
        Which boxes cover a row: the other one (the number on the clock), both, or the one.
    """

    rows: Numbers
    ends: Codes
    pool: Numbers
    apart: NDArray[np.float32]
    begin: Numbers
    mark: Numbers
    clock: Numbers


@inner
def _pool(covered, box, other, pair):
    """Let both cover what both boxes cover, put the rest into the pool; count the former."""
    rows, pool, mark = pair.rows, pair.pool, pair.mark
    pair.clock[0] += MARKS
    now, shared, count = pair.clock[0], 0, 0
    for slot in range(covered.shape[1]):
        mark[covered[other, slot]] = now
    for slot in range(covered.shape[1]):
        row = covered[box, slot]
        if mark[row] == now:
            mark[row] = now + BOTH
            rows[0, shared] = rows[1, shared] = row
            shared += 1
        else:
            mark[row] = now + ONE
            pool[count] = row
            count += 1
    for slot in range(covered.shape[1]):
        row = covered[other, slot]
        if mark[row] == now:
            pool[count] = row
            count += 1
    return shared


@inner
def _nearest_first(graph, kept, pair, half):
    """Put that half of the pool first that is nearest to one row."""
    pool, apart, begin = pair.pool, pair.apart, pair.begin
    table, codes = graph.table, graph.codes
    spans_from(graph.first, graph.size, codes, kept, begin)
    for number in range(half):
        apart[number] = np.inf
    for number in range(2 * half):
        row = pool[number]
        cost = pair_cost(table, codes, begin, kept, row, apart[half - 1])
        if cost >= apart[half - 1]:
            continue
        # the first `half` are sorted, nearest first; what drops out of them takes this one's place
        place = min(number, half - 1)
        pool[number] = pool[place]
        while place > 0 and apart[place - 1] > cost:
            apart[place], pool[place] = apart[place - 1], pool[place - 1]
            place -= 1
        apart[place], pool[place] = cost, row


@inner
def _deal(pair, shared):
    """Deal the two halves of the pool; tell whether that makes two new boxes."""
    rows, pool, mark, mine = pair.rows, pair.pool, pair.mark, pair.clock[0] + ONE
    left, stay = rows.shape[1] - shared, 0
    for place in range(left):
        rows[0, shared + place] = pool[place]
        rows[1, shared + place] = pool[left + place]
        stay += mark[pool[place]] == mine
    return 0 < stay < left


@inner
def _spent(graph, pair, which):
    """Return what one of the pair costs."""
    table, codes, rows, ends = graph.table, graph.codes, pair.rows, pair.ends
    for lane in range(np.int64(0), width_of(codes), LANES):
        begin_ends(ends[which], codes[rows[which, 0]], lane)
        for slot in range(1, rows.shape[1]):
            widen_ends(ends[which], codes[rows[which, slot]], lane)
    cost = np.float32(0.0)
    for column in range(graph.first.size):
        least, most = ends[which, LEAST_CODE, column], ends[which, MOST_CODE, column]
        cost += table[graph.first[column] + least * graph.size[column] + most]
    return cost


@inner
def _settle(graph, box, other, pair):
    """Let two boxes cover the rows of the pair."""
    covered, held, ends, mark = graph.covered, graph.held, graph.ends, pair.mark
    theirs, mine = pair.clock[0], pair.clock[0] + ONE
    for slot in range(covered.shape[1]):
        row = pair.rows[0, slot]
        if mark[row] == theirs:
            held[row, slot_of(held, row, other)] = box
        covered[box, slot] = row
        row = pair.rows[1, slot]
        if mark[row] == mine:
            held[row, slot_of(held, row, box)] = other
        covered[other, slot] = row
    for end in range(ends.shape[1]):
        for column in range(ends.shape[2]):
            ends[box, end, column] = pair.ends[0, end, column]
            ends[other, end, column] = pair.ends[1, end, column]


@njit
def deal_anew(
    graph: Graph, boxes: Numbers, tries: NDArray[np.int64], heat: Heat, pair: Pair
) -> None:
    """For some boxes, try to deal anew what each and another cover; arguments as of `anneal`."""
    graph, pair, heat = pointer_to(graph), pointer_to(pair), pointer_to(heat)
    covered, held, near = graph.covered, graph.held, graph.near
    cost, side, k, state = graph.cost, graph.side, covered.shape[1], heat.state
    for turn in range(boxes.size):
        box = boxes[turn]
        for _ in range(tries[box]):
            drawn = word(state)
            kept = covered[box, below(drawn, np.uint64(0), k)]
            new = near[kept, below(drawn, np.uint64(16), near.shape[1])]
            other = held[new, below(drawn, np.uint64(32), held.shape[1])]
            if side[other] != side[box] or min(cost[box], cost[other]) <= 0.0:
                continue
            if slot_of(covered, box, new) >= 0:
                continue
            shared = _pool(covered, box, other, pair)
            _nearest_first(graph, kept, pair, k - shared)
            if not _deal(pair, shared):
                continue
            # the first box alone settles most tries that are too dear
            limit = cost[box] + cost[other] + may_be_worse(heat, kept, new, drawn)
            one = _spent(graph, pair, np.int64(0))
            if one > limit:
                continue
            two = _spent(graph, pair, np.int64(1))
            if one + two <= limit:
                _settle(graph, box, other, pair)
                cost[box], cost[other] = one, two
