"""Regular bipartite graphs: half of the edges of each vertex, or one of each, by walks.

`covered` is a graph: for each published row (box) the original rows it covers. In a regular graph
each row is in as many boxes as each box has rows; what is returned is regular again. Every regular
bipartite graph is the union of perfect matchings (Koenig 1916), which halving it and taking a
matching out of it find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import njit
from indistinct.kernels.random import below, word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int32]

NOBODY = -1
STATE = 88172645463325252


def holders(covered: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return for each row the boxes that cover it; nothing if the graph is not regular."""
    held, fill = np.empty_like(covered), np.zeros(covered.shape[0], dtype=np.int32)
    return held if _list_holders(covered, held, fill) else held[:0]


@njit
def _list_holders(
    covered: NDArray[np.uint32], held: NDArray[np.uint32], fill: NDArray[np.int32]
) -> bool:
    """List the boxes of each row, `fill` of them so far; tell whether there is place for all."""
    boxes, degree = covered.shape
    for box in range(boxes):
        for slot in range(degree):
            row = covered[box, slot]
            if fill[row] == degree:
                return False
            held[row, fill[row]] = box
            fill[row] += 1
    return True


def halves(covered: Rows) -> tuple[Rows, Rows]:
    """Split a regular graph of even degree into two of half the degree.

    The edges of each box are paired, and those of each row. Walking from an edge to its partner
    at the row, then to that one's partner at the box, and so on, returns to where it began; every
    other edge on the way goes to the same half, so each pair is split.
    """
    boxes, degree = covered.shape
    unpaired = np.full(boxes, NOBODY, dtype=np.int64)
    partner = np.empty(covered.size, dtype=np.int64)
    half = np.full(covered.size, NOBODY, dtype=np.int8)
    _split(covered, unpaired, partner, half)
    first = half.reshape(boxes, degree) == 0
    one, two = covered[first], covered[~first]
    return one.reshape(boxes, degree // 2), two.reshape(boxes, degree // 2)


@njit
def _split(
    covered: Rows,
    unpaired: NDArray[np.int64],
    partner: NDArray[np.int64],
    half: NDArray[np.int8],
) -> None:
    """Find which half each edge goes to; edge e is one of box e // degree."""
    degree = covered.shape[1]
    # pair the edges of each row in the order in which they come
    for edge in range(partner.size):
        row = covered[edge // degree, edge % degree]
        other = unpaired[row]
        if other < 0:
            unpaired[row] = edge
        else:
            partner[edge], partner[other] = other, edge
            unpaired[row] = NOBODY
    for start in range(half.size):
        edge = start
        while half[edge] < 0:
            half[edge] = 0
            other = partner[edge]
            half[other] = 1
            edge = other ^ 1  # edges 2i and 2i + 1 of a box are a pair


def perfect(covered: Rows) -> Rows:
    """Find a perfect matching of a regular graph: the row of each box.

    Goel, Kapralov, Khanna, Perfect matchings in O(n log n) time in regular bipartite graphs (2010):
    from each box in turn, walk to a row of it at random, from there to the box that has the row,
    and so on until a row is free; then let each box on the way take the row that it was last left
    by. The random numbers are the same every time.
    """
    owner, left_by = np.full((2, covered.shape[0]), NOBODY, dtype=np.int32)
    _walk_to_free_rows(covered, owner, left_by, np.full(1, STATE, dtype=np.uint64))
    matched = np.empty_like(owner)
    matched[owner] = np.arange(owner.size, dtype=np.int32)
    return matched


@njit
def _walk_to_free_rows(
    covered: Rows, owner: Rows, left_by: Rows, state: NDArray[np.uint64]
) -> None:
    """Find the box that owns each row; `left_by` is the row by which each box was left last."""
    boxes, degree = covered.shape
    for start in range(boxes):
        box, own = start, NOBODY
        while box >= 0:
            row = covered[box, below(word(state), np.uint64(48), degree)]
            if row != own:
                left_by[box] = row
                box, own = owner[row], row
        # the way may have crossed itself: what each box was left by last leads to the free row
        box = start
        while box >= 0:
            row = left_by[box]
            box, owner[row] = owner[row], box
