"""Level vectors: full-domain recodings, which put whole columns at one level."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from indistinct.model.recoding.base import Recoding
from indistinct.model.shown import of_level

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indistinct.model.entries import Parts
    from indistinct.model.forms import Form
    from indistinct.model.shown import ColumnShown
    from indistinct.model.table import QuasiColumn


@dataclass(frozen=True, eq=False)
class LevelVector(Recoding):
    """A full-domain recoding: every quasi column at one level, some rows or cells left out.

    Attributes
    ----------
    levels
        The level of each quasi column, in the table's order (the distance vector of Samarati 2001).
    kept
        Whether each row of the table is released.
    search
        What the method wants to say about its search, for the report.
    starred
        For each row and quasi column whether the cell is published as `*`; None if no cell is.
    parts
        How the method cut the entries that it was given, where it suppresses some rows of one.
    """

    name: ClassVar[str] = "levels"
    in_forms: ClassVar[bool] = False

    levels: tuple[int, ...]
    kept: NDArray[np.bool_]
    search: dict[str, Any] = field(default_factory=dict)
    starred: NDArray[np.bool_] | None = None
    parts: Parts | None = None

    @property
    def column_levels(self) -> tuple[int, ...]:
        """The level of each quasi column."""
        return self.levels

    def of_entries(self, rows: NDArray[np.integer]) -> Self:
        """Return the recoding of some of the rows."""
        starred = None if self.starred is None else self.starred[rows]
        return replace(self, kept=self.kept[rows], starred=starred, parts=None)

    def measured_forms(self, forms: tuple[Form, ...]) -> tuple[Form, ...]:  # noqa: ARG002 - heeds none
        """Return in which forms columns are measured: as nodes, whatever is asked for."""
        return tuple("node" for _ in self.levels)

    def _column(self, column: QuasiColumn, place: int, _form: Form) -> ColumnShown:
        return of_level(column, self.levels[place])

    def stars(self, column: int) -> NDArray[np.bool_] | None:
        """Return which cells of a column are starred; None if none is."""
        if self.starred is None or not self.starred[:, column].any():
            return None
        return self.starred[:, column]
