"""Boxes that grow by one row at a time: what they span, and which rows make them grow least.

Throughout: `table`, `first`, `size`, `codes` and `covered` as in `covering.Graph`, but only the
first columns of `covered` are filled; `low` and `high` hold what each box spans.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coarsen._kernels.covering import growth_with, slot_of
from coarsen._kernels.lending import lent


@njit(cache=True, nogil=True)
def widen(codes, added, low, high):
    """Let each box cover one more row."""
    for box in range(added.size):
        row = added[box]
        for column in range(codes.shape[1]):
            code = codes[row, column]
            low[box, column] = min(low[box, column], code)
            high[box, column] = max(high[box, column], code)


@njit(cache=True, nogil=True)
def cheapest(table, first, size, codes, covered, filled, low, high, near, rows, growth):
    """Fill in, for each box, rows that make it grow least, and by how much.

    As many as `rows` has columns, sorted; -1 where there are no more. Rows that were among them
    come in question, and those near the row that the box covers since.
    """
    seen = np.full(codes.shape[0], -1, dtype=np.int32)
    known = np.empty(rows.shape[1], dtype=rows.dtype), np.empty(rows.shape[1], dtype=growth.dtype)
    fresh = np.empty(near.shape[1], dtype=rows.dtype), np.empty(near.shape[1], dtype=growth.dtype)
    for box in range(covered.shape[0]):
        for slot in range(filled):
            seen[covered[box, slot]] = box
        span = low[box], high[box]
        many = _consider(table, first, size, codes, span, rows[box], np.inf, seen, box, known)
        limit = known[1][many - 1] if many == rows.shape[1] else np.float32(np.inf)
        others = near[covered[box, filled - 1]]
        more = _consider(table, first, size, codes, span, others, limit, seen, box, fresh)
        _merge(known, many, fresh, more, rows[box], growth[box])


@njit(cache=True, nogil=True)
def _consider(table, first, size, codes, span, candidates, limit, seen, box, found):
    """Sort candidates not yet seen by how much a span grows with them; return how many there are.

    Only those below a limit. They often come nearly sorted, which makes it quick.
    """
    codes, span, candidates, found = lent((codes, span, candidates, found))
    low, high = span
    numbers, growths_found = found
    count = 0
    for candidate in candidates:
        row = np.int32(candidate)
        if row < 0 or seen[row] == box:
            continue
        seen[row] = box
        more = growth_with(table, first, size, low, high, codes[row], limit)
        if more < limit:
            place = count
            while place > 0 and growths_found[place - 1] > more:
                numbers[place] = numbers[place - 1]
                growths_found[place] = growths_found[place - 1]
                place -= 1
            numbers[place], growths_found[place] = row, more
            count += 1
    return count


@njit(cache=True, nogil=True)
def _merge(one, one_count, two, two_count, rows, growth):
    """Merge two sorted lists as far as there is room, and fill up with nothing."""
    at_one, at_two = 0, 0
    for place in range(rows.size):
        left = at_one < one_count
        if left and (at_two == two_count or one[1][at_one] <= two[1][at_two]):
            rows[place], growth[place] = one[0][at_one], one[1][at_one]
            at_one += 1
        elif at_two < two_count:
            rows[place], growth[place] = two[0][at_two], two[1][at_two]
            at_two += 1
        else:
            rows[place], growth[place] = -1, np.inf


@njit(cache=True, nogil=True)
def growths(table, first, size, codes, covered, filled, low, high, boxes, rows, barred):
    """Return what each of some boxes grows by with each of some rows; `barred` if it has it."""
    found = np.empty((boxes.size, rows.size), dtype=np.float32)
    for one in range(boxes.size):
        box = boxes[one]
        for two in range(rows.size):
            row = rows[two]
            found[one, two] = growth_with(
                table, first, size, low[box], high[box], codes[row], np.inf
            )
            if slot_of(covered[:, :filled], box, row) >= 0:
                found[one, two] = barred
    return found


@njit(cache=True, nogil=True)
def detour(table, first, size, codes, covered, filled, low, high, added, box, row):
    """Find the box that can best take a row and leave what it was to add to a box that has it.

    Returns -1 if there is none.
    """
    has = covered[:, :filled]
    best, found = np.inf, -1
    for other in range(added.size):
        spare = added[other]
        if spare < 0 or slot_of(has, other, row) >= 0 or slot_of(has, box, spare) >= 0:
            continue
        more = growth_with(table, first, size, low[other], high[other], codes[row], np.inf)
        more += growth_with(table, first, size, low[box], high[box], codes[spare], np.inf)
        more -= growth_with(table, first, size, low[other], high[other], codes[spare], np.inf)
        if more < best:
            best, found = more, other
    return found
