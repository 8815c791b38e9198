"""Growing a forest over distinct rows, and splitting its trees into groups.

The forest of Aggarwal et al. 2005 ("Anonymizing tables"; `row_forest` has its bound): every tree
of fewer than k rows gets an edge from its root to the nearest row of another tree; trees are then
cut into groups of k to 3k - 3 rows. Distance is the weight of the levels by which rows differ.

What holds between two edges: `tree` leads from each row to the number of its tree, in a few steps;
of a tree, `size` counts the rows and `end` is the one row without an outgoing edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Trees(NamedTuple):
    """The forest as far as it has grown.

    Attributes
    ----------
    tree
        What leads from each row to the number of its tree, which is one of its rows.
    size, end
        For each tree its rows, and its row without an outgoing edge.
    parent
        The row that the edge of each row leads to, -1 if it has none.
    """

    tree: np.ndarray
    size: np.ndarray
    end: np.ndarray
    parent: np.ndarray


class Seekers(NamedTuple):
    """The rows that search another tree, and for each row of the table the one it has met."""

    rows: np.ndarray
    met: np.ndarray


class KeyTable(NamedTuple):
    """Scratch: a hash table of keys. The first row of each, the rows that follow, the keys."""

    head: np.ndarray
    following: np.ndarray
    keys: np.ndarray


class LeveledNodes(NamedTuple):
    """The nodes of rows, by which their distance is measured.

    Attributes
    ----------
    nodes
        The node of each row on each level of each column, from the ground to the top.
    first
        Where the levels of each column begin (and the last end).
    weights
        The weight of each column.
    """

    nodes: np.ndarray
    first: np.ndarray
    weights: np.ndarray


@njit
def add_keys(
    numbers: NDArray[np.uint64], levels: NDArray[np.int64], keys: NDArray[np.uint64]
) -> None:
    """Sum up, for each distinct row, the random numbers of its nodes on some levels."""
    keys[:] = np.uint64(0)
    for column in range(levels.size):
        held = numbers[column, levels[column]]
        for row in range(keys.size):
            keys[row] += held[row]


@njit
def meet(
    keys: NDArray[np.uint64],
    tree: NDArray[np.int32],
    seekers: Seekers,
    left: int,
    table: KeyTable,
) -> int:
    """Give each of some rows a row with an equal key in another tree, if there is one.

    Parameters
    ----------
    keys, tree
        For each distinct row its key and its tree.
    seekers, left
        The rows that still search, and how many: those that have met another are taken out.

    Returns
    -------
    int
        How many rows still search.
    """
    searching, met = seekers
    head, following, place_keys = table
    last = np.uint64(head.size - 1)
    head[:] = -1
    for row in range(keys.size - 1, -1, -1):
        place = (keys[row] >> np.uint64(20)) & last
        while head[place] >= 0 and place_keys[place] != keys[row]:
            place = (place + np.uint64(1)) & last
        place_keys[place] = keys[row]
        following[row] = head[place]
        head[place] = row
    kept = 0
    for i in range(left):
        row = searching[i]
        place = (keys[row] >> np.uint64(20)) & last
        while place_keys[place] != keys[row]:
            place = (place + np.uint64(1)) & last
        other = head[place]
        while other >= 0 and tree[other] == tree[row]:
            other = following[other]
        if other >= 0:
            met[row] = other
        else:
            searching[kept] = row
            kept += 1
    return kept


@njit
def nearest_by_scan(
    leveled: LeveledNodes, tree: NDArray[np.int32], seekers: Seekers, left: int
) -> None:
    """Find for each of some rows the nearest in another tree by comparing it with all rows."""
    nodes, first, weights = leveled
    searching, met = seekers
    for i in range(left):
        row = searching[i]
        best = np.inf
        for other in range(tree.size):
            if tree[other] == tree[row]:
                continue
            far = 0.0
            for column in range(weights.size):
                level = first[column]
                while nodes[level, row] != nodes[level, other]:
                    level += 1
                steps = max(first[column + 1] - first[column] - 1, 1)
                far += weights[column] * (level - first[column]) / steps
                if far >= best:
                    break
            if far < best:
                best = far
                met[row] = other


@inner
def find_tree(tree, row):
    """Return the tree of a row (the number of one of its rows), and shorten the way there."""
    root = row
    while tree[root] != root:
        root = tree[root]
    while tree[row] != root:
        tree[row], row = root, tree[row]
    return root


@njit
def join_trees(trees: Trees, seekers: Seekers, k: int) -> int:
    """Give rows that have met another tree an edge to it, while their own is too small.

    Returns how many edges there are.
    """
    tree, size, end, parent = trees
    met = seekers.met
    edges = 0
    for row in seekers.rows:
        mine = find_tree(tree, row)
        other = find_tree(tree, met[row])
        if size[mine] >= k or mine == other or end[mine] != row:
            continue
        parent[row] = met[row]
        tree[mine] = other
        size[other] += size[mine]
        edges += 1
    return edges


@njit
def split(parent: NDArray[np.int32], order: NDArray[np.intp], k: int) -> NDArray[np.int32]:
    """Split rooted trees into groups of k to 3k - 3 rows.

    Parameters
    ----------
    parent
        The row that the edge of each row leads to, -1 for roots.
    order
        The rows, each before its parent.

    Returns
    -------
    The group of each row.
    """
    rows = parent.size
    head = np.full(rows, -1, dtype=np.int32)
    tail = np.full(rows, -1, dtype=np.int32)
    size = np.zeros(rows, dtype=np.int32)
    following = np.full(rows, -1, dtype=np.int32)
    near = np.full(rows, -1, dtype=np.int32)
    group = np.full(rows, -1, dtype=np.int32)
    count = 0
    for row in order:
        following[row] = -1
        if size[row]:
            following[tail[row]] = row
        else:
            head[row] = row
        tail[row] = row
        size[row] += 1
        above = parent[row]
        if size[row] >= k:
            _close(group, following, head[row], count)
            if above >= 0:
                near[above] = count
            count += 1
        elif above < 0:
            _close(group, following, head[row], near[row])
        else:
            if near[row] >= 0:
                near[above] = near[row]
            if size[above]:
                following[tail[above]] = head[row]
            else:
                head[above] = head[row]
            tail[above] = tail[row]
            size[above] += size[row]
            if size[above] >= k:
                _close(group, following, head[above], count)
                near[above] = count
                count += 1
                size[above] = 0
    return group


@inner
def _close(group, following, row, number):
    """Make a chain of rows a group."""
    while row >= 0:
        group[row] = number
        row = following[row]
