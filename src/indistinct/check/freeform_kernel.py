"""Which original rows a published row covers, for the check of a freeform release alone.

Original rows are a tree: a level for each column, a node for each value that rows have after the
values above it, the rows themselves at the bottom. A published row goes down only where its cells
cover the values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

SPREAD = np.uint64(0x9E3779B97F4A7C15)


class Tree(NamedTuple):
    """The values of original rows, and what covers them.

    Attributes
    ----------
    value
        The value of each node, those of the first level first, as many more as there are levels.
    below
        Where the nodes below each node begin; below those of the last level, the number of the row.
        They end where those below the next node begin.
    covers
        For each level, cell and value whether the cell covers the value.
    first, width
        Where the cells of each level begin there, and how many values each has.
    """

    value: np.ndarray
    below: np.ndarray
    covers: np.ndarray
    first: np.ndarray
    width: np.ndarray


@inner
def _walk(tree, cells, begin, end, most, turn, found):
    """List the rows that some cells cover, of those below some nodes; return how many.

    At most so many; where to begin on each level depends on `turn`, so that they come from all
    over. Those for which there is no room are counted only.
    """
    last = cells.size - 1
    low, high, at, left = np.empty((4, cells.size), dtype=np.int64)
    low[0], high[0], left[0] = begin, end, end - begin
    at[0] = begin + turn % max(left[0], 1)
    level, count = 0, 0
    while level >= 0 and count < most:
        if left[level] == 0:
            level -= 1
            continue
        node = at[level]
        left[level] -= 1
        at[level] = node + 1 if node + 1 < high[level] else low[level]
        place = tree.first[level] + cells[level] * tree.width[level] + tree.value[node]
        if not tree.covers[place]:
            continue
        if level == last:
            if count < found.size:
                found[count] = tree.below[node]
            count += 1
            continue
        level += 1
        low[level], high[level] = tree.below[node], tree.below[node + 1]
        left[level] = high[level] - low[level]
        at[level] = low[level] + turn % left[level]
    return count


@njit(inline="always")
def _turn(box):
    return np.int64((np.uint64(box) * SPREAD) >> np.uint64(33))


@njit
def count_covered(tree, cells, begin, end, most, counts):
    """Count the rows that each of some boxes covers, up to so many.

    `begin` and `end` tell below which nodes of the first level each box looks.
    """
    nowhere = np.empty(0, dtype=np.int32)
    for box in range(cells.shape[0]):
        counts[box] = _walk(tree, cells[box], begin[box], end[box], most, _turn(box), nowhere)


@njit
def list_covered(tree, cells, begin, end, ends, found):
    """List those rows, as many as were counted, one box after the other."""
    for box in range(cells.shape[0]):
        room = found[ends[box] : ends[box + 1]]
        _walk(tree, cells[box], begin[box], end[box], room.size, _turn(box), room)
