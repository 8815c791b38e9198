"""Releases that are too large to be read, or lie in several files: counted by an engine."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.check.columns import became, refuse_columns
from indistinct.engine.choosing import duckdb_engine, too_large
from indistinct.engine.frames import is_of_spark
from indistinct.io.databases.address import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indistinct.engine.base import Engine, Grouped
    from indistinct.plan import Plan


@contextmanager
def counting_engine(release: Any, plan: Plan) -> Iterator[Engine | None]:
    """Return an engine that counts the rows of a release, if that is not to be read as a whole.

    A data frame, a table of a database, and a file that fits into memory are read; Spark counts
    data frames of its own.
    """
    if is_of_spark(release):
        from indistinct.engine.spark import Spark

        yield Spark.of_frame(release, plan)
        return
    place = place_of(release) if isinstance(release, str | Path) else None
    if not isinstance(place, Path) or not too_large(place):
        yield None
        return
    engine = duckdb_engine(place, plan)
    try:
        yield engine
    finally:
        engine.close()


def counted_release(engine: Engine, plan: Plan) -> tuple[Grouped, Plan]:
    """Count what a check of a release needs, and return the plan of these columns.

    Columns are refused as the plan asks, those that are not counted among them.
    """
    names = engine.schema().names
    refuse_columns(plan, names)
    needed = names if plan.suppressed == "blank" else _needed(plan, names)
    return engine.grouped(needed), plan.of_columns({*_sources(plan, needed)})


def _needed(plan: Plan, names: list[str]) -> list[str]:
    """Name the columns of a release that its requirements are about."""
    quasi = [part for parts in became(plan, names).values() for part in parts]
    people = [name for name in plan.respondent_columns().values() if name in names]
    return list(dict.fromkeys([*quasi, *plan.judged_columns(), *people]))


def _sources(plan: Plan, released: list[str]) -> list[str]:
    """Name the columns of the plan that some columns of a release are of."""
    quasi = plan.with_role("quasi")
    return [*quasi, *(name for name in plan.columns if name in released)]
