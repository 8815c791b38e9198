"""delta-disclosure privacy: in every class, every value has nearly the share of the whole table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.requirements.base import Measured, SensitiveRequirement
from indistinct.requirements.histograms import (
    SLACK,
    largest_bounded,
    of_values,
    per_class,
    shares_inside,
    worst,
)
from indistinct.requirements.rules import Rule

if TYPE_CHECKING:
    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.base import PublishedClasses
    from indistinct.requirements.rules import Closure, Held, Part, RuleNumbers


class DeltaDisclosure(SensitiveRequirement):
    """delta-disclosure privacy (Brickell and Shmatikov 2008).

    With p the share of a value in the table before suppression and q its share in a class,
    |ln(q / p)| < delta for every value of the table and every class; strictly less, as published.
    So every class holds every value. The logarithm is the natural one.

    It needs the histogram of the sensitive column in each class and in the table. Closed under
    unions: it says that p exp(-delta) < q < p exp(delta), with the same ends for all classes, and
    the share q of a value in a union is a convex combination of its shares in the parts (if no
    person is in both), so between them. Not under supersets: more rows of a value raise its share.
    Measured as the largest |ln(q / p)|, infinite where a class lacks a value.
    """

    paper: ClassVar[str] = "Brickell and Shmatikov, KDD 2008"
    compares_with_table: ClassVar[bool] = True

    model: Literal["delta-disclosure"] = "delta-disclosure"
    delta: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]

    @property
    def closed_under(self) -> Closure:
        """Unions."""
        return "unions"

    def rule(self, column: SensitiveColumn) -> Rule:
        """Test the ratio of shares of every value."""
        return Rule(
            _has_all_nearly_alike,
            _largest_with_all_nearly_alike,
            self.closed_under,
            numbers=(self.delta, 0.0),
            least_values=float(np.count_nonzero(column.shares)),
            limits=_keep_nearly_alike,
        )

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the class where the share of a value is farthest from that in the table."""
        values = classes.values
        if values is None or classes.rows.size == 0:
            return Measured(value=float("inf"), holds=False, worst=None)
        inside = shares_inside(values)
        whole = values.shares[values.value]
        ratio = np.full(inside.size, np.inf)
        np.divide(inside, whole, out=ratio, where=whole > 0)
        farthest = np.zeros(classes.rows.size)
        np.maximum.at(farthest, values.of_class, np.abs(np.log(ratio)))
        held = per_class(values, (whole > 0).astype(np.float64))
        farthest[held < np.count_nonzero(values.shares)] = np.inf
        return worst(farthest, largest=True, holds=lambda v: v < self.delta - SLACK)

    def decided_without_table(self, value: float, suppressed: float) -> bool | None:
        """Decide that it fails where a class lacks a released value.

        Otherwise the table may have values, and shares of them, that the release does not show.
        """
        del suppressed
        return False if value == float("inf") else None

    def asked(self) -> str:
        """Say the parameters."""
        return f"delta = {self.delta:g}{self.in_form}"

    def describe(self) -> str:
        """Say what is promised."""
        return (
            f"the shares of every value {self.of_what} in a class and in the whole table differ by "
            f"a factor of less than exp({self.delta:g}){self.for_whom}"
        )

    def obstacle(self, table: Table) -> str | None:
        """Say nothing: a class of all rows is as the table."""
        del table
        return None


# --- What a search asks of one class; numbers.first is delta --------------------------------------


def _has_all_nearly_alike(numbers: RuleNumbers, held: Held) -> bool:
    for value in range(numbers.shares.size):
        share, count = numbers.shares[value], held.histogram[value]
        if share <= 0 and count == 0:
            continue
        if share <= 0 or count == 0:
            return False
        if abs(np.log(count / held.total / share)) >= numbers.first - SLACK:
            return False
    return True


def _keep_nearly_alike(numbers: RuleNumbers, held: Held, part: Part) -> int:
    """Let every value have a share of a part strictly between its ends."""
    ratio = np.exp(numbers.first)
    for i in range(held.counts.size):
        whole = numbers.shares[held.values[i]] * part.size
        if whole <= 0:
            part.high[i] = 0
            continue
        part.low[i] = max(part.low[i], int(np.floor(whole / ratio)))
        part.high[i] = min(part.high[i], int(np.ceil(whole * ratio)))
        while part.low[i] <= part.high[i] and not _is_nearly(numbers, part.low[i], whole):
            part.low[i] += 1
        while part.high[i] >= part.low[i] and not _is_nearly(numbers, part.high[i], whole):
            part.high[i] -= 1
    return 0


def _is_nearly(numbers: RuleNumbers, count: int, whole: float) -> bool:
    """Return whether a count is within the factor of what the whole table has."""
    return count > 0 and abs(np.log(count / whole)) < numbers.first - SLACK


def _largest_with_all_nearly_alike(numbers: RuleNumbers, held: Held) -> int:
    """Return the most rows n of which each value could have a share between its ends.

    From p exp(-delta) n < count, n is below count exp(delta) / p for each value; from the upper
    ends, each value has at most p exp(delta) n of the n rows.
    """
    ratio = np.exp(numbers.first)
    most = float(held.total)
    for value in range(numbers.shares.size):
        if numbers.shares[value] > 0:
            most = min(most, held.histogram[value] * ratio / numbers.shares[value])
    bounds = of_values(held, numbers.shares)
    for i in range(bounds.size):
        bounds[i] *= ratio
    return largest_bounded(held, bounds, int(most + SLACK), 1.0)
