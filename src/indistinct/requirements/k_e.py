"""(k, e)-anonymity: a class does not fix a sensitive number to within e."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.hierarchy.order import positions
from indistinct.requirements.base import Measured, SensitiveRequirement
from indistinct.requirements.histograms import SLACK, of_values, worst
from indistinct.requirements.k_anonymity import too_few_respondents
from indistinct.requirements.rules import Rule, no_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.base import ClassValues, PublishedClasses
    from indistinct.requirements.rules import Closure, Held, RuleNumbers


class KE(SensitiveRequirement):
    """(k, e)-anonymity (Zhang, Koudas, Srivastava and Yu 2007), counted in people too.

    The sensitive column has numbers, or dates that are counted in days. A class has at least k
    people and k different numbers, and its largest number is at least e above its smallest one. A
    missing number is none: it counts for neither. Where each row is another person's, k numbers are
    k people; where people have several rows, k people are asked for beside what was published.

    It needs the distinct values of each class, and is closed under supersets: more rows take no
    number away and narrow no range. Measured as the least range of a class; one of fewer than k
    people or numbers fails whatever its range.
    """

    paper: ClassVar[str] = "Zhang, Koudas, Srivastava and Yu, ICDE 2007"

    model: Literal["k-e"] = "k-e"
    k: Annotated[int, Field(ge=2, strict=True)]
    e: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]

    @property
    def closed_under(self) -> Closure:
        """Supersets."""
        return "supersets"

    @property
    def least_respondents(self) -> int:
        """K."""
        return self.k

    @property
    def _enough(self) -> float:
        """E, less what differences of decimal fractions lose."""
        return self.e * (1 - SLACK)

    def rule(self, column: SensitiveColumn) -> Rule:
        """Test the numbers of a class."""
        return Rule(
            _is_spread,
            no_part,
            self.closed_under,
            numbers=(float(self.k), self._enough),
            per_value=tuple(numbers_in(column.values).tolist()),
            least_values=float(self.k),
        )

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the class whose numbers are nearest together."""
        if classes.values is None or classes.rows.size == 0:
            return Measured(value=0, holds=False, worst=None)
        different, ranges = _of_classes(classes.values, classes.rows.size)
        counted = np.minimum(different, classes.respondents)
        if counted.min() < self.k:
            few = int(np.argmin(counted))
            return Measured(value=float(ranges[few]), holds=False, worst=few)
        return worst(ranges, largest=False, holds=lambda v: v >= self._enough)

    def asked(self) -> str:
        """Say the parameters."""
        return f"k = {self.k}, e = {self.e:g}{self.in_form}"

    def describe(self) -> str:
        """Say what is promised."""
        return (
            f"each class has at least {self.k} people and {self.k} different numbers "
            f"{self.of_what}, over a range of at least {self.e:g}{self.for_whom}"
        )

    def obstacle(self, table: Table) -> str | None:
        """Say that values are no numbers, that these are too few or too near, if so."""
        reasons = (self._too_little(column) for column in self.columns(table))
        little = next((reason for reason in reasons if reason), None)
        return little or too_few_respondents(self.k, table)

    def _too_little(self, column: SensitiveColumn) -> str | None:
        numbers = np.unique(numbers_in(column.values)[np.unique(column.codes)])
        numbers = numbers[~np.isnan(numbers)]
        if not numbers.size:
            return f"column {column.name!r} has values that are neither numbers nor ISO dates"
        if numbers.size < self.k:
            return f"k is {self.k}, but column {column.name!r} has {numbers.size} different numbers"
        if numbers[-1] - numbers[0] < self._enough:
            return f"e is {self.e:g}, more than the range of column {column.name!r}"
        return None


def numbers_in(values: Sequence[str | None]) -> NDArray[np.float64]:
    """Return the number that each value is; NaN for a missing one, and for all if some is none."""
    return positions(values)[1]


def _of_classes(values: ClassValues, size: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count the different numbers of each class, and return how far they reach."""
    number = numbers_in(values.names)[values.value]
    known = ~np.isnan(number)
    of_class, number = values.of_class[known], number[known]
    order = np.lexsort((number, of_class))
    of_class, number = of_class[order], number[order]
    first = np.diff(of_class, prepend=-1) > 0
    new = first | (np.diff(number, prepend=np.nan) > 0)
    last = np.append(first[1:], True)[: first.size]
    ranges = np.zeros(size)
    ranges[of_class[first]] = number[last] - number[first]
    return np.bincount(of_class[new], minlength=size), ranges


# --- What a search asks of one class; the numbers are k and e, and each value's own ---------------


def _is_spread(numbers: RuleNumbers, held: Held) -> bool:
    """Return whether a class has k different numbers that reach over e."""
    rising = np.sort(of_values(held, numbers.per_value))
    different, last = 0, np.nan
    for number in rising:
        if not np.isnan(number) and number != last:
            different += 1
            last = number
    return different >= numbers.first and last - rising[0] >= numbers.second
