"""Releasing rows at ever coarser vectors: a class that satisfies becomes a group at once."""

from __future__ import annotations

import numpy as np
from numba import njit

from coarsen._kernels.demands import new_tally, satisfied

BUCKETS = 1 << 14


@njit(cache=True, nogil=True)
def group_coarser(
    sums, parts, vectors, limits, costs, codes, counts, demands, checked, k, group, first_group
):
    """Go through vectors in order and make groups of the classes that satisfy.

    Parameters
    ----------
    sums, parts
        Sums of random numbers of nodes, for each distinct row and each choice of levels of a few
        columns; and which of them make up each vector. Equal rows of a vector have equal sums. Two
        different rows with the same sum would only share a group.
    vectors, limits
        The vectors, cheapest first, and how much a row of a class may cost at each.
    costs, codes
        For each column, level and value, what its node costs; and the values of each distinct row.
    counts
        How many rows each distinct row stands for.
    demands, checked, k
        What a class must satisfy, and whether that is more than a number k of rows; then each
        row stands for itself.
    group
        The group of each distinct row, -1 before; filled in.
    first_group
        The number of the next group.

    Returns
    -------
    int
        The number of the group after the last.
    """
    alive = np.flatnonzero(group < 0)
    left = alive.size
    keys = np.empty(left, dtype=np.uint64)
    buckets = np.zeros(BUCKETS, dtype=np.int64)
    tally = new_tally(demands)
    for place in range(vectors.shape[0]):
        if left == 0:
            break
        buckets[:] = 0
        for i in range(left):
            keys[i] = sums[parts[place, 0], alive[i]]
        for part in range(1, parts.shape[1]):
            which = parts[place, part]
            for i in range(left):
                keys[i] += sums[which, alive[i]]
        for i in range(left):
            buckets[keys[i] >> np.uint64(50)] += counts[alive[i]]
        crowded = 0
        for i in range(left):
            if buckets[keys[i] >> np.uint64(50)] >= k:
                crowded += 1
        if crowded == 0:
            continue
        chosen = np.empty(crowded, dtype=np.int64)
        crowded = 0
        for i in range(left):
            if buckets[keys[i] >> np.uint64(50)] >= k:
                chosen[crowded] = i
                crowded += 1
        order = chosen[np.argsort(keys[chosen])]
        before = first_group
        first_group = _release(
            alive,
            order,
            keys,
            vectors[place],
            limits[place],
            costs,
            codes,
            counts,
            demands,
            checked,
            tally,
            k,
            group,
            first_group,
        )
        if first_group > before:
            kept = 0
            for i in range(left):
                if group[alive[i]] < 0:
                    alive[kept] = alive[i]
                    kept += 1
            left = kept
    return first_group


@njit(cache=True, nogil=True)
def _release(
    alive,
    order,
    keys,
    vector,
    limit,
    costs,
    codes,
    counts,
    demands,
    checked,
    tally,
    k,
    group,
    first_group,
):
    """Make groups of the runs of equal keys that satisfy."""
    start = 0
    while start < order.size:
        stop = start
        total = 0
        while stop < order.size and keys[order[stop]] == keys[order[start]]:
            total += counts[alive[order[stop]]]
            stop += 1
        if (
            total >= k
            and _affordable(costs, codes, vector, alive[order[start]], limit)
            and (not checked or satisfied(demands, tally, alive[order[start:stop]]))
        ):
            for i in range(start, stop):
                group[alive[order[i]]] = first_group
            first_group += 1
        start = stop
    return first_group


@njit(cache=True, nogil=True)
def _affordable(costs, codes, vector, row, limit):
    cost = 0.0
    for column in range(vector.size):
        cost += costs[column, vector[column], codes[row, column]]
    return cost <= limit
