"""Loops of methods that cluster rows: the nearest row of a cluster, the nearest cluster of a row.

k-member (Byun, Kamra, Bertino, Li 2007, Figure 2) grows one cluster after the other by `grow`;
TopDown (Xu, Wang, Pei, Wang, Shi, Fu 2006, section 4.2) splits groups between two rows far apart by
`farthest` and `split_by_seeds`, and mends small groups by `nearest_group` and `measure`. How far
a row is from a cluster is what a row of the cluster costs once it has joined.

Clusters are records as `linked_groups_kernel` lays them out, with size and box; nobody asks here
for their lists. A group of size 0 is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import lent
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import span
from indistinct.methods.common.linked_groups_kernel import BOX, CODES, SIZE, widen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays


class Coded(NamedTuple):
    """The codes of distinct rows, all columns in one list.

    Attributes
    ----------
    places, firsts
        For each row and column its code, where the codes of each column go on from those of the one
        before; and with which number each column begins.
    """

    places: NDArray[np.int64]
    firsts: NDArray[np.int64]


class Distances(NamedTuple):
    """Written by searches for near and far rows.

    Attributes
    ----------
    costs
        For each code what a cell costs once a row of that code has joined.
    distance, bound
        For each distinct row how far it is from the first one, and how far at least from what has
        grown of it.
    """

    costs: NDArray[np.float64]
    distance: NDArray[np.float64]
    bound: NDArray[np.float64]


class Free(NamedTuple):
    """Which rows are in no cluster yet, and the cluster that was grown last.

    Attributes
    ----------
    counts, left
        How many copies of each distinct row are free; the distinct rows that have any, first.
    members, copies
        Written: the distinct rows of the cluster, and how many copies of each.
    """

    counts: NDArray[np.int64]
    left: NDArray[np.int64]
    members: NDArray[np.int64]
    copies: NDArray[np.int64]


@njit
def measure(spans: SpanArrays, records: NDArray[np.int32], costs: NDArray[np.float64]) -> None:
    """Write what one row of each group costs."""
    spans = lent(spans)
    columns = (records.shape[1] - BOX) // 2
    for group in range(records.shape[0]):
        cost = 0.0
        for column in range(columns):
            low, high = records[group, BOX + column], records[group, BOX + columns + column]
            cost += span(spans, column, low, high)
        costs[group] = cost


@inner
def _cost_together(spans, records, group, line, most):
    """Return what a row costs when a group and another line are one; stop adding at `most`."""
    columns = (records.shape[1] - BOX) // 2
    cost = 0.0
    for column in range(columns):
        low, high = BOX + column, BOX + columns + column
        cost += span(
            spans,
            column,
            min(records[group, low], line[low]),
            max(records[group, high], line[high]),
        )
        if cost > most:
            break
    return cost


@inner
def _cost_joined(spans, records, group, rows, row):
    """Return what a row of a group costs when another row joins it."""
    columns = rows.shape[1] - CODES
    cost = 0.0
    for column in range(columns):
        code = rows[row, CODES + column]
        low = min(records[group, BOX + column], code)
        high = max(records[group, BOX + columns + column], code)
        cost += span(spans, column, low, high)
    return cost


@inner
def _widened(spans, column, low, high, costs, first):
    """Write what a cell costs when each value of a column joins a span."""
    for code in range(spans.size[column]):
        costs[first + code] = span(spans, column, min(low, code), max(high, code))


@inner
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
def farthest(
    spans: SpanArrays, coded: Coded, rows: NDArray[np.int64], row: int, distances: Distances
) -> int:
    """Return the row, of some, that is farthest from a row."""
    spans, distance = lent(spans), distances.distance
    _distances(spans, coded.places, coded.firsts, rows, rows.size, row, distances.costs, distance)
    far: int = rows[0]
    for place in range(rows.size):
        if distance[rows[place]] > distance[far]:
            far = rows[place]
    return far


@njit
def grow(
    spans: SpanArrays,
    coded: Coded,
    free: Free,
    size: int,
    start: int,
    k: int,
    whole: bool,  # noqa: FBT001 - numba takes none by name
    distances: Distances,
) -> tuple[int, int, int]:
    """Grow a cluster from a row, always by the row that widens it least, to k rows (Fig. 2).

    What a row would cost the cluster can only rise as the cluster grows; so what it cost when last
    looked at is a bound, and most rows are looked at once.

    Parameters
    ----------
    size, start
        How many distinct rows are free; the place, in the list of these, of the first row.
    whole
        Whether a cluster takes all copies of its first row where these are k or more.

    Returns
    -------
    tuple
        How many distinct rows the cluster has, how many are still free, and the place of the one
        that is farthest from the first.
    """
    spans = lent(spans)
    places, firsts = lent(coded)
    counts, left, members, copies = lent(free)
    costs, distance, bound = lent(distances)
    first = left[start]
    _distances(spans, places, firsts, left, size, first, costs, distance)
    for place in range(size):
        bound[left[place]] = distance[left[place]]
    low = np.empty(firsts.size, dtype=np.int64)
    high = np.empty(firsts.size, dtype=np.int64)
    for column in range(firsts.size):
        low[column] = high[column] = places[first, column] - firsts[column]
    place, held, rows = start, 0, 0
    while True:
        row = left[place]
        taken = min(counts[row], k - rows)
        if whole and held == 0 and counts[row] >= k:
            taken = counts[row]
        members[held], copies[held] = row, taken
        held += 1
        rows += taken
        counts[row] -= taken
        if counts[row] == 0:
            size -= 1
            left[place] = left[size]
        if rows >= k or size == 0:
            break
        for column in range(firsts.size):
            code = places[row, column] - firsts[column]
            if code < low[column] or code > high[column]:
                low[column] = min(low[column], code)
                high[column] = max(high[column], code)
                _widened(spans, column, low[column], high[column], costs, firsts[column])
        place = _nearest(places, left, size, costs, bound)
    far = 0
    for place in range(size):
        ahead = distance[left[place]] - distance[left[far]]
        if ahead > 0.0 or (ahead == 0.0 and left[place] < left[far]):
            far = place
    return held, size, far


@inner
def _nearest(places, left, size, costs, bound):
    """Return the place of the free row that widens a cluster least; the first of equals."""
    near, least = -1, np.inf
    for place in range(size):
        row = left[place]
        if bound[row] > least or (bound[row] == least and row > left[near]):
            continue
        cost = 0.0
        for column in range(places.shape[1]):
            cost += costs[places[row, column]]
        bound[row] = cost
        if cost < least or (cost == least and row < left[near]):
            near, least = place, cost
    return near


@njit
def nearest_group(
    spans: SpanArrays,
    records: NDArray[np.int32],
    costs: NDArray[np.float64],
    line: NDArray[np.int32],
    cost: float,
    own: int,
    least_rows: int,
) -> tuple[int, float]:
    """Return the group that it costs least to join, and how much; -1 if there is no other.

    Parameters
    ----------
    line, cost, own
        The record of what seeks a group and what a row of it costs; its number if it is a group
        itself, else -1.
    least_rows
        How many rows a group must have to be joined.
    """
    spans = lent(spans)
    size = line[SIZE]
    near, least = -1, np.inf
    for other in range(records.shape[0]):
        there = records[other, SIZE]
        if other == own or there == 0 or there < least_rows:
            continue
        together = there + size
        before = there * costs[other] + size * cost
        most = (least + before) / together
        increase = together * _cost_together(spans, records, other, line, most) - before
        if increase < least:
            near, least = other, increase
    return near, least


@njit
def split_by_seeds(
    spans: SpanArrays,
    lines: NDArray[np.int32],
    counts: NDArray[np.int64],
    rows: NDArray[np.int64],
    seeds: tuple[np.int64, np.int64],
    records: NDArray[np.int32],
    second: NDArray[np.bool_],
) -> None:
    """Write for each row whether it joins the second of two seeds: where a row's cost grows least.

    Rows join in the order given; each takes the group whose total cost it raises less. `records`
    has two empty groups.
    """
    spans = lent(spans)
    first_cost, second_cost = 0.0, 0.0
    for side in range(2):
        widen(records, lines, seeds[side], side)
        records[side, SIZE] = counts[seeds[side]]
    for place in range(rows.size):
        row = rows[place]
        if row == seeds[0] or row == seeds[1]:
            second[place] = row == seeds[1]
            continue
        raised, nearer, joined = np.inf, np.int64(0), 0.0
        for side in range(2):
            cost = _cost_joined(spans, records, side, lines, row)
            before = records[side, SIZE] * (second_cost if side else first_cost)
            more = (records[side, SIZE] + counts[row]) * cost - before
            if more < raised:
                raised, nearer, joined = more, np.int64(side), cost
        second[place] = nearer == 1
        widen(records, lines, row, nearer)
        records[nearer, SIZE] += counts[row]
        if nearer:
            second_cost = joined
        else:
            first_cost = joined
