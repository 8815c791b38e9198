"""(alpha, k)-anonymity: k-anonymity where no sensitive value has too large a share of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from coarsen.requirements.base import Closure, Measured, Rule, SensitiveRequirement
from coarsen.requirements.histograms import worst
from coarsen.requirements.k_anonymity import too_few_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coarsen.requirements.base import PublishedClasses
    from coarsen.table import SensitiveColumn, Table

SLACK = 1e-9


class AlphaK(SensitiveRequirement):
    """(alpha, k)-anonymity (Wong et al. 2006), for one sensitive value, several, or all.

    It needs the histogram of the sensitive column in each class. The share of a value in a union
    is at most the larger of its shares, so it is closed under unions, but not under supersets.
    Measured as the largest share of a watched value; a class of fewer than k respondents fails
    whatever it holds.

    Attributes
    ----------
    values
        The watched values; all if not given.
    """

    paper: ClassVar[str] = "Wong, Li, Fu, Wang, KDD 2006"
    closed_under: ClassVar[Closure] = "unions"

    model: Literal["alpha-k"] = "alpha-k"
    alpha: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
    k: Annotated[int, Field(ge=2, strict=True)]
    values: list[str] | None = None

    @property
    def least_respondents(self) -> int:
        """K."""
        return self.k

    def rule(self, column: SensitiveColumn) -> Rule:
        """Test the shares of the watched values."""
        watched = None
        if self.values is not None:
            watched = tuple(c for c, value in enumerate(column.values) if value in self.values)
        return Rule("share", (self.alpha, 0.0), watched)

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the class where a watched value has the largest share."""
        if classes.values is None or classes.rows.size == 0:
            return Measured(value=1, holds=False, worst=None)
        values = classes.values
        share = values.count / classes.respondents[values.of_class]
        share[~self._watches(values.names)[values.value]] = 0.0
        largest = np.zeros(classes.rows.size)
        np.maximum.at(largest, values.of_class, share)
        small = int(np.argmin(classes.respondents))
        if classes.respondents[small] < self.k:
            return Measured(value=float(largest[small]), holds=False, worst=small)
        return worst(largest, largest=True, holds=lambda v: v <= self.alpha + SLACK)

    def _watches(self, names: tuple[str | None, ...]) -> NDArray[np.bool_]:
        return np.array([self.values is None or name in self.values for name in names], dtype=bool)

    def asked(self) -> str:
        """Say the parameters."""
        watched = f", values = {', '.join(self.values)}" if self.values else ""
        return f"alpha = {self.alpha:g}, k = {self.k}{watched}"

    def describe(self) -> str:
        """Say what is promised."""
        what = "no value" if self.values is None else f"none of {', '.join(self.values)}"
        of = f" of {self.column!r}" if self.column else ""
        return (
            f"classes have at least {self.k} people, and {what}{of} is held by more than "
            f"{self.alpha:.0%} of a class"
        )

    def obstacle(self, table: Table) -> str | None:
        """Say that there are too few respondents, or a watched value that does not occur."""
        if self.values is not None:
            for column in self.columns(table):
                unknown = [value for value in self.values if value not in column.values]
                if unknown and self.column is not None:
                    return f"column {column.name!r} has no value {unknown[0]!r}"
        return too_few_respondents(self.k, table)
