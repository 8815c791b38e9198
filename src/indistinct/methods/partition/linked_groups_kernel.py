"""Groups of rows as linked lists: joining, leaving, and what a group costs or would cost.

A group is a linked list of rows with the smallest and largest code of each column.

Throughout: `table` holds for each column what the span of two codes costs, `codes` the codes of
each row, `low` and `high` the bounds of each group, `head` its first row, `after` and `before` the
rows next to each row, `demands` what each group must satisfy. Rows and groups are told as int64,
also `NONE`: for every other kind of number numba would compile all of this again.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.methods.common.demands_kernel import satisfied

NONE = np.int64(-1)


@njit
def gather(codes, group, size, low, high, head, after, before):
    """Fill in everything about groups from the group of each row."""
    size[:] = 0
    head[:] = -1
    low[:] = np.iinfo(np.int32).max
    high[:] = -1
    for row in range(group.size):
        join(codes, group, size, low, high, head, after, before, row, np.int64(group[row]))


@njit
def join(codes, group, size, low, high, head, after, before, row, target):
    """Put a row into a group."""
    first = head[target]
    after[row] = first
    before[row] = -1
    if first >= 0:
        before[first] = row
    head[target] = row
    group[row] = target
    size[target] += 1
    for column in range(codes.shape[1]):
        code = codes[row, column]
        low[target, column] = min(low[target, column], code)
        high[target, column] = max(high[target, column], code)


@njit
def leave(group, size, head, after, before, row):
    """Take a row out of its group; the bounds are left to `tighten`."""
    source = group[row]
    if before[row] >= 0:
        after[before[row]] = after[row]
    else:
        head[source] = after[row]
    if after[row] >= 0:
        before[after[row]] = before[row]
    size[source] -= 1


@inner
def tighten(codes, low, high, head, after, target):
    """Find the bounds of a group anew."""
    for column in range(codes.shape[1]):
        low[target, column] = np.iinfo(np.int32).max
        high[target, column] = -1
    row = head[target]
    while row >= 0:
        for column in range(codes.shape[1]):
            code = codes[row, column]
            low[target, column] = min(low[target, column], code)
            high[target, column] = max(high[target, column], code)
        row = after[row]


@njit
def cost_of(table, low, high, target):
    """Return what a row of a group costs."""
    cost = 0.0
    for column in range(low.shape[1]):
        cost += table[column, low[target, column], high[target, column]]
    return cost


@inner
def cost_with(table, codes, low, high, target, row, limit):
    """Return what a row of a group costs once another row has joined; the limit, or more, if so."""
    cost = 0.0
    for column in range(low.shape[1]):
        code = codes[row, column]
        least = min(low[target, column], code)
        most = max(high[target, column], code)
        cost += table[column, least, most]
        if cost >= limit:
            break
    return cost


@inner
def cost_changed(table, codes, low, high, head, after, target, out, into):
    """Return what a row of a group costs once one row has left and, if any, another joined."""
    cost = 0.0
    for column in range(low.shape[1]):
        least, most = low[target, column], high[target, column]
        code = codes[out, column]
        if least != most and (code == least or code == most):  # noqa: PLR1714, SIM109 - for numba
            least, most = _bounds_without(codes, low, high, head, after, target, column, out)
        if into >= 0:
            code = codes[into, column]
            least, most = min(least, code), max(most, code)
        cost += table[column, least, most]
    return cost


@inner
def _bounds_without(codes, low, high, head, after, target, column, out):
    least, most = np.int32(np.iinfo(np.int32).max), np.int32(-1)
    row = head[target]
    while row >= 0:
        if row != out:
            code = codes[row, column]
            least, most = min(least, code), max(most, code)
            if least == low[target, column] and most == high[target, column]:
                break
        row = after[row]
    return least, most


@njit
def allowed(size, head, after, demands, tally, target, out, into):
    """Tell whether a group satisfies once a row has left and another joined (`NONE` if none)."""
    if demands is None:
        return True
    rows = np.empty(size[target] + 1, dtype=np.int32)
    count = 0
    row = head[target]
    while row >= 0:
        if row != out:
            rows[count] = row
            count += 1
        row = after[row]
    if into >= 0:
        rows[count] = into
        count += 1
    return satisfied(demands, tally, rows[:count])
