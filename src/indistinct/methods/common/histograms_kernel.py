"""What a histogram of sensitive values tells: how much of it could stand, how far it is from all.

`counts` are those of the values that occur, which are `values`; `rising` ones are sorted. `total`
is their sum.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner, njit

SLACK = 1e-9


@inner
def _capped(counts, cap):
    """Count the rows left when no value may have more than `cap` of them."""
    left = 0.0
    for i in range(counts.size):
        left += min(float(counts[i]), cap)
    return left


@inner
def frequency_capacity(counts, total, diversity):
    """Return the most rows of which no value has more than 1/l."""
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        if _capped(counts, middle / diversity) >= middle - SLACK:
            low = middle
        else:
            high = middle - 1
    return low


@inner
def share_capacity(counts, values, watched, total, share):
    """Return the most rows of which no watched value has more than its share."""
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        left = 0.0
        for i in range(counts.size):
            count = float(counts[i])
            left += min(count, share * middle) if watched[values[i]] else count
        if left >= middle - SLACK:
            low = middle
        else:
            high = middle - 1
    return low


@njit
def effective_number(counts, cap):
    """exp(entropy) of the counts cut off at `cap`."""
    total = _capped(counts, cap)
    entropy = 0.0
    for i in range(counts.size):
        share = min(float(counts[i]), cap) / total
        if share > 0:
            entropy -= share * np.log(share)
    return np.exp(entropy)


@inner
def entropy_capacity(counts, total, diversity):
    """Return the most rows whose entropy reaches log l: cut off the largest counts."""
    if counts.size + SLACK < diversity:
        return 0
    low, high = 0.0, 0.0
    for i in range(counts.size):
        high = max(high, float(counts[i]))
    while high - low > 0.25:
        middle = (low + high) / 2
        if effective_number(counts, middle) + SLACK >= diversity:
            low = middle
        else:
            high = middle
    return min(total, np.int64(np.ceil(_capped(counts, high))))


@inner
def recursive_capacity(rising, total, factor, diversity):
    """Return the most rows with r1 < c (r_l + ... + r_m)."""
    if rising.size < diversity:
        return 0
    low, high = 0, rising[-1]
    while low < high:
        middle = (low + high + 1) // 2
        tail = 0
        for i in range(rising.size - diversity + 1):
            tail += min(rising[i], middle)
        if middle < factor * tail - SLACK:
            low = middle
        else:
            high = middle - 1
    return min(np.int64(_capped(rising, float(low))), total)


@inner
def close_capacity(counts, values, shares, total, closeness):
    """Return the most rows within variational distance t of the table's shares."""
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        common = 0.0
        for i in range(counts.size):
            common += min(float(counts[i]), shares[values[i]] * middle)
        if common >= (1.0 - closeness) * middle - SLACK * middle:
            low = middle
        else:
            high = middle - 1
    return low


@inner
def ordered_distance(histogram, shares, total):
    """Earth mover's distance where neighbouring values are 1/(m-1) apart."""
    if shares.size < 2:
        return 0.0
    carried, moved = 0.0, 0.0
    for value in range(shares.size - 1):
        carried += histogram[value] / total - shares[value]
        moved += abs(carried)
    return moved / (shares.size - 1)


@inner
def hierarchical_distance(histogram, shares, total, tree):
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
