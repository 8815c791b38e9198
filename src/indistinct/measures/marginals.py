"""How well a release keeps each column's distribution, taken by itself.

From a release the rows of each ground value are estimated: what is published is spread evenly over
all ground values that it stands for. What two distributions have in common is the sum, over all
values, of the smaller share: one minus their total variation distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.recoding import Recoding
    from indistinct.model.shown import Values
    from indistinct.model.table import Table


def original_counts(table: Table) -> list[NDArray[np.float64]]:
    """Count for each quasi column the rows of each ground value."""
    return [
        table.rows_by(column.codes, column.hierarchy.size).astype(np.float64)
        for column in table.quasi
    ]


def released_counts(
    table: Table, recoding: Recoding, forms: tuple[Form, ...] = ()
) -> list[NDArray[np.float64]]:
    """Estimate for each quasi column the released rows of each ground value."""
    shown = recoding.shown(table, forms)
    rows = shown.sizes
    return [
        _spread(values, numbers, rows, column.hierarchy.size)
        for column, values, numbers in zip(table.quasi, shown.values, shown.value.T, strict=True)
    ]


def in_common(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return which share two distributions have in common: 1 if they are the same.

    Examples
    --------
    >>> import numpy as np
    >>> in_common(np.array([2, 2]), np.array([3, 1]))
    0.75
    """
    if not before.sum() or not after.sum():
        return 0.0
    return float(np.minimum(before / before.sum(), after / after.sum()).sum())


def _spread(
    values: Values, numbers: NDArray[np.int32], rows: NDArray[np.int64], size: int
) -> NDArray[np.float64]:
    """Spread the rows of each published value evenly over its leaves."""
    held = np.bincount(numbers, weights=rows, minlength=values.count) / values.held
    return _over_runs(held.repeat(np.diff(values.first)), values.low, values.high, size)


def _over_runs(
    height: NDArray[np.float64], low: NDArray[np.int32], high: NDArray[np.int32], size: int
) -> NDArray[np.float64]:
    """Add up runs of leaves, each of its own height."""
    rises = np.bincount(low, weights=height, minlength=size + 1)
    rises -= np.bincount(high.astype(np.int64) + 1, weights=height, minlength=size + 1)
    return np.maximum(np.cumsum(rises)[:size], 0.0)
