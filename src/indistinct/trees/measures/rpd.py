"""RPD, the reverse path domain: how little a path of a record says.

Gkountouna and Terrovitis 2013, section II-E.

A path that could read in many ways says much: its RPD is one over the product, over its nodes, of
depth times the number of labels on the node's level of the hierarchies. RPD grows as loss grows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.hierarchies import Hierarchies
    from indistinct.trees.synopsis import Projection, Synopsis

    Floats = NDArray[np.float64]


def rpd_of_records(forest: Forest, hierarchies: Hierarchies) -> Floats:
    """Return the RPD of each record: the mean over its paths from the root to a leaf (Formula 2).

    A record of which nothing is left has the empty path, whose RPD is 1.

    Parameters
    ----------
    forest
        Records whose labels are those of the hierarchies.
    hierarchies
        Their levels; |C(u)| counts the labels of all classes on the level of u, as Example 1 does.
    """
    said = _said(forest.label, forest.parent, hierarchies)
    leaf = _leaves(forest.parent)
    record = np.repeat(np.arange(forest.size), np.diff(forest.starts))[leaf]
    total = np.bincount(record, weights=1 / said[leaf], minlength=forest.size)
    paths = np.bincount(record, minlength=forest.size)
    return np.where(paths > 0, total / np.maximum(paths, 1), 1.0)


def rpd(forest: Forest, hierarchies: Hierarchies) -> float:
    """Return the RPD of a release: the mean over its records (Formula 3)."""
    return float(rpd_of_records(forest, hierarchies).mean()) if forest.size else 0.0


def rpd_of_synopsis(synopsis: Synopsis | Projection, hierarchies: Hierarchies) -> float:
    """Return the synopsis form of RPD (Formulas 7 and 8), which the paper's searches minimize.

    Ours do not: see `objectives.py`.

    Each path counts with the supports of its nodes added up; the mean over paths is divided by the
    number of nodes of the synopsis.
    """
    label, parent = synopsis.label, synopsis.parent
    if not label.size:
        return 1.0
    said = _said(label, parent, hierarchies)
    support = synopsis.support.astype(np.float64)
    for level in _levels(parent)[1:]:
        support[level] += support[parent[level]]
    leaf = _leaves(parent)
    return float((support[leaf] / said[leaf]).mean() / label.size)


def _said(label: NDArray[np.int32], parent: NDArray[np.int32], hierarchies: Hierarchies) -> Floats:
    """Return for each node the size of the domain of its path, depths multiplied in."""
    said = hierarchies.level_size[hierarchies.level[label]].astype(np.float64)
    for depth, level in enumerate(_levels(parent)):
        said[level] *= depth + 1
        if depth:
            said[level] *= said[parent[level]]
    return said


def _leaves(parent: NDArray[np.int32]) -> NDArray[np.intp]:
    inner = np.zeros(parent.size, dtype=bool)
    inner[parent[parent >= 0]] = True
    return np.flatnonzero(~inner)


def _levels(parent: NDArray[np.int32]) -> list[NDArray[np.intp]]:
    """Return the nodes of each depth, the top ones first."""
    depth = np.zeros(parent.size, dtype=np.int32)
    above = parent.copy()
    deeper = np.flatnonzero(above >= 0)
    while deeper.size:
        depth[deeper] += 1
        above[deeper] = parent[above[deeper]]
        deeper = deeper[above[deeper] >= 0]
    return [np.flatnonzero(depth == level) for level in range(int(depth.max(initial=-1)) + 1)]
