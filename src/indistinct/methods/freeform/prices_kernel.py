"""Prices of rows, which lead the search of `freeform` for cycles (see `cycles_kernel`).

The price of a row is, roughly, what covering it once more costs: a dual variable of the linear
program that chooses boxes, by which no box costs less than its rows. A few sweeps come near enough:
prices only tell where to look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import pointer_to
from indistinct.kernels.compiled import inner, njit
from indistinct.methods.freeform.lanes_kernel import (
    LAST_BUT_ONE,
    LEAST_CODE,
    MOST_CODE,
    SECOND_CODE,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.freeform.boxes_kernel import Graph

    Amounts = NDArray[np.float32]


class Prices(NamedTuple):
    """The price of each row; by how much each box costs more than its rows; what it might save.

    No box would cost less by more than `saving` if it lost any one of its rows.
    """

    price: Amounts
    excess: Amounts
    saving: Amounts


@inner
def saving_of(graph, box):
    """Return what a box saves at most without one of its rows."""
    saving = np.float32(0.0)
    table, first, size, ends = graph.table, graph.first, graph.size, graph.ends
    for column in range(first.size):
        begin, width = first[column], size[column]
        least, most = ends[box, LEAST_CODE, column], ends[box, MOST_CODE, column]
        if least != most:
            without_least = table[begin + ends[box, SECOND_CODE, column] * width + most]
            without_most = table[begin + least * width + ends[box, LAST_BUT_ONE, column]]
            saving += table[begin + least * width + most] - min(without_least, without_most)
    return saving


@njit
def set_prices(graph: Graph, prices: Prices, sweeps: int) -> None:
    """Raise all prices, a few times, by what the boxes of a row cost beyond their rows."""
    graph, prices = pointer_to(graph), pointer_to(prices)
    covered, held = graph.covered, graph.held
    share = np.float32(1.0 / covered.shape[1])
    price, excess = prices.price, prices.excess
    for box in range(covered.shape[0]):
        prices.saving[box] = saving_of(graph, np.uint32(box))
    for sweep in range(sweeps + 1):
        for box in range(covered.shape[0]):
            excess[box] = graph.cost[box]
            for slot in range(covered.shape[1]):
                excess[box] -= price[covered[box, slot]]
        if sweep == sweeps:
            break
        for row in range(held.shape[0]):
            least = excess[held[row, 0]]
            for number in range(1, held.shape[1]):
                least = min(least, excess[held[row, number]])
            price[row] += least * share
