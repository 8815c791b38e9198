"""The way of the data from a private table to a checked release, one stage after the other."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Any

from indistinct.check.of_plan import columns_as_they_are
from indistinct.check.of_release import Making, check_release, refuse_broken
from indistinct.encode.notation import in_notation
from indistinct.encode.table import encode_table
from indistinct.io.base import Rows
from indistinct.measures.loss import measure_loss
from indistinct.model.costs import COSTS
from indistinct.model.names import GROUP
from indistinct.plan.safety import refuse_unsafe, repeated_identifiers
from indistinct.publishing.buckets import apart, together
from indistinct.publishing.draws import Draws
from indistinct.publishing.rows import Published, publish, publishable
from indistinct.publishing.searching import search_table
from indistinct.release import Release
from indistinct.report.cautions import warnings_of_plan, warnings_of_result
from indistinct.risk.hipaa import hold_to_preset
from indistinct.running.progress import Progress, Stages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.check.rows import Verified
    from indistinct.measures.loss import Measures
    from indistinct.methods import Method
    from indistinct.model.costs import NodeCost
    from indistinct.model.entries import Parts
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
    weights: NDArray[np.int64] | None = None
    parts: Parts | None = None

    def __init__(self, plan: Plan, progress: Progress | None = None) -> None:
        super().__init__(progress)
        self.plan = plan

    def recode(
        self, data: pa.Table, *, loss: NodeCost | None = None, keep_order: bool = False
    ) -> None:
        """Encode, search and publish."""
        with self.timed("encode"):
            data = self.interruptibly(self._encode, data)
        self.recode_encoded(data, loss=loss, keep_order=keep_order)

    def _encode(self, data: pa.Table) -> pa.Table:
        """Encode the table and look for what is unsafe in it; return it as hierarchies read it."""
        data, self.notes, unread = in_notation(data, self.plan)
        self.table = encode_table(data, self.plan, unread, self.weights)
        self._look(data)
        return data

    def _look(self, data: pa.Table) -> None:
        """Look for what is unsafe in the data."""
        self.repeated = repeated_identifiers(data, self.plan)
        self.accepted = tuple(refuse_unsafe(data, self.plan))

    def recode_encoded(
        self, data: pa.Table, *, loss: NodeCost | None = None, keep_order: bool = False
    ) -> None:
        """Search and publish, where the table is encoded already."""
        self._data = data
        draws = Draws.of(self.plan, data, self.table)
        with self.timed("search"):
            recoding = self.interruptibly(self._search, loss or COSTS[self.plan.loss], draws)
            self.recoding = publishable(recoding, self.plan)
        with self.timed("publish"):
            args = (self._data, self.table, self.recoding, self.plan, draws)
            self.published = self.interruptibly(publish, *args, keep_order=keep_order)
            if self.plan.preset is not None:
                hold_to_preset(self.plan, self.published.rows)

    def _search(self, loss: NodeCost, draws: Draws) -> Recoding:
        """Let the method search in what it is shown of the table."""
        searched = search_table(self.table, self.plan, draws, loss=loss, progress=self.progress)
        self.method = searched.method
        if searched.parts is not None:
            self._cut(searched.parts)
        return searched.recoding

    def _cut(self, parts: Parts) -> None:
        """Take the parts of entries that go different ways for entries of their own."""
        self.parts = parts
        self.table = parts.of_table(self.table)
        self._data = self._data.take(parts.entry)

    def checked_columns(self) -> list[str] | None:
        """Name the published columns that the check needs; None for all."""
        if self.published.blanked:
            return None
        quasi = (self.published.became[name] for name in self.plan.with_role("quasi"))
        named = dict.fromkeys(part for parts in quasi for part in parts)
        if self.plan.in_buckets:
            named |= dict.fromkeys(self.plan.with_role("quasi"))
        return [*named, *columns_as_they_are(self.plan, self._data.column_names)]

    def contents(self, files: int) -> list[Rows]:
        """Return what goes into the one file of a release, or into each of the two of buckets."""
        checked = self.checked_columns()
        if files == 1:
            return [Rows(self.published.columns, self.published.source, checked)]
        parts = apart(self.published, self.plan)
        return [Rows(columns, order, checked) for columns, order in parts]

    def check_files(self, back: list[pa.Table]) -> None:
        """Hold the published rows, as they were read back from their files, to the plan."""
        self.check(together(*back) if len(back) > 1 else back[0])

    def check(self, rows: pa.Table) -> None:
        """Hold the published rows, as they are or as they were read back, to the plan."""
        self.interruptibly(self._check, rows)

    def _check(self, rows: pa.Table) -> None:
        making = self.making()
        self.verified = check_release(rows, making)
        refuse_broken(rows, making, self.verified)

    def making(self) -> Making:
        """Say how the release was made, for the check."""
        published, recoding = self.published, self.recoding
        permuted = recoding.bucket_of_row is not None
        return Making(
            plan=self.plan,
            data=self._data,
            table=self.table,
            became=published.became,
            source=published.source,
            kept=recoding.kept,
            blanked=published.blanked > 0,
            groups=recoding.group_of_row,
            numbers=published.columns.column(GROUP) if permuted else None,
            matchings=recoding.covered_rows,
            carried=published.carried,
            counts=published.counts,
        )

    def measures(self) -> Measures:
        """Measure what was lost."""
        forms = self.plan.forms(self.table)
        return measure_loss(self.table, self.recoding, self.verified.class_sizes, forms)

    def sizes_before(self) -> dict[int, int]:
        """Count the classes of the private table by size."""
        return self.table.frequency_set.classes_by_size

    def release(self, back: Callable[[pa.Table], Any] = lambda rows: rows) -> Release:
        """Put the release together."""
        measures = self.measures()
        return Release(
            published=self.published,
            plan=self.plan,
            table=self.table,
            method=self.method,
            recoding=self.recoding,
            verified=self.verified,
            measures=measures,
            sizes_before=self.sizes_before(),
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


def load_in_background() -> None:
    """Import the kernels of most releases on another thread.

    Reading a file leaves the interpreter idle; importing numba takes as long as a large file.
    """
    Thread(target=_load_kernels, daemon=True).start()


def _load_kernels() -> None:
    import indistinct.io.csv_faults_kernel
    import indistinct.io.csv_writing_kernel
    import indistinct.methods.full_domain.counting_walk_kernel
    import indistinct.model.ranking_kernel  # noqa: F401
