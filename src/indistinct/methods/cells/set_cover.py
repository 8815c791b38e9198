"""Greedy set cover: an O(k log k)- or O(log k)-approximation for small tables.

All sets of k to 2k - 1 rows are candidates; some partition into such sets is optimal, for larger
groups can be split without cost. Sets are chosen greedily, least weight per row not yet covered
first, so they weigh together at most H(2k - 1) times as much as those of the best partition, H(m) =
1 + 1/2 + ... + 1/m. Then overlaps go: a row in two sets leaves one that has more than k rows; if
both have k, they become one of at most 2k - 1 rows. Neither makes the sets weigh more together, for
either weight:

- *stars* (Park and Shim): what starring the set costs in each row. A row of a set pays it, sets
  have k to 2k - 1 rows: the result is within (2k - 1) / k x H(2k - 1) of the optimum.
- *diameter* (Meyerson and Williams): the largest distance of two rows of the set. A row of a set
  pays at least that, and at most 2k - 2 times that: within (2k - 1)(2k - 2) / k x H(2k - 1).
"""

from __future__ import annotations

from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np

from indistinct.errors import Fault, PlanError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem

CoverBy = Literal["stars", "diameter"]

MOST_SETS = 400_000


def cover_groups(problem: Problem, k: int, weigh: CoverBy) -> NDArray[np.int32]:
    """Return the group of each row, each of k to 2k - 1 rows.

    Raises
    ------
    PlanError
        If there are too many sets to look at.
    """
    rows = problem.table.entries
    sizes = range(k, min(2 * k - 1, rows) + 1)
    number = sum(comb(rows, size) for size in sizes)
    if number > MOST_SETS:
        raise PlanError(
            Fault(
                "method.algorithm",
                f'"set-cover" looks at all sets of {k} to {2 * k - 1} rows, and {rows} rows have '
                f"{number} of them, more than {MOST_SETS}",
                'Set algorithm = "forest" or "local".',
            )
        )
    chosen: list[set[int]] = []
    for members in _greedy(problem, [_subsets(rows, size) for size in sizes], weigh):
        chosen = _without_overlap(chosen, members, k)
    groups = np.empty(rows, dtype=np.int32)
    for group, held in enumerate(chosen):
        groups[list(held)] = group
    return groups


def _subsets(rows: int, size: int) -> NDArray[np.int64]:
    flat = chain.from_iterable(combinations(range(rows), size))
    return np.fromiter(flat, dtype=np.int64).reshape(-1, size)


def _greedy(
    problem: Problem, subsets: list[NDArray[np.int64]], weigh: CoverBy
) -> list[tuple[int, ...]]:
    """Choose sets until all rows are covered; of equals the one that covers more, or the first."""
    weights = [_weights(problem, members, weigh) for members in subsets]
    uncovered = np.ones(problem.table.entries, dtype=bool)
    chosen: list[tuple[int, ...]] = []
    while uncovered.any():
        best: tuple[float, int, tuple[int, ...]] | None = None
        for members, weight in zip(subsets, weights, strict=True):
            new = uncovered[members].sum(axis=1)
            each = np.where(new > 0, weight / np.maximum(new, 1), np.inf)
            least = int(np.lexsort((-new, each.round(12)))[0])
            candidate = (
                float(each[least].round(12)),
                -int(new[least]),
                tuple(members[least].tolist()),
            )
            best = candidate if best is None else min(best, candidate)
        if best is not None:
            chosen.append(best[2])
            uncovered[list(best[2])] = False
    return chosen


def _weights(problem: Problem, members: NDArray[np.int64], weigh: CoverBy) -> NDArray[np.float64]:
    if weigh == "stars":
        held = problem.codes[members]
        low, high = held.min(axis=1), held.max(axis=1)
        return _cost(problem, low, high)
    if members.shape[1] == 1:
        return np.zeros(members.shape[0])
    apart = distances(problem)
    pairs = [
        apart[members[:, i], members[:, j]] for i, j in combinations(range(members.shape[1]), 2)
    ]
    widest: NDArray[np.float64] = np.max(pairs, axis=0)
    return widest


def distances(problem: Problem) -> NDArray[np.float64]:
    """Return what publishing any two rows alike costs in each of them."""
    rows = problem.table.entries
    one, two = np.divmod(np.arange(rows * rows), rows)
    low = np.minimum(problem.codes[one], problem.codes[two])
    high = np.maximum(problem.codes[one], problem.codes[two])
    return _cost(problem, low, high).reshape(rows, rows)


def _cost(problem: Problem, low: NDArray[np.int32], high: NDArray[np.int32]) -> NDArray[np.float64]:
    cost = np.zeros(low.shape[0])
    for place in range(low.shape[1]):
        cost += problem.spans.cost(place, low[:, place], high[:, place])
    return cost


def _without_overlap(chosen: list[set[int]], members: tuple[int, ...], k: int) -> list[set[int]]:
    """Add a set to some that do not overlap."""
    added = set(members)
    clear: list[set[int]] = []
    for other in chosen:
        while (shared := sorted(added & other)) and max(len(other), len(added)) > k:
            (other if len(other) > k else added).discard(shared[0])
        if shared:
            added |= other
        else:
            clear.append(other)
    return [*clear, added]
