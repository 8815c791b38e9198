"""Series: releases about the same people that follow each other, as a plan states them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from indistinct._parts import Part
from indistinct.errors import Fault, closest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indistinct.plan.core import Plan

COHORTS_OF = 20
"""How many times the least class a cohort has, where the plan does not say."""


class Series(Part):
    """Who is who from release to release.

    Attributes
    ----------
    person
        The column that says whose row a row is; one row for each person.
    cohort
        How many people who are new are put together at least, to stay together from then on; 20
        times as many as a class needs if not given.
    key
        The file with the key under which the ledger keeps people; without one the ledger draws a
        key and keeps it itself.
    """

    person: str
    cohort: Annotated[int, Field(ge=2, strict=True)] | None = None
    key: Path | None = None


def series_problems(plan: Plan) -> Iterable[str]:
    """Say what a plan asks for that a series cannot do."""
    series = plan.series
    if series is None:
        return
    people = plan.with_role("identifier", "respondent")
    if series.person not in people:
        yield (
            f"series.person: {series.person!r} is not an identifier or a respondent. "
            f"{closest(series.person, people)}"
        )
    others = [name for name in plan.with_role("respondent") if name != series.person]
    if others:
        yield (
            f"series.person: the respondent is {others[0]!r}, and people are counted by it. "
            "Name that column, or give it another role"
        )
    if not _keeps_together(plan):
        how = 'publish = "permutation"' if plan.publish == "permutation" else repr(plan.method.name)
        yield (
            f"method: {how} makes no groups of people that could be kept together from release to "
            "release. Choose a method that groups rows, such as best"
        )
    if plan.engine.name in {"duckdb", "spark"}:
        yield f'engine: {plan.engine.name} makes no series. Say engine.name = "local"'


def _keeps_together(plan: Plan) -> bool:
    """Return whether rows are put into groups that are published alike in every cell."""
    method = plan.method
    if method.name == "auto" and plan.loss != "gcp":
        return False
    levels = getattr(method, "recoding", "local") == "global"
    apart = plan.in_buckets or method.matches_rows or bool(method.publishes)
    return method.groups_rows and plan.accuracy is None and not levels and not apart


def unnoted_by_apply(plan: Plan) -> list[Fault]:
    """Report that a release of a series teaches no recoding: no ledger would know of its rows."""
    if plan.series is None:
        return []
    problem = "rows that apply publishes by it would not be in the ledger of the series"
    return [Fault("recoding", problem, "Leave it out: the next release takes new people too.")]
