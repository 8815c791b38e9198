"""VT, the matrix of distance vectors between tuples, and what it says without generalizing.

The distance vector of two tuples is the lowest level vector at which they become equal. From the
distances of the outliers (distinct tuples of fewer than k rows) to all distinct tuples follow the
required suppression of every vector and bounds on the heights of k-minimal ones. The matrix has a
row for each outlier and a column for each tuple: it is for small tables.

References
----------
Samarati, *Protecting Respondents' Identities in Microdata Release*, IEEE TKDE 13(6), 2001,
section 5, Figure 11, Example 5.1 (whose bound [1,3,2,2,2] is [1,3,1,2,2]: Sex has height 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import Fault, PlanError
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.model.table import QuasiColumn

MOST_TUPLES = 5000
MOST_SHOWN = 50


@dataclass(frozen=True, eq=False)
class DistanceMatrix:
    """VT of a table.

    Attributes
    ----------
    distances
        For each column, outlier and tuple: the lowest level at which the column joins the two.
    outliers
        The places of the outliers among the distinct tuples.
    counts
        How many rows each distinct tuple stands for: count(x) of the paper.
    k
        The smallest class that may be released.
    """

    distances: NDArray[np.unsignedinteger[Any]]
    outliers: NDArray[np.intp]
    counts: NDArray[np.int64]
    k: int

    @classmethod
    def of(cls, problem: Problem) -> DistanceMatrix:
        """Build the matrix.

        Raises
        ------
        PlanError
            If more than k-anonymity of rows is asked for, or there are too many tuples.
        """
        _require_suitable(problem)
        distinct = problem.table.frequency_set
        k = least_respondents(problem.requirements)
        outliers = np.flatnonzero(distinct.counts < k)
        distances = [
            _distances(column, codes[outliers], codes)
            for column, codes in zip(problem.table.quasi, distinct.codes, strict=True)
        ]
        return cls(np.array(distances), outliers, distinct.counts, k)

    def required_suppression(self, vector: tuple[int, ...]) -> int:
        """Sum the rows of the outliers that stay outliers at a vector (req_sup of the paper)."""
        equal = np.ones(self.distances.shape[1:], dtype=bool)
        for distance, level in zip(self.distances, vector, strict=True):
            equal &= distance <= level
        sizes = equal @ self.counts
        return int(self.counts[self.outliers[sizes < self.k]].sum())

    def lower_bound(self, limit: int) -> int:
        """Return a height below which no vector suppresses at most `limit` rows.

        An outlier of more rows than that must become equal to some other tuple.
        """
        large = self.counts[self.outliers] > limit
        if not large.any():
            return 0
        heights = self.distances[:, large].sum(axis=0, dtype=np.int64)
        heights[heights == 0] = np.iinfo(np.int64).max  # the tuple itself
        return int(heights.min(axis=1).max())

    @cached_property
    def least_upper_bound(self) -> tuple[int, ...]:
        """The largest distance in each column: no k-minimal vector goes above it."""
        return tuple(int(distance.max(initial=0)) for distance in self.distances)

    @cached_property
    def admissible(self) -> tuple[tuple[int, ...], ...]:
        """The levels of each column that some entry has: k-minimal vectors have no others."""
        return tuple((*map(int, np.union1d(distance, 0)),) for distance in self.distances)

    def as_admissible(self, vector: tuple[int, ...]) -> tuple[int, ...]:
        """Lower each level to the next admissible one, which joins the same tuples."""
        return tuple(
            max(level for level in levels if level <= given)
            for levels, given in zip(self.admissible, vector, strict=True)
        )

    def report(self, limit: int) -> dict[str, Any]:
        """Report the bounds, and the matrix itself if it is small. It is about private tuples."""
        report: dict[str, Any] = {
            "lower_bound": self.lower_bound(limit),
            "least_upper_bound": list(self.least_upper_bound),
            "admissible_levels": [list(levels) for levels in self.admissible],
        }
        if self.counts.size <= MOST_SHOWN:
            report["distance_vectors"] = np.moveaxis(self.distances, 0, 2).tolist()
        return report


def find_vector(matrix: DistanceMatrix, limit: int) -> tuple[tuple[int, ...], int]:
    """Figure 10 of the paper between the bounds: the first vector of the lowest height.

    Every height is searched in the box under the least upper bound. A vector that is not
    admissible is tested as the admissible one below it, once.

    Returns
    -------
    tuple
        The vector, and how many were tested.
    """
    tested: dict[tuple[int, ...], bool] = {}

    def first_at(height: int) -> tuple[int, ...] | None:
        for vector in _at_height(matrix.least_upper_bound, height):
            key = matrix.as_admissible(vector)
            if key not in tested:
                tested[key] = matrix.required_suppression(key) <= limit
            if tested[key]:
                return vector
        return None

    low, high = matrix.lower_bound(limit), sum(matrix.least_upper_bound)
    solution = None
    while low < high:
        middle = (low + high) // 2
        vector_there = first_at(middle)
        if vector_there is None:
            low = middle + 1
        else:
            high, solution = middle, vector_there
    return solution or matrix.least_upper_bound, len(tested)


def _at_height(box: tuple[int, ...], height: int) -> Iterator[tuple[int, ...]]:
    """Yield the vectors of a height in a box, in lexicographic order.

    >>> list(_at_height((1, 2), 2))
    [(0, 2), (1, 1)]
    """
    if not box:
        if height == 0:
            yield ()
        return
    for level in range(max(0, height - sum(box[1:])), min(box[0], height) + 1):
        for rest in _at_height(box[1:], height - level):
            yield (level, *rest)


def _distances(
    column: QuasiColumn, outliers: NDArray[np.int32], tuples: NDArray[np.int32]
) -> NDArray[np.unsignedinteger[Any]]:
    """Count for each pair the levels on which they differ: the lowest on which they do not."""
    enough = np.min_scalar_type(column.hierarchy.height)
    levels_apart = np.zeros((outliers.size, tuples.size), dtype=enough)
    for nodes in column.hierarchy.nodes:
        levels_apart += nodes[outliers][:, None] != nodes[tuples][None, :]
    return levels_apart


def _require_suitable(problem: Problem) -> None:
    table = problem.table
    tuples = table.frequency_set.size
    faults = [
        Fault(
            "method.distance_vectors",
            f"the matrix is for k-anonymity, not for {requirement.model}",
            "Leave it out: the same vector is found without.",
        )
        for requirement in problem.requirements
        if requirement.model != "k-anonymity"
    ]
    if len(table.sets) > 1 or table.has_respondents:
        why = "the matrix counts rows of one quasi-identifier, each of another person"
        faults.append(Fault("method.distance_vectors", why, "Omit it."))
    if tuples > MOST_TUPLES:
        why = f"the table has {tuples} distinct tuples, the matrix takes {MOST_TUPLES}"
        faults.append(Fault("method.distance_vectors", why, "Omit it."))
    if faults:
        raise PlanError(faults)
