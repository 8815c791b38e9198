"""The way of a release whose rows an engine counts and rewrites.

It is the way of `pipeline.Work`, on entries: what is encoded, searched, measured and reported are
the distinct rows that the engine counted, each with how many rows it stands for. Columns that are
neither linkable nor judged are not counted at all; the engine carries them from the source to the
release.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import numpy as np

from indistinct.encode.table import name_faults
from indistinct.engine.base import Grouped, Layout
from indistinct.engine.joining import assignment_of, refuse_other_rows
from indistinct.engine.looks import refuse_unsafe_on_engine, repeated_on_engine
from indistinct.errors import DataError, Fault
from indistinct.pipeline import Work
from indistinct.publishing.pseudonyms import key_of
from indistinct.publishing.randomness import Randomness
from indistinct.running.background import in_sight

FEW = 10
"""Sensitive columns that nothing is asked of are counted too where that makes so much fewer
entries than may be searched: then reports describe them."""

P = ParamSpec("P")
T = TypeVar("T")

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from indistinct.engine.base import Assignment, Engine
    from indistinct.plan import Plan
    from indistinct.release import Release
    from indistinct.running.progress import Progress


class EngineWork(Work):
    """A release in the making, of rows that stay with their engine."""

    def __init__(self, engine: Engine, plan: Plan, progress: Progress | None = None) -> None:
        super().__init__(plan, progress)
        self.engine = engine
        self._whole_plan = plan

    def on_engine(self, asked: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have the engine do something, and say how far it is.

        An interrupt is answered at once, and ends it.
        """
        return in_sight(self._end, self._look_at_engine, asked, *args, **kwargs)

    def _look_at_engine(self) -> None:
        done = self.engine.progress()
        if done is not None:
            self.progress.advance(done)

    def _end(self) -> None:
        self.progress.stop()
        self.engine.interrupt()

    def survey(self) -> bool:
        """Choose which columns are counted: what is linkable or judged; say if entries fit."""
        schema = self.engine.schema()
        faults = [*name_faults(schema.names, self.plan), *_unfit(self.plan)]
        if faults:
            raise DataError(faults)
        self._names = schema.names
        self.rows = self.engine.count()
        if not self.rows:
            raise DataError(Fault(self.engine.place, "it has no rows", "Give one with data."))
        needed = list(dict.fromkeys([*_linkable(self.plan), *self.plan.judged_columns()]))
        most = self.plan.most_distinct
        wanted = [*needed, *(n for n in self.plan.with_role("sensitive") if n not in needed)]
        few = wanted != needed and self.engine.distinct(wanted) <= most // FEW
        self.counted = wanted if few else needed
        self.plan = self._whole_plan.of_columns(self.counted)
        self.distinct = 0 if few else self.engine.distinct(needed)
        return self.distinct <= most

    def count(self) -> Grouped:
        """Have the engine count the distinct rows of what is linkable or judged."""
        return self.engine.grouped(self.counted)

    def recode_grouped(self, grouped: Grouped) -> None:
        """Encode, search and publish what was counted."""
        self.weights = grouped.counts
        self._counted = grouped
        self.recode(grouped.rows, keep_order=True)  # the engine orders them

    def _look(self, data: pa.Table) -> None:  # noqa: ARG002 - the engine holds it
        """Look for what is unsafe in the columns, one by one, as the engine counts them."""
        engine, plan = self.engine, self._whole_plan
        self.repeated = repeated_on_engine(engine, plan)
        self.accepted = tuple(refuse_unsafe_on_engine(engine, plan, self._names, self._values()))

    def _values(self) -> Mapping[str, Grouped]:
        """Return the values of each counted column."""
        rows, counts = self._counted.rows, self._counted.counts
        return {name: Grouped(rows.select([name]), counts) for name in rows.column_names}

    def assignment(self) -> Assignment:
        """Say what the rows of each counted entry are published as."""
        kept = self.recoding.kept
        entry = np.arange(kept.size) if self.parts is None else self.parts.entry
        named = [part for parts in self.published.became.values() for part in parts]
        columns = self.published.columns.select(named)
        return assignment_of(columns, kept, entry, self.table.row_counts)

    def layout(self) -> Layout:
        """Say which columns are released, in the order of the source."""
        plan, became = self._whole_plan, self.published.became
        columns: list[str] = []
        keys: dict[str, bytes] = {}
        for name in self._names:
            column = plan.columns.get(name)
            role = column.role if column else plan.unlisted
            if role == "quasi":
                columns += became[name]
            elif role in {"sensitive", "other"}:
                columns.append(name)
            elif column and column.pseudonym:
                columns.append(name)
                keys[name] = key_of(plan, name) or secrets.token_bytes(32)
        made = frozenset(part for parts in became.values() for part in parts)
        secret = Randomness(plan.seed, "rows of entries").bytes(32)
        return Layout(tuple(columns), made, keys, secret)

    def read_back_columns(self) -> list[str]:
        """Name the columns of the release that were counted."""
        return list(self.published.columns.column_names)

    def check_grouped(self, back: list[Grouped]) -> None:
        """Hold what was written to what was counted, and to the plan."""
        self.interruptibly(self._check_grouped, back[0])

    def _check_grouped(self, found: Grouped) -> None:
        counts = self.published.counts
        if counts is None:
            counts = np.ones(self.published.source.size, dtype=np.int64)
        refuse_other_rows(self.published.rows, counts, found, self.engine.place)
        self._check(self.published.rows)

    def release_of(self) -> Release:
        """Put the release together, under the plan as it was given."""
        return replace(self.release(), plan=self._whole_plan)


def _linkable(plan: Plan) -> list[str]:
    return [*plan.with_role("quasi"), *plan.respondent_columns().values()]


def _unfit(plan: Plan) -> list[Fault]:
    """Say what a plan asks for that needs all rows at hand."""
    asked = {
        "suppressed": (plan.suppressed == "blank", 'Set suppressed = "drop".'),
        "publish": (plan.in_buckets, "Choose a method that generalizes groups of rows."),
        "method.name": (plan.method.matches_rows, 'Choose "best", "mondrian" or "optimal".'),
        "preset": (plan.preset is not None, "Omit the preset, and state its requirements."),
    }
    return [
        Fault(
            place,
            "an engine cannot do this, because it needs every single row",
            f'{remedy} Or set engine = {{ name = "local" }}.',
        )
        for place, (is_asked, remedy) in asked.items()
        if is_asked
    ]
