"""What every attack reports: its story, how often it worked, and how often it would by chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from indistinct.measures.confidence import Rate
    from indistinct.risk.attacks.job import Job


@dataclass(frozen=True)
class Finding:
    """Something an attacker would learn.

    Attributes
    ----------
    where
        The published values of the class; empty where it is not about a class.
    rows
        About how many rows.
    learnt
        What, in words.
    """

    where: Mapping[str, str]
    rows: int
    learnt: str

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"where": dict(self.where), "rows": self.rows, "learnt": self.learnt}


@dataclass(frozen=True)
class Attack:
    """The outcome of an attack.

    Attributes
    ----------
    name
        Which attack.
    story
        What was tried and what came of it, in plain words.
    rate
        How often it worked, with an interval.
    baseline
        How often it would have worked for somebody who learns nothing from the release.
    chance
        What the baseline is.
    findings
        The worst cases; they show published values.
    details
        Further numbers.
    """

    name: str
    story: str
    rate: Rate
    baseline: float
    chance: str
    findings: tuple[Finding, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether it worked more often than chance, the interval considered."""
        return self.rate.hits > 0 and self.rate.low > self.baseline

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "attack": self.name,
            "succeeded": self.succeeded,
            "story": self.story,
            "rate": self.rate.as_json(),
            "baseline": self.baseline,
            "chance": self.chance,
            "findings": [finding.as_json() for finding in self.findings],
            "details": self.details,
        }


@dataclass(frozen=True)
class Attacker:
    """An attack that can be asked for by name.

    Attributes
    ----------
    play
        Runs it with what is at hand; an attack on sensitive values once for each of their columns.
    lacks
        Says in words what it needs that is not at hand; None if nothing is missing.
    on_classes
        Whether it looks at classes, which a release of matched rows does not have.
    learns
        Whether it needs the library that fits classifiers.
    """

    name: str
    play: Callable[[Job], Iterator[Attack]]
    lacks: Callable[[Job], str | None]
    on_classes: bool = False
    learns: bool = False
