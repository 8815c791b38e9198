"""The full-domain recoding of least loss, by branch and bound over column prefixes."""

from __future__ import annotations

from math import inf, prod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import CannotMeetError, Fault
from indistinct.methods.base import ALL_MODELS, Method
from indistinct.methods.common.feasible import nothing_found, of_whole_rows, require_possible
from indistinct.methods.common.views import knows_some
from indistinct.methods.full_domain.branch import Branch, Incumbent
from indistinct.methods.full_domain.options import at_levels
from indistinct.methods.full_domain.roll_up import Counted, RollUp, can_roll_up
from indistinct.methods.full_domain.walk import released, settled_at, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.methods.full_domain.walk import Settled
    from indistinct.model.recoding import LevelVector

FIRST_TRY = 0.4
NEARBY = 0.3
WHOLE = 0.1


class Optimal(Method):
    """Exact search for the level vector of least loss within the suppression limit.

    Our own. Columns are fixed one after the other, those with few values first; each step costs
    one pass over the distinct rows of the columns fixed so far (see `walk`). A step is given up
    when it must drop more rows than allowed, or when its cost, which bounds everything below it,
    is no better than the best vector found. Worst case: every vector is counted once; on real
    tables a few per cent are. Ties go to fewer suppressed rows, then the lower height, then the
    first vector in lexicographic order, so the answer does not depend on the order of rows.
    Where attackers know some columns only, counting is costly: the best vector that hides rows in
    all columns is looked for first, and its columns are lowered one by one, as the top-down
    specialization of Mohammed et al. (2009) does.
    t-closeness with much suppression gives weak bounds; then every vector is counted from a finer
    one instead (see `roll_up`).

    Parameters
    ----------
    time_limit
        Stop after so many seconds with the best answer so far; `search` then says the lowest loss
        that any vector left could have, and the gap to it. Where no vector was found in time, the
        top of every hierarchy is the answer, if it satisfies, and `search` says so (`fell_back`).
    levels
        The levels of some columns, by name, as they shall be; the others are searched. With all of
        them given, that vector is released, if what it must suppress is within the limit.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(method={"name": "optimal"}, limits={"suppression": 0.2})
    >>> anonymize(medical(), plan).levels
    {'zip': 1, 'marital': 1, 'sex': 0}
    >>> plan["method"] = {"name": "optimal", "levels": {"zip": 0}}
    >>> anonymize(medical(), plan).levels
    {'zip': 0, 'marital': 2, 'sex': 1}
    """

    decides: ClassVar[str] = "a level for each whole column, and rows to suppress; least loss"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "our own; the problem is that of Samarati 2001, section 6"
    draws_rows: ClassVar[bool] = True
    heeds_lowest: ClassVar[bool] = True

    name: Literal["optimal"] = "optimal"
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    levels: dict[str, Annotated[int, Field(ge=0, strict=True)]] = Field(default_factory=dict)

    def search(self, problem: Problem) -> LevelVector:
        """Find the vector of least loss, or the best within the time limit."""
        problem = at_levels(problem, self.levels)
        deadline = problem.deadline(self.time_limit)
        require_possible(problem)
        if problem.lowest is None and _weak_bounds(problem) and can_roll_up(problem):
            return self._counted_all(problem, deadline)
        best: Incumbent[Settled] = Incumbent(problem)
        few_first = sorted(range(len(problem.table.quasi)), key=_values_of(problem))
        way = walk(problem, few_first)
        branch = Branch(way, problem, best, deadline.part(FIRST_TRY))
        if knows_some(problem):
            branch.downwards(_of_whole_rows(problem, few_first, deadline.part(WHOLE)))
        branch.depth_first()
        if branch.bound < inf:
            branch = _longer(branch, problem, few_first[::-1], deadline)
        if best.outcome is None:
            if branch.bound == inf:
                raise nothing_found(problem)
            return self._out_of_time(problem, branch.counted, branch.bound)
        bound = min(branch.bound, branch.left_open)
        report = _counts(problem, branch.counted) | _gap(problem, best.outcome.cost, bound)
        kept = way.kept(settled_at(way, best.vector))
        return released(problem, kept, best.vector, report)

    def _counted_all(self, problem: Problem, deadline: Deadline) -> LevelVector:
        """Count every vector from a finer one, but none above one that cannot be beaten there."""
        lattice = RollUp(problem)
        best: Incumbent[Counted] = Incumbent(problem)
        counted, left_open = 0, inf
        waiting = [lattice.ground()]
        while waiting and not deadline.passed:
            vector = waiting.pop()
            counted += 1
            if vector.dropped > 0 and not best.beats(vector.floor, 0, sum(vector.vector)):
                vector = lattice.in_parts(vector)
                if not lattice.exact:
                    left_open = min(left_open, vector.floor)
            best.offer(vector, vector.vector)
            if vector.dropped > 0 and not best.beats(vector.floor, 0, sum(vector.vector)):
                waiting.extend(lattice.finer_first(vector))
        bound = min([left_open, *(vector.floor for vector in waiting)])
        if best.outcome is None:
            if not waiting:
                raise nothing_found(problem)
            return self._out_of_time(problem, counted, bound)
        report = _counts(problem, counted) | _gap(problem, best.outcome.cost, bound)
        return released(problem, lattice.kept(best.outcome), best.vector, report)

    def _out_of_time(self, problem: Problem, counted: int, bound: float) -> LevelVector:
        """Answer with the top vector, one class of all rows, where nothing was found in time."""
        way, top = walk(problem, list(range(len(problem.table.quasi)))), problem.highest_levels
        settled = settled_at(way, top)
        if settled.dropped > problem.max_suppressed and way.exact:
            raise nothing_found(problem)  # no vector drops less than the top
        if settled.dropped > problem.max_suppressed:
            raise CannotMeetError(
                Fault(
                    "method.time_limit",
                    f"time ran out after {self.time_limit:g} s, before a level vector was found "
                    "that satisfies; whether one does is open",
                    "Give more time, or use a method that groups rows.",
                )
            )
        report = _counts(problem, counted) | _gap(problem, settled.cost, bound)
        report["fell_back"] = "on the top of every hierarchy: time ran out before more was found"
        return released(problem, way.kept(settled), top, report)


def _of_whole_rows(problem: Problem, order: list[int], deadline: Deadline) -> tuple[int, ...]:
    """Return the best vector that hides rows in all columns, the top if none is found."""
    whole = of_whole_rows(problem)
    best: Incumbent[Settled] = Incumbent(whole)
    Branch(walk(whole, order), whole, best, deadline).depth_first()
    return best.vector or problem.highest_levels


def _longer(branch: Branch, problem: Problem, order: list[int], deadline: Deadline) -> Branch:
    """Improve the best vector and prove how good it is, in the time that is left.

    The bound comes from a second search that fixes the columns of many values first: they cost
    most and bound best.
    """
    nearby = Branch(branch.walk, problem, branch.best, deadline.part(NEARBY))
    nearby.neighbours()
    again = Branch(walk(problem, order), problem, branch.best, deadline)
    again.best_first()
    again.counted += branch.counted + nearby.counted
    again.left_open = min(again.left_open, branch.left_open)
    again.bound = max(again.bound, branch.bound)
    return again


def _gap(problem: Problem, cost: float, bound: float) -> dict[str, Any]:
    """Say how far the answer can be from the optimum, in the units of the loss."""
    cells = problem.table.rows * sum(problem.suppressed_cell)
    lowest = min(bound, cost)
    return {
        "proven_optimal": bound >= cost,
        "loss": cost / cells if cells else 0.0,
        "lower_bound": lowest / cells if cells else 0.0,
        "gap": (cost - lowest) / cells if cells else 0.0,
    }


def _weak_bounds(problem: Problem) -> bool:
    """Return whether bounds will prune little: loose ones, where much may be suppressed."""
    loose = any(requirement.loose_capacity for requirement in problem.requirements)
    return loose and problem.max_suppressed > problem.table.rows // 10


def _counts(problem: Problem, counted: int) -> dict[str, Any]:
    return {
        "vectors_counted": counted,
        "vectors": prod(
            highest + 1 - lowest
            for highest, lowest in zip(problem.highest_levels, problem.lowest_levels, strict=True)
        ),
    }


def _values_of(problem: Problem) -> Callable[[int], tuple[int, int]]:
    """Rank columns by how many of their values occur."""
    observed = [
        int(np.count_nonzero(np.bincount(column.codes, minlength=column.hierarchy.size)))
        for column in problem.table.quasi
    ]
    return lambda column: (observed[column], column)
