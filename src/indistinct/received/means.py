"""The least and the greatest mean that rows can have of which some may not count.

Which rows count and what they hold is free: each value lies between its ends, and of the rows that
may count any number does. The least mean is reached with every value at its lower end. Of the rows
that may count, those below the mean lower it and the others raise it, so they are taken in rising
order while the next is below the mean of those taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def mean_bounds(
    low: Floats, high: Floats, weight: Floats, certain: NDArray[np.bool_]
) -> tuple[float, float]:
    """Return the least and the greatest weighted mean.

    Parameters
    ----------
    low, high
        The ends of each row's value.
    weight
        How much each row counts, not negative.
    certain
        Whether a row counts for certain; the others may.

    Examples
    --------
    >>> ends = np.array([1.0, 5.0, 9.0])
    >>> mean_bounds(ends, ends, np.ones(3), np.array([False, True, False]))
    (3.0, 7.0)
    """
    return _least(low, weight, certain), -_least(-high, weight, certain)


def _least(values: Floats, weight: Floats, certain: NDArray[np.bool_]) -> float:
    counted = weight > 0
    values, weight, certain = values[counted], weight[counted], certain[counted]
    if not values.size:
        return float("nan")
    if np.isneginf(values).any():
        return float("-inf")
    total = float(weight[certain].sum())
    held = float((values * weight)[certain].sum())
    order = np.flatnonzero(~certain)[np.argsort(values[~certain], kind="stable")]
    for row in order.tolist():
        if total and values[row] >= held / total:
            break
        held += float(values[row] * weight[row])
        total += float(weight[row])
    return held / total
