"""How well a release keeps each column's distribution, taken by itself.

From a release the rows of each ground value are estimated: what is published is spread evenly over
all ground values that it stands for. What two distributions have in common is the sum, over all
values, of the smaller share: one minus their total variation distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.measures.shown import leaves_shown, sets_matched, shown_by
from indistinct.model.recoding import Buckets, Matching

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.measures.shown import Values
    from indistinct.model.forms import Form
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import QuasiColumn, Table


def original_counts(table: Table) -> list[NDArray[np.float64]]:
    """Count for each quasi column the rows of each ground value."""
    return [_counted(column.codes, column.hierarchy.size) for column in table.quasi]


def released_counts(
    table: Table, recoding: Recoding, forms: tuple[Form, ...] = ()
) -> list[NDArray[np.float64]]:
    """Estimate for each quasi column the released rows of each ground value."""
    if isinstance(recoding, Buckets):
        kept = recoding.kept
        return [_counted(column.codes[kept], column.hierarchy.size) for column in table.quasi]
    if isinstance(recoding, Matching):
        places = zip(table.quasi, forms, strict=True)
        return [_matched(column, recoding, form) for column, form in places]
    shown = shown_by(table, recoding, forms)
    rows = np.bincount(shown.of_row[shown.of_row >= 0], minlength=shown.value.shape[0])
    return [
        _spread(values, numbers, rows, column.hierarchy.size)
        for column, values, numbers in zip(table.quasi, shown.values, shown.value.T, strict=True)
    ]


def in_common(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Tell which share two distributions have in common: 1 if they are the same.

    Examples
    --------
    >>> import numpy as np
    >>> in_common(np.array([2, 2]), np.array([3, 1]))
    0.75
    """
    if not before.sum() or not after.sum():
        return 0.0
    return float(np.minimum(before / before.sum(), after / after.sum()).sum())


def _counted(codes: NDArray[np.int32], size: int) -> NDArray[np.float64]:
    return np.bincount(codes, minlength=size).astype(np.float64)


def _spread(
    values: Values, numbers: NDArray[np.int32], rows: NDArray[np.int64], size: int
) -> NDArray[np.float64]:
    """Spread the rows of each published value evenly over its leaves."""
    held = np.bincount(numbers, weights=rows, minlength=values.loss.size) / values.held
    return _over_runs(held.repeat(np.diff(values.first)), values.low, values.high, size)


def _over_runs(
    height: NDArray[np.float64], low: NDArray[np.int32], high: NDArray[np.int32], size: int
) -> NDArray[np.float64]:
    """Add up runs of leaves, each of its own height."""
    rises = np.bincount(low, weights=height, minlength=size + 1)
    rises -= np.bincount(high.astype(np.int64) + 1, weights=height, minlength=size + 1)
    return np.maximum(np.cumsum(rises)[:size], 0.0)


def _matched(column: QuasiColumn, matching: Matching, form: Form) -> NDArray[np.float64]:
    """Spread each published row over the ground values that it covers."""
    size = column.hierarchy.size
    if form == "set":
        numbers, values = sets_matched(column, column.codes[matching.sources])
        return _spread(values, numbers, np.ones(numbers.size, dtype=np.int64), size)
    low, high = leaves_shown(column, form, *matching.bounds(column.codes))
    return _over_runs(1.0 / (high - low + 1), low, high, size)
