"""A hash table of open addressing: where a key is, or goes.

`slots` has a power of two of places, at least twice as many as there are keys. Each holds -1 or
the place of its key in an array of keys; so whoever fills it decides what else it knows of a key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIX = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: times this, near keys are far apart (Knuth, section 6.4)."""


@inner
def slot_of(slots: NDArray[np.int32], keys: NDArray[np.int64], key: int) -> np.int64:
    """Return the slot that leads to a key, or the free one where it goes."""
    mask = slots.size - 1
    slot = np.int64((np.uint64(key) * MIX) >> np.uint64(32)) & mask
    while slots[slot] >= 0 and keys[slots[slot]] != key:
        slot = (slot + 1) & mask
    return slot
