"""A walk that also counts the sensitive values of each class."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.dealing import kept_of_entries
from indistinct.methods.common.judge import Pairs, judges, largest_parts_known
from indistinct.methods.common.part_kernel import Kept
from indistinct.methods.full_domain.counting_walk import CountingWalk
from indistinct.methods.full_domain.walk import Settled, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem

NONE = np.zeros(0, dtype=np.int64)


class HistogramWalk(CountingWalk):
    """A walk for one quasi-identifier with requirements on sensitive columns, each by itself.

    Classes too small to satisfy are dropped by counting; the rest are judged by their histograms,
    built from the distinct pairs of a row over the fixed columns and a sensitive value.
    """

    def __init__(
        self,
        problem: Problem,
        order: Sequence[int],
        most: float = inf,
        *,
        whole_classes: bool = False,
    ) -> None:
        super().__init__(problem, order, most)
        self._judges = judges(problem)
        closed = all(judge.closed_under_supersets for judge in self._judges)
        alone = len(self._judges) == 1 and problem.max_suppressed > 0
        self._in_parts = alone and not closed and not whole_classes
        self.exact = (closed or self._in_parts) and largest_parts_known(problem)
        self.monotone = self.exact
        self._pairs = [self._paired(place) for place in range(len(self._judges))]

    def _paired(self, place: int) -> list[Pairs]:
        """For a sensitive column, the pairs over each prefix, the longest first rolled up."""
        column = self._judges[place].column
        number = np.empty(self._place.size, dtype=np.int32)
        number[self._place] = np.arange(self._place.size, dtype=np.int32)
        rows = self._problem.table.row_counts
        pairs = Pairs.of(number[self._inverse], column.codes, rows, len(column.values))
        longest_first = [pairs]
        for prefix in reversed(self._prefixes[1:]):
            pairs = Pairs.of(prefix.up[pairs.row], pairs.value, pairs.count, len(column.values))
            longest_first.append(pairs)
        return longest_first[::-1]

    def root(self) -> Step:
        """Stand at the top: one class of all rows."""
        rows = self._problem.table.rows
        step = super().root()
        if step.dropped:
            return step
        capacity = rows
        for judge in self._judges:
            codes = judge.column.codes
            zeros = np.zeros(codes.size, dtype=np.int32)
            counts = self._problem.table.row_counts
            whole = Pairs.of(zeros, codes, counts, len(judge.column.values))
            capacity = min(capacity, int(judge(np.zeros(1, dtype=np.int32), 1, whole)[1][0]))
        dropped = rows - capacity
        return Step((), dropped, dropped * self._cells, step.state)

    def child(self, step: Step, level: int) -> Step:
        """Fix the next column at a level."""
        counted = super().child(step, level)
        classes, costs = counted.state
        depth = len(step.levels)
        prefix = self._prefixes[depth]
        within = classes >= 0
        sizes = np.bincount(classes[within], prefix.counts[within], costs.size).astype(np.int64)
        fine = np.ones(costs.size, dtype=bool)
        capacity = sizes
        for judge, pairs in zip(self._judges, self._pairs, strict=True):
            accepted, most = judge(classes, costs.size, pairs[depth])
            fine &= accepted
            capacity = np.minimum(capacity, most)
        dropped = self._problem.table.rows - int(capacity.sum())
        cost = float(capacity @ costs) + dropped * self._cells
        state = (*_without(classes, costs, capacity > 0), fine[capacity > 0], sizes[capacity > 0])
        return Step(counted.levels, dropped, cost, state)

    def settle(self, step: Step) -> Settled:
        """Keep the largest part that satisfies of each class that fails, or nothing of it."""
        classes, costs, fine, sizes = step.state
        kept = Kept(np.where(fine, sizes, 0), NONE, NONE, NONE)
        if self._in_parts and not fine.all():
            numbers = np.where(fine, -1, np.arange(fine.size)).astype(np.int32)
            failing = np.append(numbers, np.int32(-1))[classes]
            parts = self._judges[0].parts(failing, fine.size, self._pairs[0][-1], self._k)
            kept = parts._replace(rows=np.where(fine, sizes, parts.rows))
        dropped = self._problem.table.rows - int(kept.rows.sum())
        cost = float(kept.rows @ costs) + dropped * self._cells
        released = int(np.count_nonzero(kept.rows))
        return Settled(step.levels, dropped, cost, released, (classes, sizes, kept))

    def kept(self, settled: Settled) -> NDArray[np.int64]:
        """Return how many rows of each entry of the table are released."""
        classes, sizes, kept = settled.state
        whole = np.append(kept.rows == sizes, False)
        return kept_of_entries(
            self._problem, self._judges[0], self._of_entries(classes), whole, kept
        )


def _without(
    classes: np.ndarray[tuple[int], np.dtype[np.int32]],
    costs: np.ndarray[tuple[int], np.dtype[np.float64]],
    alive: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> tuple[
    np.ndarray[tuple[int], np.dtype[np.int32]], np.ndarray[tuple[int], np.dtype[np.float64]]
]:
    """Drop the classes of which nothing can stand, and number the others anew."""
    if alive.all():
        return classes, costs
    number = np.where(alive, np.cumsum(alive) - 1, -1).astype(np.int32)
    return np.append(number, np.int32(-1))[classes], costs[alive]
