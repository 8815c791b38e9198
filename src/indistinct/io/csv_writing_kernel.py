"""Writing rows of numbered labels as text.

Labels are rendered once, each with what follows it; a row of the file is then a copy of bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RENDER = "uint8[::1](int64[::1], int32[:, ::1], int64[::1], uint8[::1], int64)"


@njit(_RENDER)
def render(
    rows: NDArray[np.int64],
    labels: NDArray[np.int32],
    starts: NDArray[np.int64],
    text: NDArray[np.uint8],
    widest: int,
) -> NDArray[np.uint8]:
    """Write the cells of some rows one after the other.

    Parameters
    ----------
    rows
        Which rows to write, in this order.
    labels
        For each row and column, the number of its label among all labels of all columns.
    starts
        Where each label begins in `text`, and where the last one ends.
    text
        All labels, each with the delimiter or line end that follows it.
    widest
        How many bytes a row may take at most.
    """
    out = np.empty(rows.size * widest, dtype=np.uint8)
    place = 0
    for i in range(rows.size):
        row = rows[i]
        for column in range(labels.shape[1]):
            label = labels[row, column]
            start = starts[label]
            size = starts[label + 1] - start
            for byte in range(size):
                out[place + byte] = text[start + byte]
            place += size
    return out[:place].copy()
