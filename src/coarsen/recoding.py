"""Recoding: what a method returns, before anything is published."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class LevelVector:
    """A full-domain recoding: every quasi column at one level, some rows or cells left out.

    Attributes
    ----------
    levels
        The level of each quasi column, in the table's order (the distance vector of paper 001).
    kept
        Whether each row of the table is released.
    search
        What the method wants to say about its search, for the report.
    starred
        For each row and quasi column whether the cell is published as `*`; None if no cell is.
    """

    levels: tuple[int, ...]
    kept: NDArray[np.bool_]
    search: dict[str, Any] = field(default_factory=dict)
    starred: NDArray[np.bool_] | None = None

    @property
    def suppressed(self) -> int:
        """The number of rows left out."""
        return int(self.kept.size - np.count_nonzero(self.kept))

    def stars(self, column: int) -> NDArray[np.bool_] | None:
        """Tell which cells of a column are starred; None if none is."""
        if self.starred is None or not self.starred[:, column].any():
            return None
        return self.starred[:, column]


@dataclass(frozen=True, eq=False)
class Partition:
    """A local recoding: rows in groups that are published alike, some rows left out.

    Attributes
    ----------
    groups
        The group of each row of the table, numbered from 0; -1 where the row is left out.
    search
        What the method wants to say about its search, for the report.
    starred
        For each row and quasi column whether the cell is published as `*`; None if no cell is.
    """

    groups: NDArray[np.int32]
    search: dict[str, Any] = field(default_factory=dict)
    starred: NDArray[np.bool_] | None = None

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Whether each row of the table is released."""
        return self.groups >= 0

    @property
    def suppressed(self) -> int:
        """The number of rows left out."""
        return int(self.groups.size - np.count_nonzero(self.kept))

    @property
    def count(self) -> int:
        """The number of groups."""
        return int(self.groups.max(initial=-1)) + 1

    def reordered(self, source: NDArray[np.intp]) -> Self:
        """Return the partition of the same rows in the order they came from."""
        groups = np.empty_like(self.groups)
        groups[source] = self.groups
        starred = None
        if self.starred is not None:
            starred = np.empty_like(self.starred)
            starred[source] = self.starred
        return replace(self, groups=groups, starred=starred)


class Buckets(Partition):
    """Groups whose quasi values are published as they are, and sensitive values by group only."""


Recoding = LevelVector | Partition
