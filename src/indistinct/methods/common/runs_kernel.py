"""Grouping rows that stand in an order: the optimal runs, and merging neighbours that fail."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import group_cost, span
from indistinct.methods.common.demands_kernel import (
    clear,
    count_value,
    new_tally,
    satisfied,
    tally_holds,
)


@njit
def best_runs(codes, order, spans, k):
    """Mark where the groups of least cost begin: runs of k to 2k-1 rows (Fig. 7 of paper 002).

    The bounding box of a run is grown backwards from its last row; a column's cost is looked up
    again only where its bounds have moved.
    """
    rows, columns = order.size, codes.shape[1]
    best = np.full(rows + 1, np.inf)
    best[0] = 0.0
    begin = np.zeros(rows + 1, dtype=np.int32)
    width = 2 * k
    window = np.empty((width, columns), dtype=np.int32)
    low = np.empty(columns, dtype=np.int32)
    high = np.empty(columns, dtype=np.int32)
    for end in range(1, rows + 1):
        row = order[end - 1]
        for column in range(columns):
            window[(end - 1) % width, column] = codes[row, column]
            low[column] = codes[row, column]
            high[column] = codes[row, column]
        if end < k:
            continue
        for start in range(end - 2, end - k - 1, -1):
            held = window[start % width]
            for column in range(columns):
                code = held[column]
                if code < low[column]:
                    low[column] = code
                elif code > high[column]:
                    high[column] = code
        cost = group_cost(spans, low, high)
        least = best[end - k] + k * cost
        begin[end] = end - k
        for start in range(end - k - 1, max(end - 2 * k, -1), -1):
            held = window[start % width]
            moved = False
            for column in range(columns):
                code = held[column]
                if code < low[column]:
                    low[column] = code
                    moved = True
                elif code > high[column]:
                    high[column] = code
                    moved = True
            if moved:
                cost = group_cost(spans, low, high)
            found = best[start] + (end - start) * cost
            if found < least:
                least = found
                begin[end] = start
        best[end] = least
    return _marked(begin, rows)


@njit
def best_runs_by_extent(values, k):
    """Mark where groups begin as `best_runs` does, by the extent of their mapped values alone."""
    rows = values.size
    best = np.full(rows + 1, np.inf)
    best[0] = 0.0
    begin = np.zeros(rows + 1, dtype=np.int32)
    for end in range(k, rows + 1):
        last = values[end - 1]
        least = np.inf
        for start in range(end - k, max(end - 2 * k, -1), -1):
            found = best[start] + (end - start) * (last - values[start])
            if found < least:
                least = found
                begin[end] = start
        best[end] = least
    return _marked(begin, rows)


@inner
def _marked(begin, rows):
    """Walk back from the last row and mark the first row of each group."""
    starts = np.zeros(rows, dtype=np.bool_)
    end = rows
    while end > 0:
        end = begin[end]
        starts[end] = True
    return starts


@njit
def path_lengths(codes, order, spans):
    """Return how far each row lies along the order, a step costing the span of its two rows."""
    lengths = np.zeros(order.size)
    for i in range(1, order.size):
        step = 0.0
        for column in range(codes.shape[1]):
            a, b = codes[order[i - 1], column], codes[order[i], column]
            step += span(spans, column, min(a, b), max(a, b))
        lengths[i] = lengths[i - 1] + step
    return lengths


@njit
def merge_neighbours(codes, order, first, spans, demands, most_counted):
    """Merge neighbouring groups until each satisfies, at least loss first.

    Parameters
    ----------
    order, first
        The rows group by group, and where each group begins (and the last ends).
    most_counted
        How many counts may be kept; if more were needed, merged groups are counted anew.

    Returns
    -------
    NDArray
        The number of the merged group that each group is in.
    """
    groups, columns = first.size - 1, codes.shape[1]
    tally = new_tally(demands)
    low = np.empty((groups, columns), dtype=np.int32)
    high = np.empty((groups, columns), dtype=np.int32)
    size = np.empty(groups, dtype=np.int64)
    cost = np.empty(groups)
    fine = np.empty(groups, dtype=np.bool_)
    length = demands.shares.size
    added = not demands.general and demands.people.shape[0] == 0
    added = added and groups * length <= most_counted
    counts = np.zeros((groups if added else 0, length), dtype=np.int32)
    failing = 0
    for group in range(groups):
        rows = order[first[group] : first[group + 1]]
        size[group] = rows.size
        low[group] = codes[rows[0]]
        high[group] = codes[rows[0]]
        for i in range(1, rows.size):
            for column in range(columns):
                low[group, column] = min(low[group, column], codes[rows[i], column])
                high[group, column] = max(high[group, column], codes[rows[i], column])
        cost[group] = group_cost(spans, low[group], high[group])
        fine[group] = satisfied(demands, tally, rows)
        failing += not fine[group]
        if added:
            for i in range(rows.size):
                for view in range(demands.views.size):
                    seen = demands.views[view]
                    counts[group, seen.first + demands.codes[seen.codes, rows[i]]] += 1
    into = np.arange(groups)
    if failing == 0:
        return into
    before = np.arange(-1, groups - 1)
    after = np.arange(1, groups + 1)
    after[groups - 1] = -1
    next_part = np.full(groups, -1)
    last_part = np.arange(groups)
    stamp = np.zeros(groups, dtype=np.int64)
    waiting = [(np.inf, np.int64(-1), np.int64(-1), np.int64(-1), np.int64(-1))]
    for group in range(groups):
        if not fine[group]:
            _offer(waiting, group, before, after, stamp, low, high, size, cost, spans)
    while True:
        _, left, right, left_stamp, right_stamp = heappop(waiting)
        if left < 0:
            break
        if stamp[left] != left_stamp or stamp[right] != right_stamp:
            continue
        if fine[left] and fine[right]:
            continue
        for column in range(columns):
            low[left, column] = min(low[left, column], low[right, column])
            high[left, column] = max(high[left, column], high[right, column])
        size[left] += size[right]
        cost[left] = group_cost(spans, low[left], high[left])
        stamp[left] += 1
        stamp[right] = -1
        into[right] = left
        after[left] = after[right]
        if after[left] >= 0:
            before[after[left]] = left
        next_part[last_part[left]] = right
        last_part[left] = last_part[right]
        if added:
            for place in range(length):
                counts[left, place] += counts[right, place]
            fine[left] = size[left] >= demands.least
            fine[left] = fine[left] and _counts_hold(demands, tally, counts[left], size[left])
        else:
            rows = _rows_of(order, first, next_part, left, size[left])
            fine[left] = satisfied(demands, tally, rows)
        for group in (before[left], left, after[left]):
            if group >= 0 and not fine[group]:
                _offer(waiting, group, before, after, stamp, low, high, size, cost, spans)
    for group in range(groups):
        into[group] = into[into[group]]
    return into


@njit
def _offer(waiting, group, before, after, stamp, low, high, size, cost, spans):
    """Put the better of a group's two mergers in the queue, by what the merged group will lose.

    By what a merger adds alone, one group that spans everything would swallow all others.
    """
    best, least, loss = np.int64(-1), np.inf, np.inf
    for other in (before[group], after[group]):
        if other < 0:
            continue
        merged = 0.0
        for column in range(low.shape[1]):
            merged += span(
                spans,
                column,
                min(low[group, column], low[other, column]),
                max(high[group, column], high[other, column]),
            )
        merged *= size[group] + size[other]
        added = merged - size[group] * cost[group] - size[other] * cost[other]
        if added < least:
            best, least, loss = other, added, merged
    if best >= 0:
        left = np.int64(min(group, best))
        right = np.int64(max(group, best))
        heappush(waiting, (loss, left, right, stamp[left], stamp[right]))


@inner
def _counts_hold(demands, tally, counts, total):
    """Judge a group by its kept counts."""
    for view in range(demands.views.size):
        first = demands.views[view].first
        for value in range(demands.views[view].values):
            if counts[first + value]:
                count_value(tally, view, first, value, counts[first + value])
    holds = tally_holds(demands, tally, total)
    clear(demands, tally)
    return holds


@inner
def _rows_of(order, first, next_part, group, size):
    """Collect the rows of a merged group."""
    rows = np.empty(size, dtype=order.dtype)
    filled = 0
    while group >= 0:
        for i in range(first[group], first[group + 1]):
            rows[filled] = order[i]
            filled += 1
        group = next_part[group]
    return rows
