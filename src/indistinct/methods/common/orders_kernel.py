"""Putting rows in one dimension, in which near rows stay near.

`hilbert_words` is the transform of Skilling 2004 ("Programming the Hilbert curve");
`nearest_centres` the first half of iDistance (Zhang et al. 2005). Mappings of Ghinita, Karras,
Kalnis, Mamoulis 2009, section 6.1. Every order depends on codes alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit
def hilbert_words(
    points: NDArray[np.uint32], bits: int, words: NDArray[np.uint64], x: NDArray[np.uint32]
) -> None:
    """Write the place of each point on a Hilbert curve, as words from the most significant on.

    Skilling's transform ("Programming the Hilbert curve", 2004): coordinates are turned into the
    bits of the place, transposed; these are then laid in a row from the top of the first word.
    `x` is written in: the coordinates of one point.
    """
    dimensions = points.shape[1]
    one = np.uint32(1)
    for row in range(points.shape[0]):
        for i in range(dimensions):
            x[i] = points[row, i]
        q = one << np.uint32(bits - 1)
        while q > one:
            mask = q - one
            for i in range(dimensions):
                if x[i] & q:
                    x[0] ^= mask
                else:
                    swap = (x[0] ^ x[i]) & mask
                    x[0] ^= swap
                    x[i] ^= swap
            q >>= one
        for i in range(1, dimensions):
            x[i] ^= x[i - 1]
        flip = np.uint32(0)
        q = one << np.uint32(bits - 1)
        while q > one:
            if x[dimensions - 1] & q:
                flip ^= q - one
            q >>= one
        for i in range(dimensions):
            x[i] ^= flip
        word, left, held = 0, 64, np.uint64(0)
        for bit in range(bits - 1, -1, -1):
            for i in range(dimensions):
                left -= 1
                held |= np.uint64((x[i] >> np.uint32(bit)) & one) << np.uint64(left)
                if left == 0:
                    words[word, row] = held
                    word, left, held = word + 1, 64, np.uint64(0)
        if left < 64:
            words[word, row] = held


@njit
def nearest_centres(
    points: NDArray[np.float64],
    centres: NDArray[np.float64],
    nearest: NDArray[np.int64],
    distance: NDArray[np.float64],
) -> None:
    """Find the centre nearest to each point, the first of equal ones, and how far it is."""
    for row in range(points.shape[0]):
        least, best = np.inf, 0
        for centre in range(centres.shape[0]):
            apart = 0.0
            for i in range(points.shape[1]):
                step = points[row, i] - centres[centre, i]
                apart += step * step
                if apart >= least:
                    break
            if apart < least:
                least, best = apart, centre
        nearest[row] = best
        distance[row] = np.sqrt(least)
