"""The groups of AC for l, seeded at the rows with fewest values within reach; and the most l."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.partition.accuracy import AccuracyBound
    from indistinct.methods.partition.hardest_first_kernel import Finding, Placed

WORK, LEAST_LOOKS = 10_000_000, 300
REACHING = 60_000_000


class HardestFirst:
    """Groups of so many different values, made where they are hardest to make first.

    Parameters
    ----------
    order, held
        The entries in an order, near ones beside each other; the sensitive value of each.
    least
        How many rows a group needs beside.
    """

    def __init__(
        self,
        problem: Problem,
        bound: AccuracyBound,
        order: NDArray[np.int32],
        held: NDArray[np.int32],
        *,
        least: int = 1,
    ) -> None:
        self._entry = np.repeat(order, problem.table.row_counts[order])
        self._codes = np.ascontiguousarray(problem.codes[self._entry])
        self._held = np.ascontiguousarray(held[self._entry])
        self._least = least
        self._known = (problem.spans.arrays, bound.arrays)
        self._looks = max(WORK // max(self._entry.size, 1), LEAST_LOOKS)
        rows = np.bincount(self._held)
        self._of_all = float(self._entry.size / rows.max())
        self._reach = self._values_in_reach(min(ceil(self._of_all), int(np.count_nonzero(rows))))
        self._seeds = np.argsort(self._reach, kind="stable")

    def best_above(self, reached: float) -> Iterator[Pieces]:
        """Search the largest target above what was reached, by halves; yield what is found."""
        low, high = int(reached), int(self.most)
        while low < high:
            target = (low + high + 1) // 2
            pieces = self.groups_of(target)
            low, high = (low, target - 1) if pieces is None else (target, high)
            if pieces is not None:
                yield pieces

    @property
    def most(self) -> float:
        """The largest l that the bound allows each row, and that all rows in one group have.

        A group lies within reach of each of its rows, and has no more rows for one of its most
        frequent value than it has values; so no grouping is more diverse than the row with fewest
        values within reach. Rows of which not all others were looked at do not count.
        """
        return min(self._of_all, float(self._reach.min()))

    def groups_of(self, target: int) -> Pieces | None:
        """Return groups in which no value has more than one in so many rows; None if it fails."""
        from indistinct.methods.partition.hardest_first_kernel import (
            Goal,
            place_leftovers,
            seed_groups,
        )

        rows = self._entry.size
        placed, finding = self._nobody_placed(), self._scratch()
        tries = WORK // (min(self._looks, rows) + rows)  # each looks at near rows and all groups
        goal = Goal(target, self._least, self._looks, tries)
        count = seed_groups(placed, *self._known, goal, self._seeds, finding)
        if place_leftovers(placed, *self._known, goal, count, finding):
            return None
        used = np.unique(placed.group, return_inverse=True)[1].reshape(-1)
        return Pieces.counted(self._entry, used, np.ones(rows, dtype=np.int64))

    def _values_in_reach(self, most: int) -> NDArray[np.int32]:
        from indistinct.methods.partition.hardest_first_kernel import values_in_reach

        reach: NDArray[np.int32] = values_in_reach(
            self._nobody_placed(), *self._known, self._scratch(), self._looks, most, REACHING
        )
        return reach

    def _nobody_placed(self) -> Placed:
        from indistinct.methods.partition.hardest_first_kernel import Placed

        rows, columns = self._codes.shape
        return Placed(
            codes=self._codes,
            held=self._held,
            group=np.full(rows, -1, dtype=np.int32),
            following=np.full(rows, -1, dtype=np.int32),
            first=np.full(rows, -1, dtype=np.int32),
            size=np.zeros(rows, dtype=np.int32),
            low=np.zeros((rows, columns), dtype=np.int32),
            high=np.zeros((rows, columns), dtype=np.int32),
        )

    def _scratch(self) -> Finding:
        from indistinct.methods.partition.hardest_first_kernel import Finding

        rows, columns = self._codes.shape
        return Finding(
            near=np.empty(rows, dtype=np.int32),
            standing=np.empty(rows, dtype=np.int8),
            taken=np.empty(rows + 1, dtype=np.int32),
            counts=np.zeros(int(self._held.max()) + 1, dtype=np.int32),
            low=np.empty(columns, dtype=np.int32),
            high=np.empty(columns, dtype=np.int32),
            wider=np.empty((2, columns), dtype=np.int32),
            queue=np.empty(rows, dtype=np.int32),
            unused=np.empty(rows, dtype=np.int32),
        )
