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

    def of_rows(self, rows: NDArray[np.intp]) -> Self:
        """Return the recoding of some of the rows."""
        starred = None if self.starred is None else self.starred[rows]
        return replace(self, kept=self.kept[rows], starred=starred)

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

    def of_rows(self, rows: NDArray[np.intp]) -> Self:
        """Return the partition of some of the rows."""
        starred = None if self.starred is None else self.starred[rows]
        return replace(self, groups=self.groups[rows], starred=starred)

    def reordered(self, source: NDArray[np.intp]) -> Self:
        """Return the partition of the same rows in the order they came from."""
        groups = np.empty_like(self.groups)
        groups[source] = self.groups
        starred = None
        if self.starred is not None:
            starred = np.empty_like(self.starred)
            starred[source] = self.starred
        return replace(self, groups=groups, starred=starred)


@dataclass(frozen=True, eq=False)
class Cuts:
    """A recoding of ordered domains: each quasi column in intervals, the same for all rows.

    Attributes
    ----------
    starts
        For each quasi column, the codes at which an interval begins, in order; the first interval,
        which begins at code 0, is not named.
    kept
        Whether each row of the table is released.
    search
        What the method wants to say about its search, for the report.
    """

    starts: tuple[NDArray[np.int32], ...]
    kept: NDArray[np.bool_]
    search: dict[str, Any] = field(default_factory=dict)

    @property
    def suppressed(self) -> int:
        """The number of rows left out."""
        return int(self.kept.size - np.count_nonzero(self.kept))

    def of_rows(self, rows: NDArray[np.intp]) -> Self:
        """Return the recoding of some of the rows."""
        return replace(self, kept=self.kept[rows])

    def intervals(self, column: int, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Number the intervals that values of a column lie in, from 0."""
        return np.searchsorted(self.starts[column], codes, side="right").astype(np.int32)


class Buckets(Partition):
    """Groups whose quasi values are published as they are, and sensitive values by group only."""


@dataclass(frozen=True, eq=False)
class Matching:
    """A freeform recoding: k disjoint perfect matchings between original and published rows.

    There are no classes. Each published row covers k original rows, and each original row is
    covered by k published rows (paper 003, section 3).

    Attributes
    ----------
    sources
        A row per published row, a column per matching: the original row that the published row
        stems from in that matching. The first matching is the identity.
    search
        What the method wants to say about its search, for the report.
    """

    sources: NDArray[np.int32]
    search: dict[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows, original and published."""
        return int(self.sources.shape[0])

    @property
    def k(self) -> int:
        """The number of matchings."""
        return int(self.sources.shape[1])

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Whether each row of the table is released: all are."""
        return np.ones(self.rows, dtype=bool)

    @property
    def suppressed(self) -> int:
        """The number of rows left out: none."""
        return 0

    @property
    def perfect(self) -> bool:
        """Whether each matching pairs every row with one published row, the first with its own."""
        every = np.arange(self.rows)
        whole = all(np.array_equal(np.sort(column), every) for column in self.sources.T)
        return whole and bool((self.sources[:, 0] == every).all())

    @property
    def disjoint(self) -> bool:
        """Whether no two matchings share a pair."""
        ordered = np.sort(self.sources, axis=1)
        return not bool((ordered[:, 1:] == ordered[:, :-1]).any())

    def bounds(self, codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the smallest and largest code of a column that each published row covers."""
        low, high = codes.copy(), codes.copy()
        for source in self.sources.T[1:]:
            np.minimum(low, codes[source], out=low)
            np.maximum(high, codes[source], out=high)
        return low, high

    def components(self) -> NDArray[np.int32]:
        """Number the connected components, and tell that of each row.

        An original row and the published row of the same number are in one: the identity joins
        them.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        one = np.repeat(np.arange(self.rows), self.k)
        joined = coo_array(
            (np.ones(one.size, dtype=np.int8), (one, self.sources.ravel())), (self.rows, self.rows)
        )
        found: NDArray[np.int32] = connected_components(joined, directed=False)[1]
        return found

    def reordered(self, source: NDArray[np.intp]) -> Self:
        """Return the matchings of the same rows in the order they came from."""
        sources = np.empty_like(self.sources)
        sources[source] = source[self.sources]
        return replace(self, sources=sources)


Recoding = LevelVector | Partition | Cuts | Matching
