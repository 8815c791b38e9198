"""Which keys stand alone: those of sample uniques, over any combination of columns.

Each key is in one of two states, met once or more often; a row that stands for several counts as
several. A table where keys are small numbers, a hash table where they are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import njit
from indistinct.kernels.hashing import slot_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit("boolean[::1](int64[::1], int64[::1], int64)")
def alone_in_table(
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
    space: int,
) -> NDArray[np.bool_]:
    """Return for each key below `space` whether it stands once, its count being 1."""
    seen = np.zeros(space, dtype=np.uint8)
    for i in range(keys.size):
        if seen[keys[i]] < 2:
            seen[keys[i]] += 1 if counts[i] == 1 else 2
    alone = np.empty(keys.size, dtype=np.bool_)
    for i in range(keys.size):
        alone[i] = seen[keys[i]] == 1
    return alone


@njit("boolean[::1](int64[::1], int64[::1])")
def alone_by_hash(
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return for each key whether it stands once, its count being 1."""
    size = 1024
    while size < 2 * keys.size:
        size *= 2
    slots = np.full(size, -1, dtype=np.int32)
    alone = np.zeros(keys.size, dtype=np.bool_)
    for i in range(keys.size):
        slot = slot_of(slots, keys, keys[i])
        other = slots[slot]
        if other < 0:
            slots[slot] = i
            alone[i] = counts[i] == 1
        else:
            alone[other] = False
    return alone
