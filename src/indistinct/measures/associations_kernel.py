"""Joint counts of all pairs of columns at once, from rows that are mostly zeros.

For associations between columns (Cramér's V): a published value counts with a share in each bin
that it could stand for, so a row holds few bins, and only pairs of these are added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit
def add_products(
    products: NDArray[np.float64],
    rows: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> None:
    """Add the weighted outer product of each row with itself, above the diagonal.

    Parameters
    ----------
    products
        The sums; changed in place.
    rows
        Shares of a kind of rows in each bin of each column, bins of all columns side by side.
    weights
        How many rows are of the kind.
    """
    width = rows.shape[1]
    held = np.empty(width, dtype=np.int64)
    for row in range(rows.shape[0]):
        count = 0
        for place in range(width):
            if rows[row, place] != 0.0:
                held[count] = place
                count += 1
        for i in range(count):
            one = weights[row] * rows[row, held[i]]
            for j in range(i + 1, count):
                products[held[i], held[j]] += one * rows[row, held[j]]
