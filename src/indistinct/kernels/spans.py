"""What a group of rows costs, from the smallest and the largest code of each column.

Codes are in an order in which every node of a hierarchy is a run, so two codes give the range, or
the lowest common ancestor, of all between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import lent
from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SpanArrays(NamedTuple):
    """The cost of every span [lo, hi] of every column, in arrays that kernels can read.

    Attributes
    ----------
    table, table_first, size
        For columns of few values, the cost of each span, where its square begins (-1 if there is
        none), and how many values the column has.
    line, line_end, line_first
        For columns published as ranges, the scaled place where a range begins that begins at each
        value, and where one ends that ends there; -1 for others.
    nodes, loss, nodes_first, height
        For columns published as nodes, the node of each value on each level and its cost.
    """

    table: np.ndarray
    table_first: np.ndarray
    size: np.ndarray
    line: np.ndarray
    line_end: np.ndarray
    line_first: np.ndarray
    nodes: np.ndarray
    loss: np.ndarray
    nodes_first: np.ndarray
    height: np.ndarray


@njit(inline="always")
def span(spans, column, low, high):
    """Return what a cell costs when it is published as the span from one code to another."""
    spans = lent(spans)
    if spans.table_first[column] >= 0:
        return spans.table[spans.table_first[column] + low * spans.size[column] + high]
    return long_span(spans, column, np.int64(low), np.int64(high))


@inner
def long_span(spans, column, low, high):
    """Find the cost of a span without a table."""
    spans = lent(spans)
    if spans.line_first[column] >= 0:
        first = spans.line_first[column]
        distance = spans.line_end[first + high] - spans.line[first + low]
        if np.isnan(distance):
            return 0.0 if low == high else spans.line[first - 1]
        return distance
    first = spans.nodes_first[column]
    for _ in range(spans.height[column] + 1):
        if spans.nodes[first + low] == spans.nodes[first + high]:
            return spans.loss[first + low]
        first += spans.size[column]
    return 0.0


@njit
def group_cost(spans, low, high):
    """Sum the costs of one row over all columns."""
    cost = 0.0
    for column in range(low.size):
        cost += span(spans, column, low[column], high[column])
    return cost


def bounds_of(
    codes: NDArray[np.int32], groups: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the smallest and largest code of each column in each group; -1 marks no group."""
    low = np.full((count, codes.shape[1]), np.iinfo(np.int32).max, dtype=np.int32)
    high = np.full((count, codes.shape[1]), -1, dtype=np.int32)
    _widen_bounds(codes, groups, low, high)
    return low, high


@njit
def _widen_bounds(
    codes: NDArray[np.int32],
    groups: NDArray[np.int32],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
) -> None:
    """Let the bounds of each group hold the codes of its rows."""
    for row in range(groups.size):
        group = groups[row]
        if group >= 0:
            for column in range(codes.shape[1]):
                code = codes[row, column]
                low[group, column] = min(low[group, column], code)
                high[group, column] = max(high[group, column], code)
