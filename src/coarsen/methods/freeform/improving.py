"""Improving the boxes of a block of rows, on two processors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coarsen.methods.freeform.growing import grown
from coarsen.together import on_each

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from coarsen._kernels.covering import Graph
    from coarsen._kernels.cycling import Steps
    from coarsen.methods.deadline import Deadline
    from coarsen.methods.freeform.growing import Codes, Costs, Numbers

REACH = 16
NEAR, NEAR_OF_BOX = 8, 100
NEAR_TO_GROW, NEAR_OF_ROW = 48, 6.4
SIDES, LEAST_OF_SIDE, LEAST_TO_GROW = 2, 1000, 4000
TRIES, TRIES_OF_COST, MOST_TRIES = 4, 20, 300
EXCHANGES = 3
LOOKS, LOOKS_OF_EXCESS, MOST_LOOKS, STEPS = 7, 2, 300, 1024
WORTH = 0.05
SWEEPS = 5
STRETCH = 200
SEED = 0x9E3779B97F4A7C15


class Improving:
    """A block of rows and as many boxes, which change until time is up.

    Each round has two turns: exchanges and partings with heat, then cycles without. In each turn
    boxes are split, every time another way, into two sides that change at the same time and leave
    each other alone.

    Parameters
    ----------
    costs
        The cost of every span, and where and how wide each column's are.
    codes
        The codes of each row.
    begun
        The rows that each box covers at first.
    orders
        The rows in several orders, in each of which many rows are beside near ones.
    """

    def __init__(
        self, costs: Costs, codes: Codes, begun: Numbers, orders: Numbers, seed: int
    ) -> None:
        self._costs, self._codes, self._begun = costs, codes, begun
        self._sides = SIDES if codes.shape[0] >= SIDES * LEAST_OF_SIDE else 1
        self._places = np.empty(orders.shape, dtype=np.int32)
        for order, at in zip(orders, self._places, strict=True):
            at[order] = np.arange(order.size, dtype=np.int32)
        self._near = self._nearest(orders)
        most = max(NEAR, NEAR_OF_BOX // begun.shape[1])
        self._near_on_cycles = np.ascontiguousarray(self._near[:, :most])
        self._warmth, self._scale = self._distances()
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._states = [
            np.array([(seed * 2 + SEED * (side + 1)) % 2**64], dtype=np.uint64)
            for side in range(self._sides)
        ]
        self._graph = self._graph_of(begun)
        self._first_cost = self._spent
        self._turn = 0

    def _nearest(self, orders: Numbers) -> Numbers:
        """Find the rows nearest to each, nearest first."""
        from coarsen._kernels import covering

        most = max(NEAR_TO_GROW, int(NEAR_OF_ROW * self._begun.shape[1]))
        near = np.empty((self._codes.shape[0], most), dtype=np.uint32)
        parts = np.array_split(near, self._sides)
        begin = np.cumsum([0, *map(len, parts)])

        def fill(part: int) -> None:
            known = (*self._costs, self._codes, orders, self._places, REACH)
            covering.nearest(*known, begin[part], parts[part])

        on_each(self._sides, fill)
        return near

    def _distances(self) -> tuple[NDArray[np.float32], float]:
        """Return how far each row is from its k-th nearest, the mean added; and the mean."""
        from coarsen._kernels import covering

        apart = np.empty(self._codes.shape[0], dtype=np.float32)
        last = self._near[:, min(self._begun.shape[1], self._near.shape[1]) - 1]
        covering.distances(*self._costs, self._codes, last, apart)
        scale = float(apart.mean(dtype=np.float64))
        return apart + np.float32(scale), scale

    def _graph_of(self, covered: Numbers) -> Graph:
        """Return what is to be known of boxes that cover some rows."""
        from coarsen._kernels import covering
        from coarsen._kernels.matching import holders

        rows = covered.shape[0]
        graph = covering.Graph(
            *self._costs,
            codes=self._codes,
            near=np.ascontiguousarray(self._near[:, :NEAR]),
            covered=covered.copy(),
            held=holders(covered),
            ends=np.empty((*self._codes.shape, 4), dtype=self._codes.dtype),
            cost=np.zeros(rows, dtype=np.float32),
            side=np.zeros(rows, dtype=np.uint8),
        )
        covering.measure(graph)
        return graph

    @property
    def _spent(self) -> float:
        return float(self._graph.cost.sum(dtype=np.float64))

    def begin_anew(self, deadline: Deadline) -> bool:
        """Begin with boxes that grow row by row, even if they cost more: they improve more.

        Tells whether they could.
        """
        rows, k = self._begun.shape
        parts = self._sides if rows >= SIDES * LEAST_TO_GROW else 1
        ends = np.arange(parts + 1) * rows // parts

        def grow(part: int) -> Numbers | None:
            begin, end = ends[part], ends[part + 1]
            near = _within(self._near[begin:end], begin)
            known = (self._costs, self._codes[begin:end], near)
            found = grown(*known, k, scale=self._scale, deadline=deadline)
            return None if found is None else found + np.uint32(begin)

        found = [part for part in on_each(parts, grow) if part is not None]
        could = len(found) == parts
        if could:
            self._graph = self._graph_of(np.concatenate(found))
        return could

    def run(self, heats: list[float], deadline: Deadline, tell: Callable[[], None]) -> Numbers:
        """Try to change every box in each round, and tell; return what each box then covers."""
        for heat in heats:
            if deadline.passed or self._spent <= 0.0:
                break
            self._exchange(heat)
            self._go_round()
            tell()
        return self._graph.covered if self._spent < self._first_cost else self._begun

    def _exchange(self, heat: float) -> None:
        """Exchange and part rows; try more for boxes that cost more."""
        from coarsen._kernels import exchanging, parting

        share = self._graph.cost / np.float32(self._spent / self._graph.cost.size)
        tries = np.minimum(TRIES + TRIES_OF_COST * share, MOST_TRIES).astype(np.int64)
        boxes = self._part_sides(tries)

        def change(side: int) -> None:
            how = (heat, self._warmth, self._states[side])
            exchanging.anneal(self._graph, boxes[side], tries, *how)
            parting.part(self._graph, boxes[side], tries // EXCHANGES, *how)

        on_each(self._sides, change)

    def _go_round(self) -> None:
        """Look for cycles, longer for boxes that cost more than their rows are worth."""
        from coarsen._kernels import cycling

        graph = self._graph._replace(near=self._near_on_cycles)
        rows, columns = graph.codes.shape
        prices = cycling.Prices(*np.zeros((2, rows), dtype=np.float32))
        cycling.set_prices(graph, prices, SWEEPS)
        cycling.dearest_first(graph.near, prices.price)
        worth = np.float32(WORTH * self._scale)
        looks = _looks(prices.excess, worth)
        boxes = self._part_sides(looks)

        def change(side: int) -> None:
            room = room_for_steps(rows, columns)
            cycling.cycle(graph, boxes[side], prices, room, looks, worth)

        on_each(self._sides, change)

    def _part_sides(self, work: NDArray[np.int64]) -> list[Numbers]:
        """Split the boxes along one of the orders, with as much work on either side."""
        self._turn += 1
        if self._sides > 1:
            places = self._places[self._turn % len(self._places)][self._graph.covered[:, 0]]
            at_place = np.bincount(places, weights=work)
            before = (np.cumsum(at_place) - at_place)[places]
            side = before * self._sides // max(work.sum(), 1)
            self._graph.side[:] = np.minimum(side, self._sides - 1)
        sides = [np.flatnonzero(self._graph.side == side) for side in range(self._sides)]
        return [self._shuffled(boxes[work[boxes] > 0]) for boxes in sides]

    def _shuffled(self, boxes: NDArray[np.int64]) -> Numbers:
        """Shuffle boxes a stretch at a time: what is near in memory is then used together."""
        stretches = np.array_split(boxes.astype(np.uint32), max(1, boxes.size // STRETCH))
        turns = self._random.permutation(len(stretches))
        return np.concatenate([self._random.permutation(stretches[turn]) for turn in turns])


def _within(near: Numbers, begin: int) -> Numbers:
    """Number near rows from another one on; those of other parts become the row itself."""
    own = np.arange(near.shape[0], dtype=np.int64)[:, None]
    place = near.astype(np.int64) - begin
    return np.where((place >= 0) & (place < near.shape[0]), place, own).astype(np.uint32)


def _looks(excess: NDArray[np.float32], worth: np.float32) -> NDArray[np.int64]:
    """Return how long to look for cycles from each box; not at all if it costs little too much."""
    looks = np.zeros(excess.size, dtype=np.int64)
    dear = np.flatnonzero(excess > worth)
    if dear.size:
        share = excess[dear] / np.float32(excess[dear].sum() / excess.size)
        looks[dear] = np.minimum(LOOKS + LOOKS_OF_EXCESS * share, MOST_LOOKS)
    return looks


def room_for_steps(rows: int, columns: int) -> Steps:
    """Return room for one search of cycles after another."""
    from coarsen._kernels.cycling import Steps

    box, row = np.empty((2, STEPS), dtype=np.uint32)
    before = np.empty(STEPS, dtype=np.int32)
    spent, growth, promise = np.empty((3, STEPS), dtype=np.float32)
    met = np.zeros((2, rows), dtype=np.uint32)
    span = np.empty((2, columns), dtype=np.uint16)
    return Steps(box, row, before, spent, growth, promise, *met, *span)
