"""Drawing a perfect matching of a k-regular graph, every edge with probability 1 / k.

Dependent rounding (Gandhi, Khuller, Parthasarathy, Srinivasan, Journal of the ACM 53, 2006): each
edge begins with one unit of k. A walk over undecided edges, those with more than 0 and less than k
units, closes a cycle; every other edge of the cycle gains what the edges between them lose.

- Marginals. With `up` units to gain and `down` units to lose until an edge of the cycle has 0 or k,
  the shift is `up` with probability down / (up + down), else `-down`: its mean is 0, whichever
  cycle the walk has closed. So the units of an edge are a martingale: in the end they are k with
  probability 1 / k, and 0 otherwise.
- End. Every shift decides an edge at least, and what is decided stays. The units of a box sum to k,
  so a box with one undecided edge has another: the walk never gets stuck, and the last shift leaves
  none.
- Outcome. The sums at boxes and rows stay k: in the end one edge of each box has k units, and one
  of each row. That is a perfect matching within the graph.

The loops are here; `edges_of` and `way_of` make the arrays that they work in. The walk closes the
shortest cycle that one more edge can close, and goes on from where the cycle
left its way. So it settles rows near each other a few at a time, each with a coin of its own. It
depends on the graph and on random words, on nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
NOWHERE = -1


class Edges(NamedTuple):
    """The edges of a k-regular graph; edge e is one of box e // k.

    Attributes
    ----------
    row
        The row of each edge.
    units
        How much of k each edge has.
    of_box, of_row
        The undecided edges of each box and of each row, in their first places.
    box_degree, row_degree
        How many those are.
    """

    row: NDArray[np.int32]
    units: NDArray[np.int32]
    of_box: NDArray[np.int32]
    of_row: NDArray[np.int32]
    box_degree: NDArray[np.int32]
    row_degree: NDArray[np.int32]


class Way(NamedTuple):
    """The way of the walk: boxes by their number, rows by theirs after all boxes.

    Attributes
    ----------
    node, edge
        Where the walk is after each step, and the edge it came by.
    step
        The step at which a box or row was reached; `NOWHERE` if it is not on the way.
    cycle
        The edges of the cycle that was closed last.
    """

    node: NDArray[np.int32]
    edge: NDArray[np.int32]
    step: NDArray[np.int32]
    cycle: NDArray[np.int32]


@njit
def scaled(word, limit):
    """Take 64 random bits as a number below a limit: word * limit / 2**64, rounded down.

    No number is likelier than another by more than 2**-64.
    """
    most = np.uint64(limit)
    carried = ((word & LOW) * most) >> HALF
    return np.int64(((word >> HALF) * most + carried) >> HALF)


def edges_of(sources: NDArray[np.int32]) -> Edges:
    """Return the edges of a graph, of which `shuffle` fills in the order at each box and row.

    Parameters
    ----------
    sources
        The rows of each box.
    """
    boxes, k = sources.shape
    of_box, of_row = np.empty((2, boxes, k), dtype=np.int32)
    # with k = 1 every edge is decided from the beginning
    box_degree = np.full(boxes, k if k > 1 else 0, dtype=np.int32)
    return Edges(
        np.ascontiguousarray(sources).ravel(),
        np.ones(boxes * k, dtype=np.int32),
        of_box,
        of_row,
        box_degree,
        row_degree=np.zeros(boxes, dtype=np.int32),
    )


def way_of(boxes: int) -> Way:
    """Return the way of a walk that has not begun, in a graph of so many boxes."""
    node, edge = np.empty((2, 2 * boxes + 1), dtype=np.int32)
    cycle = np.empty(2 * boxes, dtype=np.int32)
    return Way(node, edge, np.full(2 * boxes, NOWHERE, dtype=np.int32), cycle)


@njit
def shuffle(edges: Edges, order: NDArray[np.int32], words: NDArray[np.uint64]) -> None:
    """Put boxes into a random order; boxes and rows list their edges in one, too.

    Parameters
    ----------
    edges, order
        The edges, and the boxes in any order: both are changed.
    words
        Random words of 64 bits, one for each box. Each stretches to what a box needs by
        multiplication: how the walk chooses its way is not what marginals rest on.
    """
    boxes, k = edges.of_box.shape
    for last in range(boxes - 1, 0, -1):
        place = scaled(words[last], last + 1)
        order[last], order[place] = order[place], order[last]
    for turn in range(boxes):
        box = order[turn]
        state = words[box]
        line = edges.of_box[box]
        for slot in range(k):
            line[slot] = box * k + slot
        for last in range(k - 1, 0, -1):
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            place = scaled(state, last + 1)
            line[last], line[place] = line[place], line[last]
        for slot in range(k):
            row = edges.row[line[slot]]
            edges.of_row[row, edges.row_degree[row]] = line[slot]
            edges.row_degree[row] += 1


@inner
def _drop(line, degree, edge):
    """Take an edge out of the undecided ones; the last of them takes its place."""
    for slot in range(degree):
        if line[slot] == edge:
            line[slot] = line[degree - 1]
            return


@inner
def _look(edges, way, top):
    """From where the walk is, find an edge that closes a short cycle, or one to go on by.

    Returns
    -------
    The edge, where it leads, and the step of the way at which the walk was there, or `NOWHERE`.
    """
    boxes, k = edges.of_box.shape
    node, came_by = np.int64(way.node[top]), way.edge[top]
    at_box = node < boxes
    line = edges.of_box[node] if at_box else edges.of_row[node - boxes]
    degree = edges.box_degree[node] if at_box else edges.row_degree[node - boxes]
    best, leads, back = np.int64(NOWHERE), np.int64(NOWHERE), np.int64(NOWHERE)
    for slot in range(degree):
        edge = line[slot]
        if edge != came_by:
            end = np.int64(boxes + edges.row[edge] if at_box else edge // k)
            # the later the walk was there, the shorter is the cycle
            if best == NOWHERE or way.step[end] > back:
                best, leads, back = np.int64(edge), end, np.int64(way.step[end])
    return best, leads, back


@inner
def _close(way, top, back, edge):
    """List the edges of the cycle that an edge closes; leave the way from there; count them."""
    way.cycle[0] = edge
    for step in range(back + 1, top + 1):
        way.cycle[step - back] = way.edge[step]
        way.step[way.node[step]] = NOWHERE
    return top - back + 1


@inner
def _limits(edges, cycle, size):
    """Return by how much a cycle can be shifted one way and the other."""
    k = edges.of_box.shape[1]
    up, down = k, k
    for place in range(size):
        have = np.int64(edges.units[cycle[place]])
        # every other edge gains what those between them lose
        gain = k - have if place % 2 == 0 else have
        up, down = min(up, gain), min(down, k - gain)
    return up, down


@inner
def _shift(edges, cycle, size, shift, matched):
    """Shift a cycle; take out the edges that are decided then, and count the rows settled."""
    k, settled = edges.of_box.shape[1], 0
    for place in range(size):
        edge = cycle[place]
        edges.units[edge] += shift
        shift = -shift
        if edges.units[edge] % k == 0:
            box, row = edge // k, edges.row[edge]
            _drop(edges.of_box[box], edges.box_degree[box], edge)
            edges.box_degree[box] -= 1
            _drop(edges.of_row[row], edges.row_degree[row], edge)
            edges.row_degree[row] -= 1
            if edges.units[edge] == k:
                matched[box] = row
                settled += 1
    return settled


@njit
def round_edges(
    edges: Edges,
    order: NDArray[np.int32],
    words: NDArray[np.uint64],
    way: Way,
    matched: NDArray[np.int32],
    shifts: NDArray[np.int64],
    together: NDArray[np.int64],
) -> None:
    """Round all edges; find the row of each box.

    Parameters
    ----------
    edges, order
        The graph, which is used up, and the boxes in the order in which walks begin.
    words
        Random words of 64 bits, one for each edge: there are never more shifts.
    way
        Scratch.
    matched
        Is given the row of each box, if k > 1; with k = 1 it has to be there.
    shifts
        Is given the number of shifts that could go so many units up and so many down.
    together
        Is given the number of rows that were settled by shifts that settled 1, 2, ... of them; the
        last number is of all that settled more.
    """
    used = 0
    for turn in range(order.size):
        start = order[turn]
        top = np.int64(0)
        way.node[0], way.edge[0], way.step[start] = start, NOWHERE, 0
        while edges.box_degree[start] > 0:
            edge, end, back = _look(edges, way, top)
            if back == NOWHERE:
                top += 1
                way.node[top], way.edge[top], way.step[end] = end, edge, top
                continue
            size = _close(way, top, back, edge)
            top = back
            up, down = _limits(edges, way.cycle, size)
            shift = up if scaled(words[used], up + down) < down else -down
            settled = _shift(edges, way.cycle, size, shift, matched)
            used += 1
            shifts[up, down] += 1
            if settled:
                together[min(settled, together.size) - 1] += settled
        way.step[start] = NOWHERE
