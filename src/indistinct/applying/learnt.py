"""Learnt: what a release's recoding is, as a file that new rows can be put through.

The file holds the plan, the hierarchies, and of the release what the release itself shows: its
published values and how many rows are alike. Nothing says which private row became which.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from indistinct._parts import Part
from indistinct.hierarchy.spec import HierarchySpec
from indistinct.model.names import published_names
from indistinct.plan import Plan

KIND = "indistinct recoding"
MOST_ROWS = 1 << 31
PRIVATE = (
    "Keep this file with the private data. It shows published values and counts of the release, "
    "its plan, and the hierarchies."
)

Index = Annotated[int, Field(ge=0)]


class Cell(Part):
    """A published value of a column, and what it covers.

    Attributes
    ----------
    texts
        What stands in the published column or columns.
    low, high
        The ends of a range; one of them may be open. Where both are missing, so is the value.
    level, label
        A node of the hierarchy.
    values
        The values of a set.
    everything
        Whether it says nothing, and covers every value.
    """

    texts: tuple[str | None, ...]
    low: str | None = None
    high: str | None = None
    level: int | None = None
    label: str | None = None
    values: tuple[str | None, ...] | None = None
    everything: bool = False


class LearntColumn(Part):
    """A quasi column of the recoding.

    Attributes
    ----------
    publishes
        The columns it is published as.
    form
        `level`: every value at one level; otherwise how groups are published.
    kind
        Whether values are numbers, dates or categories.
    reach
        How far the upper end of a range reaches: the value itself (`value`), up to but not
        including it (`before`), or all of a day, month or year (`calendar`).
    hierarchy, pins
        The hierarchy as a rule or list, and what pins it.
    cells
        The published values.
    """

    name: str
    publishes: tuple[str, ...]
    form: Literal["level", "range", "node", "set"]
    kind: Literal["number", "date", "category"]
    reach: Literal["value", "before", "calendar"] = "value"
    hierarchy: HierarchySpec
    pins: tuple[tuple[str | None, ...], ...] = ()
    level: int | None = None
    cells: tuple[Cell, ...]


class SensitiveCounts(Part):
    """A sensitive column of the release: a code per class into its values."""

    name: str
    values: tuple[str | None, ...]
    codes: tuple[Index, ...]


class Released(Part):
    """The released rows that are alike, counted.

    Attributes
    ----------
    counts
        How many rows.
    cells
        For each quasi column, the cell of each kind of row.
    sensitive
        The sensitive columns that a requirement is about.
    """

    counts: tuple[Annotated[int, Field(ge=1)], ...]
    cells: tuple[tuple[Index, ...], ...]
    sensitive: tuple[SensitiveCounts, ...] = ()

    def rows(self, codes: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.int32]]:
        """Give each released row its code."""
        return np.repeat(np.array(codes, dtype=np.int32), self.counts)


class Learnt(Part):
    """A recoding as a file: `release.recoding.json`.

    Attributes
    ----------
    recodes
        Whether whole columns were raised to levels, rows put into groups, or whole columns cut into
        intervals.
    """

    kind: Literal["indistinct recoding"] = "indistinct recoding"
    version: str
    private: str = PRIVATE
    method: str
    recodes: Literal["levels", "groups", "intervals"]
    plan: Plan
    columns: tuple[LearntColumn, ...]
    released: Released

    @model_validator(mode="after")
    def _fits_together(self) -> Learnt:
        quasi = self.plan.with_role("quasi")
        if [column.name for column in self.columns] != quasi:
            raise ValueError("its columns are not the quasi columns of its plan")
        parts = [*self.released.cells, *(s.codes for s in self.released.sensitive)]
        if len(self.released.cells) != len(quasi) or any(
            len(part) != len(self.released.counts) for part in parts
        ):
            raise ValueError("its released rows are not complete")
        if sum(self.released.counts) >= MOST_ROWS:
            raise ValueError("it counts more rows than there can be")
        sizes = [len(column.cells) for column in self.columns]
        sizes += [len(column.values) for column in self.released.sensitive]
        if any(max(p, default=-1) >= size for p, size in zip(parts, sizes, strict=True)):
            raise ValueError("its released rows name values that it does not list")
        self._refuse_odd_columns()
        return self

    def _refuse_odd_columns(self) -> None:
        """Raise if columns or cells are not published as the plan lets them be."""
        named = [column.name for column in self.released.sensitive]
        if named != self.plan.judged_columns():
            raise ValueError("the sensitive columns that it counts are not those of its plan")
        for column in self.columns:
            usual = published_names(column.name, self.plan.columns[column.name].range_as)
            if column.publishes not in {usual, (column.name,)}:
                raise ValueError(f"it does not publish {column.name!r} as its plan says")
            if any(len(cell.texts) != len(column.publishes) for cell in column.cells):
                raise ValueError(f"a cell of {column.name!r} has too many texts or too few")
            named += column.publishes
        if len(set(named)) < len(named):
            raise ValueError("it publishes a column twice")
