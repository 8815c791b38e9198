"""Releasing rows at ever coarser vectors: a class that satisfies becomes a group at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.methods.common.demands_kernel import satisfied

BUCKETS, BUCKET_SHIFT = 1 << 14, np.uint64(50)


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


@njit
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
    room = _room_for_classes(alive.size)
    for place in range(vectors.levels.shape[0]):
        if alive.size == 0:
            break
        _add_up(vectors, place, alive, keys)
        chosen = _crowded(alive, keys, units.counts, asked.k, room)
        if chosen == 0:
            continue
        members, ends = _large_classes(units.counts, asked.k, room, chosen)
        before = first_group
        first_group = _release(vectors, place, units, asked, members, ends, group, first_group)
        if first_group > before:
            alive = _remaining(alive, group)
    return first_group


@inner
def _add_up(vectors, place, alive, keys):
    """Write the sums of a vector."""
    sums, parts = vectors.sums, vectors.parts[place]
    for i in range(alive.size):
        keys[i] = sums[parts[0], alive[i]]
    for part in range(1, parts.size):
        which = parts[part]
        for i in range(alive.size):
            keys[i] += sums[which, alive[i]]


class _Room(NamedTuple):
    """Room to tell classes apart.

    Attributes
    ----------
    buckets
        How many rows have keys that begin alike.
    chosen, keys, classes
        The units that may be in large classes, their keys, and the class of each.
    table
        Classes by their hashes.
    key, rows, size
        The key of each class, and how many rows and units it has.
    """

    buckets: np.ndarray
    chosen: np.ndarray
    keys: np.ndarray
    classes: np.ndarray
    table: np.ndarray
    key: np.ndarray
    rows: np.ndarray
    size: np.ndarray


@inner
def _room_for_classes(units):
    return _Room(
        np.empty(BUCKETS, dtype=np.int64),
        np.empty(units, dtype=np.int32),
        np.empty(units, dtype=np.uint64),
        np.empty(units, dtype=np.int32),
        np.empty(_table_size(units), dtype=np.int32),
        np.empty(units, dtype=np.uint64),
        np.empty(units, dtype=np.int64),
        np.empty(units, dtype=np.int32),
    )


@njit
def _crowded(alive, keys, counts, k, room):
    """Choose the units in buckets of at least k rows; return how many these are."""
    buckets = room.buckets
    buckets[:] = 0
    for i in range(alive.size):
        buckets[keys[i] >> BUCKET_SHIFT] += counts[alive[i]]
    found = 0
    for i in range(alive.size):
        if buckets[keys[i] >> BUCKET_SHIFT] >= k:
            room.chosen[found] = alive[i]
            room.keys[found] = keys[i]
            found += 1
    return found


@inner
def _table_size(units):
    """Return a power of two that leaves half of the table free."""
    size = 2
    while size < 2 * units:
        size *= 2
    return size


@inner
def _count_classes(counts, room, chosen):
    """Number the classes of equal keys as they are met, and count their rows and units."""
    table = room.table[: _table_size(chosen)]
    table[:] = -1
    last = np.uint64(table.size - 1)
    found = 0
    for i in range(chosen):
        key = room.keys[i]
        slot = key & last
        while table[slot] >= 0 and room.key[table[slot]] != key:
            slot = (slot + np.uint64(1)) & last
        number = table[slot]
        if number < 0:
            number = table[slot] = found
            room.key[number], room.rows[number], room.size[number] = key, 0, 0
            found += 1
        room.classes[i] = number
        room.rows[number] += counts[room.chosen[i]]
        room.size[number] += 1
    return found


@inner
def _large_classes(counts, k, room, chosen):
    """Return the units of classes of at least k rows, by their keys, and where each class ends."""
    found = _count_classes(counts, room, chosen)
    large = np.flatnonzero(room.rows[:found] >= k)
    large = large[np.argsort(room.key[large])]
    ends = np.empty(large.size, dtype=np.int64)
    begin = np.full(found, -1, dtype=np.int64)
    end = 0
    for place in range(large.size):
        begin[large[place]] = end
        end += room.size[large[place]]
        ends[place] = end
    members = np.empty(end, dtype=np.int32)
    for i in range(chosen):
        number = room.classes[i]
        if begin[number] >= 0:
            members[begin[number]] = room.chosen[i]
            begin[number] += 1
    return members, ends


@njit
def _release(vectors, place, units, asked, members, ends, group, first_group):
    """Make groups of classes where they satisfy."""
    codes, demands, tally = units.codes, asked.demands, asked.tally
    start = 0
    for number in range(ends.size):
        stop = ends[number]
        if _affordable(vectors, place, codes[members[start]]) and satisfied(
            demands, tally, members[start:stop]
        ):
            for i in range(start, stop):
                group[members[i]] = first_group
            first_group += 1
        start = stop
    return first_group


@njit
def _affordable(vectors, place, codes):
    """Tell whether a row costs no more than it may at a vector."""
    cost = 0.0
    for column in range(codes.size):
        cost += vectors.costs[column, vectors.levels[place, column], codes[column]]
    return cost <= vectors.limits[place]


@inner
def _remaining(alive, group):
    """Keep the units that are still in no group."""
    kept = 0
    for i in range(alive.size):
        if group[alive[i]] < 0:
            alive[kept] = alive[i]
            kept += 1
    return alive[:kept]
