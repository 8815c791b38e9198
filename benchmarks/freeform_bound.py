"""How little any freeform release of Adult can lose: a bound by linear programming.

A freeform release is a list of n boxes of k different rows each, in which every row comes k times.
Let each set of k rows be taken as often as one likes, in fractions too: that is a linear program
over all sets of k rows, and no freeform release, hence no partition either, loses less than its
optimum. Its columns are found as they are needed: of given prices of rows, the set that is worth
most beyond its cost is found exactly, because a box is a class of some level vector (2,592 of them
here) cut to a range of ages. Whatever the prices, they give a bound; it is printed in each round.

Needs `pip install highspy` (an interior point without crossover; scipy has none).

Run: .venv/bin/python benchmarks/freeform_bound.py [k [rows [rounds]]]
"""

from __future__ import annotations

import itertools
import sys
from time import perf_counter

import highspy
import numpy as np
import pyarrow as pa
from numba import njit
from scipy.sparse import csc_array, eye_array, hstack

from _common import ADULT, adult, adult_plan, task_of
from coarsen.methods.freeform.freeform import Freeform

AGE = ADULT.index("age")
ENOUGH = 1e-3
STARTS = 3


def main():
    asked = [int(word) for word in sys.argv[1:]]
    k, rows, rounds = [*asked, *[5, 30_162, 30][len(asked) :]]
    data = adult()
    drawn = np.random.default_rng(1).choice(data.num_rows, rows, replace=False)
    data = data.take(pa.array(np.sort(drawn)))
    plan = adult_plan(ADULT, require=[{"model": "k-anonymity", "k": k}])
    _, task = task_of(data, plan, in_own_order=True)
    found = [Freeform(seed=seed).search(task) for seed in range(STARTS)]
    print(f"freeform {found[0].search['loss']:.5f}")
    Bound(task, k).close_in(np.concatenate([one.sources for one in found]), rounds)


class Bound:
    """The linear program over sets of k distinct rows, and the prices that bound it."""

    def __init__(self, task, k):
        self._task, self._k = task, k
        codes = task.codes.astype(np.int64)
        self._rows, self._number, self._counts = np.unique(
            codes, axis=0, return_inverse=True, return_counts=True
        )
        self._cells = task.table.rows * sum(task.suppressed_cell)
        self._classes = _classes(task, self._rows)
        width = np.arange(task.table.quasi[AGE].hierarchy.size, dtype=np.int32)
        self._widths = np.asarray(task.spans.cost(AGE, np.zeros_like(width), width))

    def close_in(self, sources, rounds):
        """Add the sets that are worth most, and print cost and bound, until they meet."""
        sets = np.unique(np.sort(self._number.ravel()[sources], axis=1), axis=0)
        prices, bound = None, -np.inf
        for number in range(rounds):
            start = perf_counter()
            solved, cost = self._solved(sets)
            tried = solved if prices is None else (solved + prices) / 2
            more, least = self._worth_most(tried)
            lower = self._k * float(tried @ self._counts) + self._task.table.rows * least
            if lower > bound:
                prices, bound = tried, lower
            print(
                f"{number:3} sets {len(sets):7}  optimum over them {cost / self._cells:.5f}"
                f"  bound {bound / self._cells:.5f}  {perf_counter() - start:6.1f} s",
                flush=True,
            )
            if cost - bound < ENOUGH * cost:
                break
            sets = np.unique(np.concatenate([sets, more]), axis=0)

    def _solved(self, sets):
        """Return the prices of rows and the cost when these sets may be taken in fractions.

        A row may also come once too often or too seldom, for the price of a whole row: that keeps
        prices within bounds, and is not made use of in the end.
        """
        ends = np.arange(0, sets.size + 1, self._k)
        matrix = csc_array((np.ones(sets.size), sets.ravel().copy(), ends))
        matrix.sum_duplicates()
        single = eye_array(self._counts.size)
        matrix = hstack([matrix, single, -single], format="csc")
        needed = (self._k * self._counts).astype(float)
        cost = np.append(self._costs(sets), np.full(2 * needed.size, float(len(ADULT))))
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = cost.size, needed.size
        program.col_cost_ = cost
        program.col_lower_ = np.zeros(cost.size)
        program.col_upper_ = np.full(cost.size, highspy.kHighsInf)
        program.row_lower_ = program.row_upper_ = needed
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = matrix.indptr
        program.a_matrix_.index_ = matrix.indices
        program.a_matrix_.value_ = matrix.data
        solver = highspy.Highs()
        for option, value in {
            "output_flag": False,
            "solver": "ipm",
            "run_crossover": "off",
        }.items():
            solver.setOptionValue(option, value)
        solver.passModel(program)
        solver.run()
        prices = np.array(solver.getSolution().row_dual)
        return prices, solver.getInfo().objective_function_value

    def _costs(self, sets):
        codes = self._rows[sets].astype(np.int32)
        low, high = codes.min(axis=1), codes.max(axis=1)
        columns = range(codes.shape[2])
        return sum(np.asarray(self._task.spans.cost(c, low[:, c], high[:, c])) for c in columns)

    def _worth_most(self, prices):
        """Return for each row a set worth more than it costs, and the least reduced cost of all."""
        reduced = np.zeros(prices.size)
        sets = np.zeros((prices.size, self._k), dtype=np.int32)
        least = 0.0
        ages = self._rows[:, AGE]
        for some in self._classes:
            found = _price(some, ages, self._widths, prices, self._counts, reduced, sets)
            least = min(least, found)
        return np.sort(sets[reduced < 0], axis=1).astype(np.int64), least


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


@njit(cache=True)
def _keep(price, row, copies, dearest, held):
    """Put a row's copies among the k dearest; return how many there are, and what that adds."""
    prices, rows = dearest
    added = 0.0
    for _ in range(min(copies, prices.size)):
        if held < prices.size:
            place = held
            held += 1
        elif price > prices[-1] + 1e-12:
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


@njit(cache=True)
def _price(classes, ages, widths, prices, counts, reduced, sets):  # noqa: PLR0917 - for numba
    """Look in each class and each range of ages for the k rows of most worth."""
    order, first, cost = classes
    k = sets.shape[1]
    dearest = np.empty(k), np.empty(k, dtype=np.int32)
    least = 0.0
    for number in range(cost.size):
        rows = order[first[number] : first[number + 1]]
        held, most = 0, 0.0
        for row in rows:
            held, added = _keep(prices[row], row, counts[row], dearest, held)
            most += added
        if held < k or cost[number] >= most:
            continue
        for youngest in range(rows.size):
            if youngest == 0 or ages[rows[youngest - 1]] < ages[rows[youngest]]:
                paid = cost[number] + widths[ages[rows[youngest:]] - ages[rows[youngest]]]
                found = _best_from(
                    rows[youngest:], paid, most, prices, counts, dearest, reduced, sets
                )
                least = min(least, found)
    return least


@njit(cache=True)
def _best_from(rows, paid, most, prices, counts, dearest, reduced, sets):  # noqa: PLR0917
    """Widen the range of ages row by row, and note each set that is worth more than before."""
    held, worth, least = 0, 0.0, 0.0
    for place in range(rows.size):
        if paid[place] >= most:
            break
        row = rows[place]
        held, added = _keep(prices[row], row, counts[row], dearest, held)
        worth += added
        over = paid[place] - worth
        if added == 0.0 or held < sets.shape[1] or over >= 0.0:
            continue
        least = min(least, over)
        for member in dearest[1]:
            if over < reduced[member]:
                reduced[member] = over
                sets[member] = dearest[1]
    return least


if __name__ == "__main__":
    main()
