"""The tree of cut sets, searched best first with what is known of each node."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.deadline import Deadline
    from indistinct.methods.intervals.cut_sets_kernel import CutTask

    Cut = NDArray[np.bool_]

AT_ONCE = 16
MOST_OPEN = 300_000
SHAKEN = 4


class Use(NamedTuple):
    """Which parts of the search are switched on."""

    bounds: bool = True
    stronger: bool = True
    useless: bool = True
    rearrange: bool = True


@dataclass(frozen=True, order=True)
class _Node:
    """An open node: a bound for all below it, and its cuts as bits."""

    bound: float
    serial: int
    head: bytes
    every: bytes


class _Expansion(NamedTuple):
    """What was found at a node: its cuts, fixed as far as they could be, and where to branch.

    Attributes
    ----------
    place
        The cut to branch at; NOTHING if none is left, BETTER if the node is to be worked again.
    cost
        What the head costs; infinite if it suppresses too much.
    """

    head: Cut
    every: Cut
    bound: float
    place: int
    cost: float


class CutTree:
    """A search for the cheapest set of cuts that may be stopped at any time.

    Parameters
    ----------
    task
        Distinct rows and what their classes cost.
    order
        The cuts in the order in which they are taken up.
    use
        Which parts of the search are switched on.
    slack
        Costs that differ by no more are taken for equal.
    """

    def __init__(
        self, task: CutTask, order: NDArray[np.int64], use: Use | None = None, slack: float = 0.5
    ) -> None:
        from indistinct.methods.intervals.cut_sets_kernel import cost_of

        self._task, self._order, self._slack = task, order, slack
        self._use = use or Use()
        self._size = int(task.first[-1])
        self.cut = np.zeros(self._size, dtype=bool)
        self.cost: float = cost_of(task, self.cut)[0]
        self.nodes = 0
        self._climbed = False
        every = self.cut.copy()
        every[order] = True
        self._open = [_Node(-inf, 0, self.cut.tobytes(), every.tobytes())]
        self._serial = 1

    @property
    def done(self) -> bool:
        """Whether nothing is left that could be cheaper."""
        return not self._open or self._closed(self._open[0].bound)

    @property
    def bound(self) -> float:
        """The least that any set of cuts can cost, as far as is known."""
        return self.cost if self.done else max(min(self.cost, self._open[0].bound), 0.0)

    @property
    def gap(self) -> float:
        """How far the best set can be from the cheapest, as a share of its cost."""
        return (self.cost - self.bound) / self.cost if self.cost > 0 else 0.0

    def _closed(self, bound: float) -> bool:
        return self._use.bounds and bound >= self.cost - self._slack

    def climb(
        self, random: np.random.Generator, most: int, deadline: Deadline, *, afresh: bool
    ) -> None:
        """Improve a set step by step: one of no cuts, or the best with some cuts flipped.

        About so many sets are tried at most.
        """
        from indistinct.methods.intervals.cut_sets_kernel import allowed_cost

        cut = np.zeros_like(self.cut) if afresh else self.cut.copy()
        order = self._order if not self._climbed else random.permutation(self._order)
        if not afresh:
            cut[order[:SHAKEN]] ^= True
        cost, before = float(allowed_cost(self._task, cut)), inf
        self._climbed = True
        while cost < before and most > 0:
            before = cost
            cost, tried = self._changed(cut, order, cost, most, deadline)
            most -= tried
        self._offer(cut)

    def _changed(
        self, cut: Cut, order: NDArray[np.int64], cost: float, most: int, deadline: Deadline
    ) -> tuple[float, int]:
        """Flip cuts where that is cheaper; if nowhere, swap them; return the cost and the tries.

        Places are tried a slice at a time, which changes nothing but when the clock is looked at.
        """
        from indistinct.methods.intervals.cut_sets_kernel import flip, swap

        before, tried = cost, order.size
        for part in deadline.slices(order.size, 1):
            cost = flip(self._task, cut, order[part], cost, self._slack)
        if cost < before:
            return cost, tried
        for part in deadline.slices(order.size, 1):
            left = max(most - tried, 0)
            cost, more = swap(self._task, cut, order[part], order, cost, self._slack, left)
            tried += more
        return cost, tried

    def _offer(self, cut: Cut) -> None:
        from indistinct.methods.intervals.cut_sets_kernel import cost_of

        cost, suppressed = cost_of(self._task, cut)
        if suppressed <= self._task.limit and cost < self.cost - self._slack:
            self.cut, self.cost = cut.copy(), float(cost)

    def step(self, deadline: Deadline) -> None:
        """Work the most promising nodes, some at once; what is found does not depend on threads.

        Nodes for which no time is left stay open.
        """
        nodes: list[_Node] = []
        while self._open and len(nodes) < AT_ONCE:
            crowded = len(self._open) > MOST_OPEN
            nodes.append(self._open.pop() if crowded else heappop(self._open))

        def expanded_in_time(node: _Node) -> _Expansion | None:
            return None if deadline.passed else self._expanded(node)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            expanded = list(pool.map(expanded_in_time, nodes))  # all, before any changes the cost
        for node, expansion in zip(nodes, expanded, strict=True):
            if expansion is None:
                heappush(self._open, node)
            else:
                self._take(node, expansion)

    def _expanded(self, node: _Node) -> _Expansion:
        from indistinct.methods.intervals.cut_tree_kernel import expand

        head = np.frombuffer(node.head, dtype=bool).copy()
        every = np.frombuffer(node.every, dtype=bool).copy()
        bound, place, cost, _ = expand(
            self._task, head, every, self.cost, self._slack, self._use, self._order
        )
        return _Expansion(head, every, bound, place, cost)

    def _take(self, node: _Node, expansion: _Expansion) -> None:
        """Take notice of what was found at a node, and open the two below it."""
        from indistinct.methods.intervals.cut_tree_kernel import BETTER, NOTHING

        self.nodes += 1
        if expansion.cost < self.cost - self._slack:
            self._offer(expansion.head)
        bound = max(node.bound, expansion.bound)
        if expansion.place == BETTER:
            self._push(bound, expansion.head, expansion.every)
        if expansion.place in {BETTER, NOTHING} or self._closed(bound):
            return
        taken, without = expansion.head.copy(), expansion.every.copy()
        taken[expansion.place], without[expansion.place] = True, False
        self._push(bound, taken, expansion.every)
        self._push(bound, expansion.head, without)

    def _push(self, bound: float, head: Cut, every: Cut) -> None:
        heappush(self._open, _Node(bound, self._serial, head.tobytes(), every.tobytes()))
        self._serial += 1
