"""Groups of rows along an order that stay within a bound: AC, for k.

The dual problem of Ghinita, Karras, Kalnis, Mamoulis 2009, section 5, in linear time: every part of
a run that stays within the bound does so too, so the earliest start of a run never moves back as
its end moves on (`earliest_starts`); and whether runs of k rows or more can cover a beginning of
the order follows from the first covered place that such a run may begin at (`ends_of_runs`). An
order is one of entries, which runs may part: what is found is what would be of their rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import njit
from indistinct.kernels.spans import group_cost

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays

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
    extent: NDArray[np.float64]
    number: NDArray[np.float64]
    first: NDArray[np.int64]


@njit
def within(
    bound: BoundArrays, spans: SpanArrays, low: NDArray[np.int32], high: NDArray[np.int32]
) -> bool:
    """Return whether a box stays within the bound; one with a null and numbers does not."""
    for column in range(low.size):
        if low[column] < high[column] and bound.extent[column] < np.inf:
            first = bound.first[column]
            reach = bound.number[first + high[column]] - bound.number[first + low[column]]
            if not reach <= bound.extent[column] + SLACK:
                return False
    cost: float = group_cost(spans, low, high)
    return cost <= bound.cost + SLACK


@njit
def all_within(
    bound: BoundArrays, spans: SpanArrays, low: NDArray[np.int32], high: NDArray[np.int32]
) -> bool:
    """Return whether all of some bounding boxes stay within the bound."""
    kept = True
    for group in range(low.shape[0]):
        kept = kept and within(bound, spans, low[group], high[group])
    return kept


@njit
def earliest_starts(
    codes: NDArray[np.int32], order: NDArray[np.int32], spans: SpanArrays, bound: BoundArrays
) -> NDArray[np.int64]:
    """Return for each entry the first one from which a run up to it stays within the bound.

    The smallest and largest codes of the run are kept in queues that rise and fall: an entry waits
    in the queue of the smallest as long as no later one of the run has a smaller or equal code.
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
            # rows that this one undercuts, or exceeds, will never be a bound again
            while tail[0, c] > head[0, c] and codes[order[lows[c, tail[0, c] - 1]], c] >= code:
                tail[0, c] -= 1
            lows[c, tail[0, c]] = i
            tail[0, c] += 1
            while tail[1, c] > head[1, c] and codes[order[highs[c, tail[1, c] - 1]], c] <= code:
                tail[1, c] -= 1
            highs[c, tail[1, c]] = i
            tail[1, c] += 1
        while True:  # let the start move on until the run fits
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


@njit
def ends_of_runs(
    earliest: NDArray[np.int64], before: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """Return where in each entry runs of k rows or more that cover all before may end; -1 if not.

    Ends are counted in rows. *Lemma.* If runs may end somewhere within an entry, they may end
    anywhere later in it. *Proof.* The last run may take further copies: it gets no wider. So the
    first such end is all that need be known of an entry.

    Parameters
    ----------
    earliest
        For each entry the first one from which a run up to it stays within the bound.
    before
        How many rows come before each entry, and how many there are.
    """
    entries = earliest.size
    ends = np.full(entries, -1, dtype=np.int64)
    after = 0  # the first entry, not before the earliest start, that runs may end in
    for i in range(entries):
        start = earliest[i]
        if start == 0 or ends[start - 1] >= 0:
            begin = before[start]
        else:
            after = max(after, start)
            while after < i and ends[after] < 0:
                after += 1
            if after == i:
                continue
            begin = ends[after]
        end = max(begin + k, before[i] + 1)
        if end <= before[i + 1]:
            ends[i] = end
    return ends


@njit
def cuts_of_runs(ends: NDArray[np.int64], before: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the places, in rows, at which runs of k rows or more begin, from the last one on.

    Each run begins as late as it may. Those that lie within one entry are made one, since nothing
    tells them apart: so no entry is cut at more than two places.
    """
    cuts = np.empty(2 * ends.size + 1, dtype=np.int64)
    count, i = 0, ends.size - 1
    end = before[ends.size]
    while end > 0:
        while before[i] >= end:
            i -= 1
        if end - k >= ends[i]:
            end -= (end - ends[i]) // k * k
        else:
            start = i
            while start >= 0 and (ends[start] < 0 or ends[start] > end - k):
                start -= 1
            end = min(end - k, before[start + 1]) if start >= 0 else 0
        cuts[count] = end
        count += 1
    return cuts[:count]
