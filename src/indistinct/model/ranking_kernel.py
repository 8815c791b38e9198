"""Numbering equal keys: a hash table over 64-bit keys, and row keys that cannot overflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import njit
from indistinct.kernels.hashing import slot_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LARGEST_KEY = 2**63 - 1
LEAST_SLOTS = 1024


def rank_keys(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Give each distinct key a number; return each key's number, and where each came first."""
    size = LEAST_SLOTS
    while size < 2 * keys.size:
        size *= 2
    numbers, first = np.empty(keys.size, dtype=np.int32), np.empty(keys.size, dtype=np.int64)
    seen = _rank(keys, np.full(size, -1, dtype=np.int32), first, numbers)
    return numbers, first[:seen].copy()


@njit("int64(int64[::1], int32[::1], int64[::1], int32[::1])")
def _rank(
    keys: NDArray[np.int64],
    slots: NDArray[np.int32],
    first: NDArray[np.int64],
    numbers: NDArray[np.int32],
) -> int:
    """Number keys in the order in which they come; return how many different ones there are.

    `slots` are free, and lead to the first of equal keys afterwards.
    """
    seen = 0
    for i in range(keys.size):
        slot = slot_of(slots, keys, keys[i])
        if slots[slot] < 0:
            slots[slot] = i
            first[seen] = i
            numbers[i] = seen
            seen += 1
        else:
            numbers[i] = numbers[slots[slot]]
    return seen


def row_keys(
    columns: Sequence[NDArray[np.int32]], sizes: Sequence[int]
) -> tuple[NDArray[np.int64], int]:
    """Give equal rows equal keys below the returned size, in the order of the first columns.

    Columns are packed as digits of one number; where the next digit would not fit 64 bits, the
    keys so far are replaced by the ranks of their distinct values, which keep their order.
    """
    keys = np.zeros(columns[0].size, dtype=np.int64)
    space = 1
    for codes, size in zip(columns, sizes, strict=True):
        if space > LARGEST_KEY // max(size, 1):
            distinct, keys = np.unique(keys, return_inverse=True)
            space = int(distinct.size)
        keys = keys * size + codes
        space *= size
    return keys, space
