"""Pieces: what methods that part the rows of an entry hand to groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.model.entries import Parts, laid_along
from indistinct.model.recoding import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem


@dataclass(frozen=True, eq=False)
class Pieces:
    """Rows of entries by the group that they are in, entry after entry.

    Attributes
    ----------
    parts
        The entry of each piece, and how many of its rows.
    groups
        The group of each piece; -1 for rows in none.
    """

    parts: Parts
    groups: NDArray[np.int32]

    @classmethod
    def counted(
        cls, entry: NDArray[np.integer], groups: NDArray[np.integer], rows: NDArray[np.int64]
    ) -> Pieces:
        """Put rows of an entry that are in one group together."""
        many = int(groups.max(initial=-1)) + 2
        keys, numbers = np.unique(entry.astype(np.int64) * many + groups + 1, return_inverse=True)
        counts = np.bincount(numbers, rows, minlength=keys.size).astype(np.int64)
        return cls(Parts(keys // many, counts), (keys % many - 1).astype(np.int32))

    @classmethod
    def along(
        cls, order: NDArray[np.integer], weights: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> Pieces:
        """Cut an order of entries into groups of so many rows, one after the other."""
        parts, groups = laid_along(weights[order], sizes)
        return cls.counted(order[parts.entry], groups, parts.rows)

    def of(self, problem: Problem) -> Problem:
        """Return the problem whose entries are the pieces."""
        if self.parts.entry.size == problem.table.entries:  # none was cut
            return problem
        return replace(problem, table=self.parts.of_table(problem.table))

    def partition(self, problem: Problem, groups: NDArray[np.int32], **search: Any) -> Partition:
        """Return the partition of a problem's entries that has these groups of the pieces."""
        whole = self.parts.entry.size == problem.table.entries
        return Partition(groups, search, parts=None if whole else self.parts)
