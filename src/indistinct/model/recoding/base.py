"""Recoding: what a method returns, and what everybody else may ask of it.

Nobody outside asks which kind a recoding is: measures look at what it shows, the other steps at the
few facts below. Publishing and learning look up their part by its `name`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from indistinct.model.shown import Shown, merged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.model.entries import Parts
    from indistinct.model.forms import Form
    from indistinct.model.recoding.groups import Buckets
    from indistinct.model.shown import ColumnShown
    from indistinct.model.table import QuasiColumn, Table

PublishedAs = Literal["classes", "buckets", "matchings"]


class Recoding(ABC):
    """What each row is published as in each quasi column, and which rows are left out.

    Attributes
    ----------
    name
        What it is made of; publishing and learning have their part for it under that name.
    published_as
        What a release is made of: classes of rows alike, buckets of exact quasi values, or rows
        that cover others.
    has_classes
        Whether released rows fall into classes that share what is known of them.
    in_forms
        Whether columns are published in the forms that are asked for; whole levels are not.
    at_hand
        Whether it is known which row is published as what; measures of rows need it.
    starred
        For each row and quasi column whether the cell is published as `*`; None if no cell is.
    parts
        How the method cut entries that it was given; it is then a recoding of these parts.
    """

    name: ClassVar[str]
    published_as: ClassVar[PublishedAs] = "classes"
    has_classes: ClassVar[bool] = True
    in_forms: ClassVar[bool] = True
    at_hand: ClassVar[bool] = True

    starred: NDArray[np.bool_] | None = None
    parts: Parts | None = None

    if TYPE_CHECKING:  # fields of the one, properties of the other

        @property
        def kept(self) -> NDArray[np.bool_]:
            """Whether each row of the table is released."""

        @property
        def search(self) -> dict[str, Any]:
            """What the method wants to say about its search, for the report."""

    def suppressed_rows(self, table: Table) -> int:
        """Count the rows left out."""
        return table.rows - table.rows_where(self.kept)

    @property
    def column_levels(self) -> tuple[int, ...] | None:
        """The level of each quasi column; None where a column is not published at one level."""
        return None

    @property
    def group_of_row(self) -> NDArray[np.int32] | None:
        """The group of each row, -1 where it is left out; None where rows were not grouped."""
        return None

    @property
    def bucket_of_row(self) -> NDArray[np.int32] | None:
        """The bucket that each row's sensitive values are permuted in; None where none are."""
        return None

    @property
    def covered_rows(self) -> NDArray[np.int32] | None:
        """The private rows that each published row covers; None where rows are in classes."""
        return None

    @property
    def units(self) -> NDArray[np.int32]:
        """What is published alike, of each row: its group, or the row itself; -1 if left out."""
        return self._each_row()

    def _each_row(self) -> NDArray[np.int32]:
        return np.where(self.kept, np.arange(self.kept.size), -1).astype(np.int32)

    @abstractmethod
    def of_entries(self, rows: NDArray[np.integer]) -> Self:
        """Return the recoding of some of the rows."""

    def reordered(self, source: NDArray[np.intp]) -> Self:
        """Return the recoding of the same rows in the order they came from."""
        place = np.empty_like(source)
        place[source] = np.arange(source.size)
        return self.of_entries(place)

    def of_leaves(self, leaves: tuple[NDArray[np.int32], ...]) -> Self:  # noqa: ARG002 - for cuts
        """Return the recoding of a table whose columns have only some of their leaves left."""
        return self

    def as_buckets(self) -> Buckets | None:
        """Return the buckets to permute sensitive values in; None where rows are not grouped."""
        return None

    def measured_forms(self, forms: tuple[Form, ...]) -> tuple[Form, ...]:
        """Return in which forms columns are measured that are published in some."""
        return forms

    def shown(self, table: Table, forms: tuple[Form, ...] = ()) -> Shown:
        """Find the published values, and the classes of rows that share all of them.

        Groups whose published values are the same are one class. Where there are no classes, each
        row is by itself.
        """
        forms = forms or tuple("node" for _ in table.quasi)
        places = enumerate(zip(table.quasi, forms, strict=True))
        columns = [self.column_shown(column, place, form) for place, (column, form) in places]
        value = np.stack([numbers for numbers, _ in columns], axis=1)
        shown = Shown(self.units, value, tuple(values for _, values in columns), table.weights)
        return merged(shown) if self.has_classes else shown

    def column_shown(self, column: QuasiColumn, place: int, form: Form) -> ColumnShown:
        """Find the published values of a column, and which of them each unit is published as."""
        numbers, values = self._column(column, place, form)
        if self.starred is None:
            return numbers, values
        values, star = values.with_star(column.hierarchy.size)
        return np.where(self.starred[:, place], np.int32(star), numbers), values

    @abstractmethod
    def _column(self, column: QuasiColumn, place: int, form: Form) -> ColumnShown:
        """Find what each unit is published as in a column, stars aside."""

    def unlearnable(self, forms: tuple[Form, ...]) -> str | None:
        """Say what its method does so that later rows cannot be recoded alike; None if they can."""
        if self.starred is not None and self.starred.any():
            return "stars single cells, which depends on the other rows"
        if self.in_forms and "star" in forms:
            return "stars what is not alike in a group, which depends on the other rows"
        return None

    def cautions(self) -> Iterator[str]:
        """Say what a steward should know before publishing rows that are recoded so."""
        yield from ()

    def described(self, classes: int) -> str:
        """Say in a few words how rows are published, given how many classes there are."""
        return f"in {classes:,} classes"
