"""Matchings: freeform recodings, where each published row covers k private rows of its own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from indistinct.model.recoding.base import PublishedAs, Recoding
from indistinct.model.shown import of_bounds, of_covered_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.shown import ColumnShown
    from indistinct.model.table import QuasiColumn

FEW = 2


@dataclass(frozen=True, eq=False)
class Matching(Recoding):
    """A freeform recoding: k disjoint perfect matchings between original and published rows.

    There are no classes. Each published row covers k original rows, and each original row is
    covered by k published rows (Doka et al. 2015, section 3).

    Attributes
    ----------
    sources
        A row per published row, a column per matching: the original row that the published row
        stems from in that matching. The first matching is the identity.
    search
        What the method wants to say about its search, for the report.
    """

    name: ClassVar[str] = "matchings"
    published_as: ClassVar[PublishedAs] = "matchings"
    has_classes: ClassVar[bool] = False

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
    def covered_rows(self) -> NDArray[np.int32]:
        """The private rows that each published row covers."""
        return self.sources

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
        """Number the connected components, and return that of each row."""
        return components_of(self.sources)

    def of_entries(self, rows: NDArray[np.integer]) -> Self:
        """Return the matchings of some of the rows, which must be whole components."""
        place = np.empty(self.rows, dtype=self.sources.dtype)
        place[rows] = np.arange(rows.size)
        return replace(self, sources=place[self.sources[rows]])

    def _column(self, column: QuasiColumn, _place: int, form: Form) -> ColumnShown:
        if form == "set":
            return of_covered_sets(column, column.codes[self.sources])
        return of_bounds(column, *self.bounds(column.codes), form)

    def unlearnable(self, forms: tuple[Form, ...]) -> str:  # noqa: ARG002 - in none
        """Say what its method does so that later rows cannot be recoded alike."""
        return "generalizes every row by itself: there are no classes to learn"

    def cautions(self) -> Iterator[str]:
        """Say what a steward should know before publishing rows that cover others."""
        yield (
            "rows have no classes: each published row covers k original rows, and its sensitive "
            "and other values are those of one of them, drawn at random; check it with the private "
            "table (verify --private)"
        )
        if self.k == FEW and (most := int(np.bincount(self.components()).max())) > FEW:
            yield (
                f"with k = 2 rows form cycles of up to {most:,} people that can be traversed "
                "in only two ways: anyone who knows the row of one person there knows "
                "everybody's; choose k of 3 or more, or the method 'best'"
            )

    def described(self, classes: int) -> str:  # noqa: ARG002 - there are none
        """Say in a few words how rows are published."""
        return f"in {self.k} matchings"


def components_of(covered: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the connected components of rows and what they cover, and return that of each row.

    An original row and the published row of the same number are in one: the identity joins them.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, k = covered.shape
    one = np.repeat(np.arange(rows), k)
    joined = coo_array((np.ones(one.size, dtype=np.int8), (one, covered.ravel())), (rows, rows))
    part: NDArray[np.int32] = connected_components(joined, directed=False)[1]
    return part
