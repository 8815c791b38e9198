"""Which levels to publish columns at where single cells will be starred.

What a vector of levels loses is what its nodes cost and, in the cells that must be starred, the
weights of their columns. No cell costs more than a starred one, so the cost of all cells at their
nodes, the *floor* of a vector, bounds what it loses: a vector whose floor is no less than what
another one loses is not looked at.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.cells.masks import Masks, Patterns, quickly_starred
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

    Vector = tuple[int, ...]

FEW_VECTORS = 100
TIE = 1e-9


class LevelChoice:
    """The vectors of levels of a problem, and what each of them loses.

    Attributes
    ----------
    tried
        How many vectors were starred.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.tried = 0
        self._ranges = [
            range(low, high + 1)
            for low, high in zip(problem.lowest_levels, problem.highest_levels, strict=True)
        ]

    @property
    def is_small(self) -> bool:
        """Whether there are few enough vectors to look at each."""
        return prod(map(len, self._ranges)) <= FEW_VECTORS

    def best_of_all(
        self, starred: Callable[[Vector], tuple[float, int]], deadline: Deadline
    ) -> Vector:
        """Return the vector that loses least, with the fewest stars if several do.

        The lowest floor comes first, so that most are not tried. When time is over, it is the best
        of those that were tried.

        Parameters
        ----------
        starred
            Returns what a vector loses when its cells are starred, and how many are.
        """
        vectors = sorted(product(*self._ranges), key=lambda v: (self.floor(v), sum(v), v))
        best, least, fewest = vectors[0], np.inf, 0
        for vector in vectors:
            if self.floor(vector) > least + TIE or (self.tried and deadline.passed):
                break
            self.tried += 1
            cost, stars = starred(vector)
            if cost < least - TIE or (cost <= least + TIE and stars < fewest):
                best, least, fewest = vector, cost, stars
        return best

    def climbed(self, deadline: Deadline) -> Vector:
        """Change one column at a time, as long as the table loses less, starred quickly."""
        best = tuple(levels[0] for levels in self._ranges)
        if prod(map(len, self._ranges)) == 1:
            return best
        least, before = self._quick_loss(best), None
        while best != before and not deadline.passed:
            before = best
            for vector in self._one_column_away(before):
                if self.floor(vector) < least - TIE and not deadline.passed:
                    cost = self._quick_loss(vector)
                    if cost < least - TIE:
                        best, least = vector, cost
            self._problem.progress.advance(0.5 * deadline.gone)
        return best

    def _one_column_away(self, vector: Vector) -> Iterator[Vector]:
        for column, levels in enumerate(self._ranges):
            for level in levels:
                if level != vector[column]:
                    yield (*vector[:column], level, *vector[column + 1 :])

    def floor(self, vector: Vector) -> float:
        """Return what all cells cost at a vector, none starred."""
        return sum(costs[level] for costs, level in zip(self._floors, vector, strict=True))

    @cached_property
    def _floors(self) -> list[list[float]]:
        table = self._problem.table
        counted = [
            np.bincount(column.codes, table.weights, minlength=column.hierarchy.size)
            for column in table.quasi
        ]
        return [
            [float(rows @ cost[nodes]) for cost, nodes in zip(costs, levels, strict=True)]
            for rows, costs, levels in zip(
                counted,
                self._problem.costs,
                (column.hierarchy.nodes for column in table.quasi),
                strict=True,
            )
        ]

    def nodes(self, vector: Vector) -> list[NDArray[np.int32]]:
        """Return the nodes of the distinct rows at a vector."""
        table = self._problem.table
        columns = zip(table.quasi, vector, table.frequency_set.codes, strict=True)
        return [column.hierarchy.nodes[level][codes] for column, level, codes in columns]

    def patterns(self, vector: Vector) -> Patterns:
        """Return the distinct rows at a vector."""
        return Patterns(self.nodes(vector), self._problem.table.frequency_set.counts)

    def _quick_loss(self, vector: Vector) -> float:
        """Return what a vector loses if cells are starred quickly."""
        self.tried += 1
        patterns = self.patterns(vector)
        least = least_respondents(self._problem.requirements)
        nodes = [held[patterns.rows] for held in self.nodes(vector)]
        starred = quickly_starred(patterns, self._masks(nodes), least)
        return float(self.lost(vector, nodes, starred) @ patterns.counts)

    def _masks(self, nodes: list[NDArray[np.int32]]) -> Masks:
        """List masks; where many columns are starred, first those of many values and low weight."""
        weights = np.array(self._problem.suppressed_cell)
        values = np.array([np.unique(held).size for held in nodes])
        return Masks.of(weights, np.lexsort((-values, weights)).tolist())

    def lost(
        self, vector: Vector, nodes: list[NDArray[np.int32]], starred: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return what rows lose, given their nodes and which of their cells are starred."""
        whole = np.zeros(starred.shape[0])
        for place, (level, held) in enumerate(zip(vector, nodes, strict=True)):
            cost = self._problem.costs[place][level][held]
            whole += np.where(starred[:, place], self._problem.suppressed_cell[place], cost)
        return whole
