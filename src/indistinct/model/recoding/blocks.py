"""What a method chose block by block, of a table whose entries are too many to be here at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from indistinct.model.columnwise import not_together
from indistinct.model.recoding.base import Recoding

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.shown import ColumnShown
    from indistinct.model.table import QuasiColumn, Table


@dataclass(frozen=True, eq=False)
class InBlocks(Recoding):
    """Groups of rows that were searched block by block; which row is in which was not kept.

    Attributes
    ----------
    blocks
        How many blocks there were.
    suppressed
        How many rows were left out.
    search
        What there is to say about the search, for the report.
    said
        What a steward should know of how rows were recoded.
    """

    name: ClassVar[str] = "blocks"
    at_hand: ClassVar[bool] = False

    blocks: int
    suppressed: int
    search: dict[str, Any] = field(default_factory=dict)
    said: tuple[str, ...] = ()

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Whether each row of the table is released, which was not kept."""
        self._refuse()

    def suppressed_rows(self, table: Table) -> int:  # noqa: ARG002 - they were counted
        """Count the rows left out."""
        return self.suppressed

    def of_entries(self, rows: NDArray[np.integer]) -> Self:  # noqa: ARG002
        """Refuse: the recoding of single rows was not kept."""
        self._refuse()

    def _column(self, column: QuasiColumn, place: int, form: Form) -> ColumnShown:  # noqa: ARG002
        self._refuse()

    def _refuse(self) -> NoReturn:
        not_together(self.blocks)

    def unlearnable(self, forms: tuple[Form, ...]) -> str:  # noqa: ARG002 - in none
        """Say why later rows cannot be recoded alike."""
        return f"searched {self.blocks:,} blocks, and which row is in which group was not kept"

    def cautions(self) -> Iterator[str]:
        """Say what a steward should know before publishing rows that are recoded so."""
        yield from self.said
        yield (
            f"the distinct rows are more than engine.max_distinct, and were searched in "
            f"{self.blocks:,} blocks: no group crosses the border of a block, so that more is lost "
            "than in one search; reports leave out what needs all distinct rows at once"
        )


@dataclass(frozen=True, eq=False)
class CountedLevels(InBlocks):
    """Levels of whole columns that were searched on coarser counts; of rows nothing was kept.

    Attributes
    ----------
    levels
        The level of each quasi column.
    """

    name: ClassVar[str] = "counted levels"
    in_forms: ClassVar[bool] = False

    levels: tuple[int, ...] = ()

    @property
    def column_levels(self) -> tuple[int, ...]:
        """The level of each quasi column."""
        return self.levels

    def measured_forms(self, forms: tuple[Form, ...]) -> tuple[Form, ...]:  # noqa: ARG002
        """Return in which forms columns are measured: as nodes, whatever is asked for."""
        return tuple("node" for _ in self.levels)

    def unlearnable(self, forms: tuple[Form, ...]) -> str:  # noqa: ARG002 - in none
        """Say why later rows cannot be recoded alike."""
        return "searched coarser counts, and which values there were below them was not kept"

    def cautions(self) -> Iterator[str]:
        """Say what a steward should know before publishing rows that are recoded so."""
        yield from self.said
        yield (
            "the distinct rows are more than engine.max_distinct, and were counted at levels below "
            "which no release is: the levels are those of one search; reports leave out what needs "
            "all distinct rows at once"
        )
