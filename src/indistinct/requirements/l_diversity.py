"""l-diversity: each class has at least l well-represented values of a sensitive column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from indistinct.requirements.base import Measured, SensitiveRequirement
from indistinct.requirements.histograms import (
    SLACK,
    has_enough_values,
    largest_counts,
    per_class,
    too_few_values,
    totals,
    worst,
)
from indistinct.requirements.rules import Rule, no_part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.base import ClassValues, PublishedClasses
    from indistinct.requirements.rules import Capacity, Closure, Held, Part, RuleNumbers, Test


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

    def most_of_class(self, column: SensitiveColumn) -> NDArray[np.float64] | None:
        """1/l for each value, if it is about frequencies."""
        return np.full(len(column.values), 1 / self.l) if self.kind == "frequency" else None

    def rule(self, column: SensitiveColumn) -> Rule:
        """Test the histogram of a class."""
        del column
        test, capacity = _SEARCHED[self.kind]
        return Rule(
            test,
            capacity,
            self.closed_under,
            numbers=(self.l, self.c or 0.0),
            least_values=self.l,
            limits=_keep_none_too_frequent if self.kind == "frequency" else None,
        )

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


# --- What a search asks of one class; numbers.first is l, numbers.second is c ---------------------


def _capped(counts: NDArray[np.int64], cap: float) -> float:
    """Count the rows left when no value may have more than `cap` of them."""
    left = 0.0
    for i in range(counts.size):
        left += min(float(counts[i]), cap)
    return left


def _effective_number(counts: NDArray[np.int64], cap: float) -> float:
    """exp(entropy) of the counts cut off at `cap`."""
    total = _capped(counts, cap)
    entropy = 0.0
    for i in range(counts.size):
        share = min(float(counts[i]), cap) / total
        if share > 0:
            entropy -= share * np.log(share)
    return float(np.exp(entropy))


def _has_entropy(numbers: RuleNumbers, held: Held) -> bool:
    return _effective_number(held.counts, float(held.total)) + SLACK >= numbers.first


def _largest_with_entropy(numbers: RuleNumbers, held: Held) -> int:
    """Return the most rows whose entropy reaches log l: cut off the largest counts."""
    if held.counts.size + SLACK < numbers.first:
        return 0
    low, high = 0.0, 0.0
    for i in range(held.counts.size):
        high = max(high, float(held.counts[i]))
    while high - low > 0.25:
        middle = (low + high) / 2
        if _effective_number(held.counts, middle) + SLACK >= numbers.first:
            low = middle
        else:
            high = middle
    return min(held.total, int(np.ceil(_capped(held.counts, high))))


def _outweighs(numbers: RuleNumbers, held: Held) -> bool:
    """Return whether r1 < c (r_l + ... + r_m)."""
    diversity = int(numbers.first)
    if held.counts.size < diversity:
        return False
    rising = np.sort(held.counts)
    tail = rising[: rising.size - diversity + 1].sum()
    return bool(rising[-1] < numbers.second * tail - SLACK)


def _largest_that_outweighs(numbers: RuleNumbers, held: Held) -> int:
    """Return the most rows with r1 < c (r_l + ... + r_m): cut off the largest counts."""
    diversity = int(numbers.first)
    if held.counts.size < diversity:
        return 0
    rising = np.sort(held.counts)
    low, high = 0, rising[-1]
    while low < high:
        middle = (low + high + 1) // 2
        tail = 0
        for i in range(rising.size - diversity + 1):
            tail += min(rising[i], middle)
        if middle < numbers.second * tail - SLACK:
            low = middle
        else:
            high = middle - 1
    return min(int(_capped(rising, float(low))), held.total)


def _has_none_too_frequent(numbers: RuleNumbers, held: Held) -> bool:
    return bool(held.counts.max() * numbers.first <= held.heads + SLACK)


def _largest_with_none_too_frequent(numbers: RuleNumbers, held: Held) -> int:
    """Return the most rows of which no value has more than 1/l."""
    low, high = 0, held.total
    while low < high:
        middle = (low + high + 1) // 2
        if _capped(held.counts, middle / numbers.first) >= middle - SLACK:
            low = middle
        else:
            high = middle - 1
    return low


def _keep_none_too_frequent(numbers: RuleNumbers, held: Held, part: Part) -> int:
    """Let no value have more than 1/l of a part."""
    most = int(part.size / numbers.first + SLACK)
    for i in range(held.counts.size):
        part.high[i] = min(part.high[i], most)
    return 0


_SEARCHED: dict[str, tuple[Test, Capacity]] = {
    "distinct": (has_enough_values, no_part),
    "entropy": (_has_entropy, _largest_with_entropy),
    "recursive": (_outweighs, _largest_that_outweighs),
    "frequency": (_has_none_too_frequent, _largest_with_none_too_frequent),
}
