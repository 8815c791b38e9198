"""Improving a regular graph by boxes that become narrower: they give up several rows at once.

A kernel of `freeform`, whose model is that of Doka et al. (2015) and whose search is our own.

Most boxes are wide in some column because of more than one row. To let one of them go saves
nothing, and to let all of them go takes as many cycles, of which only the last one pays. So a box
is taken to be narrow already, and what that saves is lent to the cycles by which rows leave it (see
`cycles_kernel`): each may cost what is left of it. If one row cannot leave, the others come back.

Invariants: those of `cycles_kernel`, except that a box in turn pretends to span what it will span:
its `ends`, `cost` and `excess` are put right before the next one has its turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import pointer_to
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.random import share
from indistinct.methods.freeform.boxes_kernel import find_ends
from indistinct.methods.freeform.cycles_kernel import go_back, leave
from indistinct.methods.freeform.lanes_kernel import (
    LANES,
    LAST_BUT_ONE,
    LEAST_CODE,
    MOST_CODE,
    SECOND_CODE,
    outside,
    widen,
    width_of,
)
from indistinct.methods.freeform.prices_kernel import saving_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.freeform.boxes_kernel import Codes, Numbers
    from indistinct.methods.freeform.cycles_kernel import Search
    from indistinct.methods.freeform.exchanges_kernel import Heat
    from indistinct.methods.freeform.prices_kernel import Amounts

LEAST_SHARE = 1e-12


class Targets(NamedTuple):
    """The best few ways to make a box narrower, best first.

    Attributes
    ----------
    gain
        What the box would cost less, beyond the prices of rows that leave and join.
    joining
        The prices of the rows that might join, together.
    column, upper, leaving
        Which rows leave: so many at the lower or the upper end of a column.
    """

    gain: Amounts
    joining: Amounts
    column: NDArray[np.int64]
    upper: NDArray[np.bool_]
    leaving: NDArray[np.int64]


class Scratch(NamedTuple):
    """Scratch arrays to make one box narrower after another.

    Attributes
    ----------
    targets
        What may be tried.
    order
        The slots of a box in the order of a column.
    spans
        What the last rows in that order span: without the first one, the first two, and so on.
    low, high
        What a narrowed box spans.
    prices, rows
        The rows near those of a box, dearest first.
    leaving
        The rows that are to leave, dearest first.
    ends
        Where the cycle of each ends on the trail.
    """

    targets: Targets
    order: NDArray[np.int64]
    spans: Codes
    low: Codes
    high: Codes
    prices: Amounts
    rows: Numbers
    leaving: Numbers
    ends: NDArray[np.int64]


@inner
def _sort(graph, box, column, order):
    """Sort the slots of a box by the codes of their rows in a column."""
    codes, covered = graph.codes, graph.covered
    for slot in range(order.size):
        place, code = slot, codes[covered[box, slot], column]
        while place > 0 and codes[covered[box, order[place - 1]], column] > code:
            order[place] = order[place - 1]
            place -= 1
        order[place] = slot


@inner
def _span_rest(graph, box, order, spans):
    """Find what a box spans without its first row in some order, without the first two, and on."""
    codes, covered = graph.codes, graph.covered
    last, width = order.size - 1, width_of(codes)
    for column in range(width):
        spans[last, 0, column] = spans[last, 1, column] = codes[covered[box, order[last]], column]
    for place in range(last - 1, 0, -1):
        row = covered[box, order[place]]
        for lane in range(np.int64(0), width, LANES):
            widen(spans[place + 1], spans[place], codes[row], lane)


@inner
def _cost_of(graph, low, high):
    """Return what a span costs."""
    cost = np.float32(0.0)
    for column in range(graph.first.size):
        cost += graph.table[graph.first[column] + low[column] * graph.size[column] + high[column]]
    return cost


@inner
def _covers(codes, row, low, high):
    """Tell whether a span covers a row."""
    for lane in range(np.int64(0), width_of(codes), LANES):
        if outside(low, high, codes[row], lane) != 0:
            return False
    return True


@inner
def _list_near(graph, price, box, steps, scratch):
    """List the rows near those of a box, dearest first; return how many there are."""
    covered, near, prices, rows = graph.covered, graph.near, scratch.prices, scratch.rows
    steps.clock[1] += 1
    for slot in range(covered.shape[1]):
        steps.row_met[covered[box, slot]] = steps.clock[1]
    count = np.int64(0)
    for slot in range(covered.shape[1]):
        for number in range(near.shape[1]):
            row = near[covered[box, slot], number]
            if steps.row_met[row] == steps.clock[1]:
                continue
            steps.row_met[row] = steps.clock[1]
            place, own = count, price[row]
            while place > 0 and prices[place - 1] < own:
                prices[place], rows[place] = prices[place - 1], rows[place - 1]
                place -= 1
            prices[place], rows[place] = own, row
            count += 1
    return count


@inner
def _worth_of_joining(codes, low, high, near, leaving, scratch):
    """Return the prices, together, of the dearest near rows that a span covers, one for each gone.

    Of `near` rows, that is.
    """
    worth, found = np.float32(0.0), 0
    for place in range(near):
        if _covers(codes, scratch.rows[place], low, high):
            worth += scratch.prices[place]
            found += 1
            if found == leaving:
                break
    return worth


@inner
def _note(targets, count, gain, joining, column, upper, leaving):
    """Put a target where it belongs, the last one drops out; return how many there are then."""
    for place in range(count):
        if targets.gain[place] == gain and targets.leaving[place] == leaving:
            return count
    count = min(count + 1, targets.gain.size)
    place = count - 1
    while place > 0 and targets.gain[place - 1] < gain:
        targets.gain[place] = targets.gain[place - 1]
        targets.joining[place] = targets.joining[place - 1]
        targets.column[place] = targets.column[place - 1]
        targets.upper[place] = targets.upper[place - 1]
        targets.leaving[place] = targets.leaving[place - 1]
        place -= 1
    targets.gain[place], targets.joining[place] = gain, joining
    targets.column[place], targets.upper[place] = column, upper
    targets.leaving[place] = leaving
    return count


@inner
def _look_along(search, box, column, upper, near, scratch, count):
    """Note what is gained without the rows at one end of a column; return how many targets are."""
    graph, price, worth = search.graph, search.prices.price, search.worth
    codes, covered, order, targets = graph.codes, graph.covered, scratch.order, scratch.targets
    _span_rest(graph, box, order, scratch.spans)
    lost, dearest = price[covered[box, order[0]]], scratch.prices[0] if near else np.float32(0.0)
    for leaving in range(2, scratch.leaving.size + 1):
        last, stays = covered[box, order[leaving - 1]], covered[box, order[leaving]]
        lost += price[last]
        dearest += scratch.prices[leaving - 1] if leaving <= near else np.float32(0.0)
        if codes[last, column] == codes[stays, column]:
            continue  # the box would be as wide as before
        low, high = scratch.spans[leaving, 0], scratch.spans[leaving, 1]
        saved = graph.cost[box] - _cost_of(graph, low, high)
        least = worth if count < targets.gain.size else max(worth, targets.gain[count - 1])
        if saved <= worth or saved - lost + dearest <= least:
            continue
        joining = _worth_of_joining(codes, low, high, near, leaving, scratch)
        if saved - lost + joining > least:
            gain = saved - lost + joining
            count = _note(targets, count, gain, joining, column, upper, leaving)
    return count


@inner
def _find_targets(search, box, scratch):
    """Find the best ways to make a box narrower; return how many."""
    graph, order, count = search.graph, scratch.order, np.int64(0)
    near = _list_near(graph, search.prices.price, box, search.steps, scratch)
    for column in range(graph.first.size):
        least, most = graph.ends[box, LEAST_CODE, column], graph.ends[box, MOST_CODE, column]
        if graph.table[graph.first[column] + least * graph.size[column] + most] <= 0.0:
            continue
        _sort(graph, box, column, order)
        for end in range(2):
            upper = end == 1
            if upper:
                _reverse(order)
            count = _look_along(search, box, column, upper, near, scratch, count)
    return count


@inner
def _reverse(order):
    for place in range(order.size // 2):
        other = order.size - 1 - place
        order[place], order[other] = order[other], order[place]


@inner
def _part(graph, price, box, target, scratch):
    """List the rows that are to leave, dearest first; find what those that stay span."""
    order, rows = scratch.order, scratch.leaving
    leaving = scratch.targets.leaving[target]
    _sort(graph, box, scratch.targets.column[target], order)
    if scratch.targets.upper[target]:
        _reverse(order)
    _span_rest(graph, box, order, scratch.spans)
    for column in range(scratch.low.size):
        scratch.low[column] = scratch.spans[leaving, 0, column]
        scratch.high[column] = scratch.spans[leaving, 1, column]
    for number in range(leaving):
        row, place = graph.covered[box, order[number]], number
        while place > 0 and price[rows[place - 1]] < price[row]:
            rows[place] = rows[place - 1]
            place -= 1
        rows[place] = row
    return leaving


@inner
def _pretend(graph, box, low, high):
    """Let a box span what it will span once rows have left it."""
    for column in range(low.size):
        graph.ends[box, LEAST_CODE, column] = graph.ends[box, SECOND_CODE, column] = low[column]
        graph.ends[box, MOST_CODE, column] = graph.ends[box, LAST_BUT_ONE, column] = high[column]


@inner
def _try(search, box, target, spare, scratch):
    """Let rows leave a box, each by a cycle; tell whether all of them could."""
    graph, prices, steps = search.graph, search.prices, search.steps
    price, excess = prices.price, prices.excess
    codes, low, high = graph.codes, scratch.low, scratch.high
    cost, beyond = graph.cost[box], excess[box]
    leaving = _part(graph, price, box, target, scratch)
    joins = scratch.targets.joining[target] / np.float32(leaving)
    _pretend(graph, box, low, high)
    graph.cost[box] = _cost_of(graph, low, high)
    gone, left = np.int64(0), np.int64(0)
    while left < leaving:
        row = scratch.leaving[left]
        credit = price[row] - joins + spare
        end, spent = leave(search, box, row, credit, gone)
        if end == gone:
            break
        gone, spare, left = end, credit - spent, left + 1
        scratch.ends[left] = gone
        # what it took instead may widen what it pretends to span
        taken = steps.trail[gone - 1, 2]
        for column in range(low.size):
            low[column] = min(low[column], codes[taken, column])
            high[column] = max(high[column], codes[taken, column])
        _pretend(graph, box, low, high)
    if left < leaving:  # one could not leave: undo the cycles, the last one first
        for place in range(left, 0, -1):
            go_back(graph, prices, steps.trail, scratch.ends[place - 1], scratch.ends[place])
    else:
        cost = beyond = _cost_of(graph, low, high)
        for slot in range(graph.covered.shape[1]):
            beyond -= price[graph.covered[box, slot]]
    find_ends(graph, box)
    graph.cost[box], excess[box], prices.saving[box] = cost, beyond, saving_of(graph, box)
    return left == leaving


@njit
def narrow(search: Search, boxes: Numbers, heat: Heat, repeats: int, scratch: Scratch) -> None:
    """Make each of some boxes narrower, a few times, as long as it costs more than its rows."""
    search, scratch, heat = pointer_to(search), pointer_to(scratch), pointer_to(heat)
    covered, excess = search.graph.covered, search.prices.excess
    for turn in range(boxes.size):
        box = boxes[turn]
        for _ in range(repeats):
            if excess[box] <= search.worth:
                break
            count = _find_targets(search, box, scratch)
            target, narrowed = np.int64(0), False
            while target < count and not narrowed:
                spare = scratch.targets.gain[target]
                if heat.mean > 0.0:
                    drop = -np.log(share(heat.state) + LEAST_SHARE)
                    spare += np.float32(heat.mean * drop) * heat.warmth[covered[box, 0]]
                narrowed = _try(search, box, target, spare, scratch)
                target += 1
            if not narrowed:
                break
