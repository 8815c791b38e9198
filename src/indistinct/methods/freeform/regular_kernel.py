"""Regular bipartite graphs: half of the edges of each vertex, or one of each, by walks.

`covered` is a graph: for each published row (box) the original rows it covers. In a regular graph
each row is in as many boxes as each box has rows.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.random import below, word


@njit
def holders(covered):
    """Return for each row the boxes that cover it; nothing if the graph is not regular."""
    boxes, degree = covered.shape
    held = np.empty((boxes, degree), dtype=covered.dtype)
    fill = np.zeros(boxes, dtype=np.int32)
    for box in range(boxes):
        for slot in range(degree):
            row = covered[box, slot]
            if fill[row] == degree:
                return np.empty((0, degree), dtype=covered.dtype)
            held[row, fill[row]] = box
            fill[row] += 1
    return held


@njit
def halves(covered):
    """Split a regular graph of even degree into two of half the degree.

    The edges of each box are paired, and those of each row. Walking from an edge to its partner
    at the row, then to that one's partner at the box, and so on, returns to where it began; every
    other edge on the way goes to the same half, so each pair is split.
    """
    boxes, degree = covered.shape
    partner = _partners(covered)
    half = np.full(boxes * degree, -1, dtype=np.int8)
    for start in range(half.size):
        edge = start
        while half[edge] < 0:
            half[edge] = 0
            other = partner[edge]
            half[other] = 1
            edge = other ^ 1
    one = np.empty((boxes, degree // 2), dtype=np.int32)
    two = np.empty((boxes, degree // 2), dtype=np.int32)
    for box in range(boxes):
        ones = 0
        twos = 0
        for slot in range(degree):
            if half[box * degree + slot] == 0:
                one[box, ones] = covered[box, slot]
                ones += 1
            else:
                two[box, twos] = covered[box, slot]
                twos += 1
    return one, two


@inner
def _partners(covered):
    """Pair the edges of each row, in the order in which they come."""
    boxes, degree = covered.shape
    open_ = np.full(boxes, -1, dtype=np.int64)
    partner = np.empty(boxes * degree, dtype=np.int64)
    for edge in range(partner.size):
        row = covered[edge // degree, edge % degree]
        if open_[row] < 0:
            open_[row] = edge
        else:
            partner[edge] = open_[row]
            partner[open_[row]] = edge
            open_[row] = -1
    return partner


@njit
def perfect(covered):
    """Find a perfect matching of a regular graph: the row of each box.

    Goel, Kapralov, Khanna, Perfect matchings in O(n log n) time in regular bipartite graphs: from
    each box in turn, walk to a row of it at random, from there to the box that has the row, and so
    on until a row is free; then let each box on the way take the row that it was last left by. The
    random numbers are the same every time.
    """
    boxes, degree = covered.shape
    owner = np.full(boxes, -1, dtype=np.int32)
    left_by = np.full(boxes, -1, dtype=np.int32)
    state = np.full(1, 88172645463325252, dtype=np.uint64)
    for start in range(boxes):
        box, own = start, -1
        while box >= 0:
            row = covered[box, below(word(state), 48, degree)]
            if row != own:
                left_by[box] = row
                box, own = owner[row], row
        box = start
        while box >= 0:
            row = left_by[box]
            box, owner[row] = owner[row], box
    found = np.empty(boxes, dtype=np.int32)
    for row in range(boxes):
        found[owner[row]] = row
    return found
