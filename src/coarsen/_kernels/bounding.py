"""How near the k nearest rows are to each row."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from coarsen._kernels.spans import span


@njit(cache=True, nogil=True, parallel=True)
def nearest_costs(spans, codes, counts, chosen, k):
    """For each chosen distinct row, the least cost of a span that covers k rows with it.

    Parameters
    ----------
    codes, counts
        The distinct rows, and how many rows each stands for.
    chosen
        The distinct rows to look at.
    """
    found = np.zeros(chosen.size)
    for place in prange(chosen.size):
        row = chosen[place]
        nearest = np.full(k, np.inf)
        for other in range(codes.shape[0]):
            cost = 0.0
            for column in range(codes.shape[1]):
                low, high = codes[row, column], codes[other, column]
                if low > high:
                    low, high = high, low
                cost += span(spans, column, low, high)
                if cost >= nearest[k - 1]:
                    break
            if cost < nearest[k - 1]:
                _keep(nearest, cost, counts[other])
        found[place] = nearest[k - 1]
    return found


@njit(cache=True, nogil=True)
def _keep(nearest, cost, count):
    """Put a cost, as often as it occurs, into the sorted list of the least ones."""
    for _ in range(min(count, nearest.size)):
        if cost >= nearest[-1]:
            return
        place = nearest.size - 1
        while place > 0 and nearest[place - 1] > cost:
            nearest[place] = nearest[place - 1]
            place -= 1
        nearest[place] = cost
