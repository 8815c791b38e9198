"""Hierarchy: for each ground value of a column its ever coarser forms, up to one value for all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from indistinct.hierarchy.check import check_paths
from indistinct.hierarchy.order import in_order, is_contiguous, positions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.scale import Scale

TOP = "*"

Kind = Literal["number", "date", "category"]
Label = str | None


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The value generalization hierarchy of one column (Samarati 2001, section 3.1), as integers.

    Level 0 holds the ground values (leaves), level `height` a single node. Leaves are in an order
    in which every node is a run of neighbours, so the lowest common ancestor of a set of leaves is
    that of its first and its last.

    Attributes
    ----------
    leaves
        Ground values as text, in order; None is the missing value.
    nodes
        For each level, the node (numbered in order) of every leaf.
    labels
        For each level, the label of every node.
    kind
        Whether leaves are numbers, dates or categories.
    position
        Where a leaf lies on the number line (days for dates); NaN where it does not.
    scale
        Where nodes begin and end, if they are made of numbers or dates by rule; None otherwise.
    raw
        If leaves are coarser than the values of the data, the hierarchy of those: its level 1
        are the leaves.
    """

    leaves: tuple[Label, ...]
    nodes: tuple[NDArray[np.int32], ...]
    labels: tuple[tuple[Label, ...], ...]
    kind: Kind
    position: NDArray[np.float64]
    scale: Scale | None = None
    raw: Hierarchy | None = None

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[Label]], *, place: str = "hierarchy") -> Hierarchy:
        """Build from one path per leaf, `[leaf, level 1, ..., top]`, and check it.

        Raises
        ------
        HierarchyError
            With every fault: a value with two parents, levels that do not nest, several tops.

        Examples
        --------
        >>> h = Hierarchy.from_paths([["a", "x", "*"], ["c", "y", "*"], ["b", "x", "*"]])
        >>> h.height, h.leaves, h.labels[1]
        (2, ('a', 'b', 'c'), ('x', 'y'))
        """
        return cls.from_columns(list(zip(*check_paths(paths, place=place), strict=True)))

    @classmethod
    def from_columns(cls, columns: Sequence[Sequence[Label]]) -> Hierarchy:
        """Build from one list per level, leaves first; the caller answers for the nesting.

        Leaves are sorted by number or date where that keeps every node together, otherwise as an
        in-order walk meets them.
        """
        ids = [_first_seen_ids(column) for column in columns]
        kind, position = positions(columns[0])
        order = np.argsort(position, kind="stable")
        if kind == "category" or not all(is_contiguous(level[order]) for level in ids):
            order = in_order(ids)
        nodes, labels = [], []
        for column, level_ids in zip(columns, ids, strict=True):
            starts = run_starts(level_ids[order])
            nodes.append((np.cumsum(starts) - 1).astype(np.int32))
            labels.append(tuple(column[i] for i in order[starts]))
        return cls(labels[0], tuple(nodes), tuple(labels), kind, position[order])

    @property
    def height(self) -> int:
        """The level of the single top node."""
        return len(self.nodes) - 1

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self.leaves)

    @cached_property
    def code_of(self) -> dict[Label, int]:
        """The code (place in order) of each leaf."""
        return {leaf: code for code, leaf in enumerate(self.leaves)}

    def node_sizes(self, level: int) -> NDArray[np.int64]:
        """Count the leaves under every node of a level."""
        return np.bincount(self.nodes[level]).astype(np.int64)

    def node_runs(self, level: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the first and the last leaf under every node of a level."""
        ends = np.cumsum(self.node_sizes(level))
        first = np.append(0, ends)[:-1]
        return first.astype(np.int32), (ends - 1).astype(np.int32)

    @cached_property
    def leaves_under(self) -> dict[Label, list[Label]]:
        """The leaves under every label above the ground, at whatever level it is.

        >>> Hierarchy.from_paths([["a", "x", "*"], ["b", "x", "*"]]).leaves_under
        {'x': ['a', 'b'], '*': ['a', 'b']}
        """
        leaves_of: dict[Label, list[Label]] = {}
        for nodes, labels in zip(self.nodes[1:], self.labels[1:], strict=True):
            for leaf, node in zip(self.leaves, nodes, strict=True):
                leaves_of.setdefault(labels[node], []).append(leaf)
        return leaves_of

    def stands_for_itself(self, level: int) -> NDArray[np.bool_]:
        """Return which leaves a level publishes as themselves: alone, under their own name."""
        alone: NDArray[np.bool_] = self.node_sizes(level)[self.nodes[level]] == 1
        labels = self.labels[level]
        for code in np.flatnonzero(alone):
            alone[code] = labels[self.nodes[level][code]] == self.leaves[code]
        return alone

    def paths(self) -> list[tuple[Label, ...]]:
        """One path per leaf, the inverse of `from_paths`."""
        columns = [
            [labels[node] for node in nodes]
            for nodes, labels in zip(self.nodes, self.labels, strict=True)
        ]
        return list(zip(*columns, strict=True))

    def of_leaves(self, codes: NDArray[np.int32]) -> Hierarchy:
        """Return this hierarchy with some of its leaves only, given in order.

        >>> h = Hierarchy.from_paths([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
        >>> h.of_leaves(np.array([0, 1])).labels
        (('a', 'b'), ('x',), ('*',))
        """
        nodes, labels = [], []
        for level, names in zip(self.nodes, self.labels, strict=True):
            used, renumbered = np.unique(level[codes], return_inverse=True)
            nodes.append(renumbered.astype(np.int32))
            labels.append(tuple(names[node] for node in used))
        return Hierarchy(labels[0], tuple(nodes), tuple(labels), self.kind, self.position[codes])

    def with_missing(self) -> Hierarchy:
        """Return this hierarchy with the missing value as a leaf of its own, last in order.

        A null stays a null on every level below the top: it joins other values only where all
        values are one.
        """
        if None in self.code_of:
            return self
        if self.height == 0:
            return Hierarchy.from_columns([[*self.leaves, None], [TOP] * (self.size + 1)])
        below = range(self.height)
        nodes = [np.append(self.nodes[i], np.int32(len(self.labels[i]))) for i in below]
        labels = [(*self.labels[i], None) for i in below]
        return Hierarchy(
            leaves=(*self.leaves, None),
            nodes=(*nodes, np.append(self.nodes[-1], np.int32(0))),
            labels=(*labels, self.labels[-1] or (TOP,)),
            kind=self.kind,
            position=np.append(self.position, np.nan),
            scale=None if self.scale is None else self.scale.with_missing(),
        )

    def above_ground(self) -> Hierarchy:
        """Return this hierarchy with the nodes of level 1 as its leaves.

        They lie where they begin, no farther out than the values of the data.
        """
        if self.scale is None or self.height < 2:
            return self
        first, _ = self.node_runs(1)
        placed = self.position[~np.isnan(self.position)]
        starts = [np.nan if b is None else b.start for b in self.scale.bounds[1]]
        position = np.maximum(np.array(starts, dtype=np.float64), placed.min(initial=np.inf))
        return Hierarchy(
            leaves=self.labels[1],
            nodes=tuple(nodes[first] for nodes in self.nodes[1:]),
            labels=self.labels[1:],
            kind=self.kind,
            position=position,
            scale=self.scale.above(),
            raw=self,
        )

    @property
    def held(self) -> NDArray[np.int64]:
        """How many values of the data or of its list each leaf stands for."""
        if self.raw is None:
            return np.ones(self.size, dtype=np.int64)
        return self.raw.node_sizes(1)


def _first_seen_ids(column: Sequence[Label]) -> NDArray[np.int32]:
    seen: dict[Label, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in column], dtype=np.int32)


def run_starts(keys: NDArray[np.integer | np.floating]) -> NDArray[np.bool_]:
    """Mark where a run of equal keys begins."""
    starts = np.ones(keys.size, dtype=bool)
    starts[1:] = keys[1:] != keys[:-1]
    return starts
