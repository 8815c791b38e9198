"""Copying arrays.

`target[:] = source` does the same, but numba compiles with it the words of an error that cannot
happen here, which takes seconds.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner, njit


@inner
def copy_into(target, source):
    """Write an array over the beginning of another one."""
    for i in range(source.size):
        target[i] = source[i]


@njit
def doubled(array):
    """Return an array that begins like one, and has room for as much again and one more."""
    longer = np.empty(2 * array.size + 1, dtype=array.dtype)
    copy_into(longer, array)
    return longer
