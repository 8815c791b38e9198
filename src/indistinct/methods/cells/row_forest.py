"""The forest of Aggarwal et al.: an O(k)-approximation for cell suppression and generalization.

Rows are vertices; the weight w(e) of an edge between two rows is what making them alike costs in
each of them: sum over columns of weight x h / l, where h is the lowest level on which both have one
value and l the height of the hierarchy. Where a cell is published or starred, h / l is 0 or 1 and
w(e) the number of differing columns.

**Forest.** Every row starts as a tree by itself. While some tree T has fewer than k rows, its one
row u without an outgoing edge gets an edge to the nearest row outside T. So each row has at most
one outgoing edge, and there is no cycle. T has at most k - 1 rows, so one of u's k - 1 nearest
others is outside it: the edge weighs at most the distance to u's (k - 1)-th nearest other row,
which no release can avoid paying in u's row. Together the edges weigh at most OPT.

**Splitting.** A tree is rooted at its row without an outgoing edge, and rows are taken children
first. Each row v gathers what its children hand up, in a bunch; whenever the bunch has k rows or
more, it becomes a group by itself and a new bunch is begun. At the end v joins the bunch; if that
makes k rows it is a group, and otherwise it is handed up to v's parent. What the root has left over
joins a group beside it.

*Sizes.* What is handed up has at most k - 1 rows. A bunch had at most k - 1 rows before the last
hand-up, so groups have k to 2k - 2 rows (k where v joins last); with the rest of the root at most
3k - 3.

*Cost.* The rows of a group, with v as a vertex that is only passed through, are connected by edges
of the tree, and each edge is used by one group at most: it is the edge above what was handed up, or
leads from a group to the bunch of the root. A column that differs within a group differs along one
of its edges (for hierarchies: the lowest common node of connected rows is that of one of the
edges). So a row costs at most the weight of the edges of its group, and all rows together at most
(3k - 3) times the weight of the forest: the cost is at most (3k - 3) OPT.

The paper splits from the top, one edge or vertex at a time; the one pass here keeps its bound of 3k
- 3.
"""

from __future__ import annotations

import heapq
from math import ceil, log2
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem

    Levels = tuple[int, ...]

MOST_VECTORS = 5_000
SEED = 20050105


def forest_groups(problem: Problem, k: int) -> NDArray[np.int32]:
    """Return the group of each row, each of k to 3k - 3 rows."""
    from indistinct.methods.cells.row_forest_kernel import split

    distinct = problem.table.frequency_set
    above = _edges(problem, k)
    first = np.full(distinct.size, -1, dtype=np.int32)
    rows = np.arange(problem.table.entries, dtype=np.int32)
    first[distinct.inverse[::-1]] = rows[::-1]
    copy = first[distinct.inverse] != rows
    edge = above[distinct.inverse]
    parent = np.where(copy, first[distinct.inverse], np.where(edge < 0, -1, first[edge]))
    order = _children_first(above, distinct.inverse, copy)
    return split(parent.astype(np.int32), order, k)


def _children_first(
    above: NDArray[np.int32], inverse: NDArray[np.int32], copy: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Order rows so that each comes before its parent; copies of a row first of all."""
    depth = np.zeros(above.size, dtype=np.int64)
    reached = above.copy()
    while (going := reached >= 0).any():
        depth[going] += 1
        reached[going] = above[reached[going]]
    return np.lexsort((inverse, np.where(copy, -above.size, -depth[inverse])))


def _edges(problem: Problem, k: int) -> NDArray[np.int32]:
    """Grow the forest; return where the edge of each distinct row leads, -1 if it has none.

    All trees that are too small search at once, then get their edges one after the other. An edge
    found for a tree is the nearest for what it has grown to meanwhile, if it still leads out of it.
    """
    from indistinct.methods.cells.row_forest_kernel import Seekers, Trees, join_trees

    distinct = problem.table.frequency_set
    count = distinct.size
    parent = np.full(count, -1, dtype=np.int32)
    tree = np.arange(count, dtype=np.int32)
    size = distinct.counts.copy()
    end = np.arange(count, dtype=np.int32)
    search = _Search(problem)
    while (small := np.flatnonzero((tree == np.arange(count)) & (size < k))).size:
        while (tree != tree[tree]).any():
            tree = tree[tree]
        seekers = Seekers(end[small], search.nearest(tree, end[small]))
        join_trees(Trees(tree, size, end, parent), seekers, k)
        problem.progress.advance(1 - small.size / count)
    return parent


class _Search:
    """Finds nearest rows by hashing: rows equal at a cheap vector of levels are near."""

    def __init__(self, problem: Problem) -> None:
        self._table = problem.table
        distinct = problem.table.frequency_set
        random = np.random.Generator(np.random.PCG64(SEED))
        heights = problem.table.heights
        self._numbers = np.zeros((len(heights), max(heights) + 1, distinct.size), dtype=np.uint64)
        self._nodes = []
        for place, column in enumerate(problem.table.quasi):
            for level, nodes in enumerate(column.hierarchy.nodes):
                held = nodes[distinct.codes[place]]
                drawn = random.integers(0, 2**64, size=int(nodes.max()) + 1, dtype=np.uint64)
                self._numbers[place, level] = drawn[held]
                self._nodes.append(held)
        self._weights = np.array([column.weight for column in problem.table.quasi])

    def nearest(self, tree: NDArray[np.int32], rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return for each of some rows the nearest one of another tree."""
        from indistinct.methods.cells import row_forest_kernel as kernels

        count = tree.size
        keys = np.empty(count, dtype=np.uint64)
        capacity = 1 << ceil(log2(2 * count + 2))
        table = kernels.KeyTable(
            head=np.empty(capacity, dtype=np.int32),
            following=np.empty(count, dtype=np.int32),
            keys=np.empty(capacity, dtype=np.uint64),
        )
        seekers = kernels.Seekers(rows.copy(), np.full(count, -1, dtype=np.int32))
        left = rows.size
        for number, levels in enumerate(by_weight(self._table.heights, self._weights)):
            if left == 0 or number == MOST_VECTORS:
                break
            kernels.add_keys(self._numbers, np.array(levels, dtype=np.int64), keys)
            left = kernels.meet(keys, tree, seekers, left, table)
        if left:
            first = np.cumsum([0, *(height + 1 for height in self._table.heights)])
            leveled = kernels.LeveledNodes(np.stack(self._nodes), first, self._weights)
            kernels.nearest_by_scan(leveled, tree, seekers, left)
        return seekers.met


def by_weight(heights: tuple[int, ...], weights: NDArray[np.float64]) -> Iterator[Levels]:
    """Yield level vectors by their weight, from the ground up.

    >>> [v for v in by_weight((1, 2), np.array([1.0, 1.0]))]
    [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    """
    steps = [float(w) / max(h, 1) for w, h in zip(weights, heights, strict=True)]
    ahead: list[tuple[float, Levels, int]] = [(0.0, (0,) * len(heights), 0)]
    while ahead:
        weight, levels, last = heapq.heappop(ahead)
        yield levels
        for column in range(last, len(heights)):
            if levels[column] < heights[column]:
                raised = (*levels[:column], levels[column] + 1, *levels[column + 1 :])
                heapq.heappush(ahead, (weight + steps[column], raised, column))
