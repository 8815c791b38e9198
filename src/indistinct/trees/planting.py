"""Planting: loose nodes become a forest, equal siblings merged, without a loop over nodes.

Siblings come out in the order of their labels' codes, so that equal records become equal runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.forest import Forest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.trees.forest import Labels

    Ints = NDArray[np.integer]


def plant(
    classes: Sequence[str],
    labels: Labels,
    *,
    size: int,
    record: Ints,
    parent: Ints,
    label: Ints,
    ids: tuple[str, ...] | None = None,
) -> Forest:
    """Make a forest of loose nodes.

    Parameters
    ----------
    classes, labels
        Of the forest.
    size
        How many records there are; some may have no nodes.
    record
        The record of each node.
    parent
        The index of the node above, which comes before the node; -1 directly below the record.
    label
        The code of each node's label.
    ids
        What the source calls the records.

    Notes
    -----
    Level by level, nodes are sorted by the merged node above and by label; equal neighbours become
    one. Sizes of subtrees, added up from below, then give each node its place in preorder.
    """
    levels = _merged_levels(record, parent, label, len(labels))
    sizes = _subtree_sizes(levels, size)
    starts = np.concatenate(([0], np.cumsum(sizes[0]))).astype(np.int64)
    placed = np.empty(int(starts[-1]), dtype=np.int32)
    above = np.full(int(starts[-1]), -1, dtype=np.int32)
    number = np.empty(int(starts[-1]), dtype=np.int32)
    place = starts[:-1]
    for depth, level in enumerate(levels):
        first = place if depth == 0 else place + 1
        before = np.cumsum(sizes[depth + 1]) - sizes[depth + 1]
        opens = np.searchsorted(level.above, np.arange(place.size))
        here = first[level.above] + before - before[opens[level.above]]
        if depth:
            above[here] = place[level.above]
        placed[here], number[here] = level.label, level.number
        place = here
    several = number if (number > 1).any() else None
    return Forest(tuple(classes), labels, placed, above, starts, ids, number=several)


@dataclass(frozen=True)
class _Level:
    """The nodes of one depth: sorted by the node above (its place in the level above) and label.

    `number` is how many loose nodes each is made of.
    """

    above: NDArray[np.int64]
    label: NDArray[np.int32]
    number: NDArray[np.int64]


def _merged_levels(record: Ints, parent: Ints, label: Ints, kinds: int) -> list[_Level]:
    levels: list[_Level] = []
    place = np.empty(label.size, dtype=np.int64)
    nodes = np.flatnonzero(parent < 0)
    above = record[nodes].astype(np.int64)
    children, opens = _children(parent)
    while nodes.size:
        keys, merged = np.unique(above * kinds + label[nodes], return_inverse=True)
        number = np.bincount(merged, minlength=keys.size)
        levels.append(_Level(keys // kinds, (keys % kinds).astype(np.int32), number))
        place[nodes] = merged
        nodes = _gather(children, opens, nodes)
        above = place[parent[nodes]]
    return levels


def _children(parent: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the nodes sorted by parent, and where the children of each node begin."""
    order = np.argsort(parent, kind="stable")
    counts = np.bincount(parent[parent >= 0], minlength=parent.size)
    tops = parent.size - int(counts.sum())
    return order, tops + np.concatenate(([0], np.cumsum(counts)))


def _gather(children: Ints, opens: Ints, nodes: Ints) -> NDArray[np.int64]:
    counts = opens[nodes + 1] - opens[nodes]
    ends = np.cumsum(counts)
    if not ends.size or not ends[-1]:
        return np.empty(0, dtype=np.int64)
    steps = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
    gathered: NDArray[np.int64] = children[np.repeat(opens[nodes], counts) + steps]
    return gathered


def _subtree_sizes(levels: list[_Level], size: int) -> list[NDArray[np.int64]]:
    """Return how many nodes each record has, and then each node of each level with those below."""
    widths = [size, *(level.label.size for level in levels)]
    sizes = [np.ones(width, dtype=np.int64) for width in widths]
    sizes[0][:] = 0
    for depth in range(len(levels) - 1, -1, -1):
        below = np.bincount(levels[depth].above, weights=sizes[depth + 1], minlength=widths[depth])
        sizes[depth] += below.astype(np.int64)
    return sizes
