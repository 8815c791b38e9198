"""beta-likeness: no class makes a sensitive value much more likely than the whole table does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.requirements.base import Measured, SensitiveRequirement
from indistinct.requirements.histograms import SLACK, largest_bounded, shares_inside, worst
from indistinct.requirements.rules import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.base import ClassValues, PublishedClasses
    from indistinct.requirements.rules import Closure, Held, Part, RuleNumbers


class BetaLikeness(SensitiveRequirement):
    """beta-likeness (Cao and Karras 2012), basic and enhanced.

    With p the share of a value in the table before suppression and q its share in a class, the
    value gains (q - p) / p where q > p.

    - *enhanced* (the default, which the paper goes on with): no value gains more than
      min(beta, -ln p), so that values frequent in the table are bounded too however large beta is.
    - *basic*: no value gains more than beta.

    It needs the histogram of the sensitive column in each class and in the table. Closed under
    unions: the share q of a value in a union is a convex combination of its shares in the parts
    (if no person is in both), so at most the larger of them, and the bound on q,
    p (1 + min(beta, -ln p)), is the same for all classes. Not under supersets: more rows of a value
    raise its share. Measured as the least beta that the release would satisfy: the largest gain,
    infinite where one exceeds -ln p in the enhanced form.
    """

    paper: ClassVar[str] = "Cao and Karras, PVLDB 5(11), 2012"
    compares_with_table: ClassVar[bool] = True

    model: Literal["beta-likeness"] = "beta-likeness"
    beta: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
    kind: Literal["basic", "enhanced"] = "enhanced"

    @property
    def closed_under(self) -> Closure:
        """Unions."""
        return "unions"

    def rule(self, column: SensitiveColumn) -> Rule:
        """Test what values gain in a class."""
        return Rule(
            _gains_no_more,
            _largest_that_gains_no_more,
            self.closed_under,
            numbers=(self.beta, float(self.kind == "enhanced")),
            least_values=self._least_values(column.shares),
            limits=_keep_what_gains_no_more,
        )

    def _least_values(self, shares: NDArray[np.float64]) -> float:
        """Count the values, those with the largest bounds first, whose bounds add up to 1."""
        held = shares[shares > 0]
        most = np.minimum(self.beta, -np.log(held)) if self.kind == "enhanced" else self.beta
        bounds = np.sort(held * (1 + most))[::-1].cumsum()
        return min(float(np.count_nonzero(bounds < 1 - SLACK)) + 1, float(held.size))

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the class where a value gains most."""
        if classes.values is None or classes.rows.size == 0:
            return Measured(value=float("inf"), holds=False, worst=None)
        largest = np.zeros(classes.rows.size)
        np.maximum.at(largest, classes.values.of_class, self._betas(classes.values))
        return worst(largest, largest=True, holds=lambda v: v <= self.beta + SLACK)

    def _betas(self, values: ClassValues) -> NDArray[np.float64]:
        """Return the least beta that each value of each class satisfies."""
        inside = shares_inside(values)
        whole = values.shares[values.value]
        gain = np.full(inside.size, np.inf)
        np.divide(inside - whole, whole, out=gain, where=whole > 0)
        if self.kind == "enhanced":
            positive = np.where(whole > 0, whole, 1.0)
            gain[gain > -np.log(positive) + SLACK] = np.inf
        return gain

    def decided_without_table(self, value: float, suppressed: float) -> bool | None:
        """Decide the basic form from p >= (1 - s) p', where p' is a share in the release.

        With q <= (1 + value) p', a value gains at most (1 + value) / (1 - s) - 1. How much less it
        may be is not known, as p may be larger too; nor, for the same reason, is -ln p.
        """
        sure = self.kind == "basic" and 1 + value <= (1 + self.beta) * (1 - suppressed)
        return True if sure else None

    def asked(self) -> str:
        """Say the parameters."""
        return f"{self.kind}, beta = {self.beta:g}{self.in_form}"

    def describe(self) -> str:
        """Say what is promised."""
        also = ", or than -ln of its share there" if self.kind == "enhanced" else ""
        return (
            f"the share of no value {self.of_what} is larger in a class than in the whole table by "
            f"more than {self.beta:g} times the latter{also}{self.for_whom}"
        )

    def obstacle(self, table: Table) -> str | None:
        """Say nothing: in a class of all rows no value gains."""
        del table
        return None


# --- What a search asks of one class; numbers.first is beta, numbers.second whether enhanced ------


def _most_gained(numbers: RuleNumbers, share: float) -> float:
    """Return how much a value of a share in the table may gain."""
    if numbers.second > 0:
        return min(numbers.first, -float(np.log(share)))
    return numbers.first


def _gains_no_more(numbers: RuleNumbers, held: Held) -> bool:
    for i in range(held.counts.size):
        share = numbers.shares[held.values[i]]
        if share <= 0:
            return False
        gain = (held.counts[i] / held.total - share) / share
        if gain > _most_gained(numbers, share) + SLACK:
            return False
    return True


def _keep_what_gains_no_more(numbers: RuleNumbers, held: Held, part: Part) -> int:
    """Let no value have a larger share of a part than it may gain."""
    for i in range(held.counts.size):
        share, most = numbers.shares[held.values[i]], 0.0
        if share > 0:
            most = share * (1 + _most_gained(numbers, share) + SLACK)
        part.high[i] = min(part.high[i], int(most * part.size))
    return 0


def _largest_that_gains_no_more(numbers: RuleNumbers, held: Held) -> int:
    """Return the most rows of which each value has at most its bounded share."""
    bounds = np.zeros(held.counts.size)
    for i in range(bounds.size):
        share = numbers.shares[held.values[i]]
        if share > 0:
            bounds[i] = share * (1 + _most_gained(numbers, share) + SLACK)
    return largest_bounded(held, bounds, held.total, 1.0)
