"""A release before it is written: its rows here, or with the engine that rewrites them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indistinct.engine.blocked import recoded_on
from indistinct.engine.choosing import engine_for
from indistinct.engine.sink import EngineSink
from indistinct.errors import Fault, PlanError
from indistinct.io.databases.address import Address
from indistinct.io.files import FileFacts
from indistinct.io.opening import read_at, sinks_at
from indistinct.pipeline import Work, load_in_background

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from indistinct.engine.base import Engine
    from indistinct.plan import Plan
    from indistinct.release import Release
    from indistinct.running.progress import Progress

NOT_HASHED = "not hashed"


@dataclass(frozen=True, eq=False)
class Prepared:
    """What a transaction writes, how it is checked, and what papers say of it.

    Attributes
    ----------
    work
        The release in the making, recoded.
    sinks, contents
        Where it is published, and what goes into each.
    check
        Holds what was read back of each sink to the plan.
    release
        Puts the release together, once it is checked.
    private
        What papers say of the private table; None where there are none that do.
    rows
        The private rows, where they are here.
    """

    work: Work
    sinks: Sequence[Any]
    contents: Sequence[Any]
    check: Callable[[list[Any]], None]
    release: Callable[[], Release]
    private: FileFacts | None
    rows: pa.Table | None

    def public(self) -> list[FileFacts]:
        """Describe what was published, as papers do."""
        rows = self.work.verified.released_rows + self.work.verified.blank_rows
        return [
            FileFacts.of_table(sink, sink.hashed(), rows, sink.content()) for sink in self.sinks
        ]


@dataclass(frozen=True, eq=False)
class Wanted:
    """A release that is asked for.

    Attributes
    ----------
    place, released
        Where the private table lies, and where the release goes.
    described
        Whether papers will describe both.
    """

    place: Path | Address
    plan: Plan
    released: Sequence[Path | Address]
    described: bool
    keep_order: bool
    progress: Progress | None


@contextmanager
def prepared(wanted: Wanted) -> Iterator[Prepared]:
    """Read or count the private table, and recode it."""
    place = wanted.place
    engine = None if isinstance(place, Address) else engine_for(place, wanted.plan)
    if engine is None:
        yield _here(wanted)
        return
    try:
        yield _on(engine, wanted)
    finally:
        engine.close()


def _here(wanted: Wanted) -> Prepared:
    """Prepare a release of rows that are read into memory."""
    load_in_background()
    plan = wanted.plan
    work = Work(plan, wanted.progress)
    with work.timed("read"):
        source, rows = work.interruptibly(read_at, wanted.place, plan.input)
        hashed = source.hashed(rows) if wanted.described else None
        private = hashed and FileFacts.of_table(source, hashed, rows.num_rows)
    work.recode(rows, keep_order=wanted.keep_order)
    sinks = sinks_at(wanted.released, source, guard=plan.output.guard_formulas)
    contents = work.contents(len(sinks))

    def check(back: list[pa.Table]) -> None:
        if wanted.described:
            for sink in sinks:
                sink.content()  # beside the check, which leaves a processor idle for much of it
        work.check_files(back)

    return Prepared(work, sinks, contents, check, work.release, private, rows)


def _on(engine: Engine, wanted: Wanted) -> Prepared:
    """Prepare a release of rows that stay with their engine."""
    out = _parquet_file(engine, wanted)
    work = recoded_on(engine, wanted.plan, wanted.progress)
    facts = FileFacts(wanted.place.name, lambda: NOT_HASHED, {"rows": work.table.rows})
    return Prepared(
        work,
        [EngineSink(work, out)],
        [work.assignment()],
        work.check_grouped,
        work.release_of,
        facts,
        None,
    )


def _parquet_file(engine: Engine, wanted: Wanted) -> Path:
    """Return where an engine writes to; raise if it cannot write what is asked for."""
    faults, out = [], wanted.released[0]
    if wanted.keep_order:
        problem = f"{engine.name} sorts the rows that it writes by what they show"
        faults.append(Fault("keep_order", problem, "Omit it."))
    endings = {".parquet", ".pq", *([""] if engine.writes_folders else [])}
    if isinstance(out, Address) or out.suffix.lower() not in endings:
        what = "a folder of Parquet files" if engine.writes_folders else "a Parquet file"
        remedy = "Name a folder." if engine.writes_folders else "Name a .parquet file."
        faults.append(Fault(str(out), f"{engine.name} writes {what}", remedy))
    if faults or isinstance(out, Address):
        raise PlanError(faults)
    return out
