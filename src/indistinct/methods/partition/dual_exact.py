"""The dynamic programme for the largest l within a bound, for small tables."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import inf, prod
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault, PlanError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.partition.accuracy import AccuracyBound

MOST_STATES = 1_000

Boundary = tuple[int, ...]


def most_diverse_groups(
    problem: Problem, bound: AccuracyBound, order: NDArray[np.int32], held: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Find groups within the bound whose least diversity is largest; return the group of each row.

    Equation 9 of Ghinita et al. 2009: groups follow each other within each sensitive value (Lemma
    7); a boundary says how many rows of each value come before it. Exact for one quasi column.
    """
    from indistinct.methods.partition.bounded_runs_kernel import within

    values = np.unique(held)
    domains = [order[held[order] == value] for value in values]
    states = prod(domain.size + 1 for domain in domains)
    if states > MOST_STATES:
        raise PlanError(
            Fault("method.exact", f"{states} boundaries are too many to search", "Leave it out.")
        )
    arrays, spans = bound.arrays, problem.spans.arrays

    def group(before: Boundary, after: Boundary) -> NDArray[np.int32]:
        parts = zip(domains, before, after, strict=True)
        return np.concatenate([domain[a:b] for domain, a, b in parts])

    @cache
    def best(after: Boundary) -> tuple[float, Boundary]:
        """Return the largest least diversity before a boundary, and where its last group begins."""
        if not any(after):
            return inf, after
        largest = (0.0, after)
        for before in product(*(range(count + 1) for count in after)):
            taken = np.subtract(after, before)
            if before == after or taken.sum() / taken.max() <= largest[0]:
                continue
            codes = problem.codes[group(before, after)]
            if within(arrays, spans, codes.min(axis=0), codes.max(axis=0)):
                least = min(float(taken.sum() / taken.max()), best(before)[0])
                largest = max(largest, (least, before))
        return largest

    groups = np.empty(order.size, dtype=np.int32)
    after: Boundary = tuple(domain.size for domain in domains)
    number = 0
    while any(after):
        before = best(after)[1]
        groups[group(before, after)] = number
        after, number = before, number + 1
    return groups
