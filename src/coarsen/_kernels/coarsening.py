"""Releasing rows at ever coarser vectors: a class that satisfies becomes a group at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from coarsen._kernels.demands import satisfied

BUCKETS = 1 << 14


class Vectors(NamedTuple):
    """Vectors, cheapest first, and what makes the classes of each.

    Attributes
    ----------
    levels, limits
        The level of each column, and how much a row of a class may cost.
    sums, parts
        Sums of random numbers of nodes, for each choice of levels of a few columns and each unit;
        and which of them make up each vector. Units of one class have equal sums. Two classes with
        the same sum would only share a group.
    costs
        For each column, level and value, what its node costs.
    """

    levels: np.ndarray
    limits: np.ndarray
    sums: np.ndarray
    parts: np.ndarray
    costs: np.ndarray


class Units(NamedTuple):
    """What is grouped: distinct rows, or each row by itself where that matters.

    Attributes
    ----------
    codes, counts
        The values of each, and how many rows it stands for.
    """

    codes: np.ndarray
    counts: np.ndarray


@njit(cache=True, nogil=True)
def group_coarser(vectors, units, asked, group, first_group):
    """Go through vectors in order and make groups of the classes that satisfy.

    Parameters
    ----------
    group
        The group of each unit, -1 before; filled in.
    first_group
        The number of the next group.

    Returns
    -------
    int
        The number of the group after the last.
    """
    alive = np.flatnonzero(group < 0)
    keys = np.empty(alive.size, dtype=np.uint64)
    buckets = np.empty(BUCKETS, dtype=np.int64)
    for place in range(vectors.levels.shape[0]):
        if alive.size == 0:
            break
        _add_up(vectors, place, alive, keys)
        chosen, chosen_keys = _crowded(alive, keys, units.counts, asked.k, buckets)
        if chosen.size == 0:
            continue
        before = first_group
        first_group = _release(
            vectors, place, units, asked, chosen, chosen_keys, group, first_group
        )
        if first_group > before:
            alive = _remaining(alive, group)
    return first_group


@njit(cache=True, nogil=True)
def _add_up(vectors, place, alive, keys):
    """Write the sums of a vector."""
    sums, parts = vectors.sums, vectors.parts[place]
    for i in range(alive.size):
        keys[i] = sums[parts[0], alive[i]]
    for part in range(1, parts.size):
        which = parts[part]
        for i in range(alive.size):
            keys[i] += sums[which, alive[i]]


@njit(cache=True, nogil=True)
def _crowded(alive, keys, counts, k, buckets):
    """Return the units in buckets of at least k rows, sorted by key, and their keys."""
    buckets[:] = 0
    for i in range(alive.size):
        buckets[keys[i] >> np.uint64(50)] += counts[alive[i]]
    found = 0
    for i in range(alive.size):
        found += buckets[keys[i] >> np.uint64(50)] >= k
    chosen = np.empty(found, dtype=np.int32)
    chosen_keys = np.empty(found, dtype=np.uint64)
    found = 0
    for i in range(alive.size):
        if buckets[keys[i] >> np.uint64(50)] >= k:
            chosen[found] = alive[i]
            chosen_keys[found] = keys[i]
            found += 1
    order = np.argsort(chosen_keys)
    return chosen[order], chosen_keys[order]


@njit(cache=True, nogil=True)
def _release(vectors, place, units, asked, chosen, keys, group, first_group):
    """Make groups of the chosen units with equal keys where they satisfy."""
    counts, codes, demands, tally = units.counts, units.codes, asked.demands, asked.tally
    start = 0
    while start < chosen.size:
        stop = start
        total = 0
        while stop < chosen.size and keys[stop] == keys[start]:
            total += counts[chosen[stop]]
            stop += 1
        if (
            total >= asked.k
            and _affordable(vectors, place, codes[chosen[start]])
            and (not asked.checked or satisfied(demands, tally, chosen[start:stop]))
        ):
            for i in range(start, stop):
                group[chosen[i]] = first_group
            first_group += 1
        start = stop
    return first_group


@njit(cache=True, nogil=True)
def _affordable(vectors, place, codes):
    """Tell whether a row costs no more than it may at a vector."""
    cost = 0.0
    for column in range(codes.size):
        cost += vectors.costs[column, vectors.levels[place, column], codes[column]]
    return cost <= vectors.limits[place]


@njit(cache=True, nogil=True)
def _remaining(alive, group):
    """Keep the units that are still in no group."""
    kept = 0
    for i in range(alive.size):
        if group[alive[i]] < 0:
            alive[kept] = alive[i]
            kept += 1
    return alive[:kept]
