"""What both methods for single cells do: choose an algorithm, run it, mend its groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.methods.cells.exact import MORE_ASKED, algorithm_for, exact_groups
from indistinct.methods.cells.matching import other_k
from indistinct.methods.common.repair import repaired
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.plan import Plan

    Groups = NDArray[np.int32]


def problems(algorithm: str, plan: Plan) -> Iterable[str]:
    """Say what a plan asks for that an algorithm cannot do."""
    other = 'Say algorithm = "local" or "forest"'
    more = any(requirement.model != "k-anonymity" for requirement in plan.require)
    if algorithm == "exact" and (more or len(plan.sets) > 1 or plan.respondent_columns()):
        yield f"method.algorithm: {MORE_ASKED}. {other}"
    k = least_respondents(plan.require)
    if algorithm == "matching" and k not in {2, 3}:
        yield f"method.algorithm: {other_k(k)}. {other}"


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
