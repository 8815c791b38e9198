"""A walk for several quasi-identifiers, respondents with several rows, or joined columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.judge import Judge, Pairs, judges, known_besides, least_respondents
from indistinct.methods.full_domain.walk import Settled, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem


@dataclass(frozen=True, eq=False)
class AttackerView:
    """The rows as one kind of attacker sees them: told apart by some columns, of some people.

    Attributes
    ----------
    columns
        The quasi columns that he can link.
    known
        A number per row that tells apart what else he knows: nothing, or the other sensitive
        columns.
    people
        Whose row each row is.
    judges
        What must hold of each class he sees, beside its number of people.
    least
        How many people a class needs.
    """

    columns: tuple[int, ...]
    known: NDArray[np.int32]
    people: NDArray[np.int32]
    judges: list[Judge]
    least: int

    def satisfying(
        self, classes: NDArray[np.int32], kept: NDArray[np.bool_], *, bound: bool
    ) -> NDArray[np.bool_]:
        """Tell which kept rows are in classes that satisfy.

        With `bound`, only tests closed under supersets are made: rows that fail them can be
        released in no finer vector either.
        """
        numbers, people = classes[kept], self.people[kept]
        size = int(classes.max(initial=0)) + 1
        heads = self._distinct_people(numbers, people, size)
        fine = heads >= self.least
        for judge in self.judges:
            if judge.closed_under_supersets or not bound:
                pairs = self._pairs(numbers, judge.column.codes[kept], people, judge)
                fine &= judge(np.arange(size, dtype=np.int32), size, pairs, heads)[0]
        return kept & fine[classes]

    @staticmethod
    def _distinct_people(
        numbers: NDArray[np.int32], people: NDArray[np.int32], size: int
    ) -> NDArray[np.int64]:
        from indistinct.kernels.ranking import rank_keys

        pairs = numbers.astype(np.int64) * (int(people.max(initial=0)) + 1) + people
        return np.bincount(numbers[rank_keys(pairs)[1]], minlength=size).astype(np.int64)

    @staticmethod
    def _pairs(
        numbers: NDArray[np.int32],
        values: NDArray[np.int32],
        people: NDArray[np.int32],
        judge: Judge,
    ) -> Pairs:
        """Count for each class and value the people who have it there."""
        from indistinct.kernels.ranking import rank_keys, row_keys

        sizes = [int(column.max(initial=0)) + 1 for column in (numbers, values, people)]
        _, first = rank_keys(row_keys([numbers, values, people], sizes)[0])
        ones = np.ones(first.size, dtype=np.int64)
        return Pairs.of(numbers[first], values[first], ones, len(judge.column.values))


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
        self._views = views(problem)
        self.monotone = all(j.closed_under_supersets for view in self._views for j in view.judges)

    def root(self) -> Step:
        """Stand at the top."""
        rows = self._problem.table.rows
        classes = [view.known for view in self._views]
        return self._step((), classes, np.ones(rows, dtype=bool), np.zeros(rows))

    def child(self, step: Step, level: int) -> Step:
        """Fix the next column at a level."""
        from indistinct.kernels.ranking import rank_keys

        classes, kept, cost = step.state
        column = self.order[len(step.levels)]
        quasi = self._problem.table.quasi[column]
        nodes = quasi.hierarchy.nodes[level][quasi.codes]
        width = len(quasi.hierarchy.labels[level])
        split = [
            rank_keys(before * np.int64(width) + nodes)[0] if column in view.columns else before
            for before, view in zip(classes, self._views, strict=True)
        ]
        return self._step(
            (*step.levels, level), split, kept, cost + self._problem.costs[column][level][nodes]
        )

    def children(self, step: Step, levels: Iterable[int]) -> Iterator[Step]:
        """Fix the next column at several levels, one after the other."""
        return (self.child(step, level) for level in levels)

    def settle(self, step: Step) -> Settled:
        """Drop what fails until nothing does."""
        classes, kept, cost = step.state
        left = self._satisfying(classes, kept, bound=False)
        while not np.array_equal(left, kept):
            kept = self._possible(classes, left)
            left = self._satisfying(classes, kept, bound=False)
        dropped = int(left.size - np.count_nonzero(left))
        total = float(cost[left].sum()) + dropped * self._cells
        released = self._released_classes(classes, left)
        return Settled(step.levels, dropped, total, released, left)

    def _released_classes(self, classes: list[NDArray[np.int32]], left: NDArray[np.bool_]) -> int:
        """Count the classes over all quasi columns together, whatever else attackers know."""
        plain = [
            of_row[left]
            for of_row, view in zip(classes, self._views, strict=True)
            if not view.known.any()
        ]
        if not left.any() or not plain:
            return 0
        from indistinct.kernels.ranking import row_keys

        keys, _ = row_keys(plain, [int(of_row.max()) + 1 for of_row in plain])
        return int(np.unique(keys).size)

    def kept(self, settled: Settled) -> NDArray[np.bool_]:
        """Tell which rows of the table are released."""
        kept: NDArray[np.bool_] = settled.state
        return kept

    def _step(
        self,
        levels: tuple[int, ...],
        classes: list[NDArray[np.int32]],
        kept: NDArray[np.bool_],
        cost: NDArray[np.float64],
    ) -> Step:
        kept = self._possible(classes, kept)
        dropped = int(kept.size - np.count_nonzero(kept))
        total = float(cost[kept].sum()) + dropped * self._cells
        return Step(levels, dropped, total, (classes, kept, cost))

    def _possible(
        self, classes: list[NDArray[np.int32]], kept: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Drop the rows that stand in no release of these classes."""
        while True:
            left = self._satisfying(classes, kept, bound=True)
            if np.array_equal(left, kept):
                return kept
            kept = left

    def _satisfying(
        self, classes: list[NDArray[np.int32]], kept: NDArray[np.bool_], *, bound: bool
    ) -> NDArray[np.bool_]:
        seen = [
            view.satisfying(of_row, kept, bound=bound)
            for view, of_row in zip(self._views, classes, strict=True)
        ]
        left: NDArray[np.bool_] = np.logical_and.reduce(seen)
        return left


def views(problem: Problem) -> list[AttackerView]:
    """List what the requirements must hold against: each set, and each joined sensitive column."""
    table = problem.table
    nothing = np.zeros(table.rows, dtype=np.int32)
    least = least_respondents(problem.requirements)
    found = []
    for group in table.sets:
        people = group.respondents
        if people is None:
            people = np.arange(table.rows, dtype=np.int32)
        alone = [part for judge in judges(problem) for part in judge.by_closure()]
        found.append(AttackerView(group.columns, nothing, people, alone, least))
        found.extend(
            AttackerView(
                group.columns, known_besides(table, judge), people, judge.by_closure(), judge.least
            )
            for judge in judges(problem, joined=True)
        )
    return found
