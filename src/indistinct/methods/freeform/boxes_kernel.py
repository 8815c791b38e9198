"""A regular graph of boxes and rows, for the search of `freeform`: what boxes cover, span and cost.

The model is that of Doka, Xue, Tsoumakos and Karras (2015): a published row (box) covers k original
rows, and each original row is covered k times. The search is our own; this is what its kernels
share (`exchanges_kernel`, `two_boxes_kernel`, `cycles_kernel`, `narrowing_kernel`).

Invariants, which hold between any two changes of the graph:

- `covered` has k different rows for each box, `held` k different boxes for each row, and they tell
  the same pairs.
- `ends` and `cost` of a box are those of the rows it covers. Costs are multiples of a power of two,
  and so few that float32 adds them exactly: `cost` is kept by adding what changes, in any order.

Rows, boxes and codes are unsigned numbers: a place that cannot be negative is found faster. Lines
of codes are as wide as `lanes_kernel` wants them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import pointer_to
from indistinct.kernels.compiled import inner, njit
from indistinct.methods.freeform.lanes_kernel import (
    LANES,
    LAST_BUT_ONE,
    LEAST_CODE,
    MOST_CODE,
    SECOND_CODE,
    begin_ends,
    changing,
    different,
    first_lane,
    widen_ends,
    width_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.uint8 | np.uint16]
    Numbers = NDArray[np.uint32]

LEAST = 1e-6


class Costs(NamedTuple):
    """What the span of two codes costs, in whichever order.

    Attributes
    ----------
    table, first, size
        The costs of column c are in `table` from `first[c]` on, `size[c]` codes wide.
    """

    table: NDArray[np.float32]
    first: Numbers
    size: Numbers


class Beside(NamedTuple):
    """Rows in several orders, in each of which many rows are beside near ones.

    Attributes
    ----------
    orders, places
        The rows in each order, and the place of each row in it.
    met, from_row
        Scratch: by which row each row was met last, and where the costs of spans from it begin.
    """

    orders: Numbers
    places: NDArray[np.int32]
    met: Numbers
    from_row: Numbers


class Graph(NamedTuple):
    """Boxes of k rows each, k boxes for each row.

    Attributes
    ----------
    table, first, size
        What spans cost, as in `Costs`.
    codes
        The codes of each row, zeros for columns that do not exist.
    near
        For each row some that are near it, to be tried.
    covered, held
        The rows of each box, and the boxes of each row.
    ends
        For each box, column by column, the least and the greatest code, the second least and the
        second greatest: they tell what a box spans without any one of its rows.
    cost
        What each box costs.
    side
        Where each box belongs: boxes of different sides leave each other alone, so that both sides
        can change at the same time.
    """

    table: NDArray[np.float32]
    first: Numbers
    size: Numbers
    codes: Codes
    near: Numbers
    covered: Numbers
    held: Numbers
    ends: Codes
    cost: NDArray[np.float32]
    side: NDArray[np.uint8]


@inner
def spans_from(first, size, codes, row, begin):
    """Fill in where the table has what spans from the codes of a row cost."""
    for column in range(first.size):
        begin[column] = first[column] + codes[row, column] * size[column]


@inner
def pair_cost(table, codes, begin, one, two, limit):
    """Return what two rows cost together, or something that is not below a limit.

    `begin` is where spans from the one row are.
    """
    cost, width = np.float32(0.0), width_of(codes)
    for lane in range(np.int64(0), width, LANES):
        # a bit for each column in which the rows differ, taken off from the lowest one on
        left = different(codes[one], codes[two], lane)
        while left != 0 and cost < limit:
            column = np.uint64(lane) + first_lane(left)
            left &= left - np.uint64(1)
            cost += table[begin[column] + codes[two, column]]
    return cost


@inner
def _around(place, rows):
    """Return a place on a ring for one that may be a little before or after it."""
    if place < 0:
        return place + rows
    return place - rows if place >= rows else place


@njit
def nearest(
    costs: Costs,
    codes: Codes,
    beside: Beside,
    reach: int,
    begin: int,
    near: Numbers,
    apart: NDArray[np.float32],
) -> None:
    """Find for some rows those that are nearest, of the `reach` on either side in each order.

    `near` has a line for each of these rows, of which the first is `begin`: at first full of the
    row itself, for which `apart`, what each costs together with the row, is infinite. Where too few
    others come in question it stays so.
    """
    orders, places, met, from_row = beside.orders, beside.places, beside.met, beside.from_row
    rows = codes.shape[0]
    for line in range(near.shape[0]):
        row = np.uint32(begin + line)
        met[row] = row
        spans_from(costs.first, costs.size, codes, row, from_row)
        for order in range(orders.shape[0]):
            for place in range(places[order, row] - reach, places[order, row] + reach + 1):
                other = orders[order, _around(place, rows)]
                if met[other] == row:
                    continue
                met[other] = row
                cost = pair_cost(costs.table, codes, from_row, row, other, apart[line, -1])
                if cost < apart[line, -1]:
                    insert(apart[line], near[line], cost, other)


@njit
def choose_near(
    near: Numbers,
    apart: NDArray[np.float32],
    price: NDArray[np.float32],
    begin: int,
    chosen: Numbers,
    worth: NDArray[np.float32],
) -> None:
    """Choose for some rows, of those near, the ones that cost most beyond what they are apart.

    `chosen` has a line for each of these rows, of which the first is `begin`, dearest first; where
    there are too few, a row is near itself. `worth` is scratch for a number of each chosen row.
    """
    for line in range(chosen.shape[0]):
        row = begin + line
        for number in range(chosen.shape[1]):
            worth[number], chosen[line, number] = np.inf, row
        for number in range(near.shape[1]):
            less = apart[row, number] - price[near[row, number]]
            if less < worth[-1]:
                insert(worth, chosen[line], less, near[row, number])
        for number in range(1, chosen.shape[1]):
            other, place = chosen[line, number], number
            while place > 0 and price[chosen[line, place - 1]] < price[other]:
                chosen[line, place] = chosen[line, place - 1]
                place -= 1
            chosen[line, place] = other


@inner
def insert(sorted_values, numbers, value, number):
    """Put a value below the last one where it belongs; the last one drops out."""
    place = numbers.size - 1
    while place > 0 and sorted_values[place - 1] > value:
        sorted_values[place] = sorted_values[place - 1]
        numbers[place] = numbers[place - 1]
        place -= 1
    sorted_values[place] = value
    numbers[place] = number


@njit
def measure(graph: Graph) -> None:
    """Fill in what each box spans and costs."""
    graph = pointer_to(graph)
    for box in range(graph.covered.shape[0]):
        find_ends(graph, np.uint32(box))
        graph.cost[box] = 0.0
        for column in range(graph.first.size):
            least, most = graph.ends[box, LEAST_CODE, column], graph.ends[box, MOST_CODE, column]
            graph.cost[box] += graph.table[graph.first[column] + least * graph.size[column] + most]


@inner
def find_ends(graph, box):
    """Find what a box spans."""
    codes, covered, ends = graph.codes, graph.covered, graph.ends[box]
    for lane in range(np.int64(0), width_of(codes), LANES):
        begin_ends(ends, codes[covered[box, 0]], lane)
        for slot in range(1, covered.shape[1]):
            widen_ends(ends, codes[covered[box, slot]], lane)


@inner
def without(ends, box, column, code):
    """Return the least and the greatest code of a box in a column without a row that has `code`."""
    least, most = ends[box, LEAST_CODE, column], ends[box, MOST_CODE, column]
    low = ends[box, SECOND_CODE, column] if code == least else least
    high = ends[box, LAST_BUT_ONE, column] if code == most else most
    return low, high


@inner
def growth_of(graph, box, out, new):
    """Return by how much a box costs more with one row instead of another."""
    table, first, size, codes, ends = graph.table, graph.first, graph.size, graph.codes, graph.ends
    growth, width = np.float32(0.0), width_of(codes)
    for lane in range(np.int64(0), width, LANES):
        left = changing(ends[box], codes[out], codes[new], lane)
        while left != 0:
            column = np.uint64(lane) + first_lane(left)
            left &= left - np.uint64(1)
            code = codes[new, column]
            # what it spans now; without the row that goes; and with the one that comes
            least, most = ends[box, LEAST_CODE, column], ends[box, MOST_CODE, column]
            low, high = without(ends, box, column, codes[out, column])
            low, high = min(low, code), max(high, code)
            begin, across = first[column], size[column]
            growth += table[begin + low * across + high] - table[begin + least * across + most]
    return growth


@inner
def slot_of(covered, box, row):
    """Return where a box covers a row; -1 if it does not."""
    for slot in range(covered.shape[1]):
        if covered[box, slot] == row:
            return slot
    return -1


@inner
def replace(graph, box, out, new, growth):
    """Let a box cover one row instead of another; who held the new one is left to the caller."""
    graph.covered[box, slot_of(graph.covered, box, out)] = new
    graph.cost[box] += growth
    find_ends(graph, box)
