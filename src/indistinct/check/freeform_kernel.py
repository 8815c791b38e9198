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
    cell
        Where the cells of each level begin among all cells.
    run
        Where the runs of values that each cell covers begin, and where the last ones end.
    low, high
        The first and the last value of each run; the runs of a cell are in order.
    """

    value: NDArray[np.int32]
    below: NDArray[np.int64]
    cell: NDArray[np.int64]
    run: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]


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
def _covers(tree, cell, value):
    """Return whether a cell covers a value: whether the last run up to it reaches it."""
    begin, end = tree.run[cell], tree.run[cell + 1]
    while begin < end:
        middle = (begin + end) // 2
        if tree.low[middle] <= value:
            begin = middle + 1
        else:
            end = middle
    return begin > tree.run[cell] and value <= tree.high[begin - 1]


@inner
def _first_from(values, begin, end, least):
    """Return the first of some nodes in order whose value is not below the least."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < least:
            begin = middle + 1
        else:
            end = middle
    return begin


@inner
def _enter(tree, level, cell, begin, end, turn, levels):
    """Look at the nodes between two, as far as a cell reaches, from one that depends on `turn`."""
    runs, after = tree.run[cell], tree.run[cell + 1]
    if runs < after:
        begin = _first_from(tree.value, begin, end, tree.low[runs])
        end = _first_from(tree.value, begin, end, tree.high[after - 1] + 1)
    else:
        end = begin
    levels[0, level], levels[1, level], levels[3, level] = begin, end, end - begin
    levels[2, level] = begin + turn % max(end - begin, 1)


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
    _enter(tree, 0, tree.cell[0] + cells[0], begin, end, turn, levels)
    level, count = 0, 0
    while level >= 0 and count < most:
        if left[level] == 0:
            level -= 1
            continue
        node = at[level]
        left[level] -= 1
        at[level] = node + 1 if node + 1 < high[level] else low[level]
        if not _covers(tree, tree.cell[level] + cells[level], tree.value[node]):
            continue
        if level == last:
            if count < rows.size:
                rows[count] = tree.below[node]
            count += 1
            continue
        level += 1
        cell = tree.cell[level] + cells[level]
        _enter(tree, level, cell, tree.below[node], tree.below[node + 1], turn, levels)
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
