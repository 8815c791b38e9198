"""Spans: what it costs to publish a cell as the span from one value to another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.measures.ncp import node_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct._kernels.spans import SpanArrays
    from indistinct.measures.ncp import Form
    from indistinct.table import QuasiColumn

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
            line, everything = _line(quasi)
            distance = line[high] - line[low]
            lost = np.where(np.isnan(distance), everything, distance)
            return np.where(low == high, 0.0, lost)
        if form == "set":
            held = np.minimum(high - low, 1) if self.at_least else high - low
            return held.astype(float) * (quasi.weight / max(quasi.hierarchy.size - 1, 1))
        if form == "star":
            return np.where(low == high, 0.0, quasi.weight)
        cost = np.zeros(low.size)
        left = np.flatnonzero(low != high)
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
        from indistinct._kernels.spans import SpanArrays

        count = len(self.columns)
        first = {name: np.full(count, -1, dtype=np.int64) for name in ("table", "line", "nodes")}
        parts: dict[str, list[NDArray[np.float64]]] = {"table": [], "line": [], "loss": []}
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
                kind, values = "line", self._line_with_end(place)
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
            return [(every, np.zeros(size)), (every * 0, np.full(size, quasi.weight))]
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

    def _line_with_end(self, place: int) -> NDArray[np.float64]:
        """Return a line, behind the cost of a span that leaves it (a number with a null)."""
        quasi = self.columns[place]
        if self.forms[place] == "set":
            size = quasi.hierarchy.size
            if self.at_least:
                return np.zeros(size + 1)
            return np.concatenate([[quasi.weight], np.arange(size) * (quasi.weight / (size - 1))])
        line, everything = _line(quasi)
        return np.concatenate([[everything], line])


def _line(quasi: QuasiColumn) -> tuple[NDArray[np.float64], float]:
    """Return where values lie between the smallest (0) and the largest observed, weighted."""
    place = quasi.hierarchy.position
    seen = place[np.unique(quasi.codes)]
    seen = seen[~np.isnan(seen)]
    width = float(seen.max() - seen.min()) if seen.size else 0.0
    lowest = float(seen.min()) if seen.size else 0.0
    scaled = (place - lowest) / width if width > 0 else place * 0.0
    return scaled * quasi.weight, quasi.weight
