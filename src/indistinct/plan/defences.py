"""Defences: what a plan does against attackers who know how the method decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from indistinct._parts import Part
from indistinct.requirements import SensitiveRequirement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indistinct.plan.core import Plan

UNDEFENDED = {"mu-argus", "k-optimize", "levels-and-stars", "ac", "ipcsd"}


class Defences(Part):
    """What is done against attackers who know the code and the plan without its seed.

    Attributes
    ----------
    near_minimal
        Draw in secret among the recodings whose loss (GCP) is at most so much above that of the one
        that the method finds, instead of publishing that one.
    blind
        Let the method see no sensitive values: it is asked for k alone, twice as large until every
        class keeps what is asked.
    """

    near_minimal: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0
    blind: Annotated[bool, Field(strict=True)] = False


def defence_problems(plan: Plan) -> Iterable[str]:
    """Say what a plan asks for that cannot be defended so."""
    method, defences = plan.method, plan.defences
    asked = [name for name in ("near_minimal", "blind") if getattr(defences, name)]
    if method.name in UNDEFENDED or method.matches_rows or plan.in_buckets:
        yield from (
            f"defences.{name}: it is for classes of levels or groups that lose little, which "
            f"{method.name!r} does not choose. Choose optimal, best or mondrian, or leave it out"
            for name in asked
        )
    judged = [asked for asked in plan.require if isinstance(asked, SensitiveRequirement)]
    if defences.blind and not judged:
        yield (
            "defences.blind: no requirement is about sensitive values, so no method sees them "
            "anyway. Leave it out"
        )
    if defences.blind and (plan.respondent_columns() or plan.sets):
        yield (
            "defences.blind: it is for one quasi-identifier and people of one row each. Leave it "
            "out"
        )
    unions = any(asked.closed_under != "supersets" for asked in judged)
    if defences.near_minimal and unions and method.groups_rows and plan.respondent_columns():
        yield (
            "defences.near_minimal: groups that share people cannot be joined at will. Choose "
            "optimal, or leave it out"
        )
