"""How near the k nearest rows are to each row: a lower bound for the loss of any partition.

A row is published with at least k - 1 others, in a span that covers them all; whoever these are,
the span costs at least what the k-th nearest row alone makes it cost. Likewise where rows of so
many different sensitive values must be among them.

Invariants: the heap holds the nearest rows seen so far, the farthest on top, and only as many as
make up k rows of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays


@njit
def nearest_costs(
    spans: SpanArrays,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    columns: NDArray[np.int64],
    chosen: NDArray[np.int64],
    k: int,
) -> NDArray[np.float64]:
    """For each chosen distinct row, the least cost of a span that covers k rows with it.

    The nearest rows seen so far are kept in a heap, the farthest on top, and only as many as make
    up k; so a row costs the logarithm of k at most, and most are given up before all their columns
    are added.

    Parameters
    ----------
    codes, counts
        The distinct rows, and how many rows each stands for.
    columns
        The columns that count.
    chosen
        The distinct rows to look at.
    """
    nearest = np.zeros(chosen.size)
    capacity = min(k, codes.shape[0]) + 1
    for place in range(chosen.size):
        row = chosen[place]
        costs, held = np.empty(capacity), np.empty(capacity, dtype=np.int64)
        size, rows = 0, 0
        for other in range(codes.shape[0]):
            limit = costs[0] if rows >= k else np.inf
            cost = _cost_below(limit, spans, columns, codes[row], codes[other])
            if cost < limit:
                size = _push(costs, held, size, cost, counts[other])
                rows += counts[other]
                while rows - held[0] >= k:
                    rows -= held[0]
                    size = _pop(costs, held, size)
        nearest[place] = costs[0] if rows >= k else np.inf
    return nearest


@njit
def diverse_costs(
    spans: SpanArrays,
    codes: NDArray[np.int32],
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]],
    columns: NDArray[np.int64],
    chosen: NDArray[np.int64],
    least: int,
) -> NDArray[np.float64]:
    """For each chosen distinct row, the least cost of a span that covers so many values with it.

    Parameters
    ----------
    pairs
        The distinct pairs of a distinct row and a sensitive value, the values numbered from 0.
    """
    rows, values = pairs
    nearest = np.empty(values.max() + 1)
    costs = np.zeros(chosen.size)
    for place in range(chosen.size):
        nearest[:] = np.inf
        row = codes[chosen[place]]
        for pair in range(rows.size):
            value = values[pair]
            cost = _cost_below(nearest[value], spans, columns, row, codes[rows[pair]])
            nearest[value] = min(nearest[value], cost)
        costs[place] = np.sort(nearest)[least - 1] if least <= nearest.size else np.inf
    return costs


@inner
def _cost_below(limit, spans, columns, one, two):
    """Add up what the span of two rows costs; whatever is not below the limit comes out so."""
    cost = 0.0
    for column in columns:
        low, high = one[column], two[column]
        if low > high:
            low, high = high, low
        cost += span(spans, column, low, high)
        if cost >= limit:
            break
    return cost


@njit
def _push(costs, held, size, cost, count):
    """Put a cost with its rows into the heap."""
    place = size
    while place > 0:
        above = (place - 1) // 2
        if costs[above] >= cost:
            break
        costs[place], held[place] = costs[above], held[above]
        place = above
    costs[place], held[place] = cost, count
    return size + 1


@inner
def _pop(costs, held, size):
    """Take the largest cost out of the heap."""
    size -= 1
    cost, count = costs[size], held[size]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and costs[below + 1] > costs[below]:
            below += 1
        if costs[below] <= cost:
            break
        costs[place], held[place] = costs[below], held[below]
        place = below
    costs[place], held[place] = cost, count
    return size
