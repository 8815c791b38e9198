"""Spark counts and rewrites: what comes to this process are counts, and what they are counts of.

All that Spark is asked is in this package. Columns are listed one by one and go by numbers (`x0`,
`x1`) until they are published, so that no name means another column; rows find their entry by
codes of their values, compared so that a missing value is a value like any other. Keys travel as
data, never as part of a statement, which Spark may write into a log.
"""

from __future__ import annotations

import secrets
import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from indistinct.engine.base import Grouped
from indistinct.engine.coding import Coded
from indistinct.engine.spark.content import buckets_of
from indistinct.engine.spark.entries import KeptEntries, RewritingKept
from indistinct.engine.spark.faults import fault_of
from indistinct.engine.spark.reading import as_arrow_has_it, escaped, frame_of_path
from indistinct.engine.spark.rewriting import COUNT, RewritingCoded
from indistinct.engine.spark.session import READING, Session, marks_of, share_of_tasks
from indistinct.errors import IndistinctError
from indistinct.io.content import in_order, root
from indistinct.io.encoding import refuse_incomparable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from indistinct.engine.base import Assignment, Layout
    from indistinct.engine.spark.rewriting import Rewriting
    from indistinct.plan import Plan

DEVIATION = 0.01
"""How far a count of distinct rows may be off, as a share."""


class Spark(KeptEntries):
    """Spark over one data frame.

    Parameters
    ----------
    frame
        The rows.
    place
        How messages name the source.
    missing
        Texts that mean a missing value.
    session
        What to close with the engine.
    """

    name: ClassVar[str] = "spark"
    writes_folders: ClassVar[bool] = True

    def __init__(
        self, frame: Any, place: str, *, missing: Sequence[str] = (), session: Session | None = None
    ) -> None:
        self.place = place
        self._names = list(frame.columns)
        self._source = as_arrow_has_it(frame, place, missing)
        self._spark = frame.sparkSession
        self._marks = marks_of(self._spark)
        self._session = session
        self._tag = f"indistinct-{secrets.token_hex(8)}"
        self._interrupted = False
        self._coded: Coded | None = None
        self.fetched_rows = 0

    @classmethod
    def of_frame(cls, frame: Any, plan: Plan) -> Spark:
        """Return the engine over a data frame of Spark, on the session that it is of."""
        with telling("data frame"):
            return cls(frame, "data frame", missing=_markers(plan))

    @classmethod
    def of_path(cls, path: str, plan: Plan) -> Spark:
        """Return the engine over files, on the session that runs or one as the plan says."""
        session = Session.of(plan.engine)
        try:
            with telling(path):
                frame = frame_of_path(session.spark, path, plan)
                return cls(frame, path, missing=_markers(plan), session=session)
        except BaseException:
            session.close()
            raise

    def schema(self) -> pa.Schema:
        """Name the columns of the source and their types."""
        empty = self._fetched(self._source.limit(0))
        return empty.rename_columns(self._names).schema

    def count(self) -> int:
        """Count the rows of the source."""
        with self._asking():
            return int(self._source.count())

    def distinct(self, columns: Sequence[str]) -> int:
        """Count the distinct rows of some columns, about."""
        from pyspark.sql import functions as F  # noqa: N812

        parts = [part for x in self._columns(columns) for part in (F.col(x), F.col(x).isNull())]
        number = F.approx_count_distinct(F.xxhash64(*parts), DEVIATION)
        return int(self._fetched(self._source.agg(number.alias(COUNT))).column(0)[0].as_py())

    def values(self, column: str, most: int) -> Grouped:
        """Count the rows of each value of a column, of so many values at most."""
        counted = self._counted(self._source, self._columns([column])).limit(int(most))
        return self._grouped(counted, [column])

    def grouped(self, columns: Sequence[str]) -> Grouped:
        """Count the distinct rows of some columns; each value goes by its code from here on."""
        counted = self._grouped(self._distinct_rows(columns), columns)
        self._coded = Coded.of(counted.rows, counted.counts)
        return self._coded.grouped()

    def write(self, draft: Path, assigned: Assignment, layout: Layout) -> None:
        """Write a draft of the release, a folder of Parquet files, sorted by what it shows."""
        with self._asking(str(draft.parent)), with_settings(self._spark):
            released = self._released(assigned, layout)
            options = {
                "compression": "zstd",
                "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
            }
            released.write.mode("append").options(**options).parquet(f"file://{draft.absolute()}")
        leave_parts_alone(draft)

    def frame(self, assigned: Assignment, layout: Layout) -> Any:
        """Return the release as a data frame that no longer depends on the source."""
        with self._asking():
            return self._released(assigned, layout).localCheckpoint()

    def _released(self, assigned: Assignment, layout: Layout) -> Any:
        return self._rewriting().released(assigned, layout)

    def _rewriting(self) -> Rewriting:
        if self._coded is not None:
            return RewritingCoded(self._source, self._names, self._coded)
        if self._kept is None:
            raise AssertionError("entries are counted before they are rewritten")
        codes = self._coarse
        return RewritingKept(self._source, self._names, self._domains, codes, entries=self._kept)

    def read_back(self, draft: Path, columns: Sequence[str]) -> Grouped:
        """Count the distinct rows of some columns of a draft."""
        with self._asking():
            frame = self._spark.read.parquet(escaped(draft))
        return self.counts_of(frame, columns)

    def counts_of(self, frame: Any, columns: Sequence[str]) -> Grouped:
        """Count the distinct rows of some columns of a data frame."""
        names = list(frame.columns)
        numbered = frame.toDF(*(f"x{number}" for number in range(len(names))))
        counted = self._counted(numbered, [f"x{names.index(name)}" for name in columns])
        return self._grouped(counted, columns)

    def progress(self) -> float | None:
        """Return which share of the tasks of the stages that run is done."""
        with suppress(Exception):  # Spark Connect does not tell, and a session may be gone
            return share_of_tasks(self._spark.sparkContext.statusTracker())
        return None

    def content(self, draft: Path | None = None) -> str:
        """Hash the rows of a draft, or of the source, whatever their order."""
        frame, names = self._source, self._names
        if draft is not None:
            with self._asking():
                drafted = self._spark.read.parquet(escaped(draft))
                frame, names = as_arrow_has_it(drafted, self.place, ()), list(drafted.columns)
        ordered = in_order(names)
        columns = [f"x{names.index(name)}" for name in ordered]
        with self._asking():
            hashed = buckets_of(self._counted(frame, columns), columns, COUNT)
        fetched = self._fetched(hashed).sort_by("bucket").to_pydict()
        return root(ordered, zip(fetched["bucket"], fetched["hash"], strict=True))

    def interrupt(self) -> None:
        """Have the jobs that run end soon."""
        self._interrupted = True
        with suppress(Exception):
            self._marks.end(self._tag)

    def close(self) -> None:
        """Let go of the source and of what was kept; a session that was started for it ends."""
        self._let_go()
        if self._session is not None:
            self._session.close()

    def _columns(self, names: Sequence[str]) -> list[str]:
        return [f"x{self._names.index(name)}" for name in names]

    def _distinct_rows(self, columns: Sequence[str]) -> Any:
        refuse_incomparable(self.schema(), columns)
        return self._counted(self._source, self._columns(columns))

    def _counted(self, frame: Any, columns: Sequence[str]) -> Any:
        from pyspark.sql import functions as F  # noqa: N812

        return frame.groupBy(*columns).agg(F.count(F.lit(1)).alias(COUNT))

    def _grouped(self, counted: Any, columns: Sequence[str]) -> Grouped:
        table = self._fetched(counted)
        counts = np.ascontiguousarray(table.column(COUNT).to_numpy(), dtype=np.int64)
        return Grouped(table.drop_columns([COUNT]).rename_columns(list(columns)), counts)

    def _fetched(self, counts: Any) -> pa.Table:
        """Fetch counts; this is the one door through which anything comes from Spark."""
        with self._asking():
            table: pa.Table = counts.toArrow()
        self.fetched_rows += table.num_rows
        return table

    @contextmanager
    def _asking(self, place: str | None = None) -> Iterator[None]:
        """Mark the jobs of this thread as ours, and say what Spark cannot do."""
        try:
            with telling(place or self.place):
                self._marks.add(self._tag)
                try:
                    yield
                finally:
                    with suppress(Exception):
                        self._marks.remove(self._tag)
        except IndistinctError:
            if self._interrupted:
                raise KeyboardInterrupt from None
            raise


@contextmanager
def with_settings(spark: Any) -> Iterator[None]:
    """Have a session write as we do, and then as it did before."""
    former = {name: spark.conf.get(name) for name in READING}
    for name, value in READING.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in former.items():
            spark.conf.set(name, value)


@contextmanager
def telling(place: str) -> Iterator[None]:
    """Say what Spark cannot do, without what it read."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what versions of pandas it likes
            yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        raise fault_of(error, place) from None


def leave_parts_alone(draft: Path) -> None:
    """Leave nothing in a draft but the parts of the release, under names that tell their order."""
    parts = sorted(path for path in draft.iterdir() if path.name.startswith("part-"))
    for path in draft.iterdir():
        if path not in parts and path.is_file():
            path.unlink()
    for number, part in enumerate(parts):
        part.rename(draft / f"part-{number:05}.parquet")


def _markers(plan: Plan) -> tuple[str, ...]:
    return tuple(plan.input.missing) if "missing" in plan.input.model_fields_set else ()
