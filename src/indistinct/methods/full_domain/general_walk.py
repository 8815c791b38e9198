"""A walk for several quasi-identifiers, respondents with several rows, or joined columns.

And for attackers who know some columns only, each so many of which are a quasi-identifier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.judge import largest_parts_known
from indistinct.methods.common.known_columns import known_columns
from indistinct.methods.common.views import whole_views
from indistinct.methods.full_domain.walk import Settled, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem


class GeneralWalk:
    """Leaving a row out for one view may break a class of another.

    So the rows to drop are found by repetition. Classes that fail a test closed under supersets
    (too few people, too few values) go first, until none does: what is left is the largest set of
    rows that passes those tests in every view, since a union of such sets is one too, and it can
    only grow as columns become coarser; so these tests bound what lies below a step. Then all
    classes that fail any test go at once, and so on until none fails.
    """

    def __init__(self, problem: Problem, order: Sequence[int]) -> None:
        self.order = tuple(order)
        self._problem = problem
        self._cells = float(sum(problem.suppressed_cell))
        self._views = whole_views(problem)
        self._some = known_columns(problem)
        self._nodes: dict[tuple[int, int], NDArray[np.int32]] = {}
        counts = all(j.closed_under_supersets for view in self._views for j in view.judges)
        self.monotone = counts and all(some.only_counts for some in self._some)
        self.exact = largest_parts_known(problem)

    def root(self) -> Step:
        """Stand at the top."""
        rows = self._problem.table.entries
        classes = [view.known for view in self._views]
        return self._step((), classes, np.ones(rows, dtype=bool), np.zeros(rows))

    def child(self, step: Step, level: int) -> Step:
        """Fix the next column at a level."""
        from indistinct.model.ranking_kernel import rank_keys

        classes, kept, cost = step.state
        column = self.order[len(step.levels)]
        quasi = self._problem.table.quasi[column]
        nodes = self._at(column, level)
        width = len(quasi.hierarchy.labels[level])
        split = [
            rank_keys(before * np.int64(width) + nodes)[0] if column in view.columns else before
            for before, view in zip(classes, self._views, strict=True)
        ]
        cost = cost + self._problem.costs[column][level][nodes]
        return self._step((*step.levels, level), split, kept, cost)

    def children(self, step: Step, levels: Iterable[int]) -> Iterator[Step]:
        """Fix the next column at several levels, one after the other."""
        return (self.child(step, level) for level in levels)

    def settle(self, step: Step) -> Settled:
        """Drop what fails until nothing does."""
        classes, kept, cost = step.state
        levels = step.levels
        left = self._satisfying(levels, classes, kept, bound=False)
        while not np.array_equal(left, kept):
            kept = self._possible(levels, classes, left)
            left = self._satisfying(levels, classes, kept, bound=False)
        dropped, total = self._spent(left, cost)
        return Settled(levels, dropped, total, self._released_classes(levels, left), left)

    def _released_classes(self, levels: tuple[int, ...], left: NDArray[np.bool_]) -> int:
        """Count the classes over all quasi columns together."""
        if not left.any():
            return 0
        from indistinct.model.ranking_kernel import row_keys

        nodes = [held[left] for held in self._fixed(levels).values()]
        keys, _ = row_keys(nodes, [int(held.max()) + 1 for held in nodes])
        return int(np.unique(keys).size)

    def _at(self, column: int, level: int) -> NDArray[np.int32]:
        """Return the node of each entry in a column at a level."""
        if (column, level) not in self._nodes:
            quasi = self._problem.table.quasi[column]
            self._nodes[column, level] = quasi.hierarchy.nodes[level][quasi.codes]
        return self._nodes[column, level]

    def _fixed(self, levels: tuple[int, ...]) -> dict[int, NDArray[np.int32]]:
        """Return the nodes of the fixed columns."""
        return {
            column: self._at(column, level)
            for column, level in zip(self.order, levels, strict=False)
        }

    def kept(self, settled: Settled) -> NDArray[np.int64]:
        """Return how many rows of each entry of the table are released."""
        return np.where(settled.state, self._problem.table.row_counts, 0)

    def _step(
        self,
        levels: tuple[int, ...],
        classes: list[NDArray[np.int32]],
        kept: NDArray[np.bool_],
        cost: NDArray[np.float64],
    ) -> Step:
        kept = self._possible(levels, classes, kept, newest=True)
        return Step(levels, *self._spent(kept, cost), (classes, kept, cost))

    def _spent(self, kept: NDArray[np.bool_], cost: NDArray[np.float64]) -> tuple[int, float]:
        """Return how many rows are dropped, and what is lost with them and in those kept."""
        table = self._problem.table
        dropped = table.rows - table.rows_where(kept)
        lost = cost[kept] if table.weights is None else cost[kept] * table.weights[kept]
        return dropped, float(lost.sum()) + dropped * self._cells

    def _possible(
        self,
        levels: tuple[int, ...],
        classes: list[NDArray[np.int32]],
        kept: NDArray[np.bool_],
        *,
        newest: bool = False,
    ) -> NDArray[np.bool_]:
        """Drop the rows that stand in no release of these classes.

        With `newest`, the kept rows stood in one before the last column was fixed.
        """
        while True:
            left = self._satisfying(levels, classes, kept, bound=True, newest=newest)
            if np.array_equal(left, kept):
                return kept
            kept, newest = left, False

    def _satisfying(
        self,
        levels: tuple[int, ...],
        classes: list[NDArray[np.int32]],
        kept: NDArray[np.bool_],
        *,
        bound: bool,
        newest: bool = False,
    ) -> NDArray[np.bool_]:
        left = kept
        for view, of_row in zip(self._views, classes, strict=True):
            left = left & view.satisfying(of_row, kept, bound=bound)
        if not self._some:
            return left
        problem, nodes = self._problem, self._fixed(levels)
        lost = problem.table.rows - problem.table.rows_where(left)
        for some in self._some:
            left = some.satisfying(
                nodes,
                left,
                bound=bound and (problem.max_suppressed > 0 or problem.table.has_respondents),
                newest=self.order[len(levels) - 1] if newest and levels else None,
                most=problem.max_suppressed - lost,
            )
        return left
