"""Clusters: groups of rows in the making, that can still be joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem


class Clusters:
    """Groups of rows with what they span and cost; a group of size 0 is gone.

    Attributes
    ----------
    low, high
        The smallest and largest code of each column in each group.
    sizes, costs
        The rows of each group, and what one of them costs.
    members
        The rows of each group.
    """

    def __init__(self, problem: Problem, groups: NDArray[np.int32]) -> None:
        from indistinct.kernels.spans import bounds_of
        from indistinct.methods.common.clusters_kernel import costs_of

        count = int(groups.max(initial=-1)) + 1
        self._codes = problem.codes
        self._spans = problem.spans.arrays
        self.low, self.high = bounds_of(self._codes, groups, count)
        self.costs: NDArray[np.float64] = costs_of(self._spans, self.low, self.high)
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(count + 1))
        self.sizes = np.diff(starts).astype(np.int64)
        self.members = [order[starts[g] : starts[g + 1]] for g in range(count)]

    def nearest(self, group: int, *, least: int = 0) -> tuple[int, float]:
        """Return the group of at least so many rows that it costs least to join, and how much.

        The number is -1 if there is none.
        """
        from indistinct.methods.common.clusters_kernel import nearest_group

        sizes = np.where(self.sizes >= least, self.sizes, 0) if least else self.sizes
        return nearest_group(  # type: ignore[no-any-return]  # a kernel
            self._spans,
            self.low,
            self.high,
            sizes,
            self.costs,
            group,
            self.low,
            self.high,
            group,
            self.sizes[group],
            self.costs[group],
        )

    def nearest_to_row(self, row: int, copies: int) -> int:
        """Return the group that it costs least to join for some rows that are all alike."""
        from indistinct.methods.common.clusters_kernel import nearest_group

        args = (self._spans, self.low, self.high, self.sizes, self.costs)
        return int(nearest_group(*args, -1, self._codes, self._codes, row, copies, 0.0)[0])

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
        from indistinct.kernels.spans import group_cost

        self.members[group] = rows
        self.sizes[group] = rows.size
        codes = self._codes[rows]
        self.low[group], self.high[group] = codes.min(axis=0), codes.max(axis=0)
        self.costs[group] = group_cost(self._spans, self.low[group], self.high[group])

    def groups(self) -> NDArray[np.int32]:
        """Number the groups that are left, -1 for rows in none."""
        found = np.full(self._codes.shape[0], -1, dtype=np.int32)
        for number, group in enumerate(np.flatnonzero(self.sizes)):
            found[self.members[group]] = number
        return found


def in_one_list(
    codes: NDArray[np.int32], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Let the codes of each column go on from those before; return also where each begins.

    >>> in_one_list(np.array([[0, 1], [2, 0]]), np.array([3, 2]))
    (array([[0, 4],
           [2, 3]]), array([0, 3]))
    """
    firsts = np.cumsum(sizes) - sizes
    return codes + firsts, firsts
