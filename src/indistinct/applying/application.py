"""Applying a recoding: new rows in, published rows and evidence out, one stage after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.applying.applied import Applied
from indistinct.applying.earlier import judged_names, texts
from indistinct.applying.holding import Bench, hold_back, relieve, settle
from indistinct.applying.learning import continued
from indistinct.applying.newcomers import (
    NewcomersAtLevels,
    NewcomersInClasses,
    joint_codes,
    refuse_unknown,
)
from indistinct.check.of_plan import (
    column_sets,
    columns_as_they_are,
    refuse_failing,
    untrue_cells,
)
from indistinct.check.rows import ValueFacts, Verified, verify_rows
from indistinct.encode.notation import in_notation
from indistinct.encode.table import check_columns, encode_judged
from indistinct.errors import CannotMeetError, DataError, DoesNotHoldError, Fault, PlanError
from indistinct.measures.loss import measure_loss
from indistinct.model.recoding import LevelVector
from indistinct.plan.safety import refuse_unsafe
from indistinct.publishing.draws import Draws
from indistinct.publishing.rows import Published, publish, released_columns
from indistinct.risk.hipaa import hold_to_preset
from indistinct.running.progress import Stages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from indistinct.applying.earlier import Earlier
    from indistinct.applying.learnt import Learnt
    from indistinct.model.table import Table
    from indistinct.plan.safety import Danger
    from indistinct.running.progress import Progress

    Codes = list[NDArray[np.int32]]

UNKNOWN, UNCOVERED, BREAKING = range(3)


class Application(Stages):
    """New rows on their way through a learnt recoding."""

    published: Published
    held: NDArray[np.int8]
    verified: Verified
    union: Verified
    loss: float
    accepted: tuple[Danger, ...] = ()

    def __init__(
        self, learnt: Learnt, earlier: Earlier, progress: Progress, *, as_one: bool = False
    ) -> None:
        super().__init__(progress)
        self.learnt = learnt
        self.plan = learnt.plan.overridden({"suppressed": "drop"})
        self.earlier = earlier.rows
        self.as_one = as_one
        if as_one and self.plan.respondent_columns():
            problem = "it is not known who the earlier rows belong to, so people cannot be counted"
            raise PlanError(
                Fault("as one", problem, "Apply the requirements to the new rows by themselves.")
            )

    def run(self, data: pa.Table, *, unknown: str = "hold", keep_order: bool = False) -> None:
        """Encode, place, hold back and publish."""
        with self.timed("encode"):
            check_columns(data, self.plan)
            data, self._notes, unread = in_notation(data, self.plan)
            if unread:
                raise DataError(unread)
            self._encode(data)
            self.accepted = tuple(refuse_unsafe(data, self.plan))
            if unknown == "error":
                refuse_unknown(self._rows)
        with self.timed("place"):
            kept = self._place()
            if not kept.any():
                problem = "every new row would have to be held back"
                remedy = "Add more rows, or anonymize them by themselves."
                raise CannotMeetError(Fault("requirements", problem, remedy))
        with self.timed("publish"):
            draws = Draws.of(self.plan, data, self._table)
            self._publish(data, kept, draws, keep_order=keep_order)
            if self.plan.preset is not None:
                hold_to_preset(self.plan, self.published.rows)

    def _encode(self, data: pa.Table) -> None:
        self._data = data
        judged = self.plan.judged_columns()
        self._rows = (NewcomersAtLevels if self.learnt.recodes == "levels" else NewcomersInClasses)(
            self.learnt, data
        )
        self._table = encode_judged(data, self.plan, judged)
        names = judged_names(self.learnt)
        parts = [list(column.publishes) for column in self.learnt.columns]
        joined = [
            joint_codes(shown, [self.earlier.column(name) for name in part])
            for shown, part in zip(self._rows.shown, parts, strict=True)
        ]
        self._joint = [(new, old) for new, old, _ in joined]
        self._reads = [reads for _, _, reads in joined]
        sensitive = [name for name in names if name in judged]
        together = (
            pa.concat_tables([self.earlier.select(sensitive), texts(data, sensitive)])
            if sensitive
            else None
        )
        self._everyone = self._union_table(together)

    def _union_table(self, sensitive: pa.Table | None) -> Table:
        rows = self.earlier.num_rows + self._table.rows
        empty = replace(
            self._table,
            entries=rows,
            sensitive=(),
            sets=tuple(replace(group, respondents=None) for group in self._table.sets),
        )
        if sensitive is None:
            return empty
        judged = encode_judged(sensitive, self.plan, sensitive.column_names)
        return replace(empty, sensitive=judged.sensitive)

    def _place(self) -> NDArray[np.bool_]:
        """Decide which rows are published, and in which class."""
        alone, union = self._benches()
        rows = self._rows

        def satisfied(
            kind: NDArray[np.int32], kept: NDArray[np.bool_], *, bound: bool = False
        ) -> NDArray[np.bool_]:
            left = kept
            for bench in (alone, union):
                if bench is not None:
                    left = left & bench.satisfied(kind, kept, bound=bound)
            return left

        if isinstance(rows, NewcomersAtLevels):
            kind, covered, kept = rows.kind, rows.known, rows.known
        else:
            group, covered = settle(
                rows.classes,
                rows.places,
                rows.of_row,
                rows.known,
                lambda group: satisfied(np.maximum(group, 0), group >= 0),
            )
            kind, kept = np.maximum(group, 0), group >= 0

        def settled(some: NDArray[np.bool_]) -> NDArray[np.bool_]:
            return hold_back(
                some,
                lambda left: satisfied(kind, left, bound=True),
                lambda left: satisfied(kind, left),
            )

        kept = settled(kept)
        self._kind = kind
        if union is not None:
            kept = relieve(union, kind, kept, settled)
        self.held = np.full(kept.size, -1, dtype=np.int8)
        self.held[~kept] = BREAKING
        self.held[~covered] = UNCOVERED
        self.held[~rows.known] = UNKNOWN
        return kept

    def _benches(self) -> tuple[Bench | None, Bench | None]:
        """Judge new rows by themselves, and together with the earlier ones."""
        alone = union = None
        if not self.as_one:
            nobody = [np.zeros(0, dtype=np.int32)] * len(self._kinds)
            alone = Bench(self._table, self.plan.require, self._kinds, nobody)
        if not self.plan.respondent_columns():
            earlier = [old for _, old in self._joint]
            union = Bench(self._everyone, self.plan.require, self._kinds, earlier, published=True)
        return alone, union

    @property
    def _kinds(self) -> Codes:
        """What each kind of new row reads, numbered together with what earlier rows read."""
        return [new[code] for (new, _), code in zip(self._joint, self._rows.kinds, strict=True)]

    def _publish(
        self,
        data: pa.Table,
        kept: NDArray[np.bool_],
        draws: Draws,
        *,
        keep_order: bool,
    ) -> None:
        rows = self._rows
        if isinstance(rows, NewcomersAtLevels):
            table = rows.with_quasi(self._table)
            levels = tuple(column.level for column in rows.columns)
            recoding = LevelVector(levels, kept)
            self.published = publish(data, table, recoding, self.plan, draws, keep_order=keep_order)
            sizes = np.ones(1, dtype=np.int64)
            self.loss = measure_loss(table, recoding, sizes).gcp
            return
        group = np.where(kept, self._kind, -1).astype(np.int32)
        recoded = rows.recoded(data, group)
        columns = released_columns(data, recoded, self.plan, draws)
        source = np.arange(data.num_rows) if keep_order else draws.order("row order")
        became = {name: tuple(parts) for name, parts in recoded.items()}
        self.published = Published(columns, source[kept[source]], 0, became)
        self.loss = rows.loss(group)

    def checked_columns(self) -> list[str]:
        """Name the published columns that the check needs."""
        as_they_are = columns_as_they_are(self.plan, self._data.column_names)
        return list(dict.fromkeys([*judged_names(self.learnt), *as_they_are]))

    def check(self, rows: pa.Table) -> None:
        """Hold the new rows to the private ones and to the plan, and all rows together to it.

        Who has the ends of ranges and the members of sets is not counted again: they are those of
        the first release, whose check did. A column at its ground level shows values as they are,
        but each of them stands in a class, which has as many people as are asked for.
        """
        self._refuse_untrue(rows)
        people = {
            group.name: group.respondents[self.published.source]
            for group in self._table.sets
            if group.respondents is not None
        }
        sets = column_sets(self.plan, self.published.became)
        self.verified = verify_rows(rows, self.plan.require, sets, people, _facts(self._table))
        new = texts(rows, judged_names(self.learnt))
        everyone = pa.concat_tables([self.earlier, new]).combine_chunks()
        unknown = dict.fromkeys(people)
        facts = {name: replace(f, shares=None) for name, f in _facts(self._everyone).items()}
        self.union = verify_rows(everyone, self.plan.require, sets, unknown, facts)
        if not self.as_one:
            refuse_failing(self.verified)
        refuse_failing(self.union)

    def _refuse_untrue(self, rows: pa.Table) -> None:
        became, source = self.published.became, self.published.source
        quasi = self._rows.quasi
        if faults := untrue_cells(self.plan, rows, self._data, quasi, became, source=source):
            raise DoesNotHoldError(faults)

    def applied(self, back: Callable[[pa.Table], Any] = lambda rows: rows) -> Applied:
        """Put the result together."""
        return Applied(
            published=self.published,
            held=self.held,
            verified=self.verified,
            union=self.union,
            loss=self.loss,
            recoding=continued(
                self.learnt,
                self._reads,
                [
                    np.concatenate([old, kinds[self._kind]])
                    for (_, old), kinds in zip(self._joint, self._kinds, strict=True)
                ],
                np.concatenate([np.ones(self.earlier.num_rows, dtype=bool), self.held < 0]),
                [(c.name, c.values, c.codes) for c in self._everyone.sensitive],
            ),
            accepted=self.accepted,
            warnings=tuple(self._warnings()),
            seconds=self.seconds,
            _to_frame=back,
        )

    def _warnings(self) -> Iterator[str]:
        yield from (danger.accepted() for danger in self.accepted)
        yield from self._notes
        share = float(np.count_nonzero(self.held >= 0) / max(self.held.size, 1))
        if share > self.plan.limits.suppression:
            yield (
                f"{share:.1%} of the new rows are held back, where the plan lets "
                f"{self.plan.limits.suppression:.1%} be suppressed: the recoding no longer fits, "
                "or there are too few new rows"
            )
        if self.as_one:
            yield (
                "the requirements were not applied to the new rows alone: anyone who has the "
                "earlier release, or knows who is new, can separate them"
            )


def _facts(table: Table) -> dict[str, ValueFacts]:
    return {
        column.name: ValueFacts(column.values, column.shares, column.levels)
        for column in table.sensitive
    }
