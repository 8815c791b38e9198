"""Grouping entries that stand in an order: the optimal runs, and merging neighbours that fail.

`best_runs` is the dynamic programme of Ghinita, Karras, Kalnis, Mamoulis 2009, Figure 7: the best
groups of the first entries end with a run of k rows or more, behind the best groups of the entries
before it. A run that can be cut into two of k rows loses no less than they do; so the last run ends
with the fewest entries that have k rows, and those before them in it have less than k. Where each
entry is one row, these are the runs of k to 2k - 1 rows. After entry `end`, `best[end]` is the
least cost of the first `end` entries in whole runs (infinite if there is none), `begin[end]` where
the last of these runs begins, and `near` where the fewest entries with k rows begin.

`merge_neighbours` keeps groups that are runs: a group only ever joins one next to it. At any time a
group that fails has the better of its two mergers in a queue; an entry of which a group has changed
since is passed over (it has another stamp by then).
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import group_cost, span
from indistinct.kernels.weights import rows_in, weight_of
from indistinct.methods.common.demands_kernel import (
    clear,
    count_value,
    new_tally,
    satisfied,
    tally_holds,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays
    from indistinct.methods.common.demands_kernel import DemandArrays


class Programme(NamedTuple):
    """The tables of the dynamic programme, and scratch.

    Attributes
    ----------
    best, begin
        As above; nothing costs nothing, all else is not known yet.
    window
        The codes of the last entries, as many as two runs may have.
    low, high
        The box of a run.
    starts
        Written: whether a group begins at each place.
    """

    best: NDArray[np.float64]
    begin: NDArray[np.int32]
    window: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    starts: NDArray[np.bool_]


def programme_for(entries: int, columns: int = 0, k: int = 0) -> Programme:
    """Allocate the tables for so many entries, and scratch for boxes of so many columns."""
    best = np.full(entries + 1, np.inf)
    best[0] = 0.0
    return Programme(
        best,
        begin=np.zeros(entries + 1, dtype=np.int32),
        window=np.empty((2 * k, columns), dtype=np.int32),
        low=np.empty(columns, dtype=np.int32),
        high=np.empty(columns, dtype=np.int32),
        starts=np.zeros(entries, dtype=np.bool_),
    )


@njit
def best_runs(
    codes: NDArray[np.int32],
    order: NDArray[np.int32],
    before: NDArray[np.int64],
    spans: SpanArrays,
    k: int,
    programme: Programme,
) -> None:
    """Mark where the groups of least cost begin (Ghinita et al. 2009, Fig. 7).

    The bounding box of a run is grown backwards from its last entry; a column's cost is looked up
    again only where its bounds have moved. `before` tells how many rows stand before each place.
    """
    entries, columns = order.size, codes.shape[1]
    best, begin, window, low, high, starts = programme
    width = window.shape[0]
    near = 0
    for end in range(1, entries + 1):
        entry = order[end - 1]
        for column in range(columns):
            window[(end - 1) % width, column] = codes[entry, column]
            low[column] = codes[entry, column]
            high[column] = codes[entry, column]
        if before[end] < k:
            continue
        while before[end] - before[near + 1] >= k:
            near += 1
        for start in range(end - 2, near - 1, -1):
            for column in range(columns):
                code = window[start % width, column]
                if code < low[column]:
                    low[column] = code
                elif code > high[column]:
                    high[column] = code
        cost = group_cost(spans, low, high)
        least = best[near] + (before[end] - before[near]) * cost
        begin[end] = near
        start = near - 1
        while start >= 0 and before[near] - before[start] < k:
            moved = False
            for column in range(columns):
                code = window[start % width, column]
                if code < low[column]:
                    low[column] = code
                    moved = True
                elif code > high[column]:
                    high[column] = code
                    moved = True
            if moved:
                cost = group_cost(spans, low, high)
            total = best[start] + (before[end] - before[start]) * cost
            if total < least:
                least = total
                begin[end] = start
            start -= 1
        best[end] = least
    _mark(begin, starts)


@njit
def best_runs_by_extent(
    values: NDArray[np.float64], before: NDArray[np.int64], k: int, programme: Programme
) -> None:
    """Mark where groups begin as `best_runs` does, by the extent of their mapped values alone."""
    entries = values.size
    best, begin = programme.best, programme.begin
    near = 0
    for end in range(1, entries + 1):
        if before[end] < k:
            continue
        while before[end] - before[near + 1] >= k:
            near += 1
        last = values[end - 1]
        least = np.inf
        start = near
        while start >= 0 and before[near] - before[start] < k:
            total = best[start] + (before[end] - before[start]) * (last - values[start])
            if total < least:
                least = total
                begin[end] = start
            start -= 1
        best[end] = least
    _mark(begin, programme.starts)


@inner
def _mark(begin, starts):
    """Walk back from the last entry and mark the first one of each group."""
    end = starts.size
    while end > 0:
        end = begin[end]
        starts[end] = True


@njit
def path_lengths(
    codes: NDArray[np.int32], order: NDArray[np.int32], spans: SpanArrays
) -> NDArray[np.float64]:
    """Return how far each entry lies along the order, a step costing the span of its two ends."""
    lengths = np.zeros(order.size)
    for i in range(1, order.size):
        step = 0.0
        for column in range(codes.shape[1]):
            a, b = codes[order[i - 1], column], codes[order[i], column]
            step += span(spans, column, min(a, b), max(a, b))
        lengths[i] = lengths[i - 1] + step
    return lengths


class Runs(NamedTuple):
    """Groups that are runs of an order.

    Attributes
    ----------
    low, high, size, cost
        The box of each, how many rows it has, and what one of them costs.
    before, after
        The groups next to each, -1 at the ends.
    stamp
        How often each has grown; -1 for one that has joined another.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    size: NDArray[np.int64]
    cost: NDArray[np.float64]
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    stamp: NDArray[np.int64]


@njit
def merge_neighbours(
    codes: NDArray[np.int32],
    order: NDArray[np.int32],
    first: NDArray[np.int64],
    spans: SpanArrays,
    demands: DemandArrays,
    most_counted: int,
) -> NDArray[np.int64]:
    """Merge neighbouring groups until each satisfies, at least loss first.

    Parameters
    ----------
    order, first
        The entries group by group, and where each group begins (and the last ends).
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
    counts = np.zeros((groups if added else 0, length), dtype=np.int64)
    failing = 0
    for group in range(groups):
        run = order[first[group] : first[group + 1]]
        size[group] = rows_in(demands.weights, run)
        low[group] = codes[run[0]]
        high[group] = codes[run[0]]
        for i in range(1, run.size):
            for column in range(columns):
                low[group, column] = min(low[group, column], codes[run[i], column])
                high[group, column] = max(high[group, column], codes[run[i], column])
        cost[group] = group_cost(spans, low[group], high[group])
        fine[group] = satisfied(demands, tally, run)
        failing += not fine[group]
        if added:
            for i in range(run.size):
                times = weight_of(demands.weights, run[i])
                for view in range(demands.views.size):
                    seen = demands.views[view]
                    counts[group, seen.first + demands.codes[seen.codes, run[i]]] += times
    into = np.arange(groups)
    if failing == 0:
        return into
    before = np.arange(-1, groups - 1)
    after = np.arange(1, groups + 1)
    after[groups - 1] = -1
    last_part = np.arange(groups)
    stamp = np.zeros(groups, dtype=np.int64)
    runs = Runs(low, high, size, cost, before, after, stamp)
    waiting = [(np.inf, np.int64(-1), np.int64(-1), np.int64(-1), np.int64(-1))]
    for group in range(groups):
        if not fine[group]:
            _offer(waiting, group, runs, spans)
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
        last_part[left] = last_part[right]
        if added:
            for place in range(length):
                counts[left, place] += counts[right, place]
            fine[left] = size[left] >= demands.least
            fine[left] = fine[left] and _counts_hold(demands, tally, counts[left], size[left])
        else:
            run = order[first[left] : first[last_part[left] + 1]]
            fine[left] = satisfied(demands, tally, run)
        for near in (before[left], left, after[left]):
            if near >= 0 and not fine[near]:
                _offer(waiting, near, runs, spans)
    for group in range(groups):
        into[group] = into[into[group]]
    return into


@inner
def _offer(waiting, group, runs, spans):
    """Put the better of a group's two mergers in the queue, by what the merged group will lose.

    By what a merger adds alone, one group that spans everything would swallow all others.
    """
    low, high, size, cost, stamp = runs.low, runs.high, runs.size, runs.cost, runs.stamp
    best, least, loss = np.int64(-1), np.inf, np.inf
    for other in (runs.before[group], runs.after[group]):
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
