"""Settings given beside a plan, which take the place of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from indistinct.requirements import KAnonymity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indistinct.plan.core import Plan

    MethodAsked = str | Mapping[str, Any]


class HasMethod(Protocol):
    """A plan, of a table or of tree records."""

    @property
    def method(self) -> Any:
        """How to search."""


class Overrides(TypedDict, total=False):
    """What may be said beside a plan; None leaves the plan's own."""

    k: int | None
    method: str | None
    seed: int | None
    delimiter: str | None
    encoding: str | None
    sheet: str | None
    guard_formulas: bool | None
    engine: str | None
    memory_limit: str | None


def overridden(plan: Plan, given: Overrides) -> Plan:
    """Return the plan with what is given over it; it is checked anew as a whole.

    >>> from indistinct.datasets import medical_plan
    >>> from indistinct.plan import Plan
    >>> asked = overridden(Plan.load(medical_plan()), {"k": 3, "method": "mondrian"})
    >>> asked.require[0].k, asked.method.name
    (3, 'mondrian')
    """
    options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if not options:
        return plan
    if "k" in options:
        options["require"] = require_with_k(plan, options.pop("k"))
    if "method" in options:
        options["method"] = method_settings(plan, options["method"])
    return plan.overridden(options)


def require_with_k(plan: Plan, k: int) -> list[dict[str, Any]]:
    """Put k into the plan's k-anonymity, or add it; the other requirements stay."""
    asked = [requirement.model_dump(mode="python") for requirement in plan.require]
    counted = [part for part in asked if part["model"] == KAnonymity.model_fields["model"].default]
    for part in counted:
        part["k"] = k
    return asked if counted else [*asked, {"model": "k-anonymity", "k": k}]


def method_settings(plan: HasMethod, method: MethodAsked) -> dict[str, Any]:
    """Take the plan's settings of its own method; another one has its defaults, or those given."""
    if not isinstance(method, str):
        return dict(method)
    if method == plan.method.name:
        return dict(plan.method.model_dump(mode="python"))
    return {"name": method}
