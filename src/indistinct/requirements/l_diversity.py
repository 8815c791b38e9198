"""l-diversity: each class has at least l well-represented values of a sensitive column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from indistinct.requirements.base import Closure, Measured, Rule, SensitiveRequirement
from indistinct.requirements.histograms import (
    largest_counts,
    per_class,
    too_few_values,
    totals,
    worst,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.base import ClassValues, PublishedClasses

SLACK = 1e-9


class LDiversity(SensitiveRequirement):
    """l-diversity in its four forms (Machanavajjhala et al. 2006; Ghinita et al. 2009).

    It needs the histogram of the sensitive column in each class.

    - *distinct*: at least l values; measured as the fewest values of a class.
    - *entropy*: entropy at least log l; measured as the least exp(entropy).
    - *recursive* (c, l): with counts falling, r1 < c (r_l + ... + r_m); measured as the largest
      r1 / (r_l + ... + r_m), which must stay below c.
    - *frequency*: no value more often than 1/l of the class; measured as the least total / r1.

    Distinct is closed under supersets, the others under unions only: a satisfying class joined
    with one of a single value may fail. A missing value is a value of its own.
    """

    paper: ClassVar[str] = (
        "Machanavajjhala et al., ICDE 2006; frequency: Ghinita et al., ACM TODS 34(2), 2009, Def. 4"
    )

    model: Literal["l-diversity"] = "l-diversity"
    kind: Literal["distinct", "entropy", "recursive", "frequency"] = "distinct"
    l: Annotated[float, Field(gt=1, allow_inf_nan=False, strict=True)]  # noqa: E741 - the paper's
    c: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)] | None = None

    @model_validator(mode="after")
    def _numbers_fit_kind(self) -> LDiversity:
        if self.kind in {"distinct", "recursive"} and self.l != int(self.l):
            raise ValueError(f"l of {self.kind} l-diversity is a whole number")
        if (self.c is None) == (self.kind == "recursive"):
            raise ValueError('c goes with kind = "recursive", and only with it')
        return self

    @property
    def closed_under(self) -> Closure:
        """Supersets for distinct values, else unions."""
        return "supersets" if self.kind == "distinct" else "unions"

    def rule(self, column: SensitiveColumn) -> Rule:
        """Test the histogram of a class."""
        del column
        if self.kind == "recursive":
            return Rule("recursive", (self.c or 0.0, self.l))
        return Rule(self.kind, (self.l, 0.0))

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the least diverse class."""
        values = classes.values
        if values is None or classes.rows.size == 0:
            return Measured(value=0, holds=False, worst=None)
        if self.kind == "recursive":
            return worst(
                self._ratios(values), largest=True, holds=lambda v: v < (self.c or 0) - SLACK
            )
        return worst(
            self._diversity(classes, values), largest=False, holds=lambda v: v >= self.l - SLACK
        )

    def _diversity(self, classes: PublishedClasses, values: ClassValues) -> NDArray[np.float64]:
        if self.kind == "distinct":
            return per_class(values, np.ones(values.count.size))
        if self.kind == "entropy":
            return np.exp(_entropy(values))
        return classes.respondents / largest_counts(values)

    def _ratios(self, values: ClassValues) -> NDArray[np.float64]:
        order = np.lexsort((-values.count, values.of_class))
        starts = np.searchsorted(values.of_class, np.arange(values.of_class[-1] + 1))
        rank = np.arange(order.size) - starts[values.of_class]
        falling = values.count[order].astype(float)
        tail = np.bincount(values.of_class, weights=np.where(rank >= self.l - 1, falling, 0.0))
        first = falling[starts]
        return np.where(tail > 0, first / np.maximum(tail, SLACK), np.inf)

    def asked(self) -> str:
        """Say the parameters."""
        factor = f"c = {self.c:g}, " if self.c is not None else ""
        return f"{self.kind}, {factor}l = {self.l:g}{self.in_form}"

    def describe(self) -> str:
        """Say what is promised."""
        of, ruled_out = self.of_what, self.l - 2
        after = f"even after ruling out {ruled_out:g} others " if ruled_out else ""
        promise = {
            "distinct": f"each class holds at least {self.l:g} different values {of}",
            "entropy": f"values {of} are as spread in each class as {self.l:g} equal ones",
            "recursive": (
                f"in each class the most frequent value {of} is outweighed: {after}"
                f"it stays below {self.c or 0:g} times the rest"
            ),
            "frequency": f"no value {of} is held by more than one in {self.l:g} of a class",
        }
        return promise[self.kind] + self.for_whom

    def obstacle(self, table: Table) -> str | None:
        """Say that a column has fewer than l values, if so."""
        enough = self.kind == "distinct"
        return too_few_values(self.l, "l", self.columns(table), enough=enough)


def _entropy(values: ClassValues) -> NDArray[np.float64]:
    share = values.count / totals(values)[values.of_class]
    return per_class(values, -share * np.log(share))
