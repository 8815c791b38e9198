"""Rounds of full-domain search: release the classes that fit, search again for the rows left.

Each round finds the level vector that gains most: a row gains what it is worth to release it, less
what it costs in its class, and classes whose rows would cost more than that are not released. Where
only k is asked, the gain of a vector can only fall as rows are released, since classes can only
lose rows; so can the gain that a prefix of a vector promises. What was counted in one round
therefore bounds the next ones, as long as a row is worth the same, and most is not counted again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.methods.full_domain.branch import Branch, Incumbent
from indistinct.methods.full_domain.counting_walk import CountingWalk
from indistinct.methods.full_domain.walk import settled_at, vector_of, walk
from indistinct.model.recoding import LevelVector
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.methods.full_domain.walk import LatticeWalk, Step
    from indistinct.model.table import Table

FEW = 0.03
FIRST_TRIES = 3
LEAST_STEPS = 200

Gains = dict[tuple[int, ...], float]


class Pace(NamedTuple):
    """How rounds go on.

    Attributes
    ----------
    worth, growth
        What it is worth to release a cell at first, as a share of what a suppressed one costs; and
        by how much that grows when nothing is worth it any more.
    eager
        Whether it also grows after a round that fits few rows.
    effort, round_effort
        How many entries all rounds, and each of them, may look at: entries left times steps.
    """

    worth: float
    growth: float
    eager: bool
    effort: float
    round_effort: float


class Memory(NamedTuple):
    """What earlier rounds have counted, and how many steps a round may count."""

    gains: Gains
    steps: float


@dataclass(eq=False)
class Rounds:
    """What rounds have released.

    Attributes
    ----------
    groups
        The group of each entry, -1 for those left.
    number, rows_left
        How many rounds released something, and how many rows are left.
    effort
        How many entries were looked at.
    """

    problem: Problem
    groups: NDArray[np.int32] = field(init=False)
    number: int = 0
    rows_left: int = field(init=False)
    effort: float = 0.0

    def __post_init__(self) -> None:
        self.groups = np.full(self.problem.table.entries, -1, dtype=np.int32)
        self.rows_left = self.problem.table.rows
        values = [np.unique(column.codes).size for column in self.problem.table.quasi]
        self._few_first = sorted(range(len(values)), key=lambda column: (values[column], column))

    def run(self, pace: Pace, deadline: Deadline) -> Rounds:
        """Go on until fewer than k rows are left, nothing fits, or time or patience are over."""
        rows, k = self.problem.table.rows, least_respondents(self.problem.requirements)
        worth, gains = pace.worth, Gains()
        left = np.arange(self.groups.size)
        while self.rows_left >= k and self.effort < pace.effort and not deadline.passed:
            part = part_of(self.problem, left, worth)
            steps = max(pace.round_effort // left.size, LEAST_STEPS)
            vector = self.fit(part, Memory(gains, steps), deadline)
            few = True
            if vector is not None:
                self.number += 1
                numbers = _classes(part.table, vector)
                self.groups[left[vector.kept]] = self.groups.max() + 1 + numbers
                fitted = part.table.rows_where(vector.kept)
                few = pace.eager and fitted < FEW * self.rows_left
                self.rows_left -= fitted
                left = left[~vector.kept]
                self.problem.progress.advance(1 - self.rows_left / rows)
            elif worth >= 1:
                break
            if few:
                worth = min(1.0, worth * pace.growth)
                gains.clear()
        return self

    def fit(self, part: Problem, memory: Memory, deadline: Deadline) -> LevelVector | None:
        """Find the vector that gains most; None if no class is worth being released."""
        most = sum(part.suppressed_cell)
        way = walk(part, self._few_first, most, whole_classes=True)
        branch = Remembering(way, part, memory, deadline)
        branch.begin()
        branch.depth_first()
        self.effort += (branch.counted + len(self._few_first)) * part.table.entries
        best = branch.best
        if best.outcome is None or best.outcome.dropped == part.table.rows:
            return None
        return LevelVector(best.vector, way.kept(settled_at(way, best.vector)) > 0)


class Remembering(Branch):
    """A search that looks again only at what may gain more than the best, by earlier rounds.

    It gives up after so many steps with the best vector so far.
    """

    def __init__(
        self, way: LatticeWalk, problem: Problem, memory: Memory, deadline: Deadline
    ) -> None:
        super().__init__(way, problem, Incumbent(problem), deadline)
        self._gains = memory.gains if type(way) is CountingWalk else Gains()
        self._steps = memory.steps
        self._nothing = problem.table.rows * float(sum(problem.suppressed_cell))

    def begin(self) -> None:
        """Try the vectors that gained most when they were counted last."""
        columns = len(self.walk.order)
        whole = [levels for levels in self._gains if len(levels) == columns]
        for levels in nlargest(FIRST_TRIES, whole, key=lambda each: (self._gains[each], each)):
            self._try(vector_of(self.walk, levels))

    def _children(self, step: Step) -> list[Step]:
        """Fix the next column at each level that may be in a better vector.

        Coarse levels may be too dear where finer ones are not, so none ends the row of levels.
        """
        steps = []
        for level in range(self._highest[len(step.levels)], -1, -1):
            levels = (*step.levels, level)
            gained = self._gains.get(levels)
            if gained is not None and self.best.beats(self._nothing - gained, 0, 0):
                continue
            if self.counted >= self._steps:
                break
            self.counted += 1
            child = self.walk.child(step, level)
            self._gains[levels] = self._nothing - child.cost
            if child.dropped <= self._problem.max_suppressed:
                steps.append(child)
        return steps


def part_of(problem: Problem, rows: NDArray[np.intp], worth: float) -> Problem:
    """Restrict a problem to some rows, all but one of which may be left out, cheaply."""
    table = problem.table.part(rows)
    return replace(
        problem,
        table=table,
        max_suppressed=table.rows - 1,
        suppressed_cell=tuple(worth * cost for cost in problem.suppressed_cell),
        progress=problem.progress.quiet(),
    )


def _classes(table: Table, vector: LevelVector) -> NDArray[np.int32]:
    """Number the classes of the rows that a vector keeps."""
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    columns = list(zip(table.quasi, vector.levels, strict=True))
    nodes = [c.hierarchy.nodes[level][c.codes[vector.kept]] for c, level in columns]
    sizes = [len(c.hierarchy.labels[level]) for c, level in columns]
    numbers: NDArray[np.int32] = rank_keys(row_keys(nodes, sizes)[0])[0]
    return numbers
