"""Spans: what it costs to publish a cell as the span from one value to another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.model.ncp import node_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays
    from indistinct.model.forms import Form
    from indistinct.model.table import QuasiColumn

MOST_TABLED = 512


@dataclass(frozen=True, eq=False)
class Spans:
    """The cost of every span of every quasi column, in the form it will be published in.

    A set is charged as if it held every value of its span that the column can have; what is
    published is measured by what it holds. With `at_least`, a set is charged as if it held only
    the two ends of its span, and spans cost no more than what is published. `node_costs`, for each
    column and level, says what nodes cost, weighted, where that is not NCP.
    """

    columns: tuple[QuasiColumn, ...]
    forms: tuple[Form, ...]
    at_least: bool = False
    node_costs: tuple[tuple[NDArray[np.float64], ...], ...] | None = None

    def cost(
        self, column: int, low: NDArray[np.int32], high: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Cost of some spans of a column, with its weight."""
        quasi, form = self.columns[column], self.forms[column]
        if form == "range":
            begins, ends = lines(quasi)
            distance = ends[high] - begins[low]
            alone = np.where(low == high, 0.0, quasi.weight)
            return np.where(np.isnan(distance), alone, distance)
        if form == "set":
            held = np.minimum(high - low, 1) if self.at_least else _reach(quasi, low, high)
            return held.astype(float) * (quasi.weight / max(quasi.hierarchy.size - 1, 1))
        if form == "star":
            alone = self._node_costs(column, 0)[low]
            return np.where(low == high, alone, quasi.weight)
        cost = np.zeros(low.size)
        left = np.arange(low.size)
        for level, nodes in enumerate(quasi.hierarchy.nodes):
            if left.size == 0:
                break
            node = nodes[low[left]]
            met = node == nodes[high[left]]
            if met.any():
                cost[left[met]] = self._node_costs(column, level)[node[met]]
                left = left[~met]
        return cost

    @cached_property
    def arrays(self) -> SpanArrays:
        """The costs as arrays for kernels."""
        from indistinct.kernels.spans import SpanArrays

        count = len(self.columns)
        first = {name: np.full(count, -1, dtype=np.int64) for name in ("table", "line", "nodes")}
        parts: dict[str, list[NDArray[np.float64]]] = {"table": [], "line": [], "loss": []}
        tops: list[NDArray[np.float64]] = []
        nodes: list[NDArray[np.int32]] = []
        ends = dict.fromkeys(first, 0)
        height = np.array([c.hierarchy.height for c in self.columns], dtype=np.int64)
        for place, quasi in enumerate(self.columns):
            if quasi.hierarchy.size <= MOST_TABLED:
                kind, values = "table", self._table(place)
            elif self.forms[place] in {"node", "star"}:
                levels = self._levels(place)
                kind, values = "nodes", np.concatenate([lost for _, lost in levels])
                nodes.append(np.concatenate([at for at, _ in levels]).astype(np.int32))
                height[place] = len(levels) - 1
            else:
                kind, (values, top) = "line", self._lines_with_end(place)
                tops.append(top)
            offset = 1 if kind == "line" else 0
            first[kind][place] = ends[kind] + offset
            parts["loss" if kind == "nodes" else kind].append(values)
            ends[kind] += values.size
        empty = np.zeros(0)
        return SpanArrays(
            table=np.concatenate([empty, *parts["table"]]),
            table_first=first["table"],
            size=np.array([c.hierarchy.size for c in self.columns], dtype=np.int64),
            line=np.concatenate([empty, *parts["line"]]),
            line_end=np.concatenate([empty, *tops]),
            line_first=first["line"],
            nodes=np.concatenate([np.zeros(0, dtype=np.int32), *nodes]),
            loss=np.concatenate([empty, *parts["loss"]]),
            nodes_first=first["nodes"],
            height=height,
        )

    def _table(self, place: int) -> NDArray[np.float64]:
        size = self.columns[place].hierarchy.size
        low, high = np.divmod(np.arange(size * size), size)
        low, high = np.minimum(low, high), np.maximum(low, high)
        return self.cost(place, low.astype(np.int32), high.astype(np.int32))

    def _levels(self, place: int) -> list[tuple[NDArray[np.int32], NDArray[np.float64]]]:
        """For each level, the node of every value and what it costs."""
        quasi = self.columns[place]
        if self.forms[place] == "star":
            size = quasi.hierarchy.size
            every = np.arange(size, dtype=np.int32)
            alone = self._node_costs(place, 0)
            return [(every, alone), (every * 0, np.full(size, quasi.weight))]
        return [
            (nodes, self._node_costs(place, level)[nodes])
            for level, nodes in enumerate(quasi.hierarchy.nodes)
        ]

    def _node_costs(self, place: int, level: int) -> NDArray[np.float64]:
        """Return what a cell costs as each node of a level."""
        if self.node_costs is not None:
            return self.node_costs[place][level]
        if (place, level) not in self._losses:
            quasi = self.columns[place]
            self._losses[place, level] = node_loss(quasi.hierarchy, level) * quasi.weight
        return self._losses[place, level]

    @cached_property
    def _losses(self) -> dict[tuple[int, int], NDArray[np.float64]]:
        """What nodes of a column and level lose, as far as somebody asked: levels may be many."""
        return {}

    def _lines_with_end(self, place: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return lines of beginnings and ends, behind the cost of a span that leaves them.

        That is a span from a number to a null.
        """
        quasi = self.columns[place]
        begins, ends = lines(quasi)
        if self.forms[place] == "set":
            size = quasi.hierarchy.size
            every = np.arange(size, dtype=np.int32)
            unit = 0.0 if self.at_least else quasi.weight / (size - 1)
            first, last = _reaches(quasi, every, every)
            begins, ends = first * np.float64(unit), last * np.float64(unit)
        everything = [quasi.weight]
        return np.concatenate([everything, begins]), np.concatenate([everything, ends])


def _reach(
    quasi: QuasiColumn, low: NDArray[np.int32], high: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Count the leaves from the one to the other, as sets that begin and end there name them."""
    first, last = _reaches(quasi, low, high)
    leaves: NDArray[np.int32] = last - first
    return leaves


def _reaches(
    quasi: QuasiColumn, low: NDArray[np.int32], high: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first and last leaf of sets; a wider span reaches no less far."""
    if quasi.ends is None:
        return low, high
    first, last = np.empty(quasi.hierarchy.size, np.int32), np.empty(quasi.hierarchy.size, np.int32)
    for level, (begins, ends) in enumerate(quasi.node_runs):
        named = quasi.ends.level == level
        nodes = quasi.hierarchy.nodes[level][named]
        first[named], last[named] = begins[nodes], ends[nodes]
    first, last = np.maximum.accumulate(first), np.minimum.accumulate(last[::-1])[::-1]
    return first[low], last[high]


def lines(quasi: QuasiColumn) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where published ranges begin and end that begin and end at each value.

    0 is the smallest value observed, and the weight of the column the largest.
    """
    lowest, highest = quasi.observed or quasi.observed_here
    width = highest - lowest
    own = quasi.hierarchy.position
    ends = (own, own) if quasi.ends is None else (quasi.ends.low_at, quasi.ends.high_at)
    scale = quasi.weight / width if width > 0 else 0.0
    begins, stops = ((at - lowest) * scale for at in ends)
    return begins, stops
