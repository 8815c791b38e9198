"""Groups of rows: partitions, whose groups are published alike, and buckets."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from indistinct.model.recoding.base import PublishedAs, Recoding
from indistinct.model.shown import of_exact, of_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.model.entries import Parts
    from indistinct.model.forms import Form
    from indistinct.model.shown import ColumnShown
    from indistinct.model.table import QuasiColumn


@dataclass(frozen=True, eq=False)
class Partition(Recoding):
    """A local recoding: rows in groups that are published alike, some rows left out.

    Attributes
    ----------
    groups
        The group of each row of the table, numbered from 0; -1 where the row is left out.
    search
        What the method wants to say about its search, for the report.
    starred
        For each row and quasi column whether the cell is published as `*`; None if no cell is.
    parts
        How the method cut the entries that it was given: groups are of these parts; None where
        it cut none.
    """

    name: ClassVar[str] = "groups"

    groups: NDArray[np.int32]
    search: dict[str, Any] = field(default_factory=dict)
    starred: NDArray[np.bool_] | None = None
    parts: Parts | None = None

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Whether each row of the table is released."""
        return self.groups >= 0

    @property
    def count(self) -> int:
        """The number of groups."""
        return int(self.groups.max(initial=-1)) + 1

    @property
    def group_of_row(self) -> NDArray[np.int32]:
        """The group of each row, -1 where it is left out."""
        return self.groups

    @property
    def units(self) -> NDArray[np.int32]:
        """What is published alike, of each row: its group, unless cells of it are starred."""
        return self.groups if self.starred is None else self._each_row()

    def of_entries(self, rows: NDArray[np.integer]) -> Self:
        """Return the partition of some of the rows."""
        starred = None if self.starred is None else self.starred[rows]
        return replace(self, groups=self.groups[rows], starred=starred, parts=None)

    def of_parts(self, parts: Parts, source: NDArray[np.integer]) -> Self:
        """Return the partition of parts of entries, given which row each is of; -1 is left out."""
        starred = None
        if self.starred is not None:
            starred = np.vstack([self.starred, np.zeros_like(self.starred[:1])])[source]
        groups = np.append(self.groups, np.int32(-1))[source]
        return replace(self, groups=groups, starred=starred, parts=parts)

    def as_buckets(self) -> Buckets:
        """Return the groups as buckets, to permute sensitive values in."""
        return Buckets(self.groups, self.search)

    def _column(self, column: QuasiColumn, _place: int, form: Form) -> ColumnShown:
        numbers, values = of_groups(column, self.groups, self.count, form)
        if self.starred is None:
            return numbers, values
        return np.append(numbers, np.int32(0))[self.groups], values


class Buckets(Partition):
    """Groups whose quasi values are published as they are, and sensitive values by group only."""

    name: ClassVar[str] = "buckets"
    published_as: ClassVar[PublishedAs] = "buckets"

    @property
    def bucket_of_row(self) -> NDArray[np.int32]:
        """The bucket that each row's sensitive values are permuted in."""
        return self.groups

    @property
    def units(self) -> NDArray[np.int32]:
        """What is published alike, of each row: quasi values are those of the row itself."""
        return self._each_row()

    def as_buckets(self) -> Buckets:
        """Return the buckets."""
        return self

    def _column(self, column: QuasiColumn, _place: int, _form: Form) -> ColumnShown:
        return of_exact(column)

    def unlearnable(self, forms: tuple[Form, ...]) -> str:  # noqa: ARG002 - in none
        """Say what its method does so that later rows cannot be recoded alike."""
        return (
            "publishes quasi values as they are and permutes sensitive ones: there is no "
            "generalization to learn"
        )

    def cautions(self) -> Iterator[str]:
        """Say what a steward should know before publishing buckets."""
        yield (
            "quasi-identifiers are published as they are: anyone who knows a person's learns that "
            "the person is in the data; only what groups reveal of sensitive values is limited"
        )
