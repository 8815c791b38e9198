"""Levels and stars where attackers know at most m columns of one quasi-identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.cells.known_masks import KnownMasks
from indistinct.methods.cells.known_stars import KnownStars
from indistinct.methods.cells.level_choice import LevelChoice
from indistinct.methods.common.views import by_knowledge
from indistinct.requirements import SensitiveRequirement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

    Vector = tuple[int, ...]
    Starred = tuple[NDArray[np.bool_], NDArray[np.bool_]]


class KnownLevels(LevelChoice):
    """The vectors of levels of a problem, and stars that hide each m columns among k rows.

    Vectors are compared by what rows must hide at least, which is quickly known, times how much
    more they really did at the first vector.
    """

    def __init__(self, problem: Problem, known: int, k: int, deadline: Deadline) -> None:
        super().__init__(problem)
        self._known, self._k = known, k
        self._weights = np.array(problem.suppressed_cell)
        self._deadline = deadline
        self._more: float | None = None

    @classmethod
    def of(cls, problem: Problem, deadline: Deadline) -> KnownLevels | None:
        """Return it where nothing else is asked for, and each row is another person's."""
        table = problem.table
        if len(table.sets) > 1 or table.has_respondents or len(problem.requirements) > 1:
            return None
        [requirement], [known] = problem.requirements, by_knowledge(problem, table.sets[0])
        whole = known == len(table.sets[0].columns)
        if whole or isinstance(requirement, SensitiveRequirement):
            return None
        return cls(problem, known, requirement.least_respondents, deadline)

    def masks(self, nodes: Sequence[NDArray[np.int32]], counts: NDArray[np.int64]) -> KnownMasks:
        """Return what rows may show."""
        return KnownMasks(nodes, counts, self._weights, self._known, self._k)

    def starred(self, codes: NDArray[np.int32], first: Starred | None = None) -> Starred:
        """Star the cells of rows; return which are starred, and which rows can be released.

        Parameters
        ----------
        codes
            The nodes of each row.
        first
            Which cells are starred, and which rows released, where that satisfies already.
        """
        masks = self.masks(list(codes.T), np.ones(codes.shape[0], dtype=np.int64))
        stars = KnownStars(masks, self._k)
        if first is None:
            stars.place(self._deadline)
        else:
            stars.begin(*first)
        stars.reveal(self._deadline)
        return stars.starred, stars.placed

    def prices_at_least(self, vector: Vector) -> NDArray[np.float64]:
        """Return what stars of each distinct row cost at least."""
        return self.masks(self.nodes(vector), self._problem.table.frequency_set.counts).least()[1]

    def _quick_loss(self, vector: Vector) -> float:
        self.tried += 1
        counts, nodes = self._problem.table.frequency_set.counts, self.nodes(vector)
        starred, _ = self.masks(nodes, counts).least()
        nothing = np.zeros_like(starred)
        as_they_are = float(self.lost(vector, nodes, nothing) @ counts)
        least = float(self.lost(vector, nodes, starred) @ counts)
        return as_they_are + (least - as_they_are) * self._factor(vector, nodes)

    def _factor(self, vector: Vector, nodes: list[NDArray[np.int32]]) -> float:
        """Return how much more than the least stars cost, as the first vector shows."""
        if self._more is None:
            table = self._problem.table
            rows = np.stack(nodes, axis=1)[table.frequency_set.inverse]
            least = float(self.prices_at_least(vector) @ table.frequency_set.counts)
            masks = self.masks(list(rows.T), np.ones(rows.shape[0], dtype=np.int64))
            stars = KnownStars(masks, self._k)
            stars.place(self._deadline)
            cost = float(stars.starred.sum(axis=0) @ self._weights)
            self._more = max(cost / least, 1.0) if least else 1.0
        return self._more
