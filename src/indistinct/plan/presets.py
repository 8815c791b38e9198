"""Presets: what guidance asks of a release, under a name that a plan can say.

A preset adds the requirement that a plan does not state, and refuses a plan that states a weaker
one. What it asks of the published rows themselves is in `risk/hipaa.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indistinct.plan import Plan

PresetName = Literal["k11", "cell5", "hipaa-safe-harbor"]


@dataclass(frozen=True)
class Preset:
    """What one piece of guidance asks.

    Attributes
    ----------
    k
        The fewest people of a class; None where it asks for none.
    source
        Who asks for it.
    """

    k: int | None
    source: str


PRESETS: dict[PresetName, Preset] = {
    "k11": Preset(11, "EMA policy 0070 and Health Canada PRCI: a risk of at most 0.09, 1 in 11"),
    "cell5": Preset(5, "the common rule that no table cell shows fewer than five people"),
    "hipaa-safe-harbor": Preset(None, "45 CFR 164.514(b)(2), the 18 identifiers"),
}


def with_requirement(content: Any) -> Any:
    """Return a plan's content with the k-anonymity that its preset asks for, if it states none."""
    named = content.get("preset") if isinstance(content, Mapping) else None
    preset = next((candidate for name, candidate in PRESETS.items() if name == named), None)
    if preset is None or preset.k is None:
        return content
    stated = content.get("require", [])
    if not isinstance(stated, list) or any(_model(part) == "k-anonymity" for part in stated):
        return content
    return {**content, "require": [{"model": "k-anonymity", "k": preset.k}, *stated]}


def _model(part: Any) -> Any:
    return part.get("model") if isinstance(part, Mapping) else getattr(part, "model", None)


def preset_problems(plan: Plan) -> Iterable[str]:
    """Say where a plan asks for less than its preset."""
    least = PRESETS[plan.preset].k if plan.preset else None
    for requirement in plan.require if least else ():
        if requirement.model == "k-anonymity" and requirement.least_respondents < (least or 0):
            yield (
                f"require: preset {plan.preset!r} asks for a k of at least {least}, and k is "
                f"{requirement.least_respondents}. Raise k, or leave out the preset"
            )
