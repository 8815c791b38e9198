"""A method's search in what it is shown of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from indistinct.methods.common.feasible import of_whole_rows
from indistinct.methods.common.thinning import searched
from indistinct.methods.full_domain.datafly import Datafly
from indistinct.methods.full_domain.options import at_levels
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.methods.posing import pose_problem
from indistinct.model.costs import COSTS
from indistinct.model.entries import dealt
from indistinct.publishing.blind import searched_blindly
from indistinct.publishing.near_minimal import drawn_near
from indistinct.publishing.showing import shown

if TYPE_CHECKING:
    from indistinct.methods import Method
    from indistinct.model.costs import NodeCost
    from indistinct.model.entries import Parts
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.publishing.draws import Draws
    from indistinct.running.progress import Progress


class Searched(NamedTuple):
    """What a search came to.

    Attributes
    ----------
    parts
        How entries of the table were cut, whose recoding it then is; None where none was.
    """

    method: Method
    recoding: Recoding
    parts: Parts | None


def search_table(
    table: Table,
    plan: Plan,
    draws: Draws,
    *,
    loss: NodeCost | None = None,
    progress: Progress | None = None,
) -> Searched:
    """Let the method of a plan search in what it is shown of a table."""

    def search(asked: Plan) -> Searched:
        return _search(table, asked, draws, loss or COSTS[plan.loss], progress)

    return searched_blindly(table, plan, search) if plan.defences.blind else search(plan)


def _search(
    table: Table, plan: Plan, draws: Draws, loss: NodeCost, progress: Progress | None
) -> Searched:
    problem = pose_problem(table, plan, loss=loss, progress=progress)
    method = plan.method.chosen_for(problem)
    if method.groups_rows:
        problem = of_whole_rows(problem)
    needed = {*plan.judged_columns(), *method.reads(plan)}
    entries = shown(problem, method, needed, draws, plan.most_distinct)
    size = entries.table.entries
    drawn = method.draws_rows or problem.max_suppressed > 0
    mixed = draws.stream("mixed").order(size) if drawn else None
    given = replace(problem, table=entries.table, mixed=mixed)
    recoding = searched(method, given, Mondrian().search, Datafly().search)
    if plan.defences.near_minimal:
        chosen_from = at_levels(given, getattr(method, "levels", {}))
        recoding = drawn_near(chosen_from, recoding, plan.defences.near_minimal, draws.stream)
    if recoding.parts is not None:
        entries = dealt(table, entries, recoding.parts, draws.order("ties"))
    return Searched(method, recoding.of_entries(entries.of_row), entries.parts)
