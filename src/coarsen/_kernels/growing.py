"""Boxes that grow by one row at a time: what they span, and which rows make them grow least.

Throughout: `table`, `first`, `size`, `codes` and `covered` as in `exchanging`, but only the first
columns of `covered` are filled; `low` and `high` hold what each box spans, `cost` what that costs.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def widen(table, first, size, codes, added, low, high, cost):
    """Let each box cover one more row."""
    for box in range(added.size):
        row = added[box]
        spent = np.float32(0.0)
        for column in range(codes.shape[1]):
            code = codes[row, column]
            least, most = min(low[box, column], code), max(high[box, column], code)
            low[box, column], high[box, column] = least, most
            spent += table[first[column] + least * size[column] + most]
        cost[box] = spent


@njit(cache=True, nogil=True, inline="always")
def _cost_with(table, first, size, codes, low, high, box, row, limit):
    """Return what a box costs with one more row, or something that is not below a limit."""
    cost = np.float32(0.0)
    for column in range(codes.shape[1]):
        code = codes[row, column]
        least, most = min(low[box, column], code), max(high[box, column], code)
        cost += table[first[column] + least * size[column] + most]
        if cost >= limit:
            break
    return cost


@njit(cache=True, nogil=True)
def cheapest(table, first, size, codes, covered, filled, low, high, cost, near, rows, growth):
    """Fill in, for each box, rows near those it covers that make it grow least, and by how much.

    As many as `rows` has columns, sorted; -1 where there are no more.
    """
    seen = np.full(codes.shape[0], -1, dtype=np.int32)
    for box in range(covered.shape[0]):
        rows[box] = -1
        growth[box] = np.inf
        for slot in range(filled):
            seen[covered[box, slot]] = box
        for slot in range(filled):
            for place in range(near.shape[1]):
                row = near[covered[box, slot], place]
                if seen[row] == box:
                    continue
                seen[row] = box
                limit = growth[box, -1] + cost[box]
                price = _cost_with(table, first, size, codes, low, high, box, row, limit)
                if price < limit:
                    insert(growth[box], rows[box], price - cost[box], row)


@njit(cache=True, nogil=True)
def growths(table, first, size, codes, covered, filled, low, high, cost, boxes, rows, barred):
    """Return what each of some boxes grows by with each of some rows; `barred` if it has it."""
    found = np.empty((boxes.size, rows.size), dtype=np.float32)
    for one in range(boxes.size):
        box = boxes[one]
        for two in range(rows.size):
            price = _cost_with(table, first, size, codes, low, high, box, rows[two], np.inf)
            found[one, two] = price - cost[box]
            for slot in range(filled):
                if covered[box, slot] == rows[two]:
                    found[one, two] = barred
    return found


@njit(cache=True, nogil=True, inline="always")
def insert(sorted_values, numbers, value, number):
    """Put a value below the last one where it belongs; the last one drops out."""
    place = numbers.size - 1
    while place > 0 and sorted_values[place - 1] > value:
        sorted_values[place] = sorted_values[place - 1]
        numbers[place] = numbers[place - 1]
        place -= 1
    sorted_values[place] = value
    numbers[place] = number
