"""A table of which each column is known by itself, and its rows only block by block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from indistinct.errors import Fault, PlanError
from indistinct.model.crowd import Crowd
from indistinct.model.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.model.table import FrequencySet


def not_together(blocks: int | None = None) -> NoReturn:
    """Refuse what needs all entries of a table at once."""
    number = "several" if blocks is None else f"{blocks:,}"
    problem = f"this needs all distinct rows at once, and they were searched in {number} blocks"
    remedy = "Leave it out, or raise engine.max_distinct if the memory allows it."
    raise PlanError(Fault("engine.max_distinct", problem, remedy))


@dataclass(frozen=True, eq=False)
class Columnwise(Table):
    """A table whose entries are too many to be here at once.

    The codes of its columns are those of their different values, not of entries.

    Attributes
    ----------
    counts
        How many rows have each of these values, by column.
    """

    counts: Mapping[str, NDArray[np.int64]] | None = None

    @cached_property
    def rows(self) -> int:
        """The number of rows of the private table."""
        return max((int(counts.sum()) for counts in (self.counts or {}).values()), default=0)

    def crowd(self, place: int) -> Crowd:
        """Return whom a quasi column is about, to count people by its values."""
        column = self.quasi[place]
        counts = None if self.counts is None else self.counts[column.name]
        return Crowd(column.codes, column.hierarchy.size, (), counts)

    @cached_property
    def frequency_set(self) -> FrequencySet:
        """The distinct rows over all quasi columns, which are not here."""
        not_together()

    def block(
        self, codes: Mapping[str, NDArray[np.int32]], weights: NDArray[np.int64] | None
    ) -> Table:
        """Return the table of some entries; shares, ends and extents are those of the whole.

        Parameters
        ----------
        codes
            For each column, which of its values each entry has.
        weights
            How many rows each entry stands for.
        """
        return Table(
            entries=next(iter(codes.values())).size,
            quasi=tuple(
                replace(c, codes=c.codes[codes[c.name]], observed=c.observed_here)
                for c in self.quasi
            ),
            sets=self.sets,
            sensitive=tuple(replace(c, codes=c.codes[codes[c.name]]) for c in self.sensitive),
            weights=weights,
        )
