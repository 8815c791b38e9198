"""Which of many classes covers a row: one bit per class, classes in the order of their loss.

Applying a recoding to new rows: of the classes that cover a row in every column, the one that loses
least takes it. A row of bits for each value of each column says which classes cover the value; the
first bit that all columns of a row share is the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit
def fill_bits(
    bits: NDArray[np.uint64],
    first_value: int,
    cells: NDArray[np.int32],
    run_first: NDArray[np.int64],
    run_start: NDArray[np.int64],
    run_stop: NDArray[np.int64],
) -> None:
    """Set, for every value of a column, the bits of the classes whose cell covers it.

    Parameters
    ----------
    bits
        A row of words for each value of each column; those of this column begin at `first_value`.
    cells
        The cell of each class.
    run_first, run_start, run_stop
        The runs of values that each cell covers: those from `run_first[cell]` on.
    """
    for place in range(cells.size):
        word, bit = place >> 6, np.uint64(1) << np.uint64(place & 63)
        cell = cells[place]
        for run in range(run_first[cell], run_first[cell + 1]):
            for value in range(run_start[run], run_stop[run]):
                bits[first_value + value, word] |= bit


@njit
def first_covering(
    values: NDArray[np.int32],
    bits: NDArray[np.uint64],
    alive: NDArray[np.uint64],
    first_class: int,
    of_row: NDArray[np.int32],
) -> None:
    """Find for each row that has none yet the first class alive that covers it.

    Parameters
    ----------
    values
        For each row and column its row of `bits`.
    alive
        The bits of the classes that may take rows.
    first_class
        The number of the class of the first bit.
    of_row
        The class of each row, -1 where it has none; changed in place.
    """
    columns = values.shape[1]
    for row in range(values.shape[0]):
        if of_row[row] >= 0:
            continue
        for word in range(alive.size):
            shared = alive[word]
            for column in range(columns):
                if shared == 0:
                    break
                shared &= bits[values[row, column], word]
            if shared != 0:
                bit = 0
                while (shared >> np.uint64(bit)) & np.uint64(1) == 0:
                    bit += 1
                of_row[row] = first_class + (word << 6) + bit
                break
