"""Cells of entries by the numbers that they go by: what statements of all engines have in common.

The bins of a cell are the digits of a number, or of several where one has no room for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.engine.base import Cells
from indistinct.engine.statements import digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Bins = Sequence[NDArray[np.int32]]


def size_of(of_code: NDArray[np.int32]) -> int:
    """Return how many bins there are."""
    return int(of_code.max(initial=0)) + 1


def digits_of(bins: Bins) -> list[list[tuple[int, int]]]:
    """Say of which bins the numbers consist that a cell goes by, and times what."""
    return digits([size_of(of_code) for of_code in bins])


def keys_of(cells: Cells, bins: Bins) -> list[NDArray[np.int64]]:
    """Return the numbers that each cell goes by."""
    return [
        np.sum([cells.bins[place].astype(np.int64) * space for place, space in word], axis=0)
        for word in digits_of(bins)
    ]


def cells_of(
    keys: Sequence[NDArray[np.int64]],
    entries: NDArray[np.int64],
    rows: NDArray[np.int64],
    bins: Bins,
) -> Cells:
    """Read cells by the numbers that they go by, and put them in order."""
    order = np.lexsort(list(keys))
    of_cell = [np.zeros(0, dtype=np.int32)] * len(bins)
    for key, word in zip(keys, digits_of(bins), strict=True):
        for place, space in word:
            of_cell[place] = (key[order] // space % size_of(bins[place])).astype(np.int32)
    return Cells(tuple(of_cell), entries[order], rows[order])
