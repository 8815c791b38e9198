"""The dynamic programme for l-diverse groups of rows in an order, for small tables."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import inf, prod
from typing import TYPE_CHECKING, Literal

import numpy as np

from indistinct.errors import CannotMeetError, Fault, PlanError
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem

MOST_STATES = 100_000
MOST_VALUES = 12

Boundary = tuple[int, ...]
Loss = Literal["gcp", "extents", "largest-extent"]


def exact_groups(
    problem: Problem,
    order: NDArray[np.int32],
    held: NDArray[np.int32],
    diversity: int,
    minimize: Loss = "gcp",
) -> NDArray[np.int32]:
    """Find the l-diverse groups of least loss that follow each other within each sensitive value.

    Equation 8 of Ghinita et al. 2009: a boundary says how many rows of each value are grouped; the
    last group before it takes at most one row of each value (Corollary 1), and l to 2l-1 rows. For
    the largest extent (IL-infinity) nothing is better along one column (Lemma 3); for the sum of
    extents (IL1) no such groups are: that of two groups in one place is twice that of both as one,
    which Lemma 2 overlooks. GCP counts an extent once for each row, which the paper does not.
    """
    values = np.unique(held)
    domains = [np.flatnonzero(held == value) for value in values]
    _require_small(problem, domains, diversity)

    def cost(places: tuple[int, ...]) -> float:
        codes = problem.codes[order[list(places)]]
        low, high = codes.min(axis=0), codes.max(axis=0)
        columns = range(low.size)
        spans = (problem.spans.cost(c, low[c : c + 1], high[c : c + 1])[0] for c in columns)
        return (len(places) if minimize == "gcp" else 1) * float(sum(spans))

    @cache
    def best(boundary: Boundary) -> tuple[float, tuple[int, ...]]:
        """Return the least loss of what is before a boundary, and the last group's values."""
        if not any(boundary):
            return 0.0, ()
        cheapest: tuple[float, tuple[int, ...]] = (inf, ())
        present = [q for q, count in enumerate(boundary) if count]
        for size in range(diversity, min(2 * diversity - 1, len(present)) + 1):
            for chosen in combinations(present, size):
                lost = best(_before(boundary, chosen))[0]
                if lost < cheapest[0]:
                    more = cost(tuple(int(domains[q][boundary[q] - 1]) for q in chosen))
                    lost = max(lost, more) if minimize == "largest-extent" else lost + more
                    cheapest = min(cheapest, (lost, chosen))
        return cheapest

    boundary = tuple(domain.size for domain in domains)
    groups = np.empty(held.size, dtype=np.int32)
    if best(boundary)[0] == inf:
        raise CannotMeetError(
            Fault(
                "method",
                f"the table is not eligible for l = {diversity}",
                "Relax the requirements.",
            )
        )
    number = held.size
    while any(boundary):
        chosen = best(boundary)[1]
        for q in chosen:
            groups[domains[q][boundary[q] - 1]] = number
        boundary = _before(boundary, chosen)
        number -= 1
    return np.unique(groups, return_inverse=True)[1].astype(np.int32)


def _before(boundary: Boundary, chosen: tuple[int, ...]) -> Boundary:
    return tuple(count - (q in chosen) for q, count in enumerate(boundary))


def _require_small(problem: Problem, domains: list[NDArray[np.intp]], diversity: int) -> None:
    states = prod(domain.size + 1 for domain in domains)
    if states > MOST_STATES or len(domains) > MOST_VALUES:
        raise PlanError(
            Fault(
                "method.exact",
                f"{states} boundaries of {len(domains)} sensitive values are too many to search",
                "Leave exact out.",
            )
        )
    if least_respondents(problem.requirements) > diversity:
        raise PlanError(
            Fault("method.exact", "it knows l only, not a larger k", "Leave exact out.")
        )
