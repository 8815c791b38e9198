"""Mixed records: what stands at the root of records taken off their trees, and put back again.

A record has at most one node of each root class, directly at its root, and nothing below it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest


@dataclass(frozen=True, eq=False)
class Split:
    """Records taken apart.

    Attributes
    ----------
    kinds
        The root classes, by their places.
    label
        For each record and root class the label, -1 where the record has none.
    trees
        The records without their root classes.
    """

    kinds: tuple[int, ...]
    label: NDArray[np.int32]
    trees: Forest

    @classmethod
    def of(cls, forest: Forest, roots: frozenset[int]) -> Split:
        """Take records apart."""
        kinds = tuple(sorted(roots))
        owner = np.repeat(np.arange(forest.size), np.diff(forest.starts))
        of_node = forest.labels.of_class[forest.label]
        label = np.full((forest.size, len(kinds)), -1, dtype=np.int32)
        for column, kind in enumerate(kinds):
            nodes = np.flatnonzero(of_node == kind)
            label[owner[nodes], column] = forest.label[nodes]
        return cls(kinds, label, forest.only(~np.isin(of_node, kinds)))


def with_roots(trees: Forest, label: NDArray[np.int32]) -> Forest:
    """Put labels at the roots of records, before their trees; -1 puts none."""
    held = label >= 0
    before = np.concatenate(([0], np.cumsum(held.sum(axis=1))))
    starts = trees.starts + before
    sizes = np.diff(trees.starts)
    moved = np.repeat(before[1:], sizes)
    own = np.arange(trees.nodes) + moved
    labels = np.empty(int(starts[-1]), dtype=np.int32)
    parent = np.full(labels.size, -1, dtype=np.int32)
    labels[own] = trees.label
    parent[own] = np.where(trees.parent < 0, -1, trees.parent + moved)
    at_root = np.ones(labels.size, dtype=np.bool_)
    at_root[own] = False
    labels[at_root] = label[held]
    number = None
    if trees.number is not None:
        number = np.ones(labels.size, dtype=np.int32)
        number[own] = trees.number
    return replace(trees, label=labels, parent=parent, starts=starts, number=number)


def stacked(forests: Sequence[Forest]) -> Forest:
    """Put the records of forests with the same labels one after the other."""
    offsets = np.cumsum([0, *(forest.nodes for forest in forests)])
    parents = [
        np.where(forest.parent < 0, -1, forest.parent + offset)
        for forest, offset in zip(forests, offsets, strict=False)
    ]
    numbers = [forest.number for forest in forests if forest.number is not None]
    starts = [forest.starts[1:] + offset for forest, offset in zip(forests, offsets, strict=False)]
    return replace(
        forests[0],
        label=np.concatenate([forest.label for forest in forests]),
        parent=np.concatenate(parents).astype(np.int32),
        starts=np.concatenate([np.zeros(1, dtype=np.int64), *starts]),
        extras=None,
        ids=None,
        number=np.concatenate(numbers) if numbers else None,
    )


def members_of(group: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    """List the records of each group; groups are numbered without gaps."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.cumsum(np.bincount(group))[:-1])
