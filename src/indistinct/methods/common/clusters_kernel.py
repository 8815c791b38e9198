"""Loops of methods that cluster rows: the nearest row of a group, the nearest group of a row."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.borrowed import lent
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import group_cost, span


@njit
def costs_of(spans, low, high):
    """Return what one row of each group costs."""
    costs = np.empty(low.shape[0])
    for group in range(low.shape[0]):
        costs[group] = group_cost(spans, low[group], high[group])
    return costs


@njit(inline="always")
def _joined_cost(spans, low, high, group, own_low, own_high, own, most):
    """Return what a row costs when two groups are one; stop adding at `most`."""
    cost = 0.0
    for column in range(low.shape[1]):
        cost += span(
            spans,
            column,
            min(low[group, column], own_low[own, column]),
            max(high[group, column], own_high[own, column]),
        )
        if cost > most:
            break
    return cost


@inner
def _widened(spans, column, low, high, costs, first):
    """Write what a cell costs when each value of a column joins a span."""
    for code in range(spans.size[column]):
        costs[first + code] = span(spans, column, min(low, code), max(high, code))


@njit
def _distances(spans, places, firsts, rows, count, row, costs, distance):
    """Write what a row costs when it is one group with each of the first `count` of `rows`."""
    for column in range(firsts.size):
        code = places[row, column] - firsts[column]
        _widened(spans, column, code, code, costs, firsts[column])
    for place in range(count):
        other = rows[place]
        cost = 0.0
        for column in range(firsts.size):
            cost += costs[places[other, column]]
        distance[other] = cost


@njit
def farthest(spans, places, firsts, rows, row, costs, distance):
    """Return the row, of some, that is farthest from a row; `distance` is written."""
    spans = lent(spans)
    _distances(spans, places, firsts, rows, rows.size, row, costs, distance)
    found = rows[0]
    for place in range(rows.size):
        if distance[rows[place]] > distance[found]:
            found = rows[place]
    return found


@njit
def grow(spans, places, firsts, counts, left, size, start, k, members, copies, costs, room):
    """Grow a cluster from a row, always by the row that widens it least, to k rows.

    What a row would cost the cluster can only rise as the cluster grows; so what it cost when last
    looked at is a bound, and most rows are looked at once.

    Parameters
    ----------
    places, firsts
        The codes of distinct rows, where the codes of each column go on from those of the one
        before, and with which number each column begins.
    counts
        How many copies of each distinct row are still free.
    left, size
        The distinct rows that are still free: the first `size` of `left`.
    start
        The place in `left` of the first row.
    members, copies
        Written: the distinct rows of the cluster, and how many copies of each.
    costs, room
        Room for a number per code, and for two per distinct row.

    Returns
    -------
    tuple
        How many distinct rows the cluster has, how many are still free, and the place of the one
        that is farthest from the first.
    """
    spans = lent(spans)
    distance, bound = room[0], room[1]
    first = left[start]
    _distances(spans, places, firsts, left, size, first, costs, distance)
    for place in range(size):
        bound[left[place]] = distance[left[place]]
    low, high = places[first] - firsts, places[first] - firsts
    place, held, rows = start, 0, 0
    while True:
        row = left[place]
        taken = min(counts[row], k - rows)
        members[held], copies[held] = row, taken
        held += 1
        rows += taken
        counts[row] -= taken
        if counts[row] == 0:
            size -= 1
            left[place] = left[size]
        if rows == k or size == 0:
            break
        for column in range(firsts.size):
            code = places[row, column] - firsts[column]
            if code < low[column] or code > high[column]:
                low[column] = min(low[column], code)
                high[column] = max(high[column], code)
                _widened(spans, column, low[column], high[column], costs, firsts[column])
        place = _nearest(places, left, size, costs, bound)
    found = 0
    for place in range(size):
        ahead = distance[left[place]] - distance[left[found]]
        if ahead > 0.0 or (ahead == 0.0 and left[place] < left[found]):
            found = place
    return held, size, found


@njit
def _nearest(places, left, size, costs, bound):
    """Return the place of the free row that widens a cluster least; the first of equals."""
    found, least = -1, np.inf
    for place in range(size):
        row = left[place]
        if bound[row] > least or (bound[row] == least and row > left[found]):
            continue
        cost = 0.0
        for column in range(places.shape[1]):
            cost += costs[places[row, column]]
        bound[row] = cost
        if cost < least or (cost == least and row < left[found]):
            found, least = place, cost
    return found


@njit
def nearest_group(spans, low, high, sizes, costs, group, own_low, own_high, own, size, cost):
    """Return the group that it costs least to join, and how much; -1 if there is no other.

    The group that seeks is `own` of `own_low` and `own_high`; where it is one of the groups,
    `group` is its number, else -1. Groups of size 0 are gone.
    """
    spans = lent(spans)
    found, least = -1, np.inf
    for other in range(sizes.size):
        if other == group or sizes[other] == 0:
            continue
        together = sizes[other] + size
        before = sizes[other] * costs[other] + size * cost
        most = (least + before) / together
        joined = _joined_cost(spans, low, high, other, own_low, own_high, own, most)
        increase = together * joined - before
        if increase < least:
            found, least = other, increase
    return found, least


@njit
def split_by_seeds(spans, codes, counts, rows, one, two):
    """Tell of each row whether it joins the second of two seeds: where a row's cost grows least.

    Rows join in the order given; each takes the group whose total cost it raises less.
    """
    spans = lent(spans)
    low, high = codes[np.array([one, two])], codes[np.array([one, two])]
    sizes = np.array([counts[one], counts[two]])
    costs = np.zeros(2)
    second = np.zeros(rows.size, dtype=np.bool_)
    joined, raised = np.empty(2), np.empty(2)
    for place in range(rows.size):
        row = rows[place]
        if row in (one, two):
            second[place] = row == two
            continue
        for side in range(2):
            joined[side] = _joined_cost(spans, low, high, side, codes, codes, row, np.inf)
            together = sizes[side] + counts[row]
            raised[side] = together * joined[side] - sizes[side] * costs[side]
        side = 1 if raised[1] < raised[0] else 0
        second[place] = side == 1
        sizes[side] += counts[row]
        costs[side] = joined[side]
        for column in range(low.shape[1]):
            low[side, column] = min(low[side, column], codes[row, column])
            high[side, column] = max(high[side, column], codes[row, column])
    return second


@njit
def joining_costs(spans, low, high, group, codes, rows):
    """Return what a row of a group costs when each of some rows joins it alone."""
    spans = lent(spans)
    costs = np.empty(rows.size)
    for place in range(rows.size):
        costs[place] = _joined_cost(spans, low, high, group, codes, codes, rows[place], np.inf)
    return costs
