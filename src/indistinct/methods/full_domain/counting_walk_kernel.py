"""Splitting the classes of a prefix of columns by one more column: one step of a lattice walk.

Optimal full-domain recoding walks vectors of levels column by column (as `optimal` does, and
Incognito of LeFevre, DeWitt and Ramakrishnan 2005 for its frequency sets): the classes of a prefix
of columns are kept, and the next column at some level splits them. Counting suffices where only k
is asked for.

Invariants: a class below k rows stays so whatever further columns do, and what a row costs can only
grow, so rows of classes that are too small or too dear are dropped for good; distinct rows of the
longer prefix are numbered so that each has one of the shorter (`up`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import njit
from indistinct.kernels.hashing import slot_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEP = (
    "Tuple((int32[::1], float64[::1], int64, float64))"
    "(int32[::1], int32[::1], int64[::1], int32[::1], float64[::1],"
    " int32[::1], float64[::1], int64, float64)"
)


@njit(_STEP)
def refine(
    up: NDArray[np.int32],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    nodes: NDArray[np.int32],
    node_cost: NDArray[np.float64],
    parent_class: NDArray[np.int32],
    parent_cost: NDArray[np.float64],
    k: int,
    most: float,
) -> tuple[NDArray[np.int32], NDArray[np.float64], int, float]:
    """Split classes by one more column; drop those of fewer than k rows, or too dear ones.

    Parameters
    ----------
    up
        For each distinct row over the longer prefix, its distinct row over the shorter one.
    codes, counts
        The new column's code and the number of table rows, per distinct row.
    nodes, node_cost
        The node of each code on the chosen level, and what publishing a cell as that node costs.
    parent_class, parent_cost
        The class of each shorter distinct row (-1 where it was dropped), the cost of each class.
    k
        The smallest class that stays.
    most
        What a row of a class that stays may cost.

    Returns
    -------
    tuple
        The class of each longer distinct row (-1 where dropped), the cost per row of each class,
        the number of rows dropped, the summed cost of the rows that stay.
    """
    rows = codes.size
    width = node_cost.size
    space = parent_cost.size * width
    dense = space <= 4 * rows + 1024
    size = 1024
    if dense:
        size = max(space, 1)
    else:
        while size < 2 * rows:
            size *= 2
    slots = np.full(size, -1, dtype=np.int32)
    keys = np.empty(rows, dtype=np.int64)
    sizes = np.zeros(rows, dtype=np.int64)
    classes = np.empty(rows, dtype=np.int32)
    seen = 0
    dropped = 0
    for i in range(rows):
        above = parent_class[up[i]]
        if above < 0:
            classes[i] = -1
            dropped += counts[i]
            continue
        key = np.int64(above) * width + nodes[codes[i]]
        slot = key if dense else slot_of(slots, keys, key)
        number = slots[slot]
        if number < 0:
            number = seen
            slots[slot] = seen
            keys[seen] = key
            seen += 1
        classes[i] = number
        sizes[number] += counts[i]
    renumbered = np.empty(seen, dtype=np.int32)
    cost = np.empty(seen, dtype=np.float64)
    kept = 0
    total = 0.0
    for number in range(seen):
        key = keys[number]
        spent = parent_cost[key // width] + node_cost[key % width]
        if sizes[number] < k or spent > most:
            renumbered[number] = -1
            dropped += sizes[number]
        else:
            renumbered[number] = kept
            cost[kept] = spent
            total += sizes[number] * cost[kept]
            kept += 1
    for i in range(rows):
        if classes[i] >= 0:
            classes[i] = renumbered[classes[i]]
    return classes, cost[:kept].copy(), dropped, total
