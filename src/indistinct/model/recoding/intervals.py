"""Intervals of whole columns: recodings of ordered domains, the same for all rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from indistinct.model.recoding.base import Recoding
from indistinct.model.shown import of_intervals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.shown import ColumnShown
    from indistinct.model.table import QuasiColumn


@dataclass(frozen=True, eq=False)
class ColumnIntervals(Recoding):
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

    name: ClassVar[str] = "intervals"

    starts: tuple[NDArray[np.int32], ...]
    kept: NDArray[np.bool_]
    search: dict[str, Any] = field(default_factory=dict)

    def of_entries(self, rows: NDArray[np.integer]) -> Self:
        """Return the recoding of some of the rows."""
        return replace(self, kept=self.kept[rows])

    def of_leaves(self, leaves: tuple[NDArray[np.int32], ...]) -> Self:
        """Return the same intervals; one begins at its first leaf that is left, or at the next."""
        pairs = zip(leaves, self.starts, strict=True)
        starts = tuple(np.searchsorted(left, at).astype(np.int32) for left, at in pairs)
        return replace(self, starts=starts)

    def intervals(self, column: int, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Number the intervals that values of a column lie in, from 0."""
        return np.searchsorted(self.starts[column], codes, side="right").astype(np.int32)

    def measured_forms(self, forms: tuple[Form, ...]) -> tuple[Form, ...]:
        """Return in which forms columns are measured: a node's name stands for its leaves."""
        return tuple("range" if form == "range" else "set" for form in forms)

    def _column(self, column: QuasiColumn, place: int, form: Form) -> ColumnShown:
        return of_intervals(column, self.intervals(place, column.codes), self.kept, form)
