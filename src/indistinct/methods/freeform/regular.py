"""Regular graphs of original and published rows, and the matchings that they are made of.

A graph is an array with a row for each published row (box): the k original rows it covers. If
each original row is covered k times, the graph is k-regular, and every k-regular bipartite graph is
the union of k disjoint perfect matchings (Koenig). Boxes have no names until then: the first of
the matchings found names each box after its original row, so the identity is always among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.model.recoding import Matching

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem


def rings(groups: NDArray[np.int32], k: int) -> NDArray[np.int32]:
    """Return the graph of a partition: in each group, every row covers itself and the k-1 next.

    >>> rings(np.array([0, 1, 0, 1, 0]), 2).tolist()
    [[0, 2], [1, 3], [2, 4], [3, 1], [4, 0]]
    """
    order = np.argsort(groups, kind="stable").astype(np.int32)
    sizes = np.bincount(groups)
    first = (np.cumsum(sizes) - sizes)[groups[order]]
    place, size = np.arange(order.size) - first, sizes[groups[order]]
    covered = np.empty((order.size, k), dtype=np.int32)
    for step in range(k):
        covered[order, step] = order[first + (place + step) % size]
    return covered


def matchings(
    covered: NDArray[np.int32],
    search: dict[str, Any],
    parts: Sequence[NDArray[np.int32]] | None = None,
) -> Matching:
    """Decompose a regular graph, and name each box after its row in the first matching.

    Parameters
    ----------
    parts
        Rows that are covered by boxes of the same numbers only, part by part: what is in a small
        part stays near in memory. All at once by default.
    """
    sources = np.empty_like(covered)
    place = np.arange(covered.shape[0], dtype=np.int32)
    for part in [place.copy()] if parts is None else parts:
        place[part] = np.arange(part.size, dtype=np.int32)
        found = np.stack(_decomposed(place[covered[part]]), axis=1)
        sources[part[found[:, 0]]] = part[found]
    return Matching(sources, search)


def _decomposed(covered: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Halve graphs of even degree; take a perfect matching out of those of odd degree."""
    from indistinct.methods.freeform.regular_kernel import halves, perfect

    degree = covered.shape[1]
    if degree == 1:
        return [covered[:, 0]]
    if degree % 2 == 0:
        one, two = halves(np.ascontiguousarray(covered))
        return _decomposed(one) + _decomposed(two)
    matched = perfect(np.ascontiguousarray(covered))
    rest = covered[covered != matched[:, None]].reshape(-1, degree - 1)
    return [matched, *_decomposed(rest)]


def loss_of(problem: Problem, covered: NDArray[np.int32]) -> float:
    """Mean cost of a cell when each box is published as what its rows span."""
    spent = 0.0
    for place, column in enumerate(problem.table.quasi):
        codes = column.codes[covered.T]
        low, high = codes.min(axis=0), codes.max(axis=0)
        spent += float(problem.spans.cost(place, low, high).sum())
    cells = sum(problem.suppressed_cell)
    return spent / (problem.table.rows * cells) if cells else 0.0
