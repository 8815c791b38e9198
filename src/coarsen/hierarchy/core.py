"""Hierarchy: for each ground value of a column its ever coarser forms, up to one value for all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from coarsen.hierarchy.check import check_paths
from coarsen.hierarchy.order import in_order, is_contiguous, positions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

TOP = "*"

Kind = Literal["number", "date", "category"]
Label = str | None


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The value generalization hierarchy of one column (paper 001, section 3.1), as integers.

    Level 0 holds the ground values (leaves), level `height` a single node. Leaves stand in an order
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
    """

    leaves: tuple[Label, ...]
    nodes: tuple[NDArray[np.int32], ...]
    labels: tuple[tuple[Label, ...], ...]
    kind: Kind
    position: NDArray[np.float64]

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
        rows = check_paths(paths, place=place)
        ids = _first_seen_ids(rows)
        leaves = [row[0] for row in rows]
        kind, position = positions(leaves)
        order = np.argsort(position, kind="stable")
        if kind == "category" or not all(is_contiguous(level[order]) for level in ids):
            order = in_order(ids)
            kind = "category" if kind == "category" else kind
        return cls._arranged(rows, ids, order, kind, position)

    @classmethod
    def _arranged(
        cls,
        rows: list[tuple[Label, ...]],
        ids: list[NDArray[np.int32]],
        order: NDArray[np.intp],
        kind: Kind,
        position: NDArray[np.float64],
    ) -> Hierarchy:
        nodes, labels = [], []
        for level, level_ids in enumerate(ids):
            starts = _run_starts(level_ids[order])
            nodes.append((np.cumsum(starts) - 1).astype(np.int32))
            labels.append(tuple(rows[i][level] for i in order[starts]))
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

    def paths(self) -> list[tuple[Label, ...]]:
        """One path per leaf, the inverse of `from_paths`."""
        columns = [
            [labels[node] for node in nodes]
            for nodes, labels in zip(self.nodes, self.labels, strict=True)
        ]
        return list(zip(*columns, strict=True))

    def with_missing(self) -> Hierarchy:
        """Return this hierarchy with the missing value as a leaf of its own, last in order.

        A null stays a null on every level below the top: it joins other values only where all
        values are one.
        """
        if None in self.code_of:
            return self
        below, top = range(self.height), self.nodes[-1]
        nodes = [np.append(self.nodes[i], np.int32(len(self.labels[i]))) for i in below]
        labels = [(*self.labels[i], None) for i in below]
        return Hierarchy(
            leaves=(*self.leaves, None),
            nodes=(*nodes, np.append(top, top[:1])),
            labels=(*labels, self.labels[-1]),
            kind=self.kind,
            position=np.append(self.position, np.nan),
        )


def _first_seen_ids(rows: list[tuple[Label, ...]]) -> list[NDArray[np.int32]]:
    ids = []
    for level in range(len(rows[0])):
        seen: dict[Label, int] = {}
        ids.append(np.array([seen.setdefault(r[level], len(seen)) for r in rows], dtype=np.int32))
    return ids


def _run_starts(ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    starts = np.ones(ids.size, dtype=bool)
    starts[1:] = ids[1:] != ids[:-1]
    return starts
