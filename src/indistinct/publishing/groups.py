"""Publishing groups of rows: each column of a group as the range, node or set its rows span.

Whatever a method cut, what is published is no wider than what the rows of a group span.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.hierarchy.order import or_nan, to_number
from indistinct.io.arrow import labelled
from indistinct.io.encoding import encode
from indistinct.model.forms import (
    as_it_is,
    range_ends,
    set_labels,
    span_labels,
)
from indistinct.model.names import published_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.names import RangeAs
    from indistinct.model.recoding import Partition
    from indistinct.model.table import QuasiColumn, Table

    Columns = dict[str, pa.Array | pa.ChunkedArray]

LARGEST_EXACT, LARGEST_WHOLE = 2**53, 2**63


@dataclass(frozen=True, eq=False)
class ColumnRanges:
    """One column of a partition, or of other sets of rows.

    Attributes
    ----------
    of_row
        The group of each row, -1 where it is left out.
    low, high
        The smallest and largest code of each group.
    weights
        How many rows each of the rows stands for; None where each is one.
    """

    column: QuasiColumn
    of_row: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    weights: NDArray[np.int64] | None = None

    @property
    def exact(self) -> bool:
        """Whether no group generalizes the column."""
        if self.column.hierarchy.raw is not None or not (self.low == self.high).all():
            return False
        return all(as_it_is(self.column, code) for code in np.unique(self.low).tolist())

    def to_rows(self, of_group: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give each row the number of its group; NaN where it has none."""
        return np.append(of_group, np.nan)[self.of_row]


def group_columns(
    data: pa.Table,
    table: Table,
    partition: Partition,
    forms: tuple[Form, ...],
    ranges_as: tuple[RangeAs, ...] = (),
) -> dict[str, Columns]:
    """Write out every quasi column, as one published column or several."""
    from indistinct.kernels.spans import bounds_of

    codes = np.stack([column.codes for column in table.quasi], axis=1)
    low, high = bounds_of(codes, partition.groups, partition.count)
    ranges_as = ranges_as or tuple("text" for _ in forms)
    published = {}
    for place, (column, form) in enumerate(zip(table.quasi, forms, strict=True)):
        bounds = low[:, place], high[:, place]
        groups = ColumnRanges(column, partition.groups, *bounds, table.weights)
        published[column.name] = grouped_column(
            data.column(column.name), groups, form, ranges_as[place], partition.count
        )
    return published


def grouped_column(
    original: pa.ChunkedArray, groups: ColumnRanges, form: Form, range_as: RangeAs, count: int
) -> Columns:
    """Write one column of so many groups."""

    def centre() -> NDArray[np.float64]:
        values = row_numbers(original, groups.column)
        find = _means if range_as == "mean" else _medians
        return find(groups.of_row, values, count, groups.weights)

    return write_column(original, groups, range_as, lambda: _text(groups, form, count), centre)


def write_column(
    original: pa.ChunkedArray,
    groups: ColumnRanges,
    range_as: RangeAs,
    text: Callable[[], pa.Array],
    centre: Callable[[], NDArray[np.float64]],
) -> Columns:
    """Write one column; where no group generalizes it, its text is the original.

    Parameters
    ----------
    text, centre
        Make the text of every row, and the number in the middle of every group, where asked for.
    """
    names = published_names(groups.column.name, range_as)
    if range_as == "bounds":
        return dict(zip(names, bound_columns(groups), strict=True))
    shown = original if groups.exact else text()
    if range_as == "text":
        return {names[0]: shown}
    return {names[0]: shown, names[1]: number_column(groups.to_rows(centre()))}


def _text(groups: ColumnRanges, form: Form, count: int) -> pa.Array:
    if form == "set":
        _, labels = set_labels(groups.column, groups.of_row, count)
        numbers = np.arange(count, dtype=np.int32)
    else:
        numbers, labels = span_labels(groups.column, form, groups.low, groups.high)
    return labelled(np.append(numbers, np.int32(0))[groups.of_row], labels)


def bound_columns(groups: ColumnRanges) -> tuple[pa.Array, pa.Array]:
    """Write the two ends of each range, numbers with all their digits, dates as text.

    A null is an open end; two nulls say nothing.
    """
    column = groups.column
    size = column.hierarchy.size
    spans, numbers = np.unique(
        groups.low.astype(np.int64) * size + groups.high, return_inverse=True
    )
    pairs = [range_ends(column, int(s // size), int(s % size)) or (None, None) for s in spans]
    of_row = np.append(numbers, 0)[groups.of_row].astype(np.int32)
    ends = []
    for texts in ([low for low, _ in pairs], [high for _, high in pairs]):
        written = exact_numbers(texts) if column.hierarchy.kind == "number" else None
        ends.append(labelled(of_row, texts) if written is None else written.take(pa.array(of_row)))
    return ends[0], ends[1]


def exact_numbers(texts: Sequence[str | None]) -> pa.Array | None:
    """Make numbers of texts without losing a digit; None where no type holds them all.

    >>> exact_numbers(["9007199254740993", None]).to_pylist(), exact_numbers(["0.5"]).to_pylist()
    ([9007199254740993, None], [0.5])
    """
    values = [None if text is None else Decimal(text) for text in texts]
    present = [value for value in values if value is not None]
    if all(v == v.to_integral_value() and abs(v) < LARGEST_WHOLE for v in present):
        return pa.array([None if v is None else int(v) for v in values], pa.int64())
    if all(Decimal(repr(float(v))) == v for v in present):
        return pa.array([None if v is None else float(v) for v in values], pa.float64())
    return None


def row_numbers(original: pa.ChunkedArray, column: QuasiColumn) -> NDArray[np.float64]:
    """Read the private number of each row; NaN where it is missing."""
    if column.hierarchy.raw is None:
        return column.hierarchy.position[column.codes]
    encoded = encode(original, column.name)
    texts = encoded.domain.values
    numbers = [np.nan if text is None else or_nan(to_number, text) for text in texts]
    return np.array(numbers, dtype=np.float64)[encoded.codes]


def _means(
    of_row: NDArray[np.int32],
    values: NDArray[np.float64],
    count: int,
    weights: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """Mean of each group; NaN where a value is missing.

    >>> _means(np.array([0, 0]), np.array([1.0, 5.0]), 1, np.array([3, 1])).tolist()
    [2.0]
    """
    inside = of_row >= 0
    times = np.ones(values.size) if weights is None else weights
    summed = np.bincount(of_row[inside], (times * values)[inside], minlength=count)
    return summed / np.bincount(of_row[inside], times[inside], minlength=count)


def _medians(
    of_row: NDArray[np.int32],
    values: NDArray[np.float64],
    count: int,
    weights: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """Median of each group, between two values their mean; NaN where a value is missing.

    >>> _medians(np.array([0, 0]), np.array([1.0, 5.0]), 1, np.array([2, 2])).tolist()
    [3.0]
    """
    inside = np.flatnonzero(of_row >= 0)
    group, place = of_row[inside], values[inside]
    times = np.ones(inside.size, dtype=np.int64) if weights is None else weights[inside]
    order = np.lexsort((place, group))
    missing = np.bincount(group, weights=np.isnan(place), minlength=count)
    ends, place = np.cumsum(times[order]), place[order]
    sizes = np.bincount(group, times, minlength=count).astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    low, high = (
        place[np.searchsorted(ends, starts + middle, side="right")]
        for middle in ((sizes - 1) // 2, sizes // 2)
    )
    return np.where(missing > 0, np.nan, (low + high) / 2)


def number_column(values: NDArray[np.float64]) -> pa.Array:
    """Make a number column, whole where all numbers are; NaN is a null."""
    missing = np.isnan(values)
    present = values[~missing]
    if (present == np.round(present)).all() and (np.abs(present) < LARGEST_EXACT).all():
        return pa.array(np.where(missing, 0, values).astype(np.int64), mask=missing)
    return pa.array(values, mask=missing)
