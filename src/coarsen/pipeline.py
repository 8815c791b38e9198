"""The way of the data from a private table to a checked release, one stage after the other."""

from __future__ import annotations

from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from coarsen.background import in_background
from coarsen.errors import CannotMeetError, DoesNotHoldError, Fault
from coarsen.frames.tables import encode_table, respondent_columns
from coarsen.measures.costs import COSTS, weighted_costs
from coarsen.measures.loss import measure_loss
from coarsen.methods import Problem
from coarsen.publish import Published, publish, random_order
from coarsen.release import Release
from coarsen.requirements import SensitiveRequirement
from coarsen.verification import ValueFacts, Verified, verify_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from coarsen.measures.costs import NodeCost
    from coarsen.plan import Plan
    from coarsen.progress import Progress
    from coarsen.recoding import LevelVector
    from coarsen.table import Table


class Work:
    """A release in the making: what each stage leaves for the next."""

    plan: Plan
    table: Table
    recoding: LevelVector
    published: Published
    verified: Verified

    def __init__(self, plan: Plan, progress: Progress) -> None:
        self.plan = plan
        self.progress = progress
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Announce a stage and take its time."""
        self.progress.stage(stage)
        start = perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + perf_counter() - start

    def recode(
        self, data: pa.Table, *, loss: NodeCost | None = None, keep_order: bool = False
    ) -> None:
        """Encode, search and publish."""
        with self.timed("encode"):
            self.table = encode_table(data, self.plan)
        order = None if keep_order else in_background(random_order, self.plan, self.table)
        with self.timed("search"):
            problem = self._problem(loss or COSTS[self.plan.loss])
            self.recoding = self.plan.method.search(problem)
            _refuse_nothing(self.recoding)
        with self.timed("publish"):
            drawn = order.result() if order else None
            self.published = publish(data, self.table, self.recoding, self.plan, drawn)

    def _problem(self, loss: NodeCost) -> Problem:
        return Problem(
            table=self.table,
            requirements=tuple(self.plan.require),
            max_suppressed=int(self.plan.limits.suppression * self.table.rows + 1e-9),
            costs=tuple(weighted_costs(column, loss) for column in self.table.quasi),
            suppressed_cell=tuple(column.weight for column in self.table.quasi),
            progress=self.progress,
        )

    def checked_columns(self) -> list[str] | None:
        """Name the published columns that the check needs; None for all."""
        if self.published.blanked:
            return None
        return [*self.plan.with_role("quasi"), *judged_columns(self.plan)]

    def check(self, rows: pa.Table) -> None:
        """Hold the published rows, as they are or as they were read back, to the plan."""
        people = {
            group.name: group.respondents[self.published.source]
            for group in self.table.sets
            if group.respondents is not None
        }
        self.verified = verify_rows(
            rows,
            self.plan.require,
            column_sets(self.plan),
            people,
            self._value_facts(),
            blanks=self.published.blanked > 0,
        )
        refuse_failing(self.verified)

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
        return Release(
            published=self.published,
            plan=self.plan,
            table=self.table,
            recoding=self.recoding,
            verified=self.verified,
            measures=measure_loss(self.table, self.recoding, self.verified.class_sizes),
            sizes_before={int(size): int(classes[size]) for size in np.flatnonzero(classes)},
            seconds=self.seconds,
            warnings=tuple(_warnings(self)),
            _to_frame=back,
        )


def _refuse_nothing(recoding: LevelVector) -> None:
    if not recoding.kept.any():
        raise CannotMeetError(
            Fault("method", "it would suppress every row", "Lower limits.suppression.")
        )


def column_sets(plan: Plan) -> dict[str, list[str]]:
    """Name the columns of each quasi-identifier."""
    if not plan.sets:
        return {"all": plan.with_role("quasi")}
    return {name: group.columns for name, group in plan.sets.items()}


def judged_columns(plan: Plan) -> list[str]:
    """Name the sensitive columns that some requirement is about, directly or joined."""
    asked = [r for r in plan.require if isinstance(r, SensitiveRequirement)]
    everything = any(r.joined or r.column is None for r in asked)
    named = {r.column for r in asked}
    return [c for c in plan.with_role("sensitive") if everything or c in named]


def refuse_failing(verified: Verified) -> None:
    """Raise, naming the class that breaks each promise, unless nothing was found broken."""
    faults = []
    for found in verified.evidence:
        if found.holds is False:
            worst = ", ".join(f"{name}={value}" for name, value in found.worst_class.items())
            faults.append(
                Fault(
                    f"requirement {found.requirement.model!r}",
                    f"it measures {found.measured:g} in the class ({worst}), "
                    f"where {found.requirement.asked()} was promised",
                )
            )
    if faults:
        raise DoesNotHoldError(faults)


def _warnings(work: Work) -> Iterator[str]:
    suggested = [
        name for name in work.plan.with_role("quasi") if work.plan.columns[name].hierarchy is None
    ]
    if suggested:
        yield f"hierarchies were suggested from the data for: {', '.join(suggested)}"
    for name, column in respondent_columns(work.plan).items():
        if work.plan.columns[column].pseudonym is not None:
            yield (
                f"the pseudonym in {column!r} links all rows of one person (set {name!r}); "
                "what is learnt in one class is learnt in all of them"
            )
