"""Improving a regular graph by cycles of exchanges, led by prices of rows.

A box drops a row and takes another one, the box that gave it takes a third one, and so on, until
some box takes the row that was dropped first: a cycle, worth going round if all these boxes
together cost less then, or no more than some credit.

What makes such cycles quick to find are prices: what covering a row once more costs, roughly. A
box costs more than its rows by some excess, most boxes by hardly any. A way from row to row is
promising as long as it costs less than the prices of its ends differ by. As a cycle has no ends,
prices decide where to look, not what is found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from coarsen._kernels.covering import LEAST, growth_of, growth_with, replace, slot_of, without
from coarsen._kernels.lending import lent

NO_STEP = -1
FOLLOWED = np.float32(np.inf)


class Steps(NamedTuple):
    """Room for the steps that are looked at, as a tree; and when each box and row was met last.

    A step leads to a box that has to give a row: `box` and `row`, after the step `before`. All
    boxes before it together have grown by `spent` then, less a credit, the last of them by
    `growth`. The `clock` tells apart what was met in this search, and in this look, from what was
    met before. The `trail` has the boxes that have changed, what they gave, and what they took.
    """

    box: np.ndarray
    row: np.ndarray
    before: np.ndarray
    spent: np.ndarray
    growth: np.ndarray
    promise: np.ndarray
    box_met: np.ndarray
    row_met: np.ndarray
    clock: np.ndarray
    low: np.ndarray
    high: np.ndarray
    trail: np.ndarray


class Prices(NamedTuple):
    """The price of each row; by how much each box costs more than its rows; what it might save.

    No box would cost less by more than `saving` if it lost any one of its rows.
    """

    price: np.ndarray
    excess: np.ndarray
    saving: np.ndarray


@njit(cache=True, nogil=True)
def saving_of(graph, box):
    """Return what a box saves at most without one of its rows."""
    graph = lent(graph)
    saving = np.float32(0.0)
    for column in range(graph.codes.shape[1]):
        begin, width = graph.first[column], graph.size[column]
        least, most = graph.ends[box, column, 0], graph.ends[box, column, 3]
        if least != most:
            without_least = graph.table[begin + graph.ends[box, column, 1] * width + most]
            without_most = graph.table[begin + least * width + graph.ends[box, column, 2]]
            saving += graph.table[begin + least * width + most] - min(without_least, without_most)
    return saving


@njit(cache=True, nogil=True)
def set_prices(graph, prices, sweeps):
    """Raise all prices, a few times, by what the boxes of a row cost beyond their rows."""
    covered, held = graph.covered, graph.held
    share = np.float32(1.0 / covered.shape[1])
    price, excess = prices.price, prices.excess
    for box in range(covered.shape[0]):
        prices.saving[box] = saving_of(graph, np.uint32(box))
    for sweep in range(sweeps + 1):
        for box in range(covered.shape[0]):
            excess[box] = graph.cost[box]
            for slot in range(covered.shape[1]):
                excess[box] -= price[covered[box, slot]]
        if sweep == sweeps:
            break
        for row in range(held.shape[0]):
            least = excess[held[row, 0]]
            for number in range(1, held.shape[1]):
                least = min(least, excess[held[row, number]])
            price[row] += least * share


@njit(cache=True, nogil=True)
def dearest_first(near, price):
    """Sort near rows by their price; quick if that has not changed much since the last time."""
    for row in range(near.shape[0]):
        for number in range(1, near.shape[1]):
            other, place = near[row, number], number
            while place > 0 and price[near[row, place - 1]] < price[other]:
                near[row, place] = near[row, place - 1]
                place -= 1
            near[row, place] = other


@njit(cache=True, nogil=True)
def _most_promising(promise, count, worth):
    """Return the step that promises most; none if all promise too little or have been followed."""
    best, found = -worth, NO_STEP
    for step in range(count):
        if promise[step] < best:
            best, found = promise[step], step
    return found


@njit(cache=True, nogil=True, inline="always")
def _add(steps, count, box, row, before, spent, growth, promise):
    steps.box[count], steps.row[count], steps.before[count] = box, row, before
    steps.spent[count], steps.growth[count] = spent, growth
    steps.promise[count] = promise


@njit(cache=True, nogil=True)
def _take_out(graph, box, row, low, high):
    """Find what a box spans without one of its rows; return what that costs."""
    graph = lent(graph)
    cost = np.float32(0.0)
    for column in range(graph.codes.shape[1]):
        least, most = without(graph.ends, box, column, graph.codes[row, column])
        low[column], high[column] = least, most
        cost += graph.table[graph.first[column] + least * graph.size[column] + most]
    return cost


@njit(cache=True, nogil=True, inline="always")
def _may_take(graph, box, row, limit):
    """Tell whether a box grows by less than a limit with one row more.

    As `growth_with` does, but on ends as they lie in memory: slices of them take longer.
    """
    growth = np.float32(0.0)
    for column in range(graph.codes.shape[1]):
        code = graph.codes[row, column]
        least, most = graph.ends[box, column, 0], graph.ends[box, column, 3]
        if code < least or code > most:
            begin, width = graph.first[column], graph.size[column]
            growth -= graph.table[begin + least * width + most]
            growth += graph.table[begin + min(least, code) * width + max(most, code)]
            if growth >= limit:
                return False
    return growth < limit


@njit(cache=True, nogil=True)
def _follow(graph, prices, steps, count, step, worth):
    """Look at all steps after one; return how many there are, and the best that ends a cycle."""
    graph, prices, steps = lent((graph, prices, steps))
    price, excess, saving = prices
    covered, near, clock = graph.covered, graph.near, steps.clock
    clock[1] += 1
    box, row, start = steps.box[step], steps.row[step], steps.row[0]
    best, last, closing = np.float32(-LEAST), NO_STEP, np.float32(0.0)
    low, high = steps.low, steps.high
    shrunk = _take_out(graph, box, row, low, high) - graph.cost[box]
    before, own_price, mine, now = steps.spent[step], price[start], graph.side[box], clock[1]
    paid = before + shrunk + own_price + worth
    for slot in range(covered.shape[1]):
        steps.row_met[covered[box, slot]] = now
    for slot in range(covered.shape[1]):
        kept = covered[box, slot]
        if kept == row:
            continue
        for place in range(near.shape[1]):
            new = near[kept, place]
            limit = price[new] - paid
            if limit <= 0.0:
                break
            if steps.row_met[new] == now:
                continue
            steps.row_met[new] = now
            widened = growth_with(
                graph.table, graph.first, graph.size, low, high, graph.codes[new], limit
            )
            if widened >= limit:
                continue
            growth = shrunk + widened
            spent = before + growth
            for number in range(graph.held.shape[1]):
                giver = graph.held[new, number]
                if steps.box_met[giver] == clock[0] or graph.side[giver] != mine:
                    continue
                if count == steps.box.size:
                    break
                steps.box_met[giver] = clock[0]
                promise = spent + own_price - price[new] - excess[giver]
                _add(steps, count, giver, new, step, spent, growth, promise)
                limit = best - spent + saving[giver]
                if _may_take(graph, giver, start, limit) and slot_of(covered, giver, start) < 0:
                    end = growth_of(graph, giver, new, start)
                    if spent + end < best:
                        best, last, closing = spent + end, count, end
                count += 1
    return count, last, closing


@njit(cache=True, nogil=True)
def _go_round(graph, prices, steps, last, closing, gone):
    """Let each box of a cycle give its row and take that of the next one; return the trail's end.

    The trail leads from the last box to the first, on from place `gone`.
    """
    price, excess, saving = prices
    start = steps.row[0]
    graph.held[start, slot_of(graph.held, start, steps.box[0])] = steps.box[last]
    step, taken, growth = last, start, closing
    while step != NO_STEP:
        box, given, before = steps.box[step], steps.row[step], steps.before[step]
        if before != NO_STEP:
            graph.held[given, slot_of(graph.held, given, box)] = steps.box[before]
        replace(graph, box, given, taken, growth)
        saving[box] = saving_of(graph, box)
        excess[box] += growth + price[given] - price[taken]
        steps.trail[gone, 0], steps.trail[gone, 1], steps.trail[gone, 2] = box, given, taken
        gone += 1
        taken, growth = given, steps.growth[step]
        step = before
    return gone


@njit(cache=True, nogil=True)
def go_back(graph, prices, trail, begin, end):
    """Undo one cycle: from `begin` to `end` on the trail."""
    price, excess, saving = prices
    for place in range(begin, end):
        box, given, taken = trail[place, 0], trail[place, 1], trail[place, 2]
        holder = trail[begin if place == end - 1 else place + 1, 0]
        graph.held[given, slot_of(graph.held, given, holder)] = box
        growth = growth_of(graph, box, taken, given)
        replace(graph, box, taken, given, growth)
        saving[box] = saving_of(graph, box)
        excess[box] += growth + price[taken] - price[given]


@njit(cache=True, nogil=True)
def leave(graph, prices, steps, box, row, credit, looks, worth, gone):
    """Look for a cycle by which a row leaves a box, at less than a credit, and go round it.

    The most promising steps are followed first, `looks` of them at most. Returns the trail's end,
    which stays at `gone` if no cycle was found, and what the cycle cost.
    """
    steps.clock[0] += 1
    steps.box_met[box] = steps.clock[0]
    _add(steps, 0, box, row, NO_STEP, -credit, 0.0, -np.float32(np.inf))
    count = np.int64(1)
    for _ in range(looks):
        step = _most_promising(steps.promise, count, worth)
        if step == NO_STEP:
            break
        steps.promise[step] = FOLLOWED
        count, last, closing = _follow(graph, prices, steps, count, step, worth)
        if last != NO_STEP:
            cost = steps.spent[last] + closing + credit
            return _go_round(graph, prices, steps, last, closing, gone), cost
    return gone, np.float32(0.0)


@njit(cache=True, nogil=True)
def cycle(graph, boxes, prices, steps, looks, worth):
    """For each of some boxes and each of its rows, look for a cycle, and go round it.

    `looks` says how many steps are followed for each box, `worth` what they have to promise.
    """
    for turn in range(boxes.size):
        box = boxes[turn]
        for slot in range(graph.covered.shape[1]):
            if prices.excess[box] <= worth:
                break
            row, nothing = graph.covered[box, slot], np.float32(0.0)
            leave(graph, prices, steps, box, row, nothing, looks[box], worth, np.int64(0))
