"""How many rows entries stand for: weights, or none at all where each entry is one row."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner


@inner
def weight_of(weights, entry):
    """Return how many rows an entry stands for."""
    return weights[entry] if weights.size else np.int64(1)


@inner
def rows_in(weights, entries):
    """Return how many rows some entries stand for."""
    if not weights.size:
        return entries.size
    total = np.int64(0)
    for i in range(entries.size):
        total += weights[entries[i]]
    return total
