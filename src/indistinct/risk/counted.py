"""Rows with their numbers: a table in which each row may stand for several that are alike.

What reads published rows, or private ones, takes them one by one or counted so: grouped counts of
a table say the same as its rows, and cost no more than the distinct ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from indistinct.errors import DataError, Fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.release import Release


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Rows, each of which stands for one or several.

    Attributes
    ----------
    rows
        The rows, alike or not.
    counts
        How many each stands for; None where each is one.
    """

    rows: pa.Table
    counts: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, rows: Rows) -> CountedRows:
        """Take rows one by one, unless they are counted already."""
        return rows if isinstance(rows, cls) else cls(rows)

    @property
    def number(self) -> int:
        """How many rows there are."""
        return int(self.rows.num_rows if self.counts is None else self.counts.sum())

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """How many rows each stands for."""
        return np.ones(self.rows.num_rows, np.int64) if self.counts is None else self.counts

    def where(self, chosen: NDArray[np.bool_]) -> CountedRows:
        """Return some of the rows."""
        counts = None if self.counts is None else self.counts[chosen]
        return CountedRows(self.rows.filter(pa.array(chosen)), counts)

    def one_by_one(self, place: str) -> pa.Table:
        """Return the rows for something that needs each by itself.

        Raises
        ------
        DataError
            If they are counted.
        """
        refuse_counts(self.counts, place)
        return self.rows


Rows: TypeAlias = "pa.Table | CountedRows"


def refuse_counts(counts: NDArray[np.int64] | None, place: str) -> None:
    """Raise if rows are counted together where each is needed by itself."""
    if counts is not None:
        problem = "rows are counted together, and each is needed by itself"
        raise DataError(Fault(place, problem, "Give the rows one by one."))


def released_rows(release: Release) -> CountedRows:
    """Return the published rows of a release that are no blanks."""
    published = release.published
    rows = CountedRows(release.rows, published.counts)
    return rows.where(release.recoding.kept[published.source]) if published.blanked else rows
