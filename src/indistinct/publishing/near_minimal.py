"""One of the recodings that lose little more than the best, drawn in secret.

A method that coarsens no more than a rule forces it to tells what forced it (Wong et al. 2007). If
it draws among all that lose at most a budget more, a coarse release may as well be a draw.

- Levels of whole columns: every vector that satisfies, within the limit of suppressed rows and the
  budget, is as likely as any other. Vectors come in a secret order, and the first of these is
  taken; that a vector costs too much even without suppressed rows is seen without counting it.
- Groups of rows: groups come in a secret order, and each is joined with the one that costs least to
  join, until the next would exceed the budget; of these joins the first few are made, any number
  being as likely as any other. A union of groups that satisfy does (no person with several rows is
  in two of them: the plan is refused otherwise).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, product
from math import prod
from operator import getitem
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.methods.full_domain.walk import released, settled_at, walk
from indistinct.model.entries import Parts
from indistinct.model.recoding import LevelVector, Partition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.model.recoding import Recoding
    from indistinct.publishing.randomness import Randomness

    Stream = Callable[[str], Randomness]

MOST_VECTORS = 200_000
MOST_COUNTED = 2_000
STEPS = 2
SLACK = 1e-9


def drawn_near(problem: Problem, best: Recoding, within: float, stream: Stream) -> Recoding:
    """Draw a recoding that loses at most so much more than another, as a share of all cells.

    Parameters
    ----------
    stream
        Returns the secret random stream for a purpose.
    """
    draw = _DRAWS.get(best.name)
    return best if draw is None else draw(problem, best, within, stream)


def _drawn_levels(
    problem: Problem, best: LevelVector, within: float, stream: Stream
) -> LevelVector:
    random = stream("near-minimal levels")
    way = walk(problem, list(range(len(problem.table.quasi))))
    cells = problem.table.rows * sum(problem.suppressed_cell)
    budget = settled_at(way, best.levels).cost + within * cells + SLACK
    costs = _level_costs(problem)
    near = [
        vector
        for vector in _vectors(problem, best.levels)
        if sum(map(getitem, costs, vector)) <= budget  # with suppressed rows it costs no less
    ]
    for place in random.order(len(near))[:MOST_COUNTED]:
        settled = settled_at(way, near[place])
        if settled.dropped <= problem.max_suppressed and settled.cost <= budget:
            report = {"drawn_within": within, "loss": settled.cost / max(cells, SLACK)}
            return released(problem, way.kept(settled), near[place], report)
    return best


def _vectors(problem: Problem, around: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """List all level vectors; of very many those a few steps from one of them."""
    lowest, highest = problem.lowest_levels, problem.highest_levels
    ranges = [range(low, high + 1) for low, high in zip(lowest, highest, strict=True)]
    if prod(map(len, ranges)) > MOST_VECTORS:
        for place, level in enumerate(around):
            ranges[place] = range(
                max(lowest[place], level - STEPS), min(highest[place], level + STEPS) + 1
            )
    return islice(product(*ranges), MOST_VECTORS)


def _level_costs(problem: Problem) -> list[list[float]]:
    """Return what all cells of each column cost at each level, if no row is suppressed."""
    costs = []
    for quasi, by_level in zip(problem.table.quasi, problem.costs, strict=True):
        rows = problem.table.rows_by(quasi.codes, quasi.hierarchy.size)
        levels = zip(quasi.hierarchy.nodes, by_level, strict=True)
        costs.append([float(rows @ cost[nodes]) for nodes, cost in levels])
    return costs


def _joined_groups(problem: Problem, best: Partition, within: float, stream: Stream) -> Partition:
    from indistinct.kernels.spans import bounds_of

    if best.count < 2:
        return best
    parts = best.parts or Parts.whole(problem.table.row_counts)
    codes = problem.codes[parts.entry]
    grouped = best.groups >= 0
    rows = np.bincount(best.groups[grouped], parts.rows[grouped], best.count).astype(np.float64)
    joining = _Joining(problem, *bounds_of(codes, best.groups, best.count), rows)
    left = within * problem.table.rows * sum(problem.suppressed_cell) + SLACK
    into, joins = np.arange(best.count), []
    for group in stream("groups to join").order(best.count).tolist():
        if joining.stands(group):
            other, added = joining.nearest(group)
            left -= added
            if left < 0:
                break
            joining.join(group, other)
            joins.append((group, other))
    made = int(stream("joins to make").order(len(joins) + 1)[0])
    for group, other in joins[:made]:
        into[into == group] = other
    into = np.unique(into, return_inverse=True)[1].astype(np.int32)
    groups = np.append(into, -1).astype(np.int32)[best.groups]
    return replace(best, groups=groups, search=best.search | {"drawn_within": within})


class _Joining:
    """Groups that are joined one after the other, and what each of them spans."""

    def __init__(
        self,
        problem: Problem,
        low: NDArray[np.int32],
        high: NDArray[np.int32],
        rows: NDArray[np.float64],
    ) -> None:
        self._spans = problem.spans
        self._low, self._high, self._rows = low, high, rows
        self._cost = rows * self._cells(low, high)

    def stands(self, group: int) -> bool:
        """Return whether a group was put into no other."""
        return bool(self._rows[group] > 0)

    def _cells(self, low: NDArray[np.int32], high: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return what a row costs in each of some groups."""
        columns = range(low.shape[1])
        cells = [self._spans.cost(c, low[:, c], high[:, c]) for c in columns]
        together: NDArray[np.float64] = np.sum(cells, axis=0)
        return together

    def nearest(self, group: int) -> tuple[int, float]:
        """Return the group that costs least to join with one, and how much that is."""
        others = np.flatnonzero((self._rows > 0) & (np.arange(self._rows.size) != group))
        if not others.size:
            return group, np.inf
        low = np.minimum(self._low[others], self._low[group])
        high = np.maximum(self._high[others], self._high[group])
        together = (self._rows[others] + self._rows[group]) * self._cells(low, high)
        added = together - self._cost[others] - self._cost[group]
        place = int(np.argmin(added))
        return int(others[place]), float(added[place])

    def join(self, group: int, other: int) -> None:
        """Put a group into another."""
        self._low[other] = np.minimum(self._low[other], self._low[group])
        self._high[other] = np.maximum(self._high[other], self._high[group])
        self._rows[other] += self._rows[group]
        self._rows[group] = 0
        widened = self._low[other][None], self._high[other][None]
        self._cost[other] = self._rows[other] * self._cells(*widened)[0]


_DRAWS: dict[str, Callable[[Problem, Any, float, Stream], Recoding]] = {
    LevelVector.name: _drawn_levels,
    Partition.name: _joined_groups,
}
