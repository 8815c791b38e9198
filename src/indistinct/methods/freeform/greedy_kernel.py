"""Building a regular graph one matching at a time, greedily.

Doka, Xue, Tsoumakos, Karras (ASIA CCS 2015), section 5: every iteration matches each row to a box
that does not cover it yet. `match_greedily` is their Algorithm 1 with its backtracking,
`match_sorted` their SortGreedy; the Hungarian algorithm takes `weights`.

Invariants: -1 marks what is free in the matching being built, `box_of` a row and `row_of` a box,
which are the inverse of each other; no pair is in two matchings; the pairs left are a regular
graph, so every matching can be completed (their Lemma 5.1 says when backtracking alone does it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import lent
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays

    Codes = NDArray[np.int32]
    Matched = NDArray[np.int64]


class Boxes(NamedTuple):
    """The boxes of a block so far, as many as rows.

    Attributes
    ----------
    spans, codes
        What spans cost, and the codes of each row.
    low, high
        What each box spans so far.
    covered
        The row of each box in each matching.
    """

    spans: SpanArrays
    codes: Codes
    low: Codes
    high: Codes
    covered: NDArray[np.int32]


@inner(inline="always")  # as part of a loop that has lent the arrays
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
def weights(boxes: Boxes, done: int, grown: NDArray[np.float64]) -> None:
    """Write the growth for every row and box; infinite for pairs of the matchings `done`."""
    boxes = lent(boxes)
    spans, codes, low, high = boxes.spans, boxes.codes, boxes.low, boxes.high
    for box in range(grown.shape[1]):
        for row in range(grown.shape[0]):
            grown[row, box] = growth(spans, codes, low, high, box, row, np.inf)
        for matching in range(done):
            grown[boxes.covered[box, matching], box] = np.inf


@inner
def _used(covered, done, box, row):
    for matching in range(done):  # noqa: SIM110 - for numba
        if covered[box, matching] == row:
            return True
    return False


@inner
def _cheapest(boxes, done, row_of, row):
    """Find the free box that a row makes grow least; -1 where there is none."""
    boxes = lent(boxes)  # here, where arrays are taken out: a caller's would be counted again
    spans, codes, low, high = boxes.spans, boxes.codes, boxes.low, boxes.high
    best, cheapest = np.inf, -1
    for box in range(row_of.size):
        if row_of[box] < 0:
            more = growth(spans, codes, low, high, box, row, best)
            if more < best and not _used(boxes.covered, done, box, row):
                best, cheapest = more, box
    return cheapest


@njit
def match_greedily(
    boxes: Boxes, done: int, box_of: Matched, row_of: Matched, scratch: Matched
) -> None:
    """Match rows one after the other to the cheapest free box (Algorithm 1)."""
    for row in range(box_of.size):
        box = _cheapest(boxes, done, row_of, row)
        if box < 0:
            _settle(boxes, done, box_of, row_of, row, scratch)
        else:
            box_of[row] = box
            row_of[box] = row


@njit
def match_sorted(
    boxes: Boxes, done: int, box_of: Matched, row_of: Matched, edges: NDArray[np.intp]
) -> None:
    """Take pairs in a given order while both ends are free."""
    covered, rows = boxes.covered, box_of.size
    for place in range(edges.size):
        row, box = edges[place] // rows, edges[place] % rows
        if box_of[row] < 0 and row_of[box] < 0 and not _used(covered, done, box, row):
            box_of[row] = box
            row_of[box] = row


@njit
def settle_all(boxes: Boxes, done: int, box_of: Matched, row_of: Matched, scratch: Matched) -> None:
    """Settle every row that has no box."""
    for row in range(box_of.size):
        if box_of[row] < 0:
            _settle(boxes, done, box_of, row_of, row, scratch)


@inner
def _settle(boxes, done, box_of, row_of, row, scratch):
    """Backtrack: an earlier row gives its box to a row at a dead end and takes a free one.

    Where no single row can (few rows, many matchings), a chain of rows hands on boxes. `scratch` is
    two lines for it, each as long as there are rows, and one more.
    """
    for back in range(1, box_of.size):
        other = (row - back) % box_of.size
        box = box_of[other]
        if box < 0 or _used(boxes.covered, done, box, row):
            continue
        free = _cheapest(boxes, done, row_of, other)
        if free >= 0:
            box_of[other] = free
            row_of[free] = other
            box_of[row] = box
            row_of[box] = row
            return
    _augment(boxes.covered, done, box_of, row_of, row, scratch)


@inner
def _augment(covered, done, box_of, row_of, row, scratch):
    """Find the shortest chain from a row to a free box, and hand on boxes along it."""
    rows, came, queue = box_of.size, scratch[0], scratch[1]
    for box in range(rows):
        came[box] = -1
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
def grow(boxes: Boxes, box_of: Matched) -> None:
    """Widen every box to cover the row it was matched to."""
    codes, low, high = boxes.codes, boxes.low, boxes.high
    for row in range(codes.shape[0]):
        box = box_of[row]
        for column in range(codes.shape[1]):
            low[box, column] = min(low[box, column], codes[row, column])
            high[box, column] = max(high[box, column], codes[row, column])
