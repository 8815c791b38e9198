"""p-sensitive k-anonymity: k-anonymity with at least p values of each sensitive column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.requirements.base import Measured, SensitiveRequirement
from indistinct.requirements.histograms import (
    has_enough_values,
    per_class,
    too_few_values,
    worst,
)
from indistinct.requirements.k_anonymity import too_few_respondents
from indistinct.requirements.rules import Rule, no_part

if TYPE_CHECKING:
    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.base import PublishedClasses
    from indistinct.requirements.rules import Closure


class PSensitive(SensitiveRequirement):
    """p-sensitive k-anonymity (Truta and Vinay 2006).

    It needs the distinct sensitive values of each class, and is closed under supersets. Measured
    as the fewest values of a class; a class of fewer than k respondents fails whatever it holds.
    """

    paper: ClassVar[str] = "Truta and Vinay, PDM at ICDE 2006"

    model: Literal["p-sensitive"] = "p-sensitive"
    p: Annotated[int, Field(ge=2, strict=True)]
    k: Annotated[int, Field(ge=2, strict=True)] = 2

    @property
    def closed_under(self) -> Closure:
        """Supersets."""
        return "supersets"

    @property
    def least_respondents(self) -> int:
        """K."""
        return self.k

    def rule(self, column: SensitiveColumn) -> Rule:
        """Count the values of a class."""
        del column
        return Rule(
            has_enough_values,
            no_part,
            self.closed_under,
            numbers=(float(self.p), 0.0),
            least_values=float(self.p),
        )

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the class of fewest values."""
        if classes.values is None or classes.rows.size == 0:
            return Measured(value=0, holds=False, worst=None)
        if classes.respondents.min() < self.k:
            small = int(np.argmin(classes.respondents))
            held = int(np.count_nonzero(classes.values.of_class == small))
            return Measured(value=held, holds=False, worst=small)
        held_by_class = per_class(classes.values, np.ones(classes.values.count.size))
        return worst(held_by_class, largest=False, holds=lambda v: v >= self.p)

    def asked(self) -> str:
        """Say the parameters."""
        return f"p = {self.p}, k = {self.k}{self.in_form}"

    def describe(self) -> str:
        """Say what is promised."""
        held = f"at least {self.p} values {self.of_what}"
        return f"each class has at least {self.k} people and {held}{self.for_whom}"

    def obstacle(self, table: Table) -> str | None:
        """Say that there are too few respondents or values, if so."""
        few = too_few_values(self.p, "p", self.columns(table))
        return few or too_few_respondents(self.least_respondents, table)
