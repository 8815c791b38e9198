"""The search for the next release of a series.

Cohorts of earlier releases stay together, as far as their people are still there. People who are
new are put into groups by the plan's method, of as many as a cohort is to have; the groups are the
cohorts of later releases.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.encode.table import sensitive_column
from indistinct.errors import CannotMeetError, Fault, counted
from indistinct.io.arrow import labelled, number_array
from indistinct.model.recoding import Partition
from indistinct.model.spans import Spans
from indistinct.plan.core import Limits
from indistinct.plan.overrides import require_with_k
from indistinct.plan.series import COHORTS_OF
from indistinct.publishing.draws import Draws
from indistinct.publishing.searching import search_table
from indistinct.requirements import least_respondents
from indistinct.series.peeling import peeled
from indistinct.series.staying import Cohorts, Judged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods import Method
    from indistinct.model.costs import NodeCost
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.running.progress import Progress
    from indistinct.series.ledger import Ledger, PastRelease

FOR_OUTLIERS = 0.5
"""The share of what the limit leaves that goes to outliers: who leaves next needs others too."""


@dataclass(frozen=True, eq=False)
class Task:
    """What the next release is made of.

    Attributes
    ----------
    data, table
        The private table as it is, and encoded.
    places
        The place in the ledger of each row's person; -1 for people who are new to it.
    """

    plan: Plan
    data: pa.Table
    table: Table
    ledger: Ledger
    places: NDArray[np.intp]
    draws: Draws
    loss: NodeCost
    progress: Progress

    @property
    def limit(self) -> int:
        """How many rows may be suppressed."""
        return int(self.plan.limits.suppression * self.table.rows + 1e-9)

    @property
    def least(self) -> int:
        """How many people a class needs."""
        return least_respondents(self.plan.require)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The row of each person in the ledger; -1 for people who are not in the table."""
        rows = np.full(len(self.ledger.people), -1, dtype=np.intp)
        known = np.flatnonzero(self.places >= 0)
        rows[self.places[known]] = known
        return rows


def search_series(task: Task) -> tuple[Method, Partition]:
    """Group the rows of the next release."""
    known = _known(task) if task.ledger.releases else None
    forced = 0 if known is None else int(known.forced.sum())
    _refuse_too_many(forced, task)
    new = np.flatnonzero(task.places < 0)
    method, grouped = _newcomers(task, new, task.limit - forced)
    waiting = int((grouped < 0).sum())
    groups = np.full(task.table.entries, -1, dtype=np.int32)
    groups[new] = grouped
    outliers = 0
    if known is not None:
        left = task.limit - forced - waiting
        suppressed = _with_outliers(known, int(left * FOR_OUTLIERS), task)
        outliers = int(suppressed.sum()) - forced
        stays = ~known.cohorts.leaving(suppressed)
        first = int(grouped.max(initial=-1)) + 1
        groups[task.rows[stays]] = first + known.cohorts.of_person[stays]
    numbers = np.unique(groups[groups >= 0], return_inverse=True)[1]
    groups[groups >= 0] = numbers.ravel()
    facts = {
        "release": task.ledger.number + 1,
        "new_people": int(new.size),
        "people_gone": _gone(task),
        "suppressed_with_people_gone": forced,
        "suppressed_as_outliers": outliers,
        "new_people_suppressed": waiting,
    }
    return method, Partition(groups, {"series": facts})


def _gone(task: Task) -> int:
    """Count those who were in the newest release and are not in the table."""
    if not task.ledger.releases:
        return 0
    newest = task.ledger.of_person(task.ledger.releases[-1].of_person)
    return int(((newest >= 0) & (task.rows < 0)).sum())


@dataclass(frozen=True, eq=False)
class _Known:
    """People who were published before.

    Attributes
    ----------
    costs
        What a row of each cohort costs when so many of it are suppressed.
    forced
        How many of each cohort must be suppressed.
    """

    cohorts: Cohorts
    costs: list[NDArray[np.float64]]
    forced: NDArray[np.int64]


def _refuse_too_many(forced: int, task: Task) -> None:
    if forced > task.limit:
        share = forced / task.table.rows
        problem = (
            f"{counted(forced, 'person', 'people')} must be suppressed with those who left or were "
            f"not published before, {share:.4f} of the rows, where {task.plan.limits.suppression:g}"
            " is allowed"
        )
        remedy = "Allow more; in a new series, a larger series.cohort needs less."
        raise CannotMeetError(Fault("limits.suppression", problem, remedy))


def _known(task: Task) -> _Known:
    """Set up the cohorts, each in the order in which its people are suppressed."""
    rows = task.rows
    ledger, require = task.ledger, task.plan.require
    of_person = ledger.cohorts
    count = int(of_person.max()) + 1
    present = np.flatnonzero(rows >= 0)
    rank = np.zeros(of_person.size, dtype=np.int64)
    spans = Spans(task.table.quasi, task.plan.forms(task.table))
    codes = np.stack([column.codes for column in task.table.quasi], axis=1)
    drawn = np.empty(task.table.entries, dtype=np.int64)
    drawn[task.draws.order("suppressed of cohorts")] = np.arange(task.table.entries)
    costs = []
    order = present[np.argsort(of_person[present], kind="stable")]
    starts = np.searchsorted(of_person[order], np.arange(count + 1))
    for number in range(count):
        members = order[starts[number] : starts[number + 1]]
        task.progress.advance(number / count)
        if members.size == 0:
            costs.append(np.zeros(1))
            continue
        ends = peeled(codes[rows[members]], spans, drawn[rows[members]])
        rank[members[ends.order]] = np.arange(members.size)
        costs.append(ends.cost)
    whole = task.table.part(rows[present])
    now = Judged.of(present, whole.sensitive, require)
    earlier = [_judged(past, task) for past in ledger.releases]
    cohorts = Cohorts(of_person, count, rows >= 0, rank, earlier, now, task.least)
    return _Known(cohorts, costs, cohorts.fewest())


def _judged(past: PastRelease, task: Task) -> Judged:
    """Take an earlier release as it is in the ledger."""
    people = np.flatnonzero(task.ledger.of_person(past.of_person) >= 0)
    columns = []
    for column in past.values:
        codes = task.ledger.of_person(column.of_person)[people]
        texts = labelled(codes, column.values).cast(pa.string())
        encoded = sensitive_column(pa.table({column.name: texts}), task.plan, column.name)
        share = dict(zip(column.values, column.shares, strict=True))
        overall = np.array([share.get(value, 0.0) for value in encoded.values])
        columns.append(replace(encoded, overall=overall))
    return Judged.of(people, columns, task.plan.require)


def _newcomers(task: Task, new: NDArray[np.intp], allowed: int) -> tuple[Method, NDArray[np.int32]]:
    """Group people who are new by the plan's method; where that cannot be, suppress them."""
    plan, nobody = task.plan, np.full(new.size, -1, dtype=np.int32)
    if new.size == 0:
        return plan.method, nobody
    part, data = task.table.part(new), task.data.take(number_array(new.astype(np.int64)))
    share = min(allowed / new.size, 1.0)
    series = plan.series
    cohort = (series and series.cohort) or COHORTS_OF * task.least
    refused = None
    for least in dict.fromkeys([min(max(cohort, task.least), new.size), task.least]):
        if least < task.least:
            continue
        asked = plan.model_copy(update={"limits": Limits(suppression=share)})
        asked = asked.overridden({"require": require_with_k(plan, max(least, 2))})
        draws = Draws.of(asked, data, part)
        try:
            searched = search_table(part, asked, draws, loss=task.loss, progress=task.progress)
        except CannotMeetError as error:
            refused = refused or error
            continue
        groups = searched.recoding.group_of_row
        if groups is not None and searched.parts is None:
            return searched.method, groups
    if new.size > allowed:
        raise refused or CannotMeetError(_too_few(new.size, task))
    return plan.method, nobody


def _too_few(new: int, task: Task) -> Fault:
    problem = f"{counted(new, 'person', 'people')} are new, and {task.least} are needed for a class"
    return Fault(
        "limits.suppression", problem, "Allow that they be suppressed until there are more."
    )


def _with_outliers(known: _Known, left: int, task: Task) -> NDArray[np.int64]:
    """Suppress more people of cohorts whose rows then cost less in all, within what is left."""
    cohorts, costs, forced = known.cohorts, known.costs, known.forced
    sizes = cohorts.sizes
    full = sum(column.weight for column in task.table.quasi)
    fewest = cohorts.fewest(some=True)
    wanted, gain = forced.copy(), np.zeros(forced.size)
    for number in np.flatnonzero((sizes > 0) & (forced < sizes)).tolist():
        size, start = int(sizes[number]), max(int(fewest[number]), int(forced[number]))
        gone = np.arange(costs[number].size)
        total = costs[number] * (size - gone) + full * gone
        options = np.arange(start, costs[number].size)
        if options.size:
            best = int(options[np.argmin(total[options])])
            gain[number] = total[forced[number]] - total[best]
            wanted[number] = best
    more = wanted - forced
    worth = np.flatnonzero((gain > 0) & (more > 0))
    chosen = forced.copy()
    for number in worth[np.argsort(-gain[worth] / more[worth], kind="stable")].tolist():
        if more[number] <= left:
            chosen[number] = wanted[number]
            left -= int(more[number])
    sound = cohorts.sound(chosen, chosen > forced)
    return np.where(sound | (chosen == forced), chosen, forced)
