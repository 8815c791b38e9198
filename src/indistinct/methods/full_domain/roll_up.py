"""Counting every vector of a lattice from a finer one, with histograms of sensitive values.

Requirements that are closed under unions only give weak bounds when rows may be suppressed: most
vectors have to be counted. Then it pays to count each from the classes of the vector one level
finer in one column, which are far fewer than the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.dealing import kept_of_entries
from indistinct.methods.common.judge import Pairs, judges, largest_parts_known
from indistinct.methods.common.views import knows_some
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.part_kernel import Kept

MOST_BITS = 62
MOST_CELLS = 1 << 26
MOST_VECTORS = 300_000
MOST_ROWS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Counted:
    """A vector with what it drops and costs, and its classes.

    Attributes
    ----------
    floor
        What the vector costs if nothing is dropped: no vector above it costs less.
    kept
        What is kept of each class, once that is known; before, classes that fail are dropped.
    """

    vector: tuple[int, ...]
    dropped: int
    cost: float
    floor: float
    keys: NDArray[np.int64]
    counts: NDArray[np.int32]
    costs: NDArray[np.float64]
    kept: Kept | None = None


def can_roll_up(problem: Problem) -> bool:
    """Return whether keys, histograms and the lattice are small enough to count every vector."""
    table = problem.table
    simple = len(table.sets) == 1 and not table.has_respondents
    if not simple or knows_some(problem) or judges(problem, joined=True):
        return False
    values = 1 + sum(len(judge.column.values) for judge in judges(problem))
    return (
        table.rows <= MOST_ROWS
        and prod(height + 1 for height in table.heights) <= MOST_VECTORS
        and sum(bits_of(column.hierarchy.size) for column in table.quasi) <= MOST_BITS
        and values * table.frequency_set.size <= MOST_CELLS
    )


def bits_of(size: int) -> int:
    """Return how many bits tell so many nodes apart.

    >>> [bits_of(size) for size in (1, 2, 3, 100)]
    [1, 1, 2, 7]
    """
    return max((size - 1).bit_length(), 1)


class RollUp:
    """All vectors of a lattice, each counted from a finer one, depth first."""

    def __init__(self, problem: Problem) -> None:
        from indistinct.methods.full_domain.roll_up_kernel import roll_up, weigh

        self._problem = problem
        self._roll, self._weigh = roll_up, weigh
        self._judges = judges(problem)
        self._k = least_respondents(problem.requirements)
        self._cells = float(sum(problem.suppressed_cell))
        self._sizes = [column.hierarchy.size for column in problem.table.quasi]
        self._means = [
            [
                float(problem.table.rows_by(column.codes, size) @ level[nodes])
                for level, nodes in zip(costs, column.hierarchy.nodes, strict=True)
            ]
            for column, costs, size in zip(
                problem.table.quasi, problem.costs, self._sizes, strict=True
            )
        ]
        self._order = sorted(range(len(self._sizes)), key=lambda column: -self._sizes[column])
        self._bits = [bits_of(size) for size in self._sizes]
        self._shifts = [sum(self._bits[:place]) for place in range(len(self._bits))]

    def ground(self) -> Counted:
        """Count the ground vector."""
        distinct = self._problem.table.frequency_set
        keys = np.zeros(distinct.size, dtype=np.int64)
        for codes, shift in zip(distinct.codes, self._shifts, strict=True):
            keys |= codes.astype(np.int64) << shift
        blocks = [distinct.counts[:, None]]
        for judge in self._judges:
            values = len(judge.column.values)
            pairs = distinct.inverse.astype(np.int64) * values + judge.column.codes
            histogram = self._problem.table.rows_by(pairs, distinct.size * values)
            blocks.append(histogram.reshape(distinct.size, values))
        counts = np.ascontiguousarray(np.hstack(blocks), dtype=np.int32)
        costs = np.zeros(distinct.size)
        for column, codes in enumerate(distinct.codes):
            costs += self._problem.costs[column][0][codes]
        return self._counted((0,) * len(self._sizes), keys, counts, costs)

    @property
    def exact(self) -> bool:
        """Whether `in_parts` drops as few rows as can be."""
        return largest_parts_known(self._problem)

    def in_parts(self, counted: Counted) -> Counted:
        """Keep the largest part that satisfies of each class that fails."""
        if len(self._judges) != 1 or self._judges[0].closed_under_supersets:
            return counted
        fine = self._released(counted.counts, counted.costs)[2]
        failing = ~fine & (counted.counts[:, 0] >= self._k)
        histograms = np.where(failing[:, None], counted.counts[:, 1:], 0)
        row, value = (places.astype(np.int32) for places in np.nonzero(histograms))
        pairs = Pairs(row, value, histograms[row, value].astype(np.int64))
        number = np.arange(fine.size, dtype=np.int32)
        kept = self._judges[0].parts(number, fine.size, pairs, self._k)
        kept = kept._replace(rows=np.where(fine, counted.counts[:, 0], kept.rows))
        dropped = self._problem.table.rows - int(kept.rows.sum())
        cost = float(kept.rows @ counted.costs) + dropped * self._cells
        return replace(counted, dropped=dropped, cost=cost, kept=kept)

    def finer_first(self, start: Counted) -> Iterator[Counted]:
        """Yield the vectors one step above that are reached from here and nowhere else."""
        raised = [place for place, column in enumerate(self._order) if start.vector[column]]
        for column in self._order[max(raised, default=0) :]:
            if start.vector[column] < self._problem.table.heights[column]:
                yield self._raised(start, column)

    def _raised(self, counted: Counted, column: int) -> Counted:
        level = counted.vector[column]
        classes = self._roll(
            counted.keys,
            counted.counts,
            counted.costs,
            self._shifts[column],
            self._bits[column],
            *self._rise(column, level),
        )
        vector = (*counted.vector[:column], level + 1, *counted.vector[column + 1 :])
        return self._counted(vector, *classes)

    @cache  # noqa: B019 - lives as long as the search
    def _rise(self, column: int, level: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the parent of each node of a level, and what a cell costs more there."""
        nodes = self._problem.table.quasi[column].hierarchy.nodes
        parents = np.zeros(int(nodes[level].max()) + 1, dtype=np.int32)
        parents[nodes[level]] = nodes[level + 1]
        costs = self._problem.costs[column]
        return parents, costs[level + 1][parents] - costs[level]

    def _counted(
        self,
        vector: tuple[int, ...],
        keys: NDArray[np.int64],
        counts: NDArray[np.int32],
        costs: NDArray[np.float64],
    ) -> Counted:
        rows, cost, _ = self._released(counts, costs)
        dropped = self._problem.table.rows - rows
        floor = sum(self._means[column][level] for column, level in enumerate(vector))
        return Counted(vector, dropped, cost + dropped * self._cells, floor, keys, counts, costs)

    def _released(
        self, counts: NDArray[np.int32], costs: NDArray[np.float64]
    ) -> tuple[int, float, NDArray[np.bool_]]:
        fine = np.ones(costs.size, dtype=bool)
        first = 1
        rows, cost = 0, 0.0
        for judge in self._judges:
            rows, cost = self._weigh(
                counts,
                costs,
                self._k,
                first,
                *judge.arrays,
                judge.scratch,
                fine,
            )
            first += len(judge.column.values)
        if not self._judges:
            fine = counts[:, 0] >= self._k
            rows, cost = int(counts[fine, 0].sum()), float(counts[fine, 0] @ costs[fine])
        return int(rows), float(cost), fine

    def kept(self, counted: Counted) -> NDArray[np.int64]:
        """Return how many rows of each entry of the table a vector releases."""
        table = self._problem.table
        keys = np.zeros(table.frequency_set.size, dtype=np.int64)
        for column, codes, level, shift in zip(
            table.quasi, table.frequency_set.codes, counted.vector, self._shifts, strict=True
        ):
            keys |= column.hierarchy.nodes[level][codes].astype(np.int64) << shift
        order = np.argsort(counted.keys)
        places = order[np.searchsorted(counted.keys[order], keys)]
        of_entry = places[table.frequency_set.inverse].astype(np.int32)
        if counted.kept is None:
            fine = self._released(counted.counts, counted.costs)[2]
            return np.where(fine[of_entry], table.row_counts, 0)
        whole = np.append(counted.kept.rows == counted.counts[:, 0], False)
        return kept_of_entries(self._problem, self._judges[0], of_entry, whole, counted.kept)
