"""Releases that are too large to be read, or lie in several files: counted by an engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.check.columns import became, refuse_columns
from indistinct.engine.choosing import duckdb_engine, too_large
from indistinct.io.databases.address import place_of

if TYPE_CHECKING:
    from indistinct.engine.base import Grouped
    from indistinct.plan import Plan


def counted_release(release: Any, plan: Plan) -> tuple[Grouped, Plan] | None:
    """Count what a check of a release needs, and return the plan of these columns.

    Returns None where the release is to be read as a whole: a data frame, a table of a database, or
    a file that fits into memory. Columns are refused as the plan asks, those that are not counted
    among them.
    """
    place = place_of(release) if isinstance(release, str | Path) else None
    if not isinstance(place, Path) or not too_large(place):
        return None
    engine = duckdb_engine(place, plan)
    try:
        names = engine.schema().names
        refuse_columns(plan, names)
        needed = names if plan.suppressed == "blank" else _needed(plan, names)
        return engine.grouped(needed), plan.of_columns({*_sources(plan, needed)})
    finally:
        engine.close()


def _needed(plan: Plan, names: list[str]) -> list[str]:
    """Name the columns of a release that its requirements are about."""
    quasi = [part for parts in became(plan, names).values() for part in parts]
    people = [name for name in plan.respondent_columns().values() if name in names]
    return list(dict.fromkeys([*quasi, *plan.judged_columns(), *people]))


def _sources(plan: Plan, released: list[str]) -> list[str]:
    """Name the columns of the plan that some columns of a release are of."""
    quasi = plan.with_role("quasi")
    return [*quasi, *(name for name in plan.columns if name in released)]
