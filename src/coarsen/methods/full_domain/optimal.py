"""The full-domain recoding of least loss, by branch and bound over column prefixes."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from coarsen.methods.base import Method
from coarsen.methods.full_domain.feasible import require_possible
from coarsen.methods.full_domain.walk import walk
from coarsen.recoding import LevelVector

if TYPE_CHECKING:
    from coarsen.methods.base import Problem
    from coarsen.methods.full_domain.walk import Step, Walk

TIE = 1e-9


class Optimal(Method):
    """Exact search for the level vector of least loss within the suppression limit.

    Our own. Columns are fixed one after the other, those with few values first; each step costs
    one pass over the distinct rows of the columns fixed so far (see `walk`). A step is given up
    when it must drop more rows than allowed, or when its cost, which bounds everything below it,
    is no better than the best vector found. Worst case: every vector is counted once; on real
    tables a few per cent are. Ties go to fewer suppressed rows, then the lower height, then the
    first vector in lexicographic order, so the answer does not depend on the order of rows.

    Examples
    --------
    >>> from coarsen import anonymize
    >>> from coarsen.datasets import medical
    >>> plan = {
    ...     "columns": {
    ...         "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
    ...         "marital": {"role": "quasi", "hierarchy": "flat"},
    ...         "sex": {"role": "quasi", "hierarchy": "flat"},
    ...         "disease": {"role": "sensitive"},
    ...     },
    ...     "require": [{"model": "k-anonymity", "k": 3}],
    ...     "method": {"name": "optimal"},
    ...     "limits": {"suppression": 0.2},
    ... }
    >>> anonymize(medical(), plan).levels
    {'zip': 1, 'marital': 1, 'sex': 0}
    """

    decides: ClassVar[str] = "a level for each whole column, and rows to suppress; least loss"
    keeps: ClassVar[tuple[str, ...]] = ("k-anonymity",)
    paper: ClassVar[str] = "our own; the problem is that of Samarati 2001, section 6"

    name: Literal["optimal"] = "optimal"

    def search(self, problem: Problem) -> LevelVector:
        """Find the vector of least loss."""
        require_possible(problem)
        order = _few_values_first(problem)
        branch = _Branch(walk(problem, order), problem)
        root = branch.walk.root()
        branch.descend(root)
        levels = [0] * len(order)
        for column, level in zip(order, branch.best.step.levels, strict=True):
            levels[column] = level
        return LevelVector(
            levels=tuple(levels),
            kept=branch.walk.kept(branch.best.step),
            search={
                "steps_counted": branch.counted,
                "vectors": prod(height + 1 for height in problem.table.heights),
                "proven_optimal": True,
            },
        )


def _few_values_first(problem: Problem) -> list[int]:
    def observed(column: int) -> int:
        quasi = problem.table.quasi[column]
        seen = np.bincount(quasi.codes, minlength=quasi.hierarchy.size)
        return int(np.count_nonzero(seen))

    return sorted(range(len(problem.table.quasi)), key=lambda column: (observed(column), column))


@dataclass(frozen=True)
class _Best:
    """The best vector so far, with what decides between equals."""

    step: Step
    vector: tuple[int, ...]

    @property
    def rank(self) -> tuple[int, int, tuple[int, ...]]:
        return (self.step.dropped, sum(self.vector), self.vector)


class _Branch:
    """Depth-first branch and bound; the most promising level of each column first."""

    def __init__(self, way: Walk, problem: Problem) -> None:
        self.walk = way
        self.best: _Best
        self.counted = 0
        self._found = False
        self._problem = problem
        self._heights = [problem.table.heights[column] for column in way.order]
        self._tie = TIE * problem.table.rows * sum(problem.suppressed_cell)

    def descend(self, step: Step) -> None:
        depth = len(step.levels)
        if depth == len(self._heights):
            self._offer(step)
            return
        steps = self._children(step, self._heights[depth])
        for child in sorted(steps, key=lambda child: (child.cost, child.dropped)):
            if not self._hopeless(child):
                self.descend(child)
            if depth == 0:
                self._problem.progress.advance(len(steps) and (steps.index(child) + 1) / len(steps))

    def _children(self, step: Step, height: int) -> list[Step]:
        steps = []
        for child in self.walk.children(step, range(height, -1, -1)):
            self.counted += 1
            if child.dropped > self._problem.max_suppressed:
                break
            steps.append(child)
        return steps

    def _hopeless(self, step: Step) -> bool:
        if not self._found:
            return False
        difference = step.cost - self.best.step.cost
        if abs(difference) > self._tie:
            return difference > 0
        so_far = (step.dropped, sum(step.levels))
        return so_far > self.best.rank[:2]

    def _offer(self, step: Step) -> None:
        vector = [0] * len(step.levels)
        for column, level in zip(self.walk.order, step.levels, strict=True):
            vector[column] = level
        offer = _Best(step, tuple(vector))
        if not self._found or self._better(offer):
            self.best, self._found = offer, True

    def _better(self, offer: _Best) -> bool:
        difference = offer.step.cost - self.best.step.cost
        if abs(difference) > self._tie:
            return difference < 0
        return offer.rank < self.best.rank
