"""The direct problem through the dual: the narrowest bound within which groups are l-diverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.partition.accuracy import bounded_by
from indistinct.methods.partition.dual_exact import most_diverse_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem

STEPS, CLOSE = 40, 1e-9


def narrowest_groups(
    problem: Problem,
    order: NDArray[np.int32],
    held: NDArray[np.int32],
    diversity: float,
    first: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Find l-diverse groups whose largest extent is least, by halving the bound of the dual.

    Section 5.2 of Ghinita et al. 2009; exact for one quasi column. They halve from any bound;
    we begin with the largest extent of groups that are known, and what groups within a bound
    really extend to is the next one. Rows of a value may share a group, unlike in the programme of
    equation 8, which takes as much: c times l rows or more, at most c of a value, can be parted
    into c groups of different values.

    Parameters
    ----------
    held
        The sensitive value of each row.
    first
        The group of each row in some l-diverse grouping.
    """
    low, high, best = 0.0, _largest_extent(problem, first), first
    for _ in range(STEPS):
        if high - low <= CLOSE:
            break
        middle = (low + high) / 2
        bound = bounded_by(problem, middle)
        groups = most_diverse_groups(problem, bound, order, held, least=diversity)
        if groups is None:
            low = middle
        else:
            best, high = groups, _largest_extent(problem, groups)
    return best


def _largest_extent(problem: Problem, groups: NDArray[np.int32]) -> float:
    """Return the mean cost of a cell in the group where it is largest."""
    from indistinct.kernels.spans import bounds_of

    low, high = bounds_of(problem.codes, groups, int(groups.max()) + 1)
    cost = sum(problem.spans.cost(c, low[:, c], high[:, c]) for c in range(low.shape[1]))
    return float(np.max(cost) / sum(column.weight for column in problem.table.quasi))
