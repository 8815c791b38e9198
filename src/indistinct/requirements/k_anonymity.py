"""k-anonymity: each combination of quasi-identifying values fits at least k respondents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.requirements.base import Measured, Requirement

if TYPE_CHECKING:
    from indistinct.model.table import Table
    from indistinct.requirements.base import PublishedClasses
    from indistinct.requirements.rules import Closure


class KAnonymity(Requirement):
    """k-anonymity (Samarati 2001, Definition 2.2), counted in respondents.

    It needs the number of distinct respondents of each class, and is closed under supersets: a
    class has at least as many respondents as each of its parts.
    """

    paper: ClassVar[str] = "Samarati, IEEE TKDE 13(6), 2001, Definition 2.2"

    model: Literal["k-anonymity"] = "k-anonymity"
    k: Annotated[int, Field(ge=2, strict=True)]

    @property
    def closed_under(self) -> Closure:
        """Supersets."""
        return "supersets"

    @property
    def least_respondents(self) -> int:
        """K."""
        return self.k

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the class of fewest respondents."""
        return fewest_respondents(classes, self.k)

    def asked(self) -> str:
        """Say the parameters."""
        return f"k = {self.k}"

    def describe(self) -> str:
        """Say what is promised."""
        others = "1 other person" if self.k == 2 else f"{self.k - 1} other people"
        return f"each released row looks like those of at least {others}"

    def obstacle(self, table: Table) -> str | None:
        """Say that there are fewer than k respondents, if so."""
        return too_few_respondents(self.k, table)


def fewest_respondents(classes: PublishedClasses, k: int) -> Measured:
    """Find the class of fewest respondents, and whether they are k."""
    if classes.respondents.size == 0:
        return Measured(value=0, holds=False, worst=None)
    worst = int(np.argmin(classes.respondents))
    value = int(classes.respondents[worst])
    return Measured(value=value, holds=value >= k, worst=worst)


def too_few_respondents(k: int, table: Table) -> str | None:
    """Say that some quasi-identifier has fewer than k respondents, if so."""
    for group in table.sets:
        people = table.rows if group.respondents is None else np.unique(group.respondents).size
        if people < k:
            whose = "" if len(table.sets) == 1 else f" in set {group.name!r}"
            return f"k is {k}, but the data has only {people} respondents{whose}"
    return None
