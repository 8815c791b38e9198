"""A regular graph of boxes and rows: what boxes cover, span and cost.

Costs are multiples of a power of two, and so few that sums of them are exact: what a box costs is
kept up to date by adding what changes. Rows, boxes and codes are unsigned numbers: a place that
cannot be negative is found faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

LEAST = 1e-6


class Graph(NamedTuple):
    """Boxes of k rows each, k boxes for each row.

    Attributes
    ----------
    table, first, size
        What the span of two codes costs, column c from `first[c]` on, `size[c]` codes wide.
    codes
        The codes of each row.
    near
        For each row the rows nearest to it.
    covered, held
        The rows of each box, and the boxes of each row.
    ends
        For each box and column the least and the second least code, the second greatest and the
        greatest: they tell what a box spans without any one of its rows.
    cost
        What each box costs.
    side
        Where each box belongs: boxes of different sides leave each other alone, so that both sides
        can change at the same time.
    """

    table: np.ndarray
    first: np.ndarray
    size: np.ndarray
    codes: np.ndarray
    near: np.ndarray
    covered: np.ndarray
    held: np.ndarray
    ends: np.ndarray
    cost: np.ndarray
    side: np.ndarray


@njit(cache=True, nogil=True, inline="always")
def pair_cost(table, first, size, codes, one, two):
    """Return what two rows cost together."""
    cost = np.float32(0.0)
    for column in range(codes.shape[1]):
        low, high = codes[one, column], codes[two, column]
        if low > high:
            low, high = high, low
        cost += table[first[column] + low * size[column] + high]
    return cost


@njit(cache=True, nogil=True)
def distances(table, first, size, codes, others, apart):
    """Fill in what each row costs together with another."""
    for row in range(codes.shape[0]):
        apart[row] = pair_cost(table, first, size, codes, row, others[row])


@njit(cache=True, nogil=True)
def nearest(table, first, size, codes, orders, places, reach, begin, near):
    """Fill in for some rows those that are nearest, of those beside them in one of the orders.

    `near` has a line for each of these rows, of which the first is `begin`.
    """
    rows = codes.shape[0]
    apart = np.empty(near.shape[1], dtype=np.float32)
    met = np.full(rows, rows, dtype=np.uint32)
    for line in range(near.shape[0]):
        row = begin + line
        apart[:] = np.inf
        near[line] = row
        met[row] = row
        for order in range(orders.shape[0]):
            place = places[order, row]
            for step in range(-reach, reach + 1):
                other = orders[order, (place + step) % rows]
                if met[other] == row:
                    continue
                met[other] = row
                cost = pair_cost(table, first, size, codes, row, other)
                if cost < apart[-1]:
                    insert(apart, near[line], cost, other)


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


@njit(cache=True, nogil=True)
def measure(graph):
    """Fill in what each box spans and costs."""
    for box in range(graph.covered.shape[0]):
        find_ends(graph, box)
        graph.cost[box] = 0.0
        for column in range(graph.codes.shape[1]):
            least, most = graph.ends[box, column, 0], graph.ends[box, column, 3]
            graph.cost[box] += graph.table[graph.first[column] + least * graph.size[column] + most]


@njit(cache=True, nogil=True)
def find_ends(graph, box):
    """Find what a box spans."""
    for column in range(graph.codes.shape[1]):
        _find_end(graph.codes, graph.covered, graph.ends, box, column)


@njit(cache=True, nogil=True, inline="always")
def _find_end(codes, covered, ends, box, column):
    one, two = codes[covered[box, 0], column], codes[covered[box, 1], column]
    least, most = min(one, two), max(one, two)
    second, last_but_one = most, least
    for slot in range(2, covered.shape[1]):
        code = codes[covered[box, slot], column]
        second = min(second, max(least, code))
        last_but_one = max(last_but_one, min(most, code))
        least, most = min(least, code), max(most, code)
    ends[box, column, 0] = least
    ends[box, column, 1] = second
    ends[box, column, 2] = last_but_one
    ends[box, column, 3] = most


@njit(cache=True, nogil=True, inline="always")
def without(ends, box, column, code):
    """Return the least and the greatest code of a box in a column without a row that has `code`."""
    least, most = ends[box, column, 0], ends[box, column, 3]
    low = ends[box, column, 1] if code == least else least
    high = ends[box, column, 2] if code == most else most
    return low, high


@njit(cache=True, nogil=True, inline="always")
def growth_with(table, first, size, low, high, codes, limit):
    """Return what a span costs more with a row, or something that is not below a limit."""
    growth = np.float32(0.0)
    for column in range(codes.size):
        code, least, most = codes[column], low[column], high[column]
        if code < least or code > most:
            begin, width = first[column], size[column]
            growth -= table[begin + least * width + most]
            growth += table[begin + min(least, code) * width + max(most, code)]
            if growth >= limit:
                break
    return growth


@njit(cache=True, nogil=True)
def growth_of(graph, box, out, new):
    """Return by how much a box costs more with one row instead of another."""
    table, codes, ends = graph.table, graph.codes, graph.ends
    growth = np.float32(0.0)
    for column in range(codes.shape[1]):
        gone, code = codes[out, column], codes[new, column]
        if gone == code:
            continue
        least, most = ends[box, column, 0], ends[box, column, 3]
        low, high = without(ends, box, column, gone)
        low, high = min(low, code), max(high, code)
        if low != least or high != most:
            begin, width = graph.first[column], graph.size[column]
            growth += table[begin + low * width + high] - table[begin + least * width + most]
    return growth


@njit(cache=True, nogil=True, inline="always")
def slot_of(covered, box, row):
    """Return where a box covers a row; -1 if it does not."""
    for slot in range(covered.shape[1]):
        if covered[box, slot] == row:
            return slot
    return -1


@njit(cache=True, nogil=True)
def replace(graph, box, out, new, growth):
    """Let a box cover one row instead of another; who held the new one is left to the caller."""
    codes, ends = graph.codes, graph.ends
    graph.covered[box, slot_of(graph.covered, box, out)] = new
    graph.cost[box] += growth
    for column in range(codes.shape[1]):
        gone, code = codes[out, column], codes[new, column]
        second, last_but_one = ends[box, column, 1], ends[box, column, 2]
        if gone != code and (min(gone, code) <= second or max(gone, code) >= last_but_one):
            _find_end(codes, graph.covered, ends, box, column)
