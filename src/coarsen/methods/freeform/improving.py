"""Improving the boxes of a block of rows, on two processors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coarsen.together import on_each

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from coarsen._kernels.covering import Graph
    from coarsen._kernels.cycling import Prices, Steps
    from coarsen._kernels.narrowing import Room
    from coarsen.methods.deadline import Deadline

    Codes = NDArray[np.uint16]
    Numbers = NDArray[np.uint32]
    Costs = tuple[NDArray[np.float32], Numbers, Numbers]

HEAT, LITTLE_HEAT, COOLING = 0.6, 0.7, 1.3
REACH = 16
NEAR, NEAR_OF_BOX = 8, 160
SIDES, LEAST_OF_SIDE = 2, 1000
TRIES, TRIES_OF_COST, MOST_TRIES = 4, 20, 300
EXCHANGES = 2
LEAVING, LEAST_LEAVING, MOST_NARROWED, TARGETS, REPEATS, LESS_HEAT = 0.65, 2, 64, 6, 6, 0.3
LOOKS, LOOKS_OF_EXCESS, MOST_LOOKS, STEPS = 4, 2, 300, 1024
WORTH = 0.05
SWEEPS = 5
STRETCH = 200
SEED = 0x9E3779B97F4A7C15


class Improving:
    """A block of rows and as many boxes, which change until time is up.

    Each round has three turns: exchanges and partings with heat, then boxes become narrower with
    less of it, then cycles without. In each turn boxes are split, every time another way, into two
    sides that change at the same time and leave each other alone.

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
        self._warmth, self._scale = self._distances()
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._states = [
            np.array([(seed * 2 + SEED * (side + 1)) % 2**64], dtype=np.uint64)
            for side in range(self._sides)
        ]
        self._worth = np.float32(WORTH * self._scale)
        self._graph = self._graph_of(begun)
        self._first_cost = self._spent
        self._turn = 0

    def _nearest(self, orders: Numbers) -> Numbers:
        """Find the rows nearest to each, nearest first."""
        from coarsen._kernels import covering

        k = self._begun.shape[1]
        most = max(NEAR, NEAR_OF_BOX // k, k)
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

    def run(self, passes: int, deadline: Deadline, tell: Callable[[], None]) -> Numbers:
        """Try to change every box in each round, and tell; return what each box then covers.

        It cools down to nearly nothing, by rounds or by time, whichever ends first.
        """
        k = self._begun.shape[1]
        first = HEAT / k**0.5 if k <= MOST_NARROWED else LITTLE_HEAT / k
        for place in range(passes):
            if deadline.passed or self._spent <= 0.0:
                break
            done = max((place + 0.5) / passes, deadline.gone)
            heat = first * (1.0 - done) ** COOLING
            self._exchange(heat)
            self._narrow(heat)
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

    def _narrow(self, heat: float) -> None:
        """Make boxes narrower that cost more than their rows are worth."""
        from coarsen._kernels import narrowing

        rows, k = self._begun.shape
        columns, most = self._codes.shape[1], int(LEAVING * k + 0.5)
        if most < LEAST_LEAVING or k > MOST_NARROWED:
            return
        graph, prices, looks, boxes = self._priced()

        def change(side: int) -> None:
            rooms = (
                room_for_steps(rows, columns, k),
                room_to_narrow(k, columns, graph.near.shape[1], most),
            )
            how = (LESS_HEAT * heat, self._warmth, self._states[side])
            known = (graph, boxes[side], prices, rooms[0], looks, self._worth)
            narrowing.narrow(*known, rooms[1], REPEATS, *how)

        on_each(self._sides, change)

    def _go_round(self) -> None:
        """Look for cycles, longer for boxes that cost more than their rows are worth."""
        from coarsen._kernels import cycling

        rows, columns = self._codes.shape
        graph, prices, looks, boxes = self._priced()

        def change(side: int) -> None:
            room = room_for_steps(rows, columns, 1)
            cycling.cycle(graph, boxes[side], prices, room, looks, self._worth)

        on_each(self._sides, change)

    def _priced(self) -> tuple[Graph, Prices, NDArray[np.int64], list[Numbers]]:
        """Return the graph with the dearest near rows first; and what leads a search in it.

        These are the prices of rows, how long to look from each box, and the boxes of each side.
        """
        from coarsen._kernels import cycling

        near = self._near[:, : max(NEAR, NEAR_OF_BOX // self._begun.shape[1])]
        graph = self._graph._replace(near=np.ascontiguousarray(near))
        prices = cycling.Prices(*np.zeros((3, self._begun.shape[0]), dtype=np.float32))
        cycling.set_prices(graph, prices, SWEEPS)
        cycling.dearest_first(graph.near, prices.price)
        looks = _looks(prices.excess, self._worth)
        return graph, prices, looks, self._part_sides(looks)

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


def _looks(excess: NDArray[np.float32], worth: np.float32) -> NDArray[np.int64]:
    """Return how long to look for cycles from each box; not at all if it costs little too much."""
    looks = np.zeros(excess.size, dtype=np.int64)
    dear = np.flatnonzero(excess > worth)
    if dear.size:
        share = excess[dear] / np.float32(excess[dear].sum() / excess.size)
        looks[dear] = np.minimum(LOOKS + LOOKS_OF_EXCESS * share, MOST_LOOKS)
    return looks


def room_for_steps(rows: int, columns: int, cycles: int) -> Steps:
    """Return room for one search of cycles after another, and for the trail of some cycles."""
    from coarsen._kernels.cycling import Steps

    box, row = np.empty((2, STEPS), dtype=np.uint32)
    before = np.empty(STEPS, dtype=np.int32)
    spent, growth, promise = np.empty((3, STEPS), dtype=np.float32)
    box_met, row_met = np.zeros((2, rows), dtype=np.uint32)
    clock = np.zeros(2, dtype=np.uint32)
    low, high = np.empty((2, columns), dtype=np.uint16)
    trail = np.empty((cycles * (MOST_LOOKS + 1), 3), dtype=np.uint32)
    tree = (box, row, before, spent, growth, promise)
    return Steps(*tree, box_met, row_met, clock, low, high, trail)


def room_to_narrow(k: int, columns: int, near: int, most: int) -> Room:
    """Return room to make boxes narrower that at most some rows leave."""
    from coarsen._kernels.narrowing import Room, Targets

    gain, joining = np.empty((2, TARGETS), dtype=np.float32)
    column, leaving = np.empty((2, TARGETS), dtype=np.int64)
    targets = Targets(gain, joining, column, np.empty(TARGETS, dtype=np.bool_), leaving)
    return Room(
        targets,
        order=np.empty(k, dtype=np.int64),
        spans=np.empty((k, 2, columns), dtype=np.uint16),
        low=np.empty(columns, dtype=np.uint16),
        high=np.empty(columns, dtype=np.uint16),
        prices=np.empty(k * near, dtype=np.float32),
        rows=np.empty(k * near, dtype=np.uint32),
        leaving=np.empty(most, dtype=np.uint32),
        ends=np.zeros(most + 1, dtype=np.int64),
    )
