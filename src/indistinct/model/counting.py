"""Counting rows that stand one by one, or several in one entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def counted_keys(
    keys: NDArray[np.int64], weights: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys, in order, and how many rows have each.

    >>> keys, counts = counted_keys(np.array([4, 2, 4]), np.array([1, 2, 3]))
    >>> keys.tolist(), counts.tolist()
    ([2, 4], [2, 4])
    """
    if weights is None:
        return np.unique(keys, return_counts=True)
    distinct, place = np.unique(keys, return_inverse=True)
    counts = np.bincount(place.ravel(), weights, minlength=distinct.size)
    return distinct, counts.astype(np.int64)
