"""Judging classes by the histogram of their sensitive values, and how much of one could stand.

Every rule says of a class whether it satisfies, and how many of its rows could at most belong to
parts of it that satisfy (its *capacity*). Both are needed because most models are closed under
unions only: a failing class may split into parts that satisfy, but those parts together satisfy
too, so they cannot hold more rows than the largest satisfying part of the class.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DISTINCT, ENTROPY, RECURSIVE, FREQUENCY, SHARE, EQUAL, ORDERED, HIERARCHICAL = range(8)
SLACK = 1e-9


@njit("float64(int64[::1], int64, float64)", cache=True, nogil=True)
def _capped(counts, size, cap):
    """Count the rows left when no value may have more than `cap` of them."""
    left = 0.0
    for i in range(size):
        left += min(float(counts[i]), cap)
    return left


@njit("int64(int64[::1], int64, int64, float64)", cache=True, nogil=True)
def _frequency_capacity(counts, size, total, diversity):
    """Return the most rows of which no value has more than 1/l."""
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        if _capped(counts, size, middle / diversity) >= middle - SLACK:
            low = middle
        else:
            high = middle - 1
    return low


@njit("int64(int64[::1], int64[::1], boolean[::1], int64, int64, float64)", cache=True, nogil=True)
def _share_capacity(counts, values, watched, size, total, share):
    """Return the most rows of which no watched value has more than its share."""
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        left = 0.0
        for i in range(size):
            count = float(counts[i])
            left += min(count, share * middle) if watched[values[i]] else count
        if left >= middle - SLACK:
            low = middle
        else:
            high = middle - 1
    return low


@njit("float64(int64[::1], int64, float64)", cache=True, nogil=True)
def _effective_number(counts, size, cap):
    """exp(entropy) of the counts cut off at `cap`."""
    total = _capped(counts, size, cap)
    entropy = 0.0
    for i in range(size):
        share = min(float(counts[i]), cap) / total
        if share > 0:
            entropy -= share * np.log(share)
    return np.exp(entropy)


@njit("int64(int64[::1], int64, int64, float64)", cache=True, nogil=True)
def _entropy_capacity(counts, size, total, diversity):
    """Return the most rows whose entropy reaches log l: cut off the largest counts."""
    if size + SLACK < diversity:
        return 0
    low, high = 0.0, 0.0
    for i in range(size):
        high = max(high, float(counts[i]))
    while high - low > 0.25:
        middle = (low + high) / 2
        if _effective_number(counts, size, middle) + SLACK >= diversity:
            low = middle
        else:
            high = middle
    return min(total, np.int64(np.ceil(_capped(counts, size, high))))


@njit("int64(int64[::1], int64, float64, int64, int64)", cache=True, nogil=True)
def _recursive_capacity(counts, size, factor, diversity, total):
    """Return the most rows with r1 < c (r_l + ... + r_m); `counts` fall."""
    if size < diversity:
        return 0
    low, high = 0, counts[0]
    while low < high:
        middle = (low + high + 1) // 2
        tail = 0
        for i in range(diversity - 1, size):
            tail += min(counts[i], middle)
        if middle < factor * tail - SLACK:
            low = middle
        else:
            high = middle - 1
    return min(np.int64(_capped(counts, size, float(low))), total)


@njit("int64(int64[::1], int64[::1], float64[::1], int64, int64, float64)", cache=True, nogil=True)
def _close_capacity(counts, values, shares, size, total, closeness):
    """Return the most rows within variational distance t of the table's shares."""
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        common = 0.0
        for i in range(size):
            common += min(float(counts[i]), shares[values[i]] * middle)
        if common >= (1.0 - closeness) * middle - SLACK * middle:
            low = middle
        else:
            high = middle - 1
    return low


@njit("float64(int64[::1], float64[::1], int64)", cache=True, nogil=True)
def _ordered_distance(histogram, shares, total):
    """Earth mover's distance where neighbouring values are 1/(m-1) apart."""
    if shares.size < 2:
        return 0.0
    carried, moved = 0.0, 0.0
    for value in range(shares.size - 1):
        carried += histogram[value] / total - shares[value]
        moved += abs(carried)
    return moved / (shares.size - 1)


@njit("float64(int64[::1], float64[::1], int64, int32[:, ::1])", cache=True, nogil=True)
def _hierarchical_distance(histogram, shares, total, tree):
    """Earth mover's distance where values are as far apart as their common node is high."""
    height = tree.shape[0] - 1
    if height < 1:
        return 0.0
    moved = 0.0
    extra = np.empty(shares.size)
    for value in range(shares.size):
        extra[value] = histogram[value] / total - shares[value]
    nodes = shares.size
    for level in range(1, height + 1):
        above = tree[level].max() + 1
        surplus = np.zeros(above)
        lack = np.zeros(above)
        seen = np.zeros(nodes, dtype=np.bool_)
        for value in range(shares.size):
            below = tree[level - 1, value]
            if not seen[below]:
                seen[below] = True
                if extra[below] > 0:
                    surplus[tree[level, value]] += extra[below]
                else:
                    lack[tree[level, value]] -= extra[below]
        for node in range(above):
            moved += level / height * min(surplus[node], lack[node])
            extra[node] = surplus[node] - lack[node]
        nodes = above
    return moved


@njit(cache=True, nogil=True)
def _judge_one(
    kind, first, second, watched, shares, tree, histogram, values, counts, size, total, heads, bound
):
    """Return whether a class satisfies one rule and, if asked, its capacity."""
    if kind == DISTINCT:
        fine = size >= first
        return fine, total if fine else 0
    if kind == ENTROPY:
        if _effective_number(counts, size, float(total)) + SLACK >= first:
            return True, total
        if not bound:
            return False, 0
        return False, min(total - 1, _entropy_capacity(counts, size, total, first))
    if kind == RECURSIVE:
        falling = -np.sort(-counts[:size])
        tail = falling[np.int64(second) - 1 :].sum() if size >= second else 0
        if size >= second and falling[0] < first * tail - SLACK:
            return True, total
        if not bound:
            return False, 0
        capacity = _recursive_capacity(falling, size, first, np.int64(second), total)
        return False, min(total - 1, capacity)
    if kind == FREQUENCY:
        if counts[:size].max() * first <= heads + SLACK:
            return True, total
        if not bound:
            return False, 0
        return False, min(total - 1, _frequency_capacity(counts, size, total, first))
    if kind == SHARE:
        fine = True
        for i in range(size):
            if watched[values[i]] and counts[i] > first * heads + SLACK:
                fine = False
        if fine:
            return True, total
        if not bound:
            return False, 0
        return False, min(total - 1, _share_capacity(counts, values, watched, size, total, first))
    if kind == EQUAL:
        distance, slowest = 0.0, 1.0
        for i in range(size):
            distance += max(0.0, counts[i] / total - shares[values[i]])
    elif kind == ORDERED:
        distance, slowest = _ordered_distance(histogram, shares, total), max(shares.size - 1, 1)
    else:
        distance = _hierarchical_distance(histogram, shares, total, tree)
        slowest = max(tree.shape[0] - 1, 1)
    if distance <= first + SLACK:
        return True, total
    if not bound:
        return False, 0
    closeness = min(1.0, first * slowest)
    return False, min(total - 1, _close_capacity(counts, values, shares, size, total, closeness))


_JUDGE = (
    "Tuple((boolean[::1], int64[::1]))"
    "(int32[::1], int64, int64[::1], int32[::1], int32[::1], int64[::1],"
    " int64[::1], float64[:, ::1], boolean[:, ::1], float64[::1], int32[:, ::1])"
)


@njit(_JUDGE, cache=True, nogil=True)
def judge(
    row_class,
    classes,
    people,
    pair_row,
    pair_value,
    pair_count,
    kinds,
    numbers,
    watched,
    shares,
    tree,
):
    """Judge every class by the values of one sensitive column.

    Parameters
    ----------
    row_class
        The class of each distinct row, -1 where it was dropped.
    classes
        The number of classes.
    people
        How many people are in each class, where some have several values; else empty.
    pair_row, pair_value, pair_count
        The distinct pairs of a distinct row and a sensitive value, with their counts.
    kinds, numbers, watched
        The rules: what kind, their two numbers, and which values they watch.
    shares
        The share of each value in the whole table.
    tree
        For each level of the values' hierarchy, the node of each value.

    Returns
    -------
    tuple
        For each class whether it satisfies all rules, and its capacity.
    """
    starts = np.zeros(classes + 1, dtype=np.int64)
    for pair in range(pair_row.size):
        number = row_class[pair_row[pair]]
        if number >= 0:
            starts[number + 1] += 1
    for number in range(classes):
        starts[number + 1] += starts[number]
    order = np.empty(starts[classes], dtype=np.int32)
    free = starts[:-1].copy()
    for pair in range(pair_row.size):
        number = row_class[pair_row[pair]]
        if number >= 0:
            order[free[number]] = pair
            free[number] += 1
    fine = np.ones(classes, dtype=np.bool_)
    capacity = np.zeros(classes, dtype=np.int64)
    histogram = np.zeros(shares.size, dtype=np.int64)
    values = np.empty(shares.size, dtype=np.int64)
    counts = np.empty(shares.size, dtype=np.int64)
    for number in range(classes):
        size, total = 0, 0
        for place in range(starts[number], starts[number + 1]):
            pair = order[place]
            value = pair_value[pair]
            if histogram[value] == 0:
                values[size] = value
                size += 1
            histogram[value] += pair_count[pair]
            total += pair_count[pair]
        if size == 0:
            continue
        for i in range(size):
            counts[i] = histogram[values[i]]
        capacity[number] = total
        for rule in range(kinds.size):
            holds, most = _judge_one(
                kinds[rule],
                numbers[rule, 0],
                numbers[rule, 1],
                watched[rule],
                shares,
                tree,
                histogram,
                values,
                counts,
                size,
                total,
                people[number] if people.size else total,
                bound=True,
            )
            fine[number] &= holds
            capacity[number] = min(capacity[number], most)
        for i in range(size):
            histogram[values[i]] = 0
    return fine, capacity
