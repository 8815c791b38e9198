"""Building a regular graph one matching at a time, greedily (paper 003, section 5).

`low` and `high` are what each box spans so far, `covered` the rows of each box in the matchings so
far; -1 marks what is free in the matching being built: `box_of` a row, and `row_of` a box.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.borrowed import lent
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import span


@inner
def growth(spans, codes, low, high, box, row, limit):
    """Return by how much a box costs more once it covers a row; the limit, or more, if so."""
    more = 0.0
    for column in range(codes.shape[1]):
        least, most, code = low[box, column], high[box, column], codes[row, column]
        if code < least:
            more += span(spans, column, code, most) - span(spans, column, least, most)
        elif code > most:
            more += span(spans, column, least, code) - span(spans, column, least, most)
        else:
            continue
        if more >= limit:
            break
    return more


@njit
def weights(spans, codes, low, high, covered, done):
    """Return the growth for every row and box; infinite for pairs of earlier matchings."""
    spans = lent(spans)
    rows = codes.shape[0]
    found = np.empty((rows, rows))
    for box in range(rows):
        for row in range(rows):
            found[row, box] = growth(spans, codes, low, high, box, row, np.inf)
        for matching in range(done):
            found[covered[box, matching], box] = np.inf
    return found


@njit
def _used(covered, done, box, row):
    for matching in range(done):  # noqa: SIM110 - for numba
        if covered[box, matching] == row:
            return True
    return False


@njit
def _cheapest(spans, codes, low, high, covered, done, row_of, row):
    """Find the free box that a row makes grow least; -1 where there is none."""
    spans = lent(spans)
    best, found = np.inf, -1
    for box in range(codes.shape[0]):
        if row_of[box] < 0:
            more = growth(spans, codes, low, high, box, row, best)
            if more < best and not _used(covered, done, box, row):
                best, found = more, box
    return found


@njit
def match_greedily(spans, codes, low, high, covered, done, box_of, row_of):
    """Match rows one after the other to the cheapest free box (Algorithm 1)."""
    for row in range(codes.shape[0]):
        box = _cheapest(spans, codes, low, high, covered, done, row_of, row)
        if box < 0:
            settle(spans, codes, low, high, covered, done, box_of, row_of, row)
        else:
            box_of[row] = box
            row_of[box] = row


@njit
def match_sorted(covered, done, box_of, row_of, edges):
    """Take pairs in a given order while both ends are free."""
    rows = box_of.size
    for edge in edges:
        row, box = edge // rows, edge % rows
        if box_of[row] < 0 and row_of[box] < 0 and not _used(covered, done, box, row):
            box_of[row] = box
            row_of[box] = row


@njit
def settle(spans, codes, low, high, covered, done, box_of, row_of, row):
    """Backtrack: an earlier row gives its box to a row at a dead end and takes a free one.

    Where no single row can (few rows, many matchings), a chain of rows hands on boxes: the pairs
    left are a regular graph, which always has a perfect matching.
    """
    for back in range(1, codes.shape[0]):
        other = (row - back) % codes.shape[0]
        box = box_of[other]
        if box < 0 or _used(covered, done, box, row):
            continue
        free = _cheapest(spans, codes, low, high, covered, done, row_of, other)
        if free >= 0:
            box_of[other] = free
            row_of[free] = other
            box_of[row] = box
            row_of[box] = row
            return
    _augment(covered, done, box_of, row_of, row)


@inner
def _augment(covered, done, box_of, row_of, row):
    """Find the shortest chain from a row to a free box, and hand on boxes along it."""
    rows = box_of.size
    came = np.full(rows, -1, dtype=np.int64)
    queue = np.empty(rows + 1, dtype=np.int64)
    queue[0] = row
    head, tail = 0, 1
    while head < tail:
        at = queue[head]
        head += 1
        for box in range(rows):
            if came[box] >= 0 or _used(covered, done, box, at):
                continue
            came[box] = at
            if row_of[box] < 0:
                _hand_on(came, box_of, row_of, row, box)
                return
            queue[tail] = row_of[box]
            tail += 1


@inner
def _hand_on(came, box_of, row_of, row, box):
    """Give each row of a chain the box it came to, back to the first row."""
    while True:
        giver = came[box]
        before = box_of[giver]
        box_of[giver] = box
        row_of[box] = giver
        if giver == row:
            return
        box = before


@njit
def grow(codes, low, high, box_of):
    """Widen every box to cover the row it was matched to."""
    for row in range(codes.shape[0]):
        box = box_of[row]
        for column in range(codes.shape[1]):
            low[box, column] = min(low[box, column], codes[row, column])
            high[box, column] = max(high[box, column], codes[row, column])
