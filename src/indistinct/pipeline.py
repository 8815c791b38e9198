"""The way of the data from a private table to a checked release, one stage after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.background import in_background
from indistinct.check.freeform import same_values, verify_known
from indistinct.check.limits import accuracy_found, suppression_found
from indistinct.check.of_plan import (
    column_sets,
    columns_as_they_are,
    judged_columns,
    quasi_cells,
    refuse_detail,
    refuse_failing,
    untrue_cells,
)
from indistinct.check.rows import ValueFacts, Verified, blank_rows, verify_rows
from indistinct.check.truth import changed_columns, changed_groups
from indistinct.encode.notation import in_notation
from indistinct.encode.table import encode_table, repeated_identifiers
from indistinct.errors import CannotMeetError, DoesNotHoldError, Fault, PlanError
from indistinct.measures.costs import COSTS, weighted_costs
from indistinct.measures.loss import measure_loss
from indistinct.methods import Problem
from indistinct.plan.presets import hold_to_preset
from indistinct.plan.safety import refuse_unsafe
from indistinct.progress import Progress, Stages
from indistinct.publishing.buckets import GROUP
from indistinct.publishing.draws import Draws
from indistinct.publishing.groups import form_problems
from indistinct.publishing.rows import Published, publish
from indistinct.publishing.showing import shown, without_others
from indistinct.release import Release
from indistinct.report.cautions import warnings_of_plan, warnings_of_result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from indistinct.measures.costs import NodeCost
    from indistinct.methods import Method
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.plan.safety import Danger


class Work(Stages):
    """A release in the making: what each stage leaves for the next."""

    plan: Plan
    table: Table
    method: Method
    recoding: Recoding
    published: Published
    verified: Verified
    repeated: list[str]
    notes: Sequence[str] = ()
    accepted: tuple[Danger, ...] = ()

    def __init__(self, plan: Plan, progress: Progress) -> None:
        super().__init__(progress)
        self.plan = plan

    def recode(
        self, data: pa.Table, *, loss: NodeCost | None = None, keep_order: bool = False
    ) -> None:
        """Encode, search and publish."""
        with self.timed("encode"):
            data, self.notes, unread = self.interruptibly(in_notation, data, self.plan)
            self.table = self.interruptibly(encode_table, data, self.plan, unread)
            self.repeated = repeated_identifiers(data, self.plan)
            self.accepted = tuple(refuse_unsafe(data, self.plan))
        self.recode_encoded(data, loss=loss, keep_order=keep_order)

    def recode_encoded(
        self, data: pa.Table, *, loss: NodeCost | None = None, keep_order: bool = False
    ) -> None:
        """Search and publish, where the table is encoded already."""
        self._data = data
        self._private = data.select([column.name for column in self.table.quasi])
        draws = Draws.of(self.plan, data, self.table)
        order = None if keep_order else in_background(draws.order, "row order")
        with self.timed("search"):
            found = self.interruptibly(self._search, loss or COSTS[self.plan.loss], draws)
            self.recoding = _as_published(self.plan, found)
            _refuse_nothing(self.recoding)
        with self.timed("publish"):
            args = (data, self.table, self.recoding, self.plan, draws)
            drawn = order.result() if order else None
            self.published = self.interruptibly(publish, *args, order=drawn)
            if self.plan.preset is not None:
                hold_to_preset(self.plan, self.published.rows)

    def _search(self, loss: NodeCost, draws: Draws) -> Recoding:
        """Let the method search in what it is shown of the table."""
        problem = pose_problem(self.table, self.plan, loss=loss, progress=self.progress)
        self.method = self.plan.method.chosen_for(problem)
        needed = {*judged_columns(self.plan), *self.method.reads(self.plan)}
        if not self.method.groups_rows:
            return self.method.search(replace(problem, table=without_others(self.table, needed)))
        table, order = shown(self.table, problem.requirements, needed, draws)
        mixed = draws.stream("mixed").order(table.rows) if self.method.draws_rows else None
        return self.method.search(replace(problem, table=table, mixed=mixed)).reordered(order)

    def checked_columns(self) -> list[str] | None:
        """Name the published columns that the check needs; None for all."""
        if self.published.blanked:
            return None
        quasi = (self.published.became[name] for name in self.plan.with_role("quasi"))
        named = dict.fromkeys(part for parts in quasi for part in parts)
        if self.recoding.bucket_of_row is not None:
            named |= dict.fromkeys(self.plan.with_role("quasi"))
        return [*named, *self._as_they_are()]

    def _as_they_are(self) -> list[str]:
        return columns_as_they_are(self.plan, self._data.column_names)

    def check(self, rows: pa.Table) -> None:
        """Hold the published rows, as they are or as they were read back, to the plan."""
        self.interruptibly(self._check, rows)

    def _check(self, rows: pa.Table) -> None:
        covered = self.recoding.covered_rows
        if covered is None:
            self._check_classes(rows)
        else:
            self._check_matching(rows, covered)
        if self.plan.counts_people:
            refuse_detail(self.plan, self.table, self._private, rows, self.published.became)

    def _check_classes(self, rows: pa.Table) -> None:
        people = {
            group.name: group.respondents[self.published.source]
            for group in self.table.sets
            if group.respondents is not None
        }
        blank = self._blank(rows)
        self._refuse_untrue(rows, blank)
        self.verified = verify_rows(
            rows,
            self.plan.require,
            column_sets(self.plan, self.published.became),
            people,
            self._value_facts(),
            blank=blank,
        )
        self._check_limits()
        refuse_failing(self.verified)

    def _check_matching(self, rows: pa.Table, covered: NDArray[np.int32]) -> None:
        """Check the matchings on the published cells, and that values were carried along one."""
        carried = self.published.carried
        if carried is None:
            raise DoesNotHoldError(Fault("release", "no matching was drawn"))
        origin = carried[self.published.source]
        for column in self.table.sensitive:
            if not same_values(rows.column(column.name), column, origin):
                problem = "a value was not carried along the drawn matching"
                raise DoesNotHoldError(Fault(f"column {column.name!r}", problem))
        carried_too = self.plan.with_role("sensitive")
        others = [name for name in self._as_they_are() if name not in carried_too]
        if faults := changed_columns(rows, self._data, origin, others):
            raise DoesNotHoldError(faults)
        self.verified = verify_known(
            quasi_cells(self.plan, self.table, rows, self.published.became),
            self.plan.require,
            covered,
            self.published.source,
            carried,
        )
        self._check_limits()
        refuse_failing(self.verified)

    def _refuse_untrue(self, rows: pa.Table, blank: NDArray[np.bool_] | None) -> None:
        """Raise unless every published value is the private one of its row, or covers it."""
        source = self.published.source
        if blank is not None:
            rows, source = rows.filter(pa.array(~blank)), source[~blank]
        if self.recoding.bucket_of_row is not None:
            kept = pa.array(self.recoding.kept)
            groups = self.published.columns.column(GROUP).filter(kept)
            named = [*self.plan.with_role("quasi"), *self._as_they_are()]
            faults = changed_groups(rows, self._data.filter(kept), GROUP, groups, named)
        else:
            quasi, became = self.table.quasi, self.published.became
            faults = untrue_cells(self.plan, rows, self._data, quasi, became, source=source)
        if faults:
            raise DoesNotHoldError(faults)

    def _blank(self, rows: pa.Table) -> NDArray[np.bool_] | None:
        """Tell which published rows are suppressed ones; raise if one of them is no blank."""
        if not self.published.blanked:
            return None
        suppressed = ~self.recoding.kept[self.published.source]
        if (suppressed & ~blank_rows(rows)).any():
            raise DoesNotHoldError(Fault("release", "a suppressed row was not blanked"))
        return suppressed

    def _check_limits(self) -> None:
        """Hold the release to the plan's limits beside its requirements."""
        suppressed = self.table.rows - self.verified.released_rows
        found = [suppression_found(self.plan.limits.suppression, suppressed, self.table.rows)]
        asked, groups = self.plan.accuracy, self.recoding.group_of_row
        if asked is not None and groups is not None:
            forms = self.plan.forms(self.table)
            found += accuracy_found(
                self.table.quasi, forms, groups, asked.max_ncp, asked.max_extent
            )
        self.verified = replace(self.verified, limits=tuple(found))

    def _value_facts(self) -> dict[str, ValueFacts]:
        needed = judged_columns(self.plan)
        return {
            column.name: ValueFacts(column.values, column.shares, column.levels)
            for column in self.table.sensitive
            if column.name in needed
        }

    def release(self, back: Callable[[pa.Table], Any] = lambda rows: rows) -> Release:
        """Put the release together."""
        classes = np.bincount(self.table.frequency_set.counts)
        measures = measure_loss(
            self.table, self.recoding, self.verified.class_sizes, self.plan.forms(self.table)
        )
        return Release(
            published=self.published,
            plan=self.plan,
            table=self.table,
            method=self.method,
            recoding=self.recoding,
            verified=self.verified,
            measures=measures,
            sizes_before={int(size): int(classes[size]) for size in np.flatnonzero(classes)},
            seconds=self.seconds,
            accepted=self.accepted,
            warnings=(
                *(danger.accepted() for danger in self.accepted),
                *self.notes,
                *warnings_of_plan(self.plan, self.table, self.recoding, self.repeated),
                *warnings_of_result(self.recoding, self.verified.class_sizes, measures),
            ),
            _to_frame=back,
        )


def pose_problem(
    table: Table,
    plan: Plan,
    *,
    loss: NodeCost = COSTS["gcp"],
    progress: Progress | None = None,
) -> Problem:
    """Put what a plan asks of a table as methods are given it."""
    forms = plan.forms(table)
    _refuse_forms(form_problems(table, forms, plan.ranges_as(table)))
    return Problem(
        table=table,
        requirements=tuple(plan.require),
        max_suppressed=int(plan.limits.suppression * table.rows + 1e-9),
        costs=tuple(weighted_costs(column, loss) for column in table.quasi),
        suppressed_cell=tuple(column.weight for column in table.quasi),
        forms=forms,
        accuracy=plan.accuracy,
        loss_is_ncp=loss is COSTS["gcp"],
        progress=progress or Progress(),
    )


def _refuse_nothing(recoding: Recoding) -> None:
    if not recoding.kept.any():
        raise CannotMeetError(
            Fault("method", "it would suppress every row", "Lower limits.suppression.")
        )


def _as_published(plan: Plan, recoding: Recoding) -> Recoding:
    """Take a partition as buckets where the plan publishes permutations."""
    if not plan.in_buckets:
        return recoding
    if (buckets := recoding.as_buckets()) is not None:
        return buckets
    problem = f"{plan.method.name!r} recodes whole columns and makes no groups to permute in"
    raise PlanError(Fault("publish", problem, "Choose a method that groups rows."))


def _refuse_forms(problems: dict[str, str]) -> None:
    if problems:
        raise PlanError(
            Fault(f"columns.{name}", problem, 'Change "publish" or "range_as" of the column.')
            for name, problem in problems.items()
        )
