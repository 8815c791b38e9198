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

The walk closes the shortest cycle that one more edge can close, and goes on from where the cycle
left its way. So it settles rows near each other a few at a time, each with a coin of its own. It
depends on the graph and on random words, on nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

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

    row: np.ndarray
    units: np.ndarray
    of_box: np.ndarray
    of_row: np.ndarray
    box_degree: np.ndarray
    row_degree: np.ndarray


class Way(NamedTuple):
    """The way of the walk: boxes by their number, rows by theirs after all boxes.

    Attributes
    ----------
    node, edge
        Where the walk is after each step, and the edge it came by.
    step
        The step at which a box or row was reached; `NOWHERE` if it is not on the way.
    """

    node: np.ndarray
    edge: np.ndarray
    step: np.ndarray


@njit(inline="always")
def scaled(word, limit):
    """Take 64 random bits as a number below a limit: word * limit / 2**64, rounded down.

    No number is likelier than another by more than 2**-64.
    """
    most = np.uint64(limit)
    carried = ((word & LOW) * most) >> HALF
    return np.int64(((word >> HALF) * most + carried) >> HALF)


@njit
def shuffled(sources, words):
    """Return the edges, and the boxes in a random order; boxes and rows list theirs in one, too.

    Parameters
    ----------
    sources
        The rows of each box.
    words
        Random words of 64 bits, one for each box. Each stretches to what a box needs by
        multiplication: how the walk chooses its way is not what marginals rest on.
    """
    boxes, k = sources.shape
    order = np.arange(boxes).astype(np.int32)
    for last in range(boxes - 1, 0, -1):
        place = scaled(words[last], last + 1)
        order[last], order[place] = order[place], order[last]
    of_box = np.empty((boxes, k), dtype=np.int32)
    of_row = np.empty((boxes, k), dtype=np.int32)
    fill = np.zeros(boxes, dtype=np.int32)
    for box in order:
        state = words[box]
        line = of_box[box]
        for slot in range(k):
            line[slot] = box * k + slot
        for last in range(k - 1, 0, -1):
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            place = scaled(state, last + 1)
            line[last], line[place] = line[place], line[last]
        for slot in range(k):
            row = sources[box, line[slot] - box * k]
            of_row[row, fill[row]] = line[slot]
            fill[row] += 1
    units = np.ones(boxes * k, dtype=np.int32)
    # with k = 1 every edge is decided from the beginning
    box_degree = np.full(boxes, k if k > 1 else 0, dtype=np.int32)
    return Edges(sources.ravel(), units, of_box, of_row, box_degree, fill), order


@inner
def _drop(line, degree, edge):
    """Take an edge out of the undecided ones; the last of them takes its place."""
    for slot in range(degree):
        if line[slot] == edge:
            line[slot] = line[degree - 1]
            return


@njit
def _look(edges, way, top):
    """From where the walk is, find an edge that closes a short cycle, or one to go on by.

    Returns
    -------
    The edge, and the step of the way that it leads back to, or `NOWHERE`.
    """
    boxes, k = edges.of_box.shape
    node, came_by = way.node[top], way.edge[top]
    if node < boxes:
        line, degree = edges.of_box[node], edges.box_degree[node]
    else:
        line, degree = edges.of_row[node - boxes], edges.row_degree[node - boxes]
    best, back = NOWHERE, NOWHERE
    for slot in range(degree):
        edge = line[slot]
        if edge != came_by:
            end = boxes + edges.row[edge] if node < boxes else edge // k
            if best == NOWHERE or way.step[end] > back:
                best, back = edge, way.step[end]
    return best, back


@inner
def _shift(edges, cycle, word, matched):
    """Shift a cycle at random by as much as its edges allow.

    Returns
    -------
    How many rows were settled, and by how much it could be shifted one way and the other.
    """
    k = edges.of_box.shape[1]
    up, down = k, k
    for place in range(cycle.size):
        have = edges.units[cycle[place]]
        gain, loss = (k - have, have) if place % 2 == 0 else (have, k - have)
        up, down = min(up, gain), min(down, loss)
    shift = up if scaled(word, up + down) < down else -down
    settled = 0
    for edge in cycle:
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
    return settled, up, down


@njit
def rounded(edges, order, words, shifts, together):
    """Round all edges; return the row of each box.

    Parameters
    ----------
    edges, order
        The graph, which is used up, and the boxes in the order in which walks begin.
    words
        Random words of 64 bits, one for each edge: there are never more shifts.
    shifts
        Is given the number of shifts that could go so many units up and so many down.
    together
        Is given the number of rows that were settled by shifts that settled 1, 2, ... of them; the
        last number is of all that settled more.
    """
    boxes = order.size
    way = Way(
        np.empty(2 * boxes + 1, dtype=np.int32),
        np.empty(2 * boxes + 1, dtype=np.int32),
        np.full(2 * boxes, NOWHERE, dtype=np.int32),
    )
    cycle = np.empty(2 * boxes, dtype=np.int32)
    matched = edges.row[:: edges.of_box.shape[1]].copy()
    used = 0
    for start in order:
        top = 0
        way.node[0], way.edge[0], way.step[start] = start, NOWHERE, 0
        while edges.box_degree[start] > 0:
            edge, back = _look(edges, way, top)
            if back == NOWHERE:
                end = edge // edges.of_box.shape[1]
                if way.node[top] < boxes:
                    end = boxes + edges.row[edge]
                top += 1
                way.node[top], way.edge[top], way.step[end] = end, edge, top
                continue
            size = top - back + 1
            cycle[0] = edge
            cycle[1:size] = way.edge[back + 1 : top + 1]
            for step in range(back + 1, top + 1):
                way.step[way.node[step]] = NOWHERE
            top = back
            settled, up, down = _shift(edges, cycle[:size], words[used], matched)
            used += 1
            shifts[up, down] += 1
            if settled:
                together[min(settled, together.size) - 1] += settled
        way.step[start] = NOWHERE
    return matched
