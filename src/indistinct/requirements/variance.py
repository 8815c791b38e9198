"""Variance diversity: the numbers of a class are spread, so that it does not fix a salary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.requirements.base import Measured, SensitiveRequirement
from indistinct.requirements.histograms import SLACK, of_values, worst
from indistinct.requirements.k_e import numbers_in
from indistinct.requirements.rules import Rule, all_but_one

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.base import ClassValues, PublishedClasses
    from indistinct.requirements.rules import Closure, Held, Part, RuleNumbers


class Variance(SensitiveRequirement):
    """Variance diversity (LeFevre, DeWitt and Ramakrishnan 2008), stated as standard deviation.

    The sensitive column has numbers, or dates that are counted in days. In each class the standard
    deviation of the numbers (the root of their mean squared distance from their mean) is at least
    e. A missing number counts for nothing.

    It needs the histogram of each class. The variance of a union is the mean of the variances of
    its parts, by their sizes, and what their means differ by, so it is at least the smallest of
    them: closed under unions, where no person is in both. Not under supersets: more rows of one
    number narrow it. Measured as the least standard deviation.
    """

    paper: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan, ACM TODS 33(3), 2008"

    model: Literal["variance"] = "variance"
    e: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]

    @property
    def closed_under(self) -> Closure:
        """Unions."""
        return "unions"

    @property
    def least_respondents(self) -> int:
        """Two: one number does not vary."""
        return 2

    @property
    def _enough(self) -> float:
        """E, less what sums of decimal fractions lose."""
        return self.e * (1 - SLACK)

    def rule(self, column: SensitiveColumn) -> Rule:
        """Test the numbers of a class."""
        return Rule(
            _varies,
            all_but_one,
            self.closed_under,
            numbers=(self._enough**2, 0.0),
            per_value=tuple(numbers_in(column.values).tolist()),
            least_values=2.0,
            fill=_most_spread,
        )

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the class whose numbers vary least."""
        if classes.values is None or classes.rows.size == 0:
            return Measured(value=0, holds=False, worst=None)
        deviations = _deviations(classes.values, classes.rows.size)
        few = int(np.argmin(classes.respondents))
        if classes.respondents[few] < self.least_respondents:
            return Measured(value=float(deviations[few]), holds=False, worst=few)
        return worst(deviations, largest=False, holds=lambda v: v >= self._enough)

    def asked(self) -> str:
        """Say the parameters."""
        return f"e = {self.e:g}{self.in_form}"

    def describe(self) -> str:
        """Say what is promised."""
        return (
            f"the numbers {self.of_what} have in each class a standard deviation of at least "
            f"{self.e:g}{self.for_whom}"
        )

    def obstacle(self, table: Table) -> str | None:
        """Say that values are no numbers, or that these are too near, if so."""
        reasons = (self._too_little(column) for column in self.columns(table))
        return next((reason for reason in reasons if reason), None)

    def _too_little(self, column: SensitiveColumn) -> str | None:
        numbers = numbers_in(column.values)[np.unique(column.codes)]
        numbers = numbers[~np.isnan(numbers)]
        if not numbers.size:
            return f"column {column.name!r} has values that are neither numbers nor ISO dates"
        if (numbers.max() - numbers.min()) / 2 < self._enough:
            return (
                f"e is {self.e:g}, more than half the range of column {column.name!r}, which is "
                "the most that numbers in it can deviate"
            )
        return None


def _deviations(values: ClassValues, size: int) -> NDArray[np.float64]:
    """Return the standard deviation of the numbers of each class, 0 where there are none."""
    number = numbers_in(values.names)[values.value]
    known = ~np.isnan(number)
    of_class, count, number = values.of_class[known], values.count[known], number[known]
    heads = np.maximum(np.bincount(of_class, count, minlength=size), 1)
    mean = np.bincount(of_class, count * number, minlength=size) / heads
    apart = (number - mean[of_class]) ** 2
    deviations: NDArray[np.float64] = np.sqrt(
        np.bincount(of_class, count * apart, minlength=size) / heads
    )
    return deviations


# --- What a search asks of one class; the first number is e squared, and each value has its own ---


def _varies(numbers: RuleNumbers, held: Held) -> bool:
    """Return whether the numbers of a class have a large enough variance."""
    number = of_values(held, numbers.per_value)
    heads, total = 0.0, 0.0
    for i in range(number.size):
        if not np.isnan(number[i]):
            heads += held.counts[i]
            total += held.counts[i] * number[i]
    if heads == 0:
        return False
    mean, apart = total / heads, 0.0
    for i in range(number.size):
        if not np.isnan(number[i]):
            apart += held.counts[i] * (number[i] - mean) ** 2
    return bool(apart / heads >= numbers.first)


def _most_spread(numbers: RuleNumbers, held: Held, part: Part) -> float:
    """Keep the rows that vary most: some of the smallest numbers and some of the largest.

    Of all parts of so many numbers the one of greatest variance keeps those farthest from its own
    mean, so what it lacks lies in one run of the order: every split of what is kept between the two
    ends is tried. Rows without a number change no variance; every number of them is tried, the
    largest first. Returns what is lacking as a share of the squared range, so that moving a row
    changes it by at most one by the number of rows.
    """
    number = of_values(held, numbers.per_value)
    order = np.argsort(number)  # those without a number come last
    size, known = number.size, 0
    while known < size and not np.isnan(number[order[known]]):
        known += 1
    fewest, most = 0, 0
    for i in range(known, size):
        fewest += part.low[order[i]]
        most += part.high[order[i]]
    reach = number[order[known - 1]] - number[order[0]] if known else 0.0
    best, best_missing, best_low = -1.0, fewest, 0
    for missing in range(min(most, part.size), fewest - 1, -1):
        spread, low = _best_split(number, order, part, known, part.size - missing)
        if spread > best:
            best, best_missing, best_low = spread, missing, low
        if best >= numbers.first:
            break
    _keep_split(order, part, known, part.size - best_missing, best_low)
    left = best_missing - fewest
    for i in range(known, size):
        value = order[i]
        more = min(left, part.high[value] - part.low[value])
        part.kept[value] = part.low[value] + more
        left -= more
    return float((numbers.first - best) / max(reach * reach, SLACK))


def _best_split(
    number: NDArray[np.float64], order: NDArray[np.int64], part: Part, known: int, rows: int
) -> tuple[float, int]:
    """Return the greatest variance of so many numbers, and how many are from the lower end.

    Those that must be kept are kept; of the others some of the smallest and some of the largest.
    """
    middle = number[order[known // 2]] if known else 0.0
    must, spare, total, squares = 0, 0, 0.0, 0.0
    for i in range(known):
        value = order[i]
        must += part.low[value]
        spare += part.high[value] - part.low[value]
        total += part.low[value] * (number[value] - middle)
        squares += part.low[value] * (number[value] - middle) ** 2
    free = rows - must
    if rows <= 0 or free < 0 or free > spare:
        return -1.0, 0
    above, used = known - 1, 0
    for _ in range(free):  # all from the upper end first
        while used >= part.high[order[above]] - part.low[order[above]]:
            above, used = above - 1, 0
        used += 1
        away = number[order[above]] - middle
        total += away
        squares += away * away
    best, best_low = squares / rows - (total / rows) ** 2, 0
    below, taken = 0, 0
    for low in range(1, free + 1):
        while used == 0:
            above += 1
            used = part.high[order[above]] - part.low[order[above]]
        while taken >= part.high[order[below]] - part.low[order[below]]:
            below, taken = below + 1, 0
        out, into = number[order[above]] - middle, number[order[below]] - middle
        used -= 1
        taken += 1
        total += into - out
        squares += into * into - out * out
        spread = squares / rows - (total / rows) ** 2
        if spread > best:
            best, best_low = spread, low
    return best, best_low


def _keep_split(order: NDArray[np.int64], part: Part, known: int, rows: int, low: int) -> int:
    """Keep so many numbers, so many of which are from the lower end; return nothing of use."""
    must = 0
    for i in range(known):
        must += part.low[order[i]]
    below, above = low, rows - must - low
    for i in range(known):
        value = order[i]
        more = max(min(below, part.high[value] - part.low[value]), 0)
        part.kept[value] = part.low[value] + more
        below -= more
    for i in range(known - 1, -1, -1):
        value = order[i]
        more = max(min(above, part.high[value] - part.kept[value]), 0)
        part.kept[value] += more
        above -= more
    return 0
