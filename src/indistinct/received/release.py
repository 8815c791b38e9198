"""A release as its reader has it: typed columns, and counts and means with bounds that hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from indistinct.errors import DataError, Fault, closest
from indistinct.received.means import mean_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.received.columns import ReceivedColumn

    Where = Mapping[str, Any]
    Truths = NDArray[np.bool_]
    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Bounds:
    """A figure of the people in a release.

    Attributes
    ----------
    low, high
        The true figure lies between these two, whatever the private values are.
    estimate
        The figure if every value that a cell may stand for is equally likely; nothing is promised.

    Examples
    --------
    >>> Bounds(3.0, 5.0, 4.0)
    4 (3 to 5)
    """

    low: float
    high: float
    estimate: float

    def __repr__(self) -> str:
        return f"{self.estimate:g} ({self.low:g} to {self.high:g})"


@dataclass(frozen=True, eq=False)
class ReceivedRelease:
    """A release that `read_release` read.

    Attributes
    ----------
    rows
        The published rows, as they are.
    columns
        What the cells of each column may stand for, by the column's name in the private table.
    suppressed_rows
        How many rows were suppressed, as the certificate states it; None if it does not.
    """

    rows: pa.Table
    columns: Mapping[str, ReceivedColumn]
    suppressed_rows: int | None
    _back: Callable[[pa.Table], Any]

    @property
    def frame(self) -> Any:
        """The rows with typed columns beside, as the kind of frame that was given.

        A range `age` gets `age_low`, `age_high` and `age_mid`, an open end is missing; a node or a
        set gets `marital_leaves`, the values that it may stand for (a null among them is a missing
        value), missing where nobody can list them. Files and tables of databases become a pyarrow
        table.
        """
        return self._back(self.typed())

    def typed(self) -> pa.Table:
        """Return the rows with typed columns beside, as a pyarrow table."""
        table = self.rows
        for column in self.columns.values():
            for name, values in column.typed().items():
                if name not in table.column_names:
                    table = table.append_column(name, values)
        return table

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"]) -> Any:
        """Return the rows with typed columns beside, as a frame of another library."""
        from indistinct.io.frames import frame_of

        return frame_of(self.typed(), backend)

    def count(self, where: Where | None = None, *, weights: str | None = None) -> Bounds:
        """Count the released rows whose private values agree with all conditions.

        Parameters
        ----------
        where
            For each column a value, a list of values, or a tuple of two ends that belong to the
            range: `{"age": (30, 39), "marital": ["married", "widowed"]}`.
        weights
            A column of weights, not negative; each row counts 1 if not given.

        Returns
        -------
        Bounds
            The least and the most that can be true, and an estimate.
        """
        weight = self._weights(weights)
        surely, maybe, likely = self._agreeing(where or {})
        return Bounds(
            float(weight[surely].sum()),
            float(weight[maybe].sum()),
            float((weight * likely).sum()),
        )

    def mean(
        self, column: str, where: Where | None = None, *, weights: str | None = None
    ) -> Bounds:
        """Return the mean of a column of numbers over the rows that agree with all conditions.

        Rows whose value is missing do not count. Where a range is open, or a cell is `*`, its mean
        has no bound, unless `read_release` was told `within` which ends the values lie.

        Parameters
        ----------
        column
            A column of numbers.
        where, weights
            As for `count`.

        Raises
        ------
        DataError
            If the column holds no numbers, or no row can agree.
        """
        numbers = self._column(column)
        if numbers.kind != "number":
            raise DataError(
                Fault(column, "it holds no numbers", "Take the mean of another column.")
            )
        surely, maybe, likely = self._agreeing(where or {})
        missing, perhaps = numbers.missing
        surely, maybe = surely & ~perhaps, maybe & ~missing
        if not maybe.any():
            raise DataError(Fault(column, "no released row can agree", "Ask for something else."))
        low, high = numbers.low[maybe], numbers.high[maybe]
        weight, certain = self._weights(weights)[maybe], surely[maybe]
        lowest, highest = mean_bounds(low, high, weight, certain)
        middle = numbers.middle[maybe]
        known = ~np.isnan(middle)
        share = (weight * likely[maybe])[known]
        estimate = float((share * middle[known]).sum() / share.sum()) if share.sum() else np.nan
        return Bounds(lowest, highest, estimate)

    def _agreeing(self, where: Where) -> tuple[Truths, Truths, Floats]:
        surely = np.ones(self.rows.num_rows, dtype=bool)
        maybe, likely = surely.copy(), np.ones(self.rows.num_rows)
        for name, wanted in where.items():
            certain, possible, share = self._column(name).agreeing(wanted)
            surely, maybe, likely = surely & certain, maybe & possible, likely * share
        return surely, maybe, likely

    def _column(self, name: str) -> ReceivedColumn:
        if name not in self.columns:
            raise DataError(Fault(name, "no such column", closest(name, list(self.columns))))
        return self.columns[name]

    def _weights(self, name: str | None) -> Floats:
        if name is None:
            return np.ones(self.rows.num_rows)
        column = self._column(name)
        if column.kind != "number" or column.generalized or not np.all(column.low >= 0):
            problem = "weights must be published as they are, known in every row and not negative"
            raise DataError(Fault(name, problem, "Name another column, or none."))
        return column.low

    def _repr_html_(self) -> str:
        from indistinct.display import received_html

        held = {"number": "numbers", "date": "dates", "category": "categories"}
        columns = [
            (one.name, held[one.kind], one.generalized, len(one.texts))
            for one in self.columns.values()
        ]
        return received_html(columns, self.rows.num_rows)

    def __repr__(self) -> str:
        coarse = ", ".join(name for name, one in self.columns.items() if one.generalized)
        return f"<{type(self).__name__}: {self.rows.num_rows:,} rows, generalized: {coarse}>"
