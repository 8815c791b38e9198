"""Which original rows a published row covers, for the check of a freeform release alone.

Original rows are a tree: a level for each column, a node for each value that rows have after the
values above it, the rows themselves at the bottom. A published row goes down only where its cells
cover the values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

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

    value: NDArray[np.int32]
    below: NDArray[np.int64]
    covers: NDArray[np.bool_]
    first: NDArray[np.intp]
    width: NDArray[np.intp]


class Boxes(NamedTuple):
    """Distinct published rows, and what the walk needs to list what they cover.

    Attributes
    ----------
    cells
        The cell of each level of each box.
    begin, end
        Below which nodes of the first level each box looks.
    levels
        Scratch for four numbers of each level.
    rows
        Is given the rows that boxes cover, one box after the other.
    """

    cells: NDArray[np.int32]
    begin: NDArray[np.intp]
    end: NDArray[np.intp]
    levels: NDArray[np.int64]
    rows: NDArray[np.int32]


@inner
def _walk(tree, cells, begin, end, most, turn, levels, rows):
    """List the rows that some cells cover, of those below some nodes; return how many.

    At most so many; where to begin on each level depends on `turn`, so that they come from all
    over. Those for which `rows` has no place are counted only. `levels` is scratch for four
    numbers of each level: where the nodes begin and end that are looked at, which one is next, and
    how many are left.
    """
    last = cells.size - 1
    low, high, at, left = levels[0], levels[1], levels[2], levels[3]
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
            if count < rows.size:
                rows[count] = tree.below[node]
            count += 1
            continue
        level += 1
        low[level], high[level] = tree.below[node], tree.below[node + 1]
        left[level] = high[level] - low[level]
        at[level] = low[level] + turn % left[level]
    return count


@inner
def _turn(box):
    return np.int64((np.uint64(box) * SPREAD) >> np.uint64(33))


@njit
def count_covered(tree: Tree, boxes: Boxes, most: int, counts: NDArray[np.int64]) -> None:
    """Count the rows that each of some boxes covers, up to so many."""
    cells, nothing = boxes.cells, boxes.rows[:0]
    for box in range(cells.shape[0]):
        begin, end = boxes.begin[box], boxes.end[box]
        counts[box] = _walk(tree, cells[box], begin, end, most, _turn(box), boxes.levels, nothing)


@njit
def list_covered(tree: Tree, boxes: Boxes, ends: NDArray[np.int64]) -> None:
    """List those rows, as many as were counted, one box after the other."""
    cells = boxes.cells
    for box in range(cells.shape[0]):
        begin, end = boxes.begin[box], boxes.end[box]
        rows = boxes.rows[ends[box] : ends[box + 1]]
        _walk(tree, cells[box], begin, end, rows.size, _turn(box), boxes.levels, rows)
