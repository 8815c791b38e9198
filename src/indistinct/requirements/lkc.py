"""LKC-privacy: whoever knows any L quasi columns of a person learns no sensitive value of his."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from indistinct.requirements.alpha_k import AlphaK
from indistinct.requirements.base import SensitiveRequirement
from indistinct.requirements.k_m import columns_in_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.base import Measured, PublishedClasses
    from indistinct.requirements.rules import Closure, Rule


class LKC(SensitiveRequirement):
    """LKC-privacy (Mohammed, Fung, Hung and Lee 2009).

    An attacker knows at most l quasi columns of a person. Every combination of published values of
    any l columns of a quasi-identifier is held by at least k respondents, or by nobody, and no
    watched value by more than the share c of them. It is (alpha, k)-anonymity of every l columns,
    and its rule, measure and closure are those of that model: closed under unions.

    Attributes
    ----------
    values
        The watched values; all if not given.
    """

    paper: ClassVar[str] = "Mohammed, Fung, Hung and Lee, KDD 2009"

    model: Literal["lkc"] = "lkc"
    l: Annotated[int, Field(ge=1, strict=True)]  # noqa: E741 - as the paper calls it
    k: Annotated[int, Field(ge=2, strict=True)]
    c: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)]
    values: Annotated[list[str], Field(min_length=1)] | None = None
    joined: Literal[False] = False

    @property
    def of_all_columns(self) -> AlphaK:
        """(alpha, k)-anonymity: classes of fewer columns are unions."""
        return AlphaK(alpha=self.c, k=self.k, values=self.values, column=self.column)

    @property
    def closed_under(self) -> Closure:
        """Unions."""
        return self.of_all_columns.closed_under

    @property
    def known_columns(self) -> int:
        """L."""
        return self.l

    @property
    def least_respondents(self) -> int:
        """K."""
        return self.k

    @property
    def largest_share(self) -> float:
        """C."""
        return self.c

    def most_of_class(self, column: SensitiveColumn) -> NDArray[np.float64]:
        """C for the watched values, all of a class for others."""
        return self.of_all_columns.most_of_class(column)

    def rule(self, column: SensitiveColumn) -> Rule:
        """Test the shares of the watched values."""
        return self.of_all_columns.rule(column)

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the class where a watched value has the largest share."""
        return self.of_all_columns.measure(classes)

    def asked(self) -> str:
        """Say the parameters."""
        watched = f", values = {', '.join(self.values)}" if self.values else ""
        return f"l = {self.l}, k = {self.k}, c = {self.c:g}{watched}"

    def describe(self) -> str:
        """Say what is promised."""
        what = "no value" if self.values is None else f"none of {', '.join(self.values)}"
        return (
            f"anyone who knows at most {columns_in_words(self.l)} of a person finds at least "
            f"{self.k} people, and {what} {self.of_what} is held by more than {self.c:.4g} of them"
        )

    def obstacle(self, table: Table) -> str | None:
        """Say that there are too few values or respondents; raise if a watched value is unknown."""
        reason = self.of_all_columns.obstacle(table)
        return None if reason is None else reason.replace("alpha", "c")
