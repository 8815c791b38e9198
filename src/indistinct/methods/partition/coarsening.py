"""A first partition: rows are released at ever coarser vectors, cheapest first.

What repeated full-domain search (ARX's local recoding) does with a few vectors is done here with
all of them, or many: going up in cost, every class of the rows still left that satisfies becomes a
group. Rows that can be published exactly are; rows that need it become coarser, each in its way.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.demands import asked_of, least_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

MOST_VECTORS, MOST_LEVELS = 20_000, 2_000_000
DEARER = 1.2
LARGEST_PART = 100
FEW_SUMS = 1 << 21
SUMS_PER_ROW = 6
HURRIED = 20


def coarsened(problem: Problem, seed: int, deadline: Deadline) -> NDArray[np.int32]:
    """Return a group for each row, numbered without gaps; -1 for rows that fit nowhere.

    Where time is over, a few vectors must do for those that are left.
    """
    from indistinct.methods.partition.coarsening_kernel import (
        Units,
        Vectors,
        group_coarser,
        scratch_for,
    )

    asked = asked_of(problem, least_rows(problem))
    quasi, counts, inverse = _units(problem, every_row=asked.demands is not None)
    costs = _level_costs(problem)
    levels, limits = _vectors(problem, costs, counts, quasi, seed)
    sums, parts = _summed(problem, quasi, levels, seed)
    group = np.full(counts.size, -1, dtype=np.int32)
    units = Units(np.ascontiguousarray(np.stack(quasi, axis=1)), counts, group)
    scratch = scratch_for(counts.size)
    count = 0
    for most in (limits * DEARER + 1e-9, np.full(limits.size, np.inf)):
        done = 0
        for part in deadline.slices(levels.shape[0]):
            vectors = Vectors(levels[part], most[part], sums, parts[part], costs)
            count = group_coarser(vectors, units, asked, count, scratch)
            done = part.stop
        if done < levels.shape[0]:
            few = np.unique(np.linspace(done, levels.shape[0] - 1, HURRIED).astype(np.int64))
            vectors = Vectors(levels[few], most[few], sums, parts[few], costs)
            count = group_coarser(vectors, units, asked, count, scratch)
    return group[inverse]


def _units(
    problem: Problem, *, every_row: bool
) -> tuple[tuple[NDArray[np.int32], ...], NDArray[np.int64], NDArray[np.int32]]:
    """Return the codes and counts of what is grouped, and which of it each row is.

    Equal rows are grouped as one, unless something is asked that parts them.
    """
    if every_row:
        table = problem.table
        codes = tuple(column.codes for column in table.quasi)
        return codes, table.row_counts, np.arange(table.entries, dtype=np.int32)
    distinct = problem.table.frequency_set
    return distinct.codes, distinct.counts, distinct.inverse


def _level_costs(problem: Problem) -> NDArray[np.float64]:
    """For each column, level and value, what its node costs."""
    most = max(column.hierarchy.size for column in problem.table.quasi)
    costs = np.zeros((len(problem.table.quasi), max(problem.table.heights) + 1, most))
    for place, column in enumerate(problem.table.quasi):
        levels = len(column.hierarchy.nodes)
        costs[place, :levels, : column.hierarchy.size] = _node_costs(problem, place)
    return costs


def _summed(
    problem: Problem, quasi: tuple[NDArray[np.int32], ...], vectors: NDArray[np.int64], seed: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Add up random numbers of nodes, a few columns at a time, for every choice of their levels."""
    heights = problem.table.heights
    numbers = _node_numbers(problem, seed)
    most = max(FEW_SUMS, SUMS_PER_ROW * problem.table.entries)
    together = _taken_together(heights, max(most // quasi[0].size, 1))
    sums = np.zeros(
        (sum(prod(heights[c] + 1 for c in columns) for columns in together), quasi[0].size),
        dtype=np.uint64,
    )
    parts = np.zeros((vectors.shape[0], len(together)), dtype=np.int64)
    made = 0
    for place, columns in enumerate(together):
        levels = [heights[c] + 1 for c in columns]
        parts[:, place] = made + np.ravel_multi_index(tuple(vectors[:, c] for c in columns), levels)
        for choice in np.ndindex(*levels):
            for column, level in zip(columns, choice, strict=True):
                sums[made] += numbers[column][level][quasi[column]]
            made += 1
    return sums, parts


def _node_numbers(problem: Problem, seed: int) -> list[list[NDArray[np.uint64]]]:
    """For each column, level and value, a random number that its node has."""
    random = np.random.Generator(np.random.PCG64(seed))
    return [
        [
            random.integers(0, 2**64, size=int(nodes.max()) + 1, dtype=np.uint64)[nodes]
            for nodes in column.hierarchy.nodes
        ]
        for column in problem.table.quasi
    ]


def _taken_together(heights: tuple[int, ...], most: int) -> list[list[int]]:
    """Put columns together as long as the choices of their levels are few."""
    together: list[list[int]] = []
    for column in sorted(range(len(heights)), key=lambda c: heights[c]):
        size = prod(heights[c] + 1 for c in [*(together[-1] if together else ()), column])
        if together and size <= min(most, LARGEST_PART):
            together[-1].append(column)
        else:
            together.append([column])
    return together


def _node_costs(problem: Problem, place: int) -> NDArray[np.float64]:
    """For each level and value of a column, what values that occur under its node span and cost."""
    column = problem.table.quasi[place]
    seen = np.unique(column.codes)
    held = [np.unique(nodes[seen], return_index=True) for nodes in column.hierarchy.nodes]
    last = [np.append(first[1:], seen.size) - 1 for _, first in held]
    firsts = np.concatenate([first for _, first in held])
    spent = problem.spans.cost(place, seen[firsts], seen[np.concatenate(last)])
    by_level = np.zeros((len(held), column.hierarchy.size))
    ends = np.cumsum([starts.size for starts, _ in held])
    for level, (nodes, (starts, _)) in enumerate(zip(column.hierarchy.nodes, held, strict=True)):
        cost = np.zeros(int(nodes.max()) + 1)
        cost[starts] = spent[ends[level] - starts.size : ends[level]]
        by_level[level] = cost[nodes]
    return by_level


def _vectors(
    problem: Problem,
    costs: NDArray[np.float64],
    counts: NDArray[np.int64],
    quasi: tuple[NDArray[np.int32], ...],
    seed: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """List vectors from cheap to dear: all of a small lattice, random ways up a large one."""
    heights = problem.table.heights
    rows = counts.sum()
    mean = np.stack(
        [
            costs[place] @ np.bincount(codes, weights=counts, minlength=costs.shape[2]) / rows
            for place, codes in enumerate(quasi)
        ]
    )
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
    vectors = {(0,) * len(heights)}
    most = min(MOST_VECTORS, MOST_LEVELS // len(heights))  # no longer for very many columns
    ways = max(1, most // max(len(steps), 1) // 2)
    for _ in range(ways):
        eager = (reached + 0.05) * random.exponential(size=reached.size)
        vector = [0] * len(heights)
        for step in np.argsort(eager):
            place, level = steps[step]
            vector[place] = max(vector[place], level)
            vectors.add(tuple(vector))
    return np.array(sorted(vectors))
