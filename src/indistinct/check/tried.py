"""Tried: how an attack on a release ended, beside its check."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Tried:
    """An attack and how it ended.

    Attributes
    ----------
    column
        The sensitive column that it was on, if any.
    succeeded
        Whether it worked more often than chance, the interval considered.
    share, baseline
        How often it worked, and how often by chance.
    """

    attack: str
    column: str | None
    succeeded: bool
    share: float
    baseline: float

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)
