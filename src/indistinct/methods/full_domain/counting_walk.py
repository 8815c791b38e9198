"""A walk that counts rows: one quasi-identifier, every row another respondent, k-anonymity."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.methods.full_domain.walk import Settled, Step
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem

WORTH_A_THREAD = 20_000


@dataclass(frozen=True, eq=False)
class Prefix:
    """The distinct rows over the first columns of an order.

    Attributes
    ----------
    up
        For each of them, its distinct row over one column less.
    codes
        Its code in the last of the columns.
    counts
        How many rows of the table it stands for.
    """

    up: NDArray[np.int32]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]


class CountingWalk:
    """Each step refines the classes of the one before by a single column.

    It does so on the distinct rows over the fixed columns only: no key of many columns is ever
    formed, and the first steps are on tiny tables.

    Parameters
    ----------
    most
        What a row of a class that is released may cost.
    """

    monotone = True
    exact = True

    def __init__(self, problem: Problem, order: Sequence[int], most: float = inf) -> None:
        from indistinct.methods.full_domain.counting_walk_kernel import refine

        self.order = tuple(order)
        self._problem = problem
        self._refine = refine
        self._most = most
        self._k = least_respondents(problem.requirements)
        self._cells = float(sum(problem.suppressed_cell))
        self._pool = ThreadPoolExecutor(max_workers=2)
        distinct = problem.table.frequency_set
        self._inverse = distinct.inverse
        self._place = distinct.sorted_by(order)
        self._prefixes = prefixes(
            [distinct.codes[column][self._place] for column in order], distinct.counts[self._place]
        )

    def root(self) -> Step:
        """Stand at the top."""
        rows = self._problem.table.rows
        dropped = rows if rows < self._k else 0
        start = np.full(1, -1 if dropped else 0, dtype=np.int32)
        return Step((), dropped, dropped * self._cells, (start, np.zeros(1)))

    def child(self, step: Step, level: int) -> Step:
        """Fix the next column at a level."""
        depth = len(step.levels)
        column = self.order[depth]
        prefix = self._prefixes[depth]
        parent_class, parent_cost = step.state[:2]
        classes, costs, dropped, cost = self._refine(
            prefix.up,
            prefix.codes,
            prefix.counts,
            self._problem.table.quasi[column].hierarchy.nodes[level],
            self._problem.costs[column][level],
            parent_class,
            parent_cost,
            self._k,
            self._most,
        )
        total = cost + dropped * self._cells
        return Step((*step.levels, level), dropped, total, (classes, costs))

    def children(self, step: Step, levels: Iterable[int]) -> Iterator[Step]:
        """Fix the next column at several levels; on both cores where tables are large."""
        if self._prefixes[len(step.levels)].codes.size < WORTH_A_THREAD:
            return (self.child(step, level) for level in levels)
        return self._pool.map(lambda level: self.child(step, level), levels)

    def settle(self, step: Step) -> Settled:
        """Take a complete step as it is: its bounds are exact."""
        return Settled(step.levels, step.dropped, step.cost, step.state[1].size, step.state[0] >= 0)

    def kept(self, settled: Settled) -> NDArray[np.int64]:
        """Return how many rows of each entry of the table are released."""
        return np.where(self._of_entries(settled.state), self._problem.table.row_counts, 0)

    def _of_entries(self, of_distinct: NDArray[Any]) -> NDArray[Any]:
        """Hand to each entry what its distinct row has, in the order of the walk."""
        there = np.empty_like(of_distinct)
        there[self._place] = of_distinct
        handed: NDArray[Any] = there[self._inverse]
        return handed


def prefixes(columns: list[NDArray[np.int32]], counts: NDArray[np.int64]) -> list[Prefix]:
    """List the distinct rows over the first one, two, ... columns of sorted distinct rows."""
    change = np.full(counts.size, len(columns))
    for place in reversed(range(len(columns))):
        codes = columns[place]
        change[1:][codes[1:] != codes[:-1]] = place
    change[:1] = 0
    number = np.zeros(counts.size, dtype=np.int32)
    shorter_first = []
    for place, codes in enumerate(columns):
        starts = np.flatnonzero(change <= place)
        shorter_first.append(Prefix(number[starts], codes[starts], np.add.reduceat(counts, starts)))
        number = (np.cumsum(change <= place) - 1).astype(np.int32)
    return shorter_first
