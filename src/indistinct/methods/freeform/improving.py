"""Improving the boxes of a block of rows, on two processors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.freeform.scratch import (
    scratch_for_steps,
    scratch_to_deal,
    scratch_to_narrow,
)
from indistinct.running.together import on_each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from indistinct.methods.common.deadline import Deadline
    from indistinct.methods.freeform.boxes_kernel import Codes, Costs, Graph, Numbers
    from indistinct.methods.freeform.cycles_kernel import Search, Steps
    from indistinct.methods.freeform.exchanges_kernel import Heat

HEAT, LITTLE_HEAT, COOLING = 0.66, 0.7, 1.3
REACH = 16
NEAR, NEAR_OF_BOX, TO_CHOOSE_FROM = 8, 160, 3
SIDES, LEAST_OF_SIDE = 2, 1000
TRIES, TRIES_OF_COST, MOST_TRIES = 4, 20, 300
EXCHANGES = 2
LEAVING, LEAST_LEAVING, MOST_NARROWED, REPEATS, LESS_HEAT = 0.65, 2, 64, 6, 0.3
LOOKS, LOOKS_OF_EXCESS, MOST_LOOKS = 4, 2, 300
WORTH = 0.033
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
    deadline
        When to stop. Kernels are called on slices of rows or boxes, which changes nothing but when
        the clock is looked at; where time ends amid a round, what was changed by then counts.
    """

    def __init__(
        self,
        costs: Costs,
        codes: Codes,
        begun: Numbers,
        orders: Numbers,
        *,
        seed: int,
        deadline: Deadline,
    ) -> None:
        self._costs, self._codes, self._begun = costs, codes, begun
        self._deadline = deadline
        self._sides = SIDES if codes.shape[0] >= SIDES * LEAST_OF_SIDE else 1
        self._places = np.empty(orders.shape, dtype=np.int32)
        for order, at in zip(orders, self._places, strict=True):
            at[order] = np.arange(order.size, dtype=np.int32)
        self._near, self._apart = self._nearest(orders)
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

    def _nearest(self, orders: Numbers) -> tuple[Numbers, NDArray[np.float32]]:
        """Find the rows nearest to each, nearest first, and what each costs together with it."""
        from indistinct.methods.freeform import boxes_kernel as covering

        rows, k = self._begun.shape
        most = max(TO_CHOOSE_FROM * self._chosen, min(k, 2 * REACH * len(orders)))
        near = np.repeat(np.arange(rows, dtype=np.uint32)[:, None], most, axis=1)
        apart = np.full((rows, most), np.inf, dtype=np.float32)

        def fill(lines: slice) -> None:
            met, from_row = np.full(rows, rows, dtype=np.uint32), np.empty_like(self._costs.first)
            beside = covering.Beside(orders, self._places, met, from_row)
            known = (self._costs, self._codes, beside, min(REACH, rows - 1))
            for part in self._deadline.slices(lines.stop - lines.start):
                some = slice(lines.start + part.start, lines.start + part.stop)
                covering.nearest(*known, some.start, near[some], apart[some])

        self._on_lines(fill)
        return near, apart

    @property
    def _chosen(self) -> int:
        """How many near rows are looked at where prices tell which."""
        return max(NEAR, NEAR_OF_BOX // int(self._begun.shape[1]))

    def _on_lines(self, work: Callable[[slice], None]) -> None:
        """Do some work on the lines of all rows, a share of them for each side."""
        ends = np.linspace(0, self._begun.shape[0], self._sides + 1).astype(np.int64)
        on_each(self._sides, lambda part: work(slice(ends[part], ends[part + 1])))

    def _distances(self) -> tuple[NDArray[np.float32], float]:
        """Return how far each row is from its k-th nearest, the mean added; and the mean."""
        apart = self._apart[:, min(self._begun.shape[1], self._apart.shape[1]) - 1]
        apart = np.where(np.isfinite(apart), apart, np.float32(0.0))
        scale = float(apart.mean(dtype=np.float64))
        return apart + np.float32(scale), scale

    def _graph_of(self, covered: Numbers) -> Graph:
        """Return what is to be known of boxes that cover some rows."""
        from indistinct.methods.freeform import boxes_kernel as covering
        from indistinct.methods.freeform.lanes_kernel import ENDS
        from indistinct.methods.freeform.regular_kernel import holders

        rows, columns = self._codes.shape
        graph = covering.Graph(
            *self._costs,
            codes=self._codes,
            near=np.ascontiguousarray(self._near[:, :NEAR]),
            covered=covered.copy(),
            held=holders(covered),
            ends=np.empty((rows, ENDS, columns), dtype=self._codes.dtype),
            cost=np.zeros(rows, dtype=np.float32),
            side=np.zeros(rows, dtype=np.uint8),
        )
        covering.measure(graph)
        return graph

    @property
    def _spent(self) -> float:
        return float(self._graph.cost.sum(dtype=np.float64))

    def run(self, passes: int, tell: Callable[[], None]) -> Numbers:
        """Try to change every box in each round, and tell; return what each box then covers.

        It cools down to nearly nothing, by rounds or by time, whichever ends first.
        """
        k, deadline = self._begun.shape[1], self._deadline
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

    def _slices(self, boxes: Numbers) -> Iterator[Numbers]:
        """Return some boxes after the other until time is over."""
        return (boxes[part] for part in self._deadline.slices(boxes.size))

    def _exchange(self, heat: float) -> None:
        """Exchange rows and deal them anew; try more for boxes that cost more."""
        from indistinct.methods.freeform import exchanges_kernel as exchanging
        from indistinct.methods.freeform import two_boxes_kernel as dealing

        share = self._graph.cost / np.float32(self._spent / self._graph.cost.size)
        tries = np.minimum(TRIES + TRIES_OF_COST * share, MOST_TRIES).astype(np.int64)
        boxes, k = self._part_sides(tries), self._begun.shape[1]

        def change(side: int) -> None:
            saved, pair = np.empty(k, dtype=np.float32), scratch_to_deal(self._graph)
            for some in self._slices(boxes[side]):
                exchanging.anneal(self._graph, some, tries, self._heat(heat, side), saved)
            for some in self._slices(boxes[side]):
                dealt = tries // EXCHANGES
                dealing.deal_anew(self._graph, some, dealt, self._heat(heat, side), pair)

        on_each(self._sides, change)

    def _narrow(self, heat: float) -> None:
        """Make boxes narrower that cost more than their rows are worth."""
        from indistinct.methods.freeform import narrowing_kernel as narrowing

        k = self._begun.shape[1]
        most = int(LEAVING * k + 0.5)
        if most < LEAST_LEAVING or k > MOST_NARROWED:
            return
        graph, search_in, boxes = self._priced()

        def change(side: int) -> None:
            steps = scratch_for_steps(graph, side, cycles=k, looks=MOST_LOOKS)
            search, scratch = search_in(steps), scratch_to_narrow(graph, most)
            for some in self._slices(boxes[side]):
                less = self._heat(LESS_HEAT * heat, side)
                narrowing.narrow(search, some, less, REPEATS, scratch)

        on_each(self._sides, change)

    def _go_round(self) -> None:
        """Look for cycles, longer for boxes that cost more than their rows are worth."""
        from indistinct.methods.freeform import cycles_kernel as cycling

        graph, search_in, boxes = self._priced()

        def change(side: int) -> None:
            search = search_in(scratch_for_steps(graph, side, cycles=1, looks=MOST_LOOKS))
            for some in self._slices(boxes[side]):
                cycling.cycle(search, some)

        on_each(self._sides, change)

    def _priced(self) -> tuple[Graph, Callable[[Steps], Search], list[Numbers]]:
        """Return the graph with the near rows that are worth most; and what leads a search in it.

        That is what makes a search of the scratch arrays of a side, and the boxes of each side.
        """
        from indistinct.methods.freeform import boxes_kernel as covering
        from indistinct.methods.freeform import cycles_kernel as cycling
        from indistinct.methods.freeform import prices_kernel as pricing

        prices = pricing.Prices(*np.zeros((3, self._begun.shape[0]), dtype=np.float32))
        pricing.set_prices(self._graph, prices, SWEEPS)
        near = np.empty((self._begun.shape[0], self._chosen), dtype=np.uint32)

        def choose(lines: slice) -> None:
            known, worth = (
                (self._near, self._apart, prices.price),
                np.empty_like(near[0], np.float32),
            )
            covering.choose_near(*known, int(lines.start), near[lines], worth)

        self._on_lines(choose)
        looks = _looks(prices.excess, self._worth)
        graph = self._graph._replace(near=near)

        def search_in(steps: Steps) -> Search:
            return cycling.Search(graph, prices, steps, looks, self._worth)

        return graph, search_in, self._part_sides(looks)

    def _heat(self, mean: float, side: int) -> Heat:
        """Return how much worse a change may be on one of the sides."""
        from indistinct.methods.freeform.exchanges_kernel import Heat

        return Heat(mean, self._warmth, self._states[side])

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
