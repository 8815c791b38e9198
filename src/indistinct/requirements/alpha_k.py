"""(alpha, k)-anonymity: k-anonymity where no sensitive value has too large a share of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import Fault, PlanError
from indistinct.requirements.base import Measured, SensitiveRequirement
from indistinct.requirements.histograms import (
    SLACK,
    keep_within_shares,
    largest_within_shares,
    values_held,
    values_in_words,
    worst,
)
from indistinct.requirements.k_anonymity import too_few_respondents
from indistinct.requirements.rules import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.base import PublishedClasses
    from indistinct.requirements.rules import Closure, Held, RuleNumbers


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

    model: Literal["alpha-k"] = "alpha-k"
    alpha: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)]
    k: Annotated[int, Field(ge=2, strict=True)]
    values: Annotated[list[str], Field(min_length=1)] | None = None

    @property
    def closed_under(self) -> Closure:
        """Unions."""
        return "unions"

    @property
    def least_respondents(self) -> int:
        """K."""
        return self.k

    @property
    def largest_share(self) -> float:
        """Alpha."""
        return self.alpha

    def most_of_class(self, column: SensitiveColumn) -> NDArray[np.float64]:
        """Alpha for the watched values, all of a class for others."""
        return np.where(self._watches(column.values), self.alpha, 1.0)

    def rule(self, column: SensitiveColumn) -> Rule:
        """Test the shares of the watched values; any other may have all of a class."""
        watched = self._watches(column.values)
        return Rule(
            _has_no_larger_share,
            largest_within_shares,
            self.closed_under,
            per_value=tuple(self.most_of_class(column).tolist()),
            least_values=1 / self.alpha if watched.all() else 1.0,
            limits=keep_within_shares,
        )

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
        return f"alpha = {self.alpha:g}, k = {self.k}{watched}{self.in_form}"

    def describe(self) -> str:
        """Say what is promised."""
        what = "no value" if self.values is None else f"none of {', '.join(self.values)}"
        return (
            f"each class has at least {self.k} people, and {what} {self.of_what} is held by more "
            f"than {self.alpha:.4g} of them{self.for_whom}"
        )

    def obstacle(self, table: Table) -> str | None:
        """Say that there are too few values or respondents; raise if a watched value is unknown."""
        columns = self.columns(table)
        self._refuse_unknown(columns)
        return self._too_few_values(columns) or too_few_respondents(self.k, table)

    def _refuse_unknown(self, columns: list[SensitiveColumn]) -> None:
        present = {value for column in columns for value in column.values}
        names = " or ".join(repr(column.name) for column in columns)
        faults = [
            Fault(
                f"requirement {self.model!r}",
                f"there is no value {value!r} in column {names}",
                "Write it as the data does, or leave it out of values.",
            )
            for value in self.values or ()
            if value not in present
        ]
        if faults:
            raise PlanError(faults)

    def _too_few_values(self, columns: list[SensitiveColumn]) -> str | None:
        """Say that some value of a column has too large a share in any class, if so."""
        for column in columns if self.values is None else ():
            held = values_held(column)
            if held * self.alpha < 1 - SLACK:
                least = f"1/{held}" if held > 1 else "1"
                return (
                    f"alpha is {self.alpha:g}, but {values_in_words(column, held)}; "
                    f"no alpha below {least} can be met"
                )
        return None


def _has_no_larger_share(numbers: RuleNumbers, held: Held) -> bool:
    """Return whether no value is held by a larger share of the people than `per_value` says."""
    for i in range(held.counts.size):
        if held.counts[i] > numbers.per_value[held.values[i]] * held.heads + SLACK:
            return False
    return True
