"""What a plan asks of a table, put as methods are given it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.errors import Fault, PlanError
from indistinct.methods.base import Problem
from indistinct.model.costs import COSTS, weighted_costs
from indistinct.model.forms import form_problem
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from indistinct.model.costs import NodeCost
    from indistinct.model.forms import Form
    from indistinct.model.table import Table
    from indistinct.plan import Plan


def pose_problem(
    table: Table,
    plan: Plan,
    *,
    loss: NodeCost = COSTS["gcp"],
    progress: Progress | None = None,
) -> Problem:
    """Put what a plan asks of a table as methods are given it."""
    forms = plan.forms(table)
    _refuse_forms(table, forms, plan)
    return Problem(
        table=table,
        requirements=tuple(plan.require),
        max_suppressed=plan.limits.suppressed_of(table.rows),
        costs=tuple(weighted_costs(column, loss) for column in table.quasi),
        suppressed_cell=tuple(column.weight for column in table.quasi),
        forms=forms,
        accuracy=plan.accuracy,
        loss_is_ncp=loss is COSTS["gcp"],
        progress=progress or Progress(),
    )


def _refuse_forms(table: Table, forms: tuple[Form, ...], plan: Plan) -> None:
    """Raise if a quasi column cannot be published as asked."""
    faults = [
        Fault(f"columns.{column.name}", problem, 'Change "publish" or "range_as" of the column.')
        for column, form, range_as in zip(table.quasi, forms, plan.ranges_as(table), strict=True)
        if (problem := form_problem(column.hierarchy, form, range_as))
    ]
    if faults:
        raise PlanError(faults)
