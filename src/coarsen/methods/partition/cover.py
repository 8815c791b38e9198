"""A first partition: rows are released at ever coarser vectors, cheapest first.

What repeated full-domain search (ARX's local recoding) does with a few vectors is done here with
all of them, or many: going up in cost, every class of the rows still left that satisfies becomes a
group. Rows that can be told exactly are; rows that need it become coarser, each in its own way.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from coarsen.methods.judge import least_respondents
from coarsen.methods.partition.demands import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coarsen._kernels.demands import DemandArrays
    from coarsen.methods.base import Problem

MOST_VECTORS = 20_000
DEARER = 1.2
LARGEST_PART = 100
MOST_SUMS = 1 << 23


def covered(problem: Problem, seed: int) -> tuple[NDArray[np.int32], int]:
    """Return a group for each row, -1 for rows that fit nowhere, and how many groups there are."""
    from coarsen._kernels.covering import cover

    demands = compiled(problem)
    checked = asks_more(demands)
    quasi, counts, inverse = _units(problem, every_row=checked)
    hashes, costs = _node_arrays(problem, quasi, seed)
    vectors, limits = _vectors(problem, costs, counts, seed)
    sums, parts = _summed(hashes, vectors, problem.table.heights)
    group = np.full(counts.size, -1, dtype=np.int32)
    k = least_respondents(problem.requirements)
    count = 0
    for most in (limits * DEARER + 1e-9, np.full(limits.size, np.inf)):
        count = cover(sums, parts, vectors, most, costs, counts, demands, checked, k, group, count)
    return group[inverse], int(count)


def asks_more(demands: DemandArrays) -> bool:
    """Tell whether a group must satisfy more than a number of rows."""
    return bool(demands.kind.size or demands.people.shape[0])


def _units(
    problem: Problem, *, every_row: bool
) -> tuple[tuple[NDArray[np.int32], ...], NDArray[np.int64], NDArray[np.int32]]:
    """Return the codes and counts of what is grouped, and which of it each row is.

    Equal rows are grouped as one, unless something is asked that tells them apart.
    """
    if every_row:
        rows = problem.table.rows
        codes = tuple(column.codes for column in problem.table.quasi)
        return codes, np.ones(rows, dtype=np.int64), np.arange(rows, dtype=np.int32)
    distinct = problem.table.frequency_set
    return distinct.codes, distinct.counts, distinct.inverse


def _node_arrays(
    problem: Problem, quasi: tuple[NDArray[np.int32], ...], seed: int
) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """For each column, level and distinct row, a random number and the cost of its node."""
    heights = problem.table.heights
    shape = (len(quasi), max(heights) + 1, quasi[0].size)
    hashes, costs = np.zeros(shape, dtype=np.uint64), np.zeros(shape)
    random = np.random.Generator(np.random.PCG64(seed))
    for place, column in enumerate(problem.table.quasi):
        for level, nodes in enumerate(column.hierarchy.nodes):
            numbers = random.integers(0, 2**64, size=int(nodes.max()) + 1, dtype=np.uint64)
            hashes[place, level] = numbers[nodes[quasi[place]]]
            costs[place, level] = _node_costs(problem, place, level)[quasi[place]]
    return hashes, costs


def _summed(
    hashes: NDArray[np.uint64], vectors: NDArray[np.int64], heights: tuple[int, ...]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Add up the numbers of a few columns at a time, for every choice of their levels."""
    most = max(MOST_SUMS // hashes.shape[2], 1)
    together: list[list[int]] = []
    for column in sorted(range(len(heights)), key=lambda c: heights[c]):
        size = prod(heights[c] + 1 for c in [*(together[-1] if together else ()), column])
        if together and size <= min(most, LARGEST_PART):
            together[-1].append(column)
        else:
            together.append([column])
    sums: list[NDArray[np.uint64]] = []
    parts = np.zeros((vectors.shape[0], len(together)), dtype=np.int64)
    for place, columns in enumerate(together):
        levels = [heights[c] + 1 for c in columns]
        parts[:, place] = len(sums) + np.ravel_multi_index(
            tuple(vectors[:, c] for c in columns), levels
        )
        for choice in np.ndindex(*levels):
            chosen = [hashes[c, level] for c, level in zip(columns, choice, strict=True)]
            sums.append(np.sum(chosen, axis=0, dtype=np.uint64))
    return np.array(sums), parts


def _node_costs(problem: Problem, place: int, level: int) -> NDArray[np.float64]:
    """For each value of a column, what the values that occur under its node span and cost."""
    column = problem.table.quasi[place]
    nodes = column.hierarchy.nodes[level]
    seen = np.unique(column.codes)
    starts, first = np.unique(nodes[seen], return_index=True)
    last = np.append(first[1:], seen.size) - 1
    cost = np.zeros(int(nodes.max()) + 1)
    cost[starts] = problem.spans.cost(place, seen[first], seen[last])
    return cost[nodes]


def _vectors(
    problem: Problem, costs: NDArray[np.float64], counts: NDArray[np.int64], seed: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """List vectors from cheap to dear: all of a small lattice, random ways up a large one."""
    heights = problem.table.heights
    share = counts / counts.sum()
    mean = costs @ share
    if prod(height + 1 for height in heights) <= MOST_VECTORS:
        vectors = np.array(list(product(*(range(height + 1) for height in heights))))
    else:
        vectors = _ways_up(mean, heights, seed)
    dear = sum(mean[place][vectors[:, place]] for place in range(len(heights)))
    order = np.argsort(dear, kind="stable")
    return np.ascontiguousarray(vectors[order], dtype=np.int64), np.asarray(dear)[order]


def _ways_up(mean: NDArray[np.float64], heights: tuple[int, ...], seed: int) -> NDArray[np.int64]:
    """Climb from the ground to the top many times, cheap steps more likely to come first."""
    random = np.random.Generator(np.random.PCG64(seed))
    steps = [(place, level) for place, top in enumerate(heights) for level in range(1, top + 1)]
    reached = np.array([mean[place][level] for place, level in steps])
    found = {(0,) * len(heights)}
    ways = max(1, MOST_VECTORS // max(len(steps), 1) // 2)
    for _ in range(ways):
        eager = (reached + 0.05) * random.exponential(size=reached.size)
        vector = [0] * len(heights)
        for step in np.argsort(eager):
            place, level = steps[step]
            vector[place] = max(vector[place], level)
            found.add(tuple(vector))
    return np.array(sorted(found))
