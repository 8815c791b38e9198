"""What is known of a release as one of a series."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from indistinct.check.rows import Evidence
    from indistinct.series.ledger import Ledger


@dataclass(frozen=True, eq=False)
class SeriesFacts:
    """A release among those before it.

    Attributes
    ----------
    ledger
        What was published for whom, this release among it; private.
    found
        What each requirement measures among people of the same history, in each release.
    counts
        How many people came, left, and were suppressed for it.
    """

    ledger: Ledger = field(repr=False)
    found: tuple[tuple[int, Evidence], ...] = field(repr=False)
    counts: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        people = np.bincount(self.ledger.cohorts)
        return {
            **self.counts,
            "people_ever_published": len(self.ledger.people),
            "histories": int(people.size),
            "fewest_of_one_history": int(people.min()),
            "joined": [joined_json(number, evidence) for number, evidence in self.found],
        }


def joined_json(release: int, evidence: Evidence) -> dict[str, Any]:
    """Return what a requirement measures among people of the same history as plain data."""
    return {
        "release": release,
        "model": evidence.requirement.model,
        **({"column": evidence.column} if evidence.column else {}),
        "promised": evidence.requirement.asked(),
        "measured": evidence.measured,
        "holds": evidence.holds,
    }
