"""The dynamic programme for the largest l within a bound, for small tables."""

from __future__ import annotations

from collections import defaultdict
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.errors import Fault, PlanError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.partition.bounded_runs_kernel import BoundArrays

MOST_GROUPS = 300_000

Boundary = tuple[int, ...]


class Reached(NamedTuple):
    """The largest least diversity of groups up to a boundary, and where the last one begins."""

    diversity: float
    before: Boundary


def most_diverse_groups(
    problem: Problem,
    bound: BoundArrays,
    order: NDArray[np.int32],
    held: NDArray[np.int32],
    least: float = 0.0,
) -> NDArray[np.int32] | None:
    """Find groups within the bound whose least diversity is largest; return the group of each row.

    Equation 9 of Ghinita et al. 2009: groups follow each other within each sensitive value (Lemma
    7); a boundary says how many rows of each value come before it. Exact for one quasi column.

    Every group begins with the first row that is in none before it, and lies within reach of that
    row, which is the window of Lemma 8: of two groups that follow each other the one with the later
    first row may come second, since rows of one value can be exchanged without leaving the wider
    of the two intervals. So few boundaries are met where the bound is narrow, however many rows
    there are.

    Parameters
    ----------
    least
        Groups of less diversity are of no use.

    Returns
    -------
    NDArray or None
        None if no groups are as diverse as that.

    Raises
    ------
    PlanError
        If too many groups would have to be looked at.
    """
    windows = _Windows(problem, bound, order, held)
    end = windows.end
    reached: dict[Boundary, Reached] = {(0,) * len(end): Reached(inf, ())}
    waiting: defaultdict[int, set[Boundary]] = defaultdict(set, {0: set(reached)})
    for rows in range(order.size):
        for before in sorted(waiting.pop(rows, ())):
            for after, diversity in windows.groups_from(before, least):
                least_of_all = min(diversity, reached[before].diversity)
                if after not in reached or least_of_all > reached[after].diversity:
                    reached[after] = Reached(least_of_all, before)
                    waiting[sum(after)].add(after)
    return windows.numbered(reached) if end in reached else None


class _Windows:
    """The rows of each sensitive value in their order, and the groups that may begin somewhere."""

    def __init__(
        self,
        problem: Problem,
        bound: BoundArrays,
        order: NDArray[np.int32],
        held: NDArray[np.int32],
    ) -> None:
        self._codes, self._rows = problem.codes, order.size
        self._known = (bound, problem.spans.arrays)
        place = np.argsort(order)
        self._domains = [order[held[order] == value] for value in np.unique(held)]
        self._places = [place[domain] for domain in self._domains]
        self.end: Boundary = tuple(domain.size for domain in self._domains)
        self._looked = 0

    def groups_from(self, before: Boundary, least: float) -> Iterator[tuple[Boundary, float]]:
        """Return the boundaries after each group that may follow one, with its diversity."""
        left = [q for q, count in enumerate(before) if count < self.end[q]]
        first = min(left, key=lambda q: self._places[q][before[q]])
        row = self._codes[self._domains[first][before[first]]]
        others = [q for q in left if q != first]
        for after in self._widened(before, [first, *others], row, row, 1):
            taken = np.subtract(after, before)
            diversity = float(taken.sum() / taken.max())
            if diversity >= least - 1e-9:
                yield after, diversity

    def _widened(
        self,
        after: Boundary,
        domains: list[int],
        low: NDArray[np.int32],
        high: NDArray[np.int32],
        fewest: int,
    ) -> Iterator[Boundary]:
        """Take some of the next rows of each of some domains, as long as the box stays within."""
        from indistinct.methods.partition.bounded_runs_kernel import within

        if not domains:
            yield after
            return
        q, *others = domains
        for count in range(self.end[q] - after[q] + 1):
            if count:
                codes = self._codes[self._domains[q][after[q] + count - 1]]
                low, high = np.minimum(low, codes), np.maximum(high, codes)
                self._look()
                if not within(*self._known, low, high):
                    return
            if count >= fewest:
                taken = (*after[:q], after[q] + count, *after[q + 1 :])
                yield from self._widened(taken, others, low, high, 0)

    def _look(self) -> None:
        self._looked += 1
        if self._looked > MOST_GROUPS:
            raise PlanError(
                Fault(
                    "method.exact",
                    f"the bound is too wide: more than {MOST_GROUPS} groups of {self._rows} rows "
                    "would have to be looked at",
                    "Leave it out, or narrow the bound.",
                )
            )

    def numbered(self, reached: dict[Boundary, Reached]) -> NDArray[np.int32]:
        """Return the group of each row, going back from the end."""
        groups = np.empty(self._rows, dtype=np.int32)
        after, number = self.end, 0
        while any(after):
            before = reached[after].before
            for domain, begin, end in zip(self._domains, before, after, strict=True):
                groups[domain[begin:end]] = number
            after, number = before, number + 1
        return groups
