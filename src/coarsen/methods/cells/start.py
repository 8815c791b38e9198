"""Groups by the machinery of `best`, for what is decided cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coarsen.errors import CannotMeetError
from coarsen.methods.cells.forest import forest_groups
from coarsen.methods.judge import least_respondents
from coarsen.methods.partition.repair import repaired
from coarsen.recoding import Partition

if TYPE_CHECKING:
    from coarsen.methods.base import Problem
    from coarsen.methods.partition.best import Best


def groups_of_best(problem: Problem, best: Best) -> Partition:
    """Return the groups of `best`; where its cover leaves rows that fit nowhere, of the forest.

    The groups of the forest are joined until they satisfy, which ends with all rows in one at
    worst.
    """
    try:
        return best.search(problem)
    except CannotMeetError:
        k = least_respondents(problem.requirements)
        return Partition(repaired(problem, forest_groups(problem, k)))
