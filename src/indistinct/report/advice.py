"""What follows from a report: whether attacks succeed, and a recommendation in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from indistinct.report.words import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indistinct.report.facts import ReportFacts

MUCH_LOST = 0.5
POOR_COUNTS = 0.5


@dataclass(frozen=True)
class Advice:
    """A recommendation and its reasons.

    Attributes
    ----------
    state
        Whether it can be published, has to be decided by people, or must not be published.
    """

    state: Literal["publish", "decide", "stop"]
    word: str
    reasons: tuple[str, ...] = ()


def attack_summary(facts: ReportFacts) -> str:
    """Say in a sentence whether attacks succeeded; nothing where none was to be run."""
    if facts.findings is None or facts.audience != "internal" or not facts.holds:
        return ""
    attacks = facts.findings.attacks
    if not attacks:
        return "No attack on sensitive values was run: there is no sensitive column."
    worked = [_named(attack) for attack in attacks if attack["succeeded"]]
    if not worked:
        return f"None of {len(attacks)} attacks on sensitive values works better than chance."
    verb = "works" if len(worked) == 1 else "work"
    number = f"{len(worked)} of {len(attacks)} attacks on sensitive values"
    return f"{number} {verb} better than chance: {', '.join(worked)}."


def _named(attack: Mapping[str, Any]) -> str:
    column = attack["details"].get("column")
    return f"{attack['attack']} on {column}" if column else str(attack["attack"])


def recommendation(facts: ReportFacts) -> Advice | None:
    """Say what to do with the release; the public is told nothing of it."""
    if facts.audience != "internal":
        return None
    if not facts.holds:
        word = "Do not publish this release: it does not satisfy its requirements."
        return Advice("stop", word)
    reasons = tuple(_doubts(facts))
    if reasons:
        word = "Decide before you publish: every requirement holds, but someone has to accept this:"
        return Advice("decide", word, reasons)
    word = (
        "Nothing measured here is against publishing, provided that the quasi-identifiers are "
        "named correctly and that no other release about the same people exists."
    )
    return Advice("publish", word)


def _doubts(facts: ReportFacts) -> Iterator[str]:
    findings, lost = facts.findings, facts.summary["measures"]["gcp"]
    if facts.summary["warnings"]:
        number = len(facts.summary["warnings"])
        yield "the warning above" if number == 1 else f"the {number} warnings above"
    if findings is not None:
        worked = [_named(attack) for attack in findings.attacks if attack["succeeded"]]
        if worked:
            yield f"attacks that work better than chance: {', '.join(worked)}"
        for column, cube in findings.cube.items():
            if cube["relative_error"] > POOR_COUNTS:
                error = percent(cube["relative_error"])
                yield f"counts by two columns and {column} are off by {error} on average"
    if (lost or 0.0) > MUCH_LOST:
        yield f"{percent(lost)} of the detail is lost"
