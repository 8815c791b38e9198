"""What both methods for single cells do: choose an algorithm, run it, mend its groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.methods.cells.exact import algorithm_for, exact_groups
from indistinct.methods.common.repair import repaired
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

    Groups = NDArray[np.int32]


def grouped(
    problem: Problem,
    asked: str,
    deadline: Deadline,
    *,
    local: Callable[[Problem, Deadline], tuple[Groups, dict[str, Any]]],
    approximated: Callable[[Problem, str, int], Groups],
) -> tuple[Groups, dict[str, Any]]:
    """Return the group of each row by the algorithm asked for, and how it went.

    Parameters
    ----------
    local
        Searches groups step by step, for k rows rather than k people.
    approximated
        Finds groups of k rows by an algorithm of that name with a bound.
    """
    k = least_respondents(problem.requirements)
    algorithm = algorithm_for(asked, problem, k)
    report: dict[str, Any] = {"algorithm": algorithm}
    if algorithm == "exact":
        groups, proof = exact_groups(problem, k, deadline)
        return groups, report | proof
    if algorithm == "local":
        groups, made = local(problem, deadline)
        if problem.table.has_respondents:
            groups = repaired(problem, groups)
        return groups, report | made
    return repaired(problem, approximated(problem, algorithm, k)), report
