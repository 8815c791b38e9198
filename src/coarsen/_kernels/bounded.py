"""Groups of rows along an order that stay within a bound: the loops of the dual problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from coarsen._kernels.spans import group_cost

SLACK = 1e-9


class BoundArrays(NamedTuple):
    """What a group may span.

    Attributes
    ----------
    cost
        The largest cost of a row.
    extent
        For each column how far it may reach, in its numbers.
    number, first
        The number of each code, column after column, and where each column's begin.
    """

    cost: float
    extent: np.ndarray
    number: np.ndarray
    first: np.ndarray


@njit(cache=True, nogil=True)
def within(bound, spans, low, high):
    """Tell whether a bounding box stays within the bound; one with a null and numbers does not."""
    for column in range(low.size):
        if low[column] < high[column] and bound.extent[column] < np.inf:
            first = bound.first[column]
            reach = bound.number[first + high[column]] - bound.number[first + low[column]]
            if not reach <= bound.extent[column] + SLACK:
                return False
    return group_cost(spans, low, high) <= bound.cost + SLACK


@njit(cache=True, nogil=True)
def earliest_starts(codes, order, spans, bound):
    """Return for each row the first one from which a run up to it stays within the bound.

    The smallest and largest codes of the run are kept in queues that rise and fall.
    """
    rows, columns = order.size, codes.shape[1]
    starts = np.empty(rows, dtype=np.int64)
    lows = np.empty((columns, rows), dtype=np.int32)
    highs = np.empty((columns, rows), dtype=np.int32)
    head = np.zeros((2, columns), dtype=np.int64)
    tail = np.zeros((2, columns), dtype=np.int64)
    low = np.empty(columns, dtype=np.int32)
    high = np.empty(columns, dtype=np.int32)
    start = 0
    for i in range(rows):
        for c in range(columns):
            code = codes[order[i], c]
            while tail[0, c] > head[0, c] and codes[order[lows[c, tail[0, c] - 1]], c] >= code:
                tail[0, c] -= 1
            lows[c, tail[0, c]] = i
            tail[0, c] += 1
            while tail[1, c] > head[1, c] and codes[order[highs[c, tail[1, c] - 1]], c] <= code:
                tail[1, c] -= 1
            highs[c, tail[1, c]] = i
            tail[1, c] += 1
        while True:
            for c in range(columns):
                while lows[c, head[0, c]] < start:
                    head[0, c] += 1
                while highs[c, head[1, c]] < start:
                    head[1, c] += 1
                low[c] = codes[order[lows[c, head[0, c]]], c]
                high[c] = codes[order[highs[c, head[1, c]]], c]
            if start == i or within(bound, spans, low, high):
                break
            start += 1
        starts[i] = start
    return starts


@njit(cache=True, nogil=True)
def runs_of_at_least(earliest, k):
    """Return where the last run of each prefix begins, runs having k rows or more; -1 if none."""
    rows = earliest.size
    latest = np.full(rows + 1, -1, dtype=np.int64)  # the last end of a covered prefix
    begin = np.full(rows + 1, -1, dtype=np.int64)
    latest[0] = 0
    for end in range(1, rows + 1):
        latest[end] = latest[end - 1]
        if end >= k and latest[end - k] >= earliest[end - 1]:
            begin[end] = latest[end - k]
            latest[end] = end
    return begin


@njit(cache=True, nogil=True)
def _privacy(counts, size):
    """Return the rows of a group for each row of its most frequent value; infinite if empty."""
    return size / counts.max() if size else np.inf


@njit(cache=True, nogil=True)
def _box(codes, rows, low, high):
    low[:] = codes[rows[0]]
    high[:] = low
    for i in range(1, rows.size):
        for column in range(low.size):
            low[column] = min(low[column], codes[rows[i], column])
            high[column] = max(high[column], codes[rows[i], column])


@njit(cache=True, nogil=True)
def _best_to_move(codes, held, spans, bound, rows, to, value, settled):
    """Return the place of the row of a value that widens the other group least, or -1."""
    columns = codes.shape[1]
    low = np.empty(columns, dtype=np.int32)
    high = np.empty(columns, dtype=np.int32)
    _box(codes, to, low, high)
    new_low, new_high = low.copy(), high.copy()
    best, least = -1, np.inf
    for i in range(rows.size):
        if held[rows[i]] != value or settled[rows[i]]:
            continue
        for c in range(columns):
            new_low[c] = min(low[c], codes[rows[i], c])
            new_high[c] = max(high[c], codes[rows[i], c])
        cost = group_cost(spans, new_low, new_high)
        if cost < least and within(bound, spans, new_low, new_high):
            best, least = i, cost
    return best


@njit(cache=True, nogil=True)
def _move_one(codes, held, spans, bound, rows, sizes, counts, direction, settled, source):
    """Move a row to the neighbour, of the most frequent value first; tell whether one was moved.

    The smaller privacy of the two must not fall (line 20 of Fig. 17), and a value moves in one
    direction only.
    """
    target = 1 - source
    if sizes[source] < 2:
        return False
    now = min(_privacy(counts[0], sizes[0]), _privacy(counts[1], sizes[1]))
    for value in np.argsort(-counts[source], kind="mergesort"):
        if counts[source, value] == 0:
            break
        if direction[value] == target:
            continue
        counts[source, value] -= 1
        counts[target, value] += 1
        then = min(
            _privacy(counts[source], sizes[source] - 1), _privacy(counts[target], sizes[target] + 1)
        )
        if then >= now - SLACK:
            place = _best_to_move(
                codes,
                held,
                spans,
                bound,
                rows[source, : sizes[source]],
                rows[target, : sizes[target]],
                value,
                settled,
            )
            if place >= 0:
                row = rows[source, place]
                sizes[source] -= 1
                rows[source, place] = rows[source, sizes[source]]
                rows[target, sizes[target]] = row
                sizes[target] += 1
                direction[value] = source
                settled[row] = True
                return True
        counts[source, value] += 1
        counts[target, value] -= 1
    return False


@njit(cache=True, nogil=True)
def accuracy_constrained(codes, order, held, values, spans, bound):
    """Grow groups along the order up to the bound, and even out neighbours (AC, Fig. 17).

    A row that was moved does not move again.

    Returns
    -------
    NDArray
        The group of each row.
    """
    count, columns = order.size, codes.shape[1]
    groups = np.empty(count, dtype=np.int32)
    rows = np.empty((2, count), dtype=np.int64)
    sizes = np.zeros(2, dtype=np.int64)
    counts = np.zeros((2, values), dtype=np.int64)
    settled = np.zeros(count, dtype=np.bool_)
    low = np.empty(columns, dtype=np.int32)
    high = np.empty(columns, dtype=np.int32)
    number, at = 0, 0
    while at < count:
        low[:] = codes[order[at]]
        high[:] = low
        while at < count:
            new_low = np.minimum(low, codes[order[at]])
            new_high = np.maximum(high, codes[order[at]])
            if sizes[1] and not within(bound, spans, new_low, new_high):
                break
            low, high = new_low, new_high
            rows[1, sizes[1]] = order[at]
            sizes[1] += 1
            counts[1, held[order[at]]] += 1
            at += 1
        if sizes[0]:
            direction = np.full(values, -1, dtype=np.int64)
            moved = True
            while moved:
                moved = False
                for source in range(2):
                    moved |= _move_one(
                        codes, held, spans, bound, rows, sizes, counts, direction, settled, source
                    )
            groups[rows[0, : sizes[0]]] = number
            number += 1
        rows[0, : sizes[1]] = rows[1, : sizes[1]]
        counts[0] = counts[1]
        counts[1] = 0
        sizes[0] = sizes[1]
        sizes[1] = 0
    groups[rows[0, : sizes[0]]] = number
    return groups
