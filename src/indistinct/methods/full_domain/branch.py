"""Branch and bound over a walk: to the end, or until a deadline with the best bound left."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from indistinct.methods.full_domain.walk import Settled, vector_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.methods.full_domain.walk import LatticeWalk, Step

TIE = 1e-9
MOST_STATES = 1 << 28


class Vector(Protocol):
    """What decides whether a vector is better than another."""

    @property
    def dropped(self) -> int:
        """How many rows it leaves out."""

    @property
    def cost(self) -> float:
        """What it costs."""


V = TypeVar("V", bound=Vector)


class Incumbent(Generic[V]):
    """The best vector so far: by cost, then fewer dropped rows, lower height, first in order."""

    def __init__(self, problem: Problem) -> None:
        self.outcome: V | None = None
        self.vector: tuple[int, ...] = ()
        self._limit = problem.max_suppressed
        self._tie = TIE * problem.table.rows * sum(problem.suppressed_cell)

    def offer(self, outcome: V, vector: tuple[int, ...]) -> None:
        """Take a vector if it is within the limit and better than the best."""
        if outcome.dropped > self._limit:
            return
        if not self.beats(outcome.cost, outcome.dropped, sum(vector), vector):
            self.outcome, self.vector = outcome, vector

    def beats(self, cost: float, dropped: int, height: int, vector: tuple[int, ...] = ()) -> bool:
        """Return whether nothing with at least this cost, drop and height can be better."""
        if self.outcome is None:
            return False
        difference = cost - self.outcome.cost
        if abs(difference) > self._tie:
            return difference > 0
        return (dropped, height, vector) > (self.outcome.dropped, sum(self.vector), self.vector)


class Branch:
    """A search over the steps of a walk.

    Attributes
    ----------
    best
        The best vector found.
    counted
        How many steps were counted.
    bound
        No vector that was not looked at costs less; infinite when all were.
    left_open
        No vector that was looked at could cost less if more rows of its classes were kept than the
        walk knows how to; infinite where it keeps as many as can be.
    """

    def __init__(
        self, way: LatticeWalk, problem: Problem, best: Incumbent[Settled], deadline: Deadline
    ) -> None:
        self.walk = way
        self.best = best
        self.counted = 0
        self.bound = float("inf")
        self.left_open = float("inf")
        self._problem = problem
        self._deadline = deadline
        self._highest = [problem.highest_levels[column] for column in way.order]
        self._lowest = [problem.lowest_levels[column] for column in way.order]

    def depth_first(self) -> None:
        """Follow the most promising level of each column first, to the end."""
        self._descend(self.walk.root())

    def _descend(self, step: Step) -> None:
        depth = len(step.levels)
        if depth == len(self._highest):
            self._settle(step)
            return
        steps = sorted(self._children(step), key=_promise)
        for place, child in enumerate(steps):
            if self._hopeless(child):
                continue
            if self._deadline.passed:
                self.bound = min(self.bound, child.cost)
                continue
            self._descend(child)
            if depth == 0:
                self._problem.progress.advance((place + 1) / len(steps))

    def best_first(self) -> None:
        """Always look below the step that promises most, which raises the bound fastest."""
        order = count()
        root = self.walk.root()
        waiting: list[tuple[float, int, Step]] = [(root.cost, next(order), root)]
        held = 0
        while waiting and not self._deadline.passed:
            _, _, step = heappop(waiting)
            if self._hopeless(step):
                continue
            if len(step.levels) == len(self._highest):
                self._settle(self._with_state(step))
                continue
            for child in self._children(self._with_state(step)):
                if self._hopeless(child):
                    continue
                held += child.size
                kept = child if held < MOST_STATES else child.bare()
                heappush(waiting, (child.cost, next(order), kept))
        waiting = [entry for entry in waiting if not self._hopeless(entry[2])]
        heapify(waiting)
        self.bound = waiting[0][0] if waiting else float("inf")

    def downwards(self, vector: tuple[int, ...]) -> None:
        """Lower columns from a vector on, one level at a time, those that gain most first.

        A column that cannot be lowered is left where it is: it could not be later either, as far
        as what a vector drops falls when it rises.
        """
        self._try(vector)
        lowest = self._problem.lowest_levels
        lower = {column for column, low in enumerate(lowest) if vector[column] > low}
        while lower and self.best.outcome is not None and not self._deadline.passed:
            vector = self.best.vector
            column = max(lower, key=lambda c: (self._gain(c, self.best.vector[c]), -c))
            self._try((*vector[:column], vector[column] - 1, *vector[column + 1 :]))
            if self.best.vector == vector or self.best.vector[column] == lowest[column]:
                lower.discard(column)

    def _gain(self, column: int, level: int) -> float:
        """Return what all cells of a column cost less one level lower."""
        quasi, costs = self._problem.table.quasi[column], self._problem.costs[column]
        rows = self._problem.table.rows_by(quasi.codes, quasi.hierarchy.size)
        above, below = (rows @ costs[at][quasi.hierarchy.nodes[at]] for at in (level, level - 1))
        return float(above - below)

    def neighbours(self) -> None:
        """Improve the best vector by single levels, until none is better."""
        improved = True
        while improved and self.best.outcome is not None:
            before = self.best.vector
            for vector in self._one_level_away(before):
                if self._deadline.passed:
                    return
                self._try(vector)
            improved = self.best.vector != before

    def _one_level_away(self, vector: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        lowest = self._problem.lowest_levels
        for column, highest in enumerate(self._problem.highest_levels):
            for level in (vector[column] - 1, vector[column] + 1):
                if lowest[column] <= level <= highest:
                    yield (*vector[:column], level, *vector[column + 1 :])

    def _try(self, vector: tuple[int, ...]) -> None:
        step = self.walk.root()
        for column in self.walk.order:
            step = self.walk.child(step, vector[column])
            self.counted += 1
            if step.dropped > self._problem.max_suppressed or self._hopeless(step):
                return
        self._settle(step)

    def _settle(self, step: Step) -> None:
        """Count a vector to the end, and take it if it is the best."""
        settled = self.walk.settle(step)
        if not self.walk.exact and settled.dropped > step.dropped:
            self.left_open = min(self.left_open, step.cost)
        self.best.offer(settled, vector_of(self.walk, step.levels))

    def _with_state(self, step: Step) -> Step:
        if step.state is not None:
            return step
        again = self.walk.root()
        for level in step.levels:
            again = self.walk.child(again, level)
        return again

    def _children(self, step: Step) -> list[Step]:
        steps = []
        highest, lowest = self._highest[len(step.levels)], self._lowest[len(step.levels)]
        for child in self.walk.children(step, range(highest, lowest - 1, -1)):
            self.counted += 1
            if child.dropped > self._problem.max_suppressed:
                break
            steps.append(child)
        return steps

    def _hopeless(self, step: Step) -> bool:
        return self.best.beats(step.cost, step.dropped, sum(step.levels))


def _promise(step: Step) -> tuple[float, int]:
    return step.cost, step.dropped
