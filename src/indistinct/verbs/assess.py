"""assess: how much a table says about single people, before any release and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, no_columns, unless_within
from indistinct.io.opening import opened, opened_release
from indistinct.plan import Input, Plan
from indistinct.risk.assessment import assess_table
from indistinct.risk.before_after import Attackers
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.plan import PlanSource
    from indistinct.risk.assessment import Assessment


def assess(
    data: Any,
    plan: PlanSource | None = None,
    *,
    columns: Sequence[str] | None = None,
    release: Any = None,
    threshold: float | None = None,
    sampling: float | None = None,
    population: Any = None,
    respondent: str | None = None,
    household: str | None = None,
    safe_harbor: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Measure how much a table says about individuals, before any release and after.

    Parameters
    ----------
    data
        A data frame, the path of a file, or the address of a table.
    plan
        Its quasi columns are assessed; or
    columns
        these; by default all columns.
    release
        A release of the table, to compare its risks with those of the table.
    threshold
        Rows with a larger risk are counted; 1 / k of the plan, or 0.2.
    sampling
        The share of the population that is in the table, if it was drawn at random; or
    population
        the population itself, with the same columns.
    respondent, household
        Columns that say which person a row is about, and who lives together.
    safe_harbor
        Whether to look for HIPAA's 18 identifiers.
    delimiter, encoding, sheet
        How a file is written, instead of what the plan says or a look at the file shows.
    """
    if faults := unless_within("threshold", threshold, 0, 1):
        raise DataError(faults)
    loaded = Plan.load(plan) if plan is not None else None
    asked = loaded.input if loaded else Input()
    options = asked.with_options(delimiter=delimiter, encoding=encoding, sheet=sheet)
    table, _ = opened(data, options)
    chosen = list(
        dict.fromkeys(columns or (loaded.with_role("quasi") if loaded else table.column_names))
    )
    asked_for = [*chosen, *(name for name in (respondent, household) if name)]
    if faults := no_columns("data", asked_for, table.column_names):
        raise DataError(faults)
    named = loaded.with_role("respondent") if loaded else []
    return assess_table(
        table,
        chosen,
        progress or Progress(),
        asked=Attackers(
            threshold=threshold,
            sampling=sampling,
            population=None if population is None else opened(population, options)[0],
            respondent=respondent or (named[0] if len(named) == 1 else None),
            household=household,
            plan=loaded,
        ),
        release=None
        if release is None
        else opened_release(release, loaded.output if loaded else None),
        safe_harbor=safe_harbor or (loaded is not None and loaded.preset == "hipaa-safe-harbor"),
    )
