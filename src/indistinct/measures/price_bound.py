"""A bound by prices: the linear program over all classes, by column generation.

A release puts every row into a class. Give each row a price, of any sign, such that no class pays
more than it costs: the rows of a class that satisfies the requirements pay on average no more than
the box that holds them costs in each row. Then no release costs less than what all rows pay. The
best prices are the dual of the linear program that puts rows into classes in fractions; so they
bound partitions, and matchings too, whose classes are fractions.

Which classes must be looked at is simplest for k-anonymity: those of just k rows, for a larger one
is a mean of them. Where a value may have only a share q of a class, it is a mean of sets of m rows
of which at most ceil(q m) have that value, for the means of such sets are all of a polytope whose
corners they are (a matroid of parts). Where a class needs different values, it is taken as it is.

Prices need not be best to bound. The search starts from those of `bound.py`, what the nearest rows
cost, and never falls below them. In each turn HiGHS finds the best prices for the classes that are
known, a step from the best prices so far towards those is priced (`price_kernel.py`), and whatever
a class with a row pays too much is taken off that row's price: so each turn gives a bound.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from indistinct.running.together import on_each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.measures.price_kernel import Pricing, Rows
    from indistinct.methods.common.deadline import Deadline
    from indistinct.model.spans import Spans

LESS, STEP = 0.9, 0.5
FIRST_NODES, MORE = 2_000, 2
REACH, WIDER, NARROWER, WIDEST = 0.5, 1.5, 0.7, 4.0
LEAST = 1e-3
CLOSE = 1e-4
ROUNDED = 1e-9
PROCESSORS = os.cpu_count() or 1

Class = tuple["NDArray[np.int64]", "NDArray[np.int64]", float]


class Prices:
    """Prices of the rows of a table, such that no class pays more than it costs.

    Parameters
    ----------
    rows
        The entries, and what their classes need.
    first
        The prices to begin with.
    suppressed_row, max_suppressed
        What a suppressed row costs, and how many rows may be suppressed.

    Attributes
    ----------
    paid
        What the best prices bound.
    most
        What no prices can bound beyond: the optimum of the classes that are known.
    """

    def __init__(
        self,
        spans: Spans,
        rows: Rows,
        first: NDArray[np.float64],
        suppressed_row: float,
        max_suppressed: int,
    ) -> None:
        self._spans, self._rows, self._prices = spans, rows, first
        self._suppressed_row, self._max_suppressed = suppressed_row, max_suppressed
        self._classes: dict[tuple[bytes, bytes], Class] = {}
        self._nodes, self._reach, self._step = FIRST_NODES, REACH, STEP
        self.paid, self.most = self._paid(first), np.inf

    def rise(self, deadline: Deadline) -> None:
        """Look for better prices until there are none, or time is over."""
        if not self._learn_any():
            return
        self._turn(LESS * self._shared_costs(), deadline)
        while not deadline.passed and self.paid < self.most * (1 - CLOSE) - ROUNDED:
            self._turn(self._best_known(), deadline)

    def _learn_any(self) -> bool:
        """Learn one class, if any is allowed."""
        codes = self._rows.codes[:, self._rows.columns].astype(np.int64)
        falling = np.argsort(-self._prices, kind="stable")
        return self._learn_from(self._prices, falling, codes.min(axis=0), codes.max(axis=0))

    def _learn_from(
        self,
        prices: NDArray[np.float64],
        falling: NDArray[np.intp],
        low: NDArray[np.int64],
        high: NDArray[np.int64],
    ) -> bool:
        """Learn the class of a box that pays most; say whether there is any."""
        from indistinct.measures.price_kernel import class_of

        entries, taken = class_of(self._rows, prices, falling, low, high)
        if entries.size:
            self.learn(entries[taken > 0], taken[taken > 0])
        return entries.size > 0

    def _shared_costs(self) -> NDArray[np.float64]:
        """Let each row pay what a row costs, on average, in the known classes that it is in."""
        cost, rows = np.zeros_like(self._prices), np.zeros_like(self._prices)
        for entries, taken, all_cost in self._classes.values():
            cost[entries] += taken * (all_cost / taken.sum())
            rows[entries] += taken
        return np.where(rows > 0, cost / np.maximum(rows, 1), self._prices)

    def _turn(self, prices: NDArray[np.float64], deadline: Deadline) -> None:
        """Look for classes that pay too much; take it off their rows, if all were looked at."""
        falling = np.argsort(-prices, kind="stable")
        priced = self._overpaid(prices, falling, deadline)
        if priced is None:
            return
        noted, given_up = priced
        place = np.empty_like(falling)
        place[falling] = np.arange(falling.size)
        for anchor in np.flatnonzero(noted.best > 0):
            inside = falling[place[anchor] :]
            self._learn_from(prices, inside, noted.low[anchor], noted.high[anchor])
        self._step = STEP if noted.best.any() else 1.0
        lowered = prices - noted.most - ROUNDED
        paid = self._paid(lowered)
        if paid > self.paid:
            self.paid, self._prices = paid, lowered
            self._reach = min(self._reach * WIDER, WIDEST)
        else:
            self._reach *= NARROWER
            self._nodes *= MORE if given_up else 1

    def _overpaid(
        self, prices: NDArray[np.float64], falling: NDArray[np.intp], deadline: Deadline
    ) -> tuple[Pricing, int] | None:
        """Price all classes; also count the anchors given up. None if time is over before."""
        from indistinct.measures.price_kernel import Pricing, overpaid

        size, depths = falling.size, self._rows.columns.size
        anchors = np.flatnonzero(prices[falling] > 0)

        def look(part: int) -> tuple[Pricing, int, bool]:
            noted = Pricing(
                np.zeros(size),
                np.zeros(size),
                np.zeros((size, depths), dtype=np.int64),
                np.zeros((size, depths), dtype=np.int64),
            )
            mine, given_up, done = anchors[part::PROCESSORS], 0, 0
            for some in deadline.slices(mine.size):
                now = mine[some]
                arrays = self._spans.arrays
                given_up += overpaid(arrays, self._rows, prices, falling, now, noted, self._nodes)
                done += now.size
            return noted, given_up, done == mine.size

        parts = on_each(PROCESSORS, look)
        if not all(done for _, _, done in parts):
            return None
        noted = parts[0][0]
        for other, _, _ in parts[1:]:
            better = other.best > noted.best
            np.maximum(noted.most, other.most, out=noted.most)
            for mine, theirs in zip(noted[1:], other[1:], strict=True):
                mine[better] = theirs[better]
        return noted, sum(given_up for _, given_up, _ in parts)

    def learn(self, entries: NDArray[np.int64], taken: NDArray[np.int64]) -> None:
        """Add a class to those that are known, with what it costs."""
        order = np.argsort(entries)
        entries, taken = entries[order], taken[order]
        held = self._rows.codes[entries]
        low, high = held.min(axis=0, keepdims=True), held.max(axis=0, keepdims=True)
        each = sum(float(self._spans.cost(c, low[:, c], high[:, c])[0]) for c in self._rows.columns)
        self._classes[entries.tobytes(), taken.tobytes()] = (entries, taken, each * taken.sum())

    def _best_known(self) -> NDArray[np.float64]:
        """Return the prices near the best so far that pay most, if only known classes are asked."""
        from scipy.optimize import linprog
        from scipy.sparse import coo_array, eye_array, hstack

        counts = self._rows.counts
        classes = list(self._classes.values())
        number = np.repeat(np.arange(len(classes)), [c[0].size for c in classes])
        inside = np.concatenate([c[0] for c in classes])
        taken = np.concatenate([c[1] for c in classes])
        held = coo_array((taken, (inside, number)), shape=(counts.size, len(classes)))
        every = eye_array(counts.size)
        mean = max(self.paid / counts.sum(), LEAST * self._suppressed_row)
        reach = self._reach * (np.abs(self._prices) + mean)
        outside = [self._prices + reach, reach - self._prices]
        alone = [self._suppressed_row * np.ones(counts.size)] * bool(self._max_suppressed)
        costs = np.concatenate([[c[2] for c in classes], *alone, *outside])
        matrix = hstack([held, *[every] * len(alone), every, -every])
        program = {"c": costs, "A_eq": matrix.tocsc(), "b_eq": counts}
        if alone:
            limit = np.zeros((1, costs.size))
            limit[0, len(classes) : len(classes) + counts.size] = 1.0
            program |= {"A_ub": limit, "b_ub": [self._max_suppressed]}
        solved = linprog(**program, method="highs")
        if solved.x[-2 * counts.size :].max() <= ROUNDED:
            self.most = float(solved.fun)
        prices = np.asarray(solved.eqlin.marginals)
        return self._prices + self._step * (prices - self._prices)

    def _paid(self, prices: NDArray[np.float64]) -> float:
        """Return what prices bound, if the rows for which it pays most are suppressed."""
        saved = np.maximum(prices - self._suppressed_row, 0.0)
        order = np.argsort(-saved, kind="stable")
        before = np.cumsum(self._rows.counts[order]) - self._rows.counts[order]
        gone = np.clip(self._max_suppressed - before, 0, self._rows.counts[order])
        return float(prices @ self._rows.counts - saved[order] @ gone)
