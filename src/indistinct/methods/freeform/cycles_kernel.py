"""Improving a regular graph by cycles of exchanges, led by prices of rows.

A kernel of `freeform`, whose model is that of Doka et al. (2015) and whose search is our own; it is
a search for negative cycles of a residual graph whose costs change with every step taken.

A box drops a row and takes another one, the box that gave it takes a third one, and so on, until
some box takes the row that was dropped first: a cycle, worth going round if all these boxes
together cost less then, or no more than some credit.

What makes such cycles quick to find are prices: what covering a row once more costs, roughly. A box
costs more than its rows by some excess, most boxes by hardly any. A way from row to row is
promising as long as it costs less than the prices of its ends differ by. As a cycle has no ends,
prices decide where to look, not what is found.

Invariants: those of `boxes_kernel`, once a cycle has been gone round; `excess` of a box is its cost
less the prices of its rows, and `saving` is no less than what it saves without any one of them. A
search meets each box once, so no box changes twice in a cycle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import pointer_to
from indistinct.kernels.compiled import inner, njit
from indistinct.methods.freeform.boxes_kernel import (
    LEAST,
    growth_of,
    replace,
    slot_of,
    spans_from,
)
from indistinct.methods.freeform.lanes_kernel import (
    LANES,
    LEAST_CODE,
    MOST_CODE,
    first_lane,
    outside,
    span_without,
    width_of,
)
from indistinct.methods.freeform.prices_kernel import saving_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.freeform.boxes_kernel import Codes, Graph, Numbers
    from indistinct.methods.freeform.prices_kernel import Amounts, Prices

NO_STEP = -1
FOLLOWED = np.float32(np.inf)


class Taker(NamedTuple):
    """A box without the row that it gives, and what it may take instead.

    Attributes
    ----------
    low, high
        What it spans.
    from_low, from_high
        Where the table has what spans from `low`, and from `high`, cost.
    now
        What it costs in each column.
    rows, growth
        Rows that it may take, and how much it grows with each.
    from_start
        Where the table has what spans from the row cost that the whole cycle begins with.
    """

    low: Codes
    high: Codes
    from_low: Numbers
    from_high: Numbers
    now: Amounts
    rows: Numbers
    growth: Amounts
    from_start: Numbers


class Steps(NamedTuple):
    """The steps that are looked at, as a tree; and when each box and row was met last.

    A step leads to a box that has to give a row: `box` and `row`, after the step `before`. All
    boxes before it together have grown by `spent` then, less a credit, the last of them by
    `growth`. The `clock` tells apart what was met in this search, and in this look, from what was
    met before; boxes that must not change are always taken for met. The `trail` has the boxes that
    have changed, what they gave, and what they took.
    """

    box: Numbers
    row: Numbers
    before: NDArray[np.int32]
    spent: Amounts
    growth: Amounts
    promise: Amounts
    box_met: Numbers
    row_met: Numbers
    clock: Numbers
    trail: Numbers
    taker: Taker


class Search(NamedTuple):
    """What a search for cycles is led by, and works in.

    Attributes
    ----------
    looks
        How many steps are followed at most, for each box that a search begins with.
    worth
        What a step has to promise to be followed, and a box to cost beyond its rows to be begun
        with.
    """

    graph: Graph
    prices: Prices
    steps: Steps
    looks: NDArray[np.int64]
    worth: np.float32


@inner(fastmath={"nnan", "nsz"})
def _most_promising(promise, count, worth):
    """Return the step that promises most; none if all promise too little or have been followed."""
    best = -worth
    for step in range(count):
        best = min(best, promise[step])
    if best < -worth:
        for step in range(count):
            if promise[step] == best:
                return step
    return NO_STEP


@inner
def _take_out(graph, box, row, taker):
    """Let a box be without one of its rows; return what it costs then."""
    table, first, size, codes = graph.table, graph.first, graph.size, graph.codes
    low, high, now = taker.low, taker.high, taker.now
    from_low, from_high = taker.from_low, taker.from_high
    for lane in range(np.int64(0), width_of(codes), LANES):
        span_without(graph.ends[box], codes[row], low, high, lane)
    cost = np.float32(0.0)
    for column in range(first.size):
        from_low[column] = first[column] + low[column] * size[column]
        from_high[column] = first[column] + high[column] * size[column]
        now[column] = table[from_low[column] + high[column]]
        cost += now[column]
    return cost


@inner
def _list_rows(graph, price, box, given, steps, paid):
    """List the rows near those of a box that cost more than what has been paid; return how many.

    Here, and in what follows, each is written down and only counted if it is to stay: a processor
    that has to guess whether it is guesses wrong too often.
    """
    covered, near, row_met, rows = graph.covered, graph.near, steps.row_met, steps.taker.rows
    steps.clock[1] += 1
    now, count = steps.clock[1], np.uint64(0)
    for slot in range(covered.shape[1]):
        row_met[covered[box, slot]] = now
    for slot in range(covered.shape[1]):
        kept = covered[box, slot]
        if kept == given:
            continue
        for place in range(near.shape[1]):
            row = near[kept, place]
            if price[row] <= paid:
                break  # those near are in the order of their prices, dearest first
            rows[count] = row
            count += np.uint64(row_met[row] != now)
            row_met[row] = now
    return np.int64(count)


@inner
def _keep_cheap(graph, price, taker, count, paid):
    """Keep of the listed rows those that cost more than what taking them costs; return how many."""
    table, codes, rows, growth = graph.table, graph.codes, taker.rows, taker.growth
    low, high, now = taker.low, taker.high, taker.now
    from_low, from_high = taker.from_low, taker.from_high
    width, kept = width_of(codes), np.uint64(0)
    for number in range(count):
        row = rows[number]
        limit = price[row] - paid
        grown = np.float32(0.0)
        for lane in range(np.int64(0), width, LANES):
            wider = outside(low, high, codes[row], lane)
            while wider != 0 and grown < limit:
                column = np.uint64(lane) + first_lane(wider)
                wider &= wider - np.uint64(1)
                code = codes[row, column]
                begin = from_low[column] if code > high[column] else from_high[column]
                grown += table[begin + code] - now[column]
        rows[kept], growth[kept] = row, grown
        kept += np.uint64(grown < limit)
    return np.int64(kept)


@inner
def _add_givers(graph, prices, steps, count, step, taken, shrunk):
    """Add a step for each box, not met before, that holds one of some rows; count them all.

    At first `before` has the place of its row among those that may be taken.
    """
    price, excess, held, box_met = prices.price, prices.excess, graph.held, steps.box_met
    rows, grown = steps.taker.rows, steps.taker.growth
    boxes, before, spent = steps.box, steps.before, steps.spent
    search, own_price, paid = steps.clock[0], price[steps.row[0]], spent[step]
    added, most = np.uint64(count), np.uint64(boxes.size - held.shape[1])
    for number in range(taken):
        if added > most:
            break
        for place in range(held.shape[1]):
            giver = held[rows[number], place]
            # written down in any case, and written over by the next if it was met before
            boxes[added], before[added] = giver, number
            added += np.uint64(box_met[giver] < search)
            box_met[giver] = max(box_met[giver], search)
    for new in range(np.uint64(count), added):
        number = np.uint32(before[new])
        row, growth = rows[number], shrunk + grown[number]
        steps.row[new], before[new] = row, step
        spent[new], steps.growth[new] = paid + growth, growth
        steps.promise[new] = spent[new] + own_price - price[row] - excess[boxes[new]]
    return np.int64(added)


@inner
def _may_take(graph, from_start, box, row, limit):
    """Tell whether a box grows by less than a limit with one row more."""
    table, first, size, codes, ends = graph.table, graph.first, graph.size, graph.codes, graph.ends
    growth = np.float32(0.0)
    for lane in range(np.int64(0), width_of(codes), LANES):
        wider = outside(ends[box, LEAST_CODE], ends[box, MOST_CODE], codes[row], lane)
        while wider != 0 and growth < limit:
            column = np.uint64(lane) + first_lane(wider)
            wider &= wider - np.uint64(1)
            least, most = ends[box, LEAST_CODE, column], ends[box, MOST_CODE, column]
            far = least if codes[row, column] > most else most
            growth += table[from_start[column] + far]
            growth -= table[first[column] + least * size[column] + most]
    return growth < limit


@inner
def _best_end(graph, prices, steps, begin, end):
    """Return which of the steps from `begin` to `end` ends a cycle best, and the last growth."""
    saving, covered, from_start = prices.saving, graph.covered, steps.taker.from_start
    boxes, rows, spent, start = steps.box, steps.row, steps.spent, steps.row[0]
    best, last, closing = np.float32(-LEAST), NO_STEP, np.float32(0.0)
    for step in range(np.uint64(begin), np.uint64(end)):
        giver = boxes[step]
        # with the row more, and one less, it must cost less than this; the cheap test comes first
        limit = best - spent[step] + saving[giver]
        if not (limit > 0.0 and _may_take(graph, from_start, giver, start, limit)):
            continue
        if slot_of(covered, giver, start) >= 0:
            continue
        growth = growth_of(graph, giver, rows[step], start)
        if spent[step] + growth < best:
            best, last, closing = spent[step] + growth, np.int64(step), growth
    return last, closing


@inner
def _follow(search, count, step):
    """Look at all steps after one; return how many there are, and the best that ends a cycle."""
    graph, prices, steps, worth = search.graph, search.prices, search.steps, search.worth
    price, box = prices.price, steps.box[step]
    shrunk = _take_out(graph, box, steps.row[step], steps.taker) - graph.cost[box]
    paid = steps.spent[step] + shrunk + price[steps.row[0]] + worth
    listed = _list_rows(graph, price, box, steps.row[step], steps, paid)
    taken = _keep_cheap(graph, price, steps.taker, listed, paid)
    added = _add_givers(graph, prices, steps, count, step, taken, shrunk)
    last, closing = _best_end(graph, prices, steps, count, added)
    return added, last, closing


@inner
def _go_round(search, last, closing, gone):
    """Let each box of a cycle give its row and take that of the next one; return the trail's end.

    The trail leads from the last box to the first, on from place `gone`.
    """
    graph, prices, steps = search.graph, search.prices, search.steps
    price, excess, saving = prices.price, prices.excess, prices.saving
    held, start = graph.held, steps.row[0]
    held[start, slot_of(held, start, steps.box[0])] = steps.box[last]
    step, taken, growth = last, start, closing
    while step != NO_STEP:
        box, given, before = steps.box[step], steps.row[step], steps.before[step]
        if before != NO_STEP:
            held[given, slot_of(held, given, box)] = steps.box[before]
        replace(graph, box, given, taken, growth)
        saving[box] = saving_of(graph, box)
        excess[box] += growth + price[given] - price[taken]
        steps.trail[gone, 0], steps.trail[gone, 1], steps.trail[gone, 2] = box, given, taken
        gone += 1
        taken, growth = given, steps.growth[step]
        step = before
    return gone


@inner
def go_back(graph, prices, trail, begin, end):
    """Undo one cycle: from `begin` to `end` on the trail."""
    price, excess, saving = prices.price, prices.excess, prices.saving
    for place in range(begin, end):
        box, given, taken = trail[place, 0], trail[place, 1], trail[place, 2]
        holder = trail[begin if place == end - 1 else place + 1, 0]
        graph.held[given, slot_of(graph.held, given, holder)] = box
        growth = growth_of(graph, box, taken, given)
        replace(graph, box, taken, given, growth)
        saving[box] = saving_of(graph, box)
        excess[box] += growth + price[taken] - price[given]


@inner
def _begin(graph, steps, box, row, credit):
    """Begin a search with a box that gives a row."""
    steps.clock[0] += 1
    steps.box_met[box] = steps.clock[0]
    steps.box[0], steps.row[0], steps.before[0] = box, row, NO_STEP
    steps.spent[0], steps.growth[0] = -credit, 0.0
    steps.promise[0] = -np.float32(np.inf)
    spans_from(graph.first, graph.size, graph.codes, row, steps.taker.from_start)


@inner
def leave(search, box, row, credit, gone):
    """Look for a cycle by which a row leaves a box, at less than a credit, and go round it.

    The most promising steps are followed first. Returns the trail's end, which stays at `gone` if
    no cycle was found, and what the cycle cost.
    """
    steps, worth = search.steps, search.worth
    _begin(search.graph, steps, box, row, credit)
    count, promise = np.int64(1), steps.promise
    for _ in range(search.looks[box]):
        step = _most_promising(promise, count, worth)
        if step == NO_STEP:
            break
        promise[step] = FOLLOWED
        count, last, closing = _follow(search, count, step)
        if last != NO_STEP:
            cost = steps.spent[last] + closing + credit
            return _go_round(search, last, closing, gone), cost
    return gone, np.float32(0.0)


@njit
def cycle(search: Search, boxes: Numbers) -> None:
    """For each of some boxes and each of its rows, look for a cycle, and go round it.

    Only rows without which the box would cost less: some box of every cycle that pays has such a
    one.
    """
    search = pointer_to(search)
    graph, excess, taker = search.graph, search.prices.excess, search.steps.taker
    nothing = np.float32(0.0)
    for turn in range(boxes.size):
        box = boxes[turn]
        for slot in range(graph.covered.shape[1]):
            if excess[box] <= search.worth:
                break
            row = graph.covered[box, slot]
            if _take_out(graph, box, row, taker) < graph.cost[box]:
                leave(search, box, row, nothing, np.int64(0))
