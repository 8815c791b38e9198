"""Cutting groups where that is cheapest, from one group of all rows or from those of a search.

Mondrian cuts the widest column at its median; here every place of every column is tried, and the
cut after which rows cost least is made, as long as it lowers the cost and both sides satisfy (see
`splitting_kernel`). It costs O(d^2 n) for a cut of n rows and d columns, log(n / k) times if cuts
are even.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.asked import Asked
from indistinct.methods.common.demands import beyond_rows, compiled, least_rows, tally_for
from indistinct.methods.common.linked_groups import linked
from indistinct.methods.common.nearness import span_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

SECONDS_OF_CELL = 5e-9


def cut_where_cheaper(
    problem: Problem, groups: NDArray[np.int32], deadline: Deadline
) -> NDArray[np.int32]:
    """Cut groups, numbered without gaps, in two, again and again; -1 stays -1."""
    from indistinct.methods.common.linked_groups_kernel import GROUP
    from indistinct.methods.partition.splitting_kernel import scratch_for, split

    k, demands = least_rows(problem), beyond_rows(compiled(problem))
    costs, codes = span_table(problem)
    count = int(groups.max(initial=-1)) + 1
    most = count + min(problem.table.rows // k, problem.table.entries)
    weights = problem.table.weights
    made = linked(codes, np.where(groups < 0, most, groups).astype(np.int32), most + 1, weights)
    asked = Asked(k, problem.table.kernel_weights, demands, tally_for(demands))
    price = np.full(most + 1, -1.0)
    scratch = scratch_for(costs, made, int(np.bincount(groups + 1)[1:].max(initial=0)))
    done = 0
    while done < count and not deadline.passed:
        begin, done = done, count
        for part in deadline.slices(done - begin):
            first, last = begin + part.start, begin + part.stop
            count = split(costs, made, price, asked, first, last, count, scratch)
    numbers = made.rows[:, GROUP]
    return np.where(numbers == most, np.int32(-1), numbers)


def seconds_to_cut(problem: Problem) -> float:
    """Return about how long it takes to cut all rows, from what it took on our machines."""
    rows, columns = problem.codes.shape
    depth = max(log2(max(problem.table.rows / least_rows(problem), 2)), 1)
    return float(SECONDS_OF_CELL * rows * columns**2 * depth)
