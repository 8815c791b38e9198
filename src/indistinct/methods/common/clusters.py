"""Clusters: groups of rows in the making, that can still be joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.linked_groups import linked, record_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.clusters_kernel import Coded, Distances


class Clusters:
    """Groups of rows with what they span and cost; a group of size 0 is gone.

    Attributes
    ----------
    records
        The size and the box of each group, as kernels read them.
    costs
        What one row of each group costs.
    members
        The rows of each group.
    """

    def __init__(self, problem: Problem, groups: NDArray[np.int32]) -> None:
        count = int(groups.max(initial=-1)) + 1
        self._codes = problem.codes
        self._spans = problem.spans.arrays
        self._weights = problem.table.weights
        self.records = linked(self._codes, groups, count, self._weights).records
        self.costs: NDArray[np.float64] = self._costs_of(self.records)
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(count + 1))
        self.members = [order[starts[g] : starts[g + 1]] for g in range(count)]

    @property
    def sizes(self) -> NDArray[np.int32]:
        """How many rows each group has."""
        from indistinct.methods.common.linked_groups_kernel import SIZE

        return self.records[:, SIZE]

    def weighing(self, rows: NDArray[np.intp]) -> int:
        """Return how many rows some entries stand for."""
        return rows.size if self._weights is None else int(self._weights[rows].sum())

    def nearest(self, group: int, *, least: int = 0) -> tuple[int, float]:
        """Return the group of at least so many rows that it costs least to join, and how much.

        The number is -1 if there is none.
        """
        from indistinct.methods.common.clusters_kernel import nearest_group

        laid_out = (self._spans, self.records, self.costs)
        return nearest_group(*laid_out, self.records[group], self.costs[group], group, least)

    def nearest_to(self, rows: NDArray[np.intp]) -> int:
        """Return the group that it costs least to join for some rows that are all alike."""
        from indistinct.methods.common.clusters_kernel import nearest_group

        line = record_of(self._codes[rows[:1]], self.weighing(rows))
        return int(nearest_group(self._spans, self.records, self.costs, line, 0.0, -1, 0)[0])

    def joining_costs(self, group: int, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what a row of a group costs when each of some rows joins it alone."""
        from indistinct.methods.common.linked_groups_kernel import BOX

        codes = self._codes[rows]
        joined = np.repeat(self.records[group : group + 1], rows.size, axis=0)
        low, high = np.split(joined[:, BOX:], 2, axis=1)
        np.minimum(low, codes, out=low)
        np.maximum(high, codes, out=high)
        return self._costs_of(joined)

    def _costs_of(self, records: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return what one row of each group costs."""
        from indistinct.methods.common.clusters_kernel import measure

        costs = np.empty(records.shape[0])
        measure(self._spans, records, costs)
        return costs

    def join(self, group: int, into: int) -> None:
        """Make two groups one."""
        self.add(self.members[group], into)
        self.members[group] = self.members[group][:0]
        self.sizes[group] = 0

    def add(self, rows: NDArray[np.intp], into: int) -> None:
        """Add rows to a group."""
        self.set(np.concatenate([self.members[into], rows]), into)

    def set(self, rows: NDArray[np.intp], group: int) -> None:
        """Make some rows the members of a group."""
        self.members[group] = rows
        self.records[group] = record_of(self._codes[rows], self.weighing(rows))
        self.costs[group] = self._costs_of(self.records[group : group + 1])[0]

    def groups(self) -> NDArray[np.int32]:
        """Number the groups that are left, -1 for rows in none."""
        numbers = np.full(self._codes.shape[0], -1, dtype=np.int32)
        for number, group in enumerate(np.flatnonzero(self.sizes)):
            numbers[self.members[group]] = number
        return numbers


def in_one_list(codes: NDArray[np.int32], sizes: NDArray[np.int64]) -> Coded:
    """Let the codes of each column go on from those before; return also where each begins.

    >>> in_one_list(np.array([[0, 1], [2, 0]]), np.array([3, 2])).places
    array([[0, 4],
           [2, 3]])
    """
    from indistinct.methods.common.clusters_kernel import Coded

    firsts = np.cumsum(sizes) - sizes
    return Coded(np.ascontiguousarray(codes + firsts), firsts)


def distances_for(problem: Problem, distinct: int) -> Distances:
    """Allocate what searches for near and far ones of so many distinct rows write."""
    from indistinct.methods.common.clusters_kernel import Distances

    codes = int(problem.spans.arrays.size.sum())
    return Distances(np.empty(codes), np.empty(distinct), np.empty(distinct))
