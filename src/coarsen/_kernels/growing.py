"""Boxes that grow by one row at a time: what they span, and which rows make them grow least.

Throughout: `table`, `first`, `size`, `codes` and `covered` as in `covering.Graph`, but only the
first columns of `covered` are filled; `low` and `high` hold what each box spans.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coarsen._kernels.covering import growth_with, insert


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
    before = np.empty(rows.shape[1], dtype=rows.dtype)
    for box in range(covered.shape[0]):
        before[:] = rows[box]
        rows[box] = -1
        growth[box] = np.inf
        for slot in range(filled):
            seen[covered[box, slot]] = box
        newest = covered[box, filled - 1]
        for place in range(before.size + near.shape[1]):
            late = place - before.size
            row = before[place] if late < 0 else np.int32(near[newest, late])
            if row < 0 or seen[row] == box:
                continue
            seen[row] = box
            limit = growth[box, -1]
            more = growth_with(table, first, size, low[box], high[box], codes[row], limit)
            if more < limit:
                insert(growth[box], rows[box], more, row)


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
            for slot in range(filled):
                if covered[box, slot] == row:
                    found[one, two] = barred
    return found
