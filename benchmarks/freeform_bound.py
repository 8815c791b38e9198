"""How little any freeform release of Adult can lose: a bound by prices of rows.

A freeform release is a list of n boxes of k different rows each, in which every row comes k times.
Give each row a price, for being covered once. If no box at all cost less than its rows together, no
release could cost less than what all prices bring in, k times each. Where some box of a row does
cost less, the most by which any does is taken off again, once for each row: each row has a box of
its own. So whatever the prices, they give a bound, for partitions too. The box that costs least
beyond its rows is found exactly, because a box is a class of some level vector (2,592 of them here)
cut to a range of ages.

The prices that bound most are looked for by steps along the subgradient: a row that comes too
seldom in those boxes becomes dearer. What the bound cannot exceed is the linear program over all
sets of k rows, taken in fractions.

Run: .venv/bin/python benchmarks/freeform_bound.py [k [steps]]     (about 2 seconds for each step)
"""

from __future__ import annotations

import itertools
import sys
from time import perf_counter

import numpy as np
from numba import njit

from _common import ADULT, adult, adult_plan, task_of
from indistinct.methods.freeform.freeform import Freeform
from indistinct.running.together import on_each

AGE = ADULT.index("age")
PROCESSORS = 2
PASSES = 80
MOST_SPARE = 0.05
LESS = 0.9
MEMORY, FIRST_STEP, PATIENCE, SHORTER = 0.6, 0.25, 5, 0.7

TOLD = 10


def main():
    asked = [int(word) for word in sys.argv[1:]]
    k, steps = [*asked, *[5, 300][len(asked) :]]
    plan = adult_plan(ADULT, require=[{"model": "k-anonymity", "k": k}])
    _, task = task_of(adult(), plan, grouping=True)
    found = Freeform(passes=PASSES).search(task)
    print(f"freeform, {PASSES} passes: {found.search['loss']:.5f}", flush=True)
    Bound(task, k).rise(found.sources, steps)


class Bound:
    """Prices of distinct rows, and what they bound."""

    def __init__(self, task, k):
        self._task, self._k = task, k
        self._rows, self._number, self._counts = np.unique(
            task.codes.astype(np.int64), axis=0, return_inverse=True, return_counts=True
        )
        self._cells = task.table.rows * sum(task.suppressed_cell)
        self._classes = _classes(task, self._rows)
        width = np.arange(task.table.quasi[AGE].hierarchy.size, dtype=np.int32)
        self._widths = np.asarray(task.spans.cost(AGE, np.zeros_like(width), width))

    def rise(self, sources, steps):
        """Step from the prices that a release suggests to better ones, and print the bound."""
        prices, spent = self._first_prices(sources)
        best, best_prices, best_direction = -np.inf, prices, np.zeros_like(prices)
        direction, step, waited = best_direction, FIRST_STEP, 0
        start = perf_counter()
        for number in range(steps):
            spare, sets = self._spare(prices)
            bound = self._k * float(prices @ self._counts) + float(spare @ self._counts)
            lacks = self._k - self._cover(sets, spare) / self._counts
            direction = MEMORY * direction + (1 - MEMORY) * lacks
            waited += 1
            if bound > best:
                best, best_prices, best_direction, waited = bound, prices, direction, 0
            elif waited == PATIENCE:
                bound, prices, direction, waited = best, best_prices, best_direction, 0
                step *= SHORTER
            length = step * (spent - bound) / float(direction**2 @ self._counts)
            prices = prices + length * direction
            if number % TOLD == 0 or number == steps - 1:
                took = perf_counter() - start
                print(f"{number:4} bound {best / self._cells:.5f}  {took:6.0f} s", flush=True)

    def _first_prices(self, sources):
        """Share what each box of a release costs among its rows; return also what all cost."""
        sets = self._number.ravel()[sources]
        cost = self._costs(sets)
        paid = np.zeros(self._counts.size)
        np.add.at(paid, sets.ravel(), np.repeat(cost / self._k, self._k))
        return LESS * paid / (self._k * self._counts), cost.sum()

    def _costs(self, sets):
        codes = self._rows[sets].astype(np.int32)
        low, high = codes.min(axis=1), codes.max(axis=1)
        columns = range(codes.shape[2])
        return sum(np.asarray(self._task.spans.cost(c, low[:, c], high[:, c])) for c in columns)

    def _spare(self, prices):
        """Return for each row the least that a box in its reach costs beyond its rows, and the box.

        At most `MOST_SPARE`; a box in reach of a row would cost no more with it.
        """
        found = [
            (np.full(prices.size, MOST_SPARE), np.zeros((prices.size, self._k), dtype=np.int32))
            for _ in range(PROCESSORS)
        ]
        known = (self._rows[:, AGE], self._widths, prices, self._counts)

        def look(part):
            for classes in self._classes[part::PROCESSORS]:
                _look(*classes, *known, *found[part])

        on_each(PROCESSORS, look)
        least = np.argmin([spare for spare, _ in found], axis=0)
        every = np.arange(prices.size)
        return tuple(np.stack(parts)[least, every] for parts in zip(*found, strict=True))

    def _cover(self, sets, spare):
        """Count how often each row comes in the boxes of all rows."""
        cover = np.zeros(self._counts.size)
        known = spare < MOST_SPARE
        np.add.at(cover, sets[known].ravel(), np.repeat(self._counts[known], self._k))
        return cover


def _classes(task, rows):
    """For each level vector of the other columns: rows by class and age, and what a class costs."""
    ladders = [
        [(np.zeros(column.hierarchy.size, dtype=np.int64), np.zeros(1))]
        if place == AGE
        else _levels(task, place, column.hierarchy)
        for place, column in enumerate(task.table.quasi)
    ]
    found = []
    for levels in itertools.product(*ladders):
        key, cost = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows))
        for place, (node, price) in enumerate(levels):
            key = key * price.size + node[rows[:, place]]
            cost += price[node[rows[:, place]]]
        order = np.lexsort((rows[:, AGE], key)).astype(np.int32)
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        found.append((order, np.append(first, len(rows)), cost[order[first]]))
    return found


def _levels(task, place, hierarchy):
    """For each level of a column, the node of each value and what each node costs."""
    found = []
    for level in range(hierarchy.height + 1):
        _, node = np.unique([path[level] for path in hierarchy.paths()], return_inverse=True)
        low = np.full(node.max() + 1, node.size, dtype=np.int32)
        high = np.zeros_like(low)
        np.minimum.at(low, node, np.arange(node.size, dtype=np.int32))
        np.maximum.at(high, node, np.arange(node.size, dtype=np.int32))
        found.append((node, np.asarray(task.spans.cost(place, low, high))))
    return found


@njit(cache=True, nogil=True)
def _keep(price, row, copies, dearest, held):
    """Put a row's copies among the k dearest; return how many there are, and what that adds."""
    prices, rows = dearest
    added = 0.0
    for _ in range(min(copies, prices.size)):
        if held < prices.size:
            place = held
            held += 1
        elif price > prices[-1]:
            place = held - 1
            added -= prices[-1]
        else:
            break
        while place > 0 and prices[place - 1] < price:
            prices[place], rows[place] = prices[place - 1], rows[place - 1]
            place -= 1
        prices[place], rows[place] = price, row
        added += price
    return held, added


@njit(cache=True, nogil=True)
def _look(order, first, cost, ages, widths, prices, counts, spare, sets):  # noqa: PLR0917 - numba
    """Look in each class and range of ages for the k rows of most worth, in reach of all there."""
    k = sets.shape[1]
    dearest = np.empty(k), np.empty(k, dtype=np.int32)
    for number in range(cost.size):
        rows = order[first[number] : first[number + 1]]
        held, most = 0, 0.0
        for row in rows:
            held, added = _keep(prices[row], row, counts[row], dearest, held)
            most += added
        if held == k and cost[number] - most < MOST_SPARE:
            begins = _begins(ages[rows])
            for youngest in range(begins.size - 1):
                _widen(
                    rows, begins[youngest:], cost[number], most, ages, widths, prices, counts,
                    dearest, spare, sets,
                )  # fmt: skip


@njit(cache=True, nogil=True)
def _begins(ages):
    """Return where each age begins among sorted ones, and where the last one ends."""
    changes = np.flatnonzero(ages[1:] != ages[:-1]) + 1
    begins = np.zeros(changes.size + 2, dtype=np.int64)
    begins[1:-1] = changes
    begins[-1] = ages.size
    return begins


@njit(cache=True, nogil=True)
def _widen(rows, begins, cost, most, ages, widths, prices, counts, dearest, spare, sets):  # noqa: PLR0917
    """Widen a range of ages; of each width and all greater ones, note the best box for its rows."""
    k, widest = sets.shape[1], 0
    over = np.empty(begins.size - 1)
    boxes = np.empty((begins.size - 1, k), dtype=np.int32)
    held, worth = 0, 0.0
    for age in range(begins.size - 1):
        paid = cost + widths[ages[rows[begins[age]]] - ages[rows[begins[0]]]]
        if paid - most >= MOST_SPARE:
            break
        for row in rows[begins[age] : begins[age + 1]]:
            held, added = _keep(prices[row], row, counts[row], dearest, held)
            worth += added
        over[age] = paid - worth if held == k else np.inf
        boxes[age] = dearest[1]
        widest = age + 1
    best = -1
    for age in range(widest - 1, -1, -1):
        if best < 0 or over[age] < over[best]:
            best = age
        for row in rows[begins[age] : begins[age + 1]]:
            if over[best] < spare[row]:
                spare[row] = over[best]
                sets[row] = boxes[best]


if __name__ == "__main__":
    main()
