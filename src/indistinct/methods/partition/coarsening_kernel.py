"""Releasing rows at ever coarser vectors: a class that satisfies becomes a group at once.

Our own; what ARX's local recoding (Prasser et al.) does with a few vectors of levels is done with
many. Equal rows are one *unit*. Under a vector, the units whose nodes are equal make a class; each
unit has a key, the sum of random numbers of its nodes (Zobrist 1970); equal keys are one class.

What holds between two vectors: a unit is either in a group, for good, or among the first `left` of
`alive`, in the order of units; groups are numbered without gaps, those of one vector in the order
of their keys, so that numbers do not depend on the order of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.sorting import sort_by_key
from indistinct.methods.common.demands_kernel import satisfied

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.asked import Asked

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

    levels: NDArray[np.int64]
    limits: NDArray[np.float64]
    sums: NDArray[np.uint64]
    parts: NDArray[np.int64]
    costs: NDArray[np.float64]


class Units(NamedTuple):
    """What is grouped: distinct rows, or each row by itself where that matters.

    Attributes
    ----------
    codes, counts
        The values of each, and how many rows it stands for.
    group
        The group of each, -1 before it has one.
    """

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    group: NDArray[np.int32]


class Scratch(NamedTuple):
    """Arrays to part classes in.

    Attributes
    ----------
    alive, keys
        The units that are in no group yet, and their keys.
    buckets
        How many rows have keys that begin alike.
    chosen, chosen_keys, classes
        The units that may be in large classes, their keys, and the class of each.
    table
        Classes by their hashes: a power of two, at least twice as many places as units.
    class_keys, class_rows, class_units, begin
        For each class its key, how many rows and units it has, and where its units go on in
        `members` (-1: it is too small).
    large, members
        The large classes by their keys, and their units, class after class.
    """

    alive: NDArray[np.int32]
    keys: NDArray[np.uint64]
    buckets: NDArray[np.int64]
    chosen: NDArray[np.int32]
    chosen_keys: NDArray[np.uint64]
    classes: NDArray[np.int32]
    table: NDArray[np.int32]
    class_keys: NDArray[np.uint64]
    class_rows: NDArray[np.int64]
    class_units: NDArray[np.int32]
    begin: NDArray[np.int64]
    large: NDArray[np.int64]
    members: NDArray[np.int32]


def scratch_for(units: int) -> Scratch:
    """Allocate scratch for so many units."""

    def per_unit(kind: type[np.generic]) -> NDArray[Any]:
        return np.empty(units, dtype=kind)

    places = 1 << max(2 * units - 1, 1).bit_length()
    return Scratch(
        alive=per_unit(np.int32),
        keys=per_unit(np.uint64),
        buckets=np.empty(BUCKETS, dtype=np.int64),
        chosen=per_unit(np.int32),
        chosen_keys=per_unit(np.uint64),
        classes=per_unit(np.int32),
        table=np.empty(places, dtype=np.int32),
        class_keys=per_unit(np.uint64),
        class_rows=per_unit(np.int64),
        class_units=per_unit(np.int32),
        begin=per_unit(np.int64),
        large=per_unit(np.int64),
        members=per_unit(np.int32),
    )


@njit
def group_coarser(
    vectors: Vectors, units: Units, asked: Asked, first_group: int, scratch: Scratch
) -> int:
    """Go through vectors in order and make groups of the classes that satisfy.

    Groups are numbered from `first_group` on; the number after the last is returned.
    """
    group, counts = units.group, units.counts
    alive, keys, large = scratch.alive, scratch.keys, scratch.large
    left = _still_alive(group, alive)
    for place in range(vectors.levels.shape[0]):
        if left == 0:
            break
        _add_up(vectors.sums, vectors.parts, place, alive, left, keys)
        chosen = _choose_crowded(counts, asked.k, left, scratch)
        if chosen == 0:
            continue
        classes = _count_classes(counts, chosen, scratch)
        crowded = np.int64(0)
        for number in range(classes):
            scratch.begin[number] = -1
            if scratch.class_rows[number] >= asked.k:
                large[crowded] = number
                crowded += 1
        if crowded == 0:
            continue
        sort_by_key(scratch.class_keys, large, crowded)
        _list_members(chosen, crowded, scratch)
        before = first_group
        first_group = _release(vectors, place, units, asked, crowded, first_group, scratch)
        if first_group > before:
            left = _still_alive(group, alive)
    return first_group


@inner
def _still_alive(group, alive):
    """List the units that are in no group; return how many these are."""
    left = 0
    for unit in range(group.size):
        if group[unit] < 0:
            alive[left] = unit
            left += 1
    return left


@inner
def _add_up(sums, parts, place, alive, left, keys):
    """Write the keys of a vector."""
    for i in range(left):
        keys[i] = sums[parts[place, 0], alive[i]]
    for part in range(1, parts.shape[1]):
        which = parts[place, part]
        for i in range(left):
            keys[i] += sums[which, alive[i]]


@inner
def _choose_crowded(counts, k, left, scratch):
    """Choose the units in buckets of at least k rows; return how many these are."""
    buckets, alive, keys = scratch.buckets, scratch.alive, scratch.keys
    chosen, chosen_keys = scratch.chosen, scratch.chosen_keys
    for bucket in range(BUCKETS):
        buckets[bucket] = 0
    for i in range(left):
        buckets[keys[i] >> BUCKET_SHIFT] += counts[alive[i]]
    count = 0
    for i in range(left):
        if buckets[keys[i] >> BUCKET_SHIFT] >= k:
            chosen[count] = alive[i]
            chosen_keys[count] = keys[i]
            count += 1
    return count


@inner
def _count_classes(counts, chosen, scratch):
    """Number the classes of equal keys as they are met, and count their rows and units."""
    table, classes, class_keys = scratch.table, scratch.classes, scratch.class_keys
    class_rows, class_units = scratch.class_rows, scratch.class_units
    units, unit_keys = scratch.chosen, scratch.chosen_keys
    places = 2
    while places < 2 * chosen:  # a small part of the table is cleared faster
        places *= 2
    for slot in range(places):
        table[slot] = -1
    last = np.uint64(places - 1)
    count = 0
    for i in range(chosen):
        key = unit_keys[i]
        slot = key & last
        while table[slot] >= 0 and class_keys[table[slot]] != key:
            slot = (slot + np.uint64(1)) & last
        number = np.int64(table[slot])
        if number < 0:
            number = count
            table[slot] = number
            class_keys[number], class_rows[number], class_units[number] = key, 0, 0
            count += 1
        classes[i] = number
        class_rows[number] += counts[units[i]]
        class_units[number] += 1
    return count


@inner
def _list_members(chosen, crowded, scratch):
    """List the units of large classes, class after class; `begin` is then where each ends."""
    begin, large, members = scratch.begin, scratch.large, scratch.members
    end = 0
    for i in range(crowded):
        begin[large[i]] = end
        end += scratch.class_units[large[i]]
    for i in range(chosen):
        number = scratch.classes[i]
        if begin[number] >= 0:
            members[begin[number]] = scratch.chosen[i]
            begin[number] += 1


@inner
def _release(vectors, place, units, asked, crowded, first_group, scratch):
    """Make groups of large classes where they satisfy and their rows are not too dear."""
    codes, group, costs = units.codes, units.group, vectors.costs
    levels, members = vectors.levels, scratch.members
    demands, tally = asked.demands, asked.tally
    start = 0
    for i in range(crowded):
        stop = scratch.begin[scratch.large[i]]
        cost = 0.0
        for column in range(codes.shape[1]):
            cost += costs[column, levels[place, column], codes[members[start], column]]
        if cost <= vectors.limits[place] and satisfied(demands, tally, members[start:stop]):
            for j in range(start, stop):
                group[members[j]] = first_group
            first_group += 1
        start = stop
    return first_group
