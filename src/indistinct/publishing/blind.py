"""A search that sees no sensitive values, so that its classes tell nothing of them.

The method is asked for k-anonymity alone, with k as large as what is asked needs; where a class
then breaks a requirement, again with twice as large a k for all. So the values decide nothing but
one number for the whole table, and of a person nothing follows but what her class shows: what
m-confidentiality asks for (Wong et al. 2007, whose MASK also generalizes by quasi values first; it
then distorts values, which is never done here).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import CannotMeetError, Fault
from indistinct.methods.common.demands import compiled
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.posing import pose_problem
from indistinct.requirements import KAnonymity, people_needed

if TYPE_CHECKING:
    from collections.abc import Callable

    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.publishing.searching import Searched


def searched_blindly(table: Table, plan: Plan, search: Callable[[Plan], Searched]) -> Searched:
    """Search for k alone, with the smallest k of a row of doubles that keeps what is asked.

    Parameters
    ----------
    search
        Lets the method of a plan search.

    Raises
    ------
    CannotMeetError
        If not even one class of all rows would do.
    """
    require_possible(pose_problem(table, plan))
    k = people_needed(plan.require)
    while True:
        asked = plan.model_copy(update={"require": [KAnonymity(k=min(k, table.rows))]})
        searched = search(asked)
        cut = table if searched.parts is None else searched.parts.of_table(table)
        if _satisfies(cut, plan, searched):
            return searched
        if k >= table.rows:
            wanted = "; ".join(f"{r.model} ({r.asked()})" for r in plan.require)
            problem = f"not even one class of all rows keeps {wanted}"
            raise CannotMeetError(Fault("requirements", problem, "Ask for less."))
        k *= 2


def _satisfies(table: Table, plan: Plan, searched: Searched) -> bool:
    """Return whether every class of a recoding keeps all that a plan asks."""
    from indistinct.methods.common.demands_kernel import runs_satisfied

    of_row = searched.recoding.shown(table, plan.forms(table)).of_row
    kept = np.flatnonzero(of_row >= 0)
    order = kept[np.argsort(of_row[kept], kind="stable")].astype(np.int32)
    ends = np.flatnonzero(np.diff(of_row[order], append=-1)) + 1
    return bool(runs_satisfied(compiled(pose_problem(table, plan)), order, ends).all())
