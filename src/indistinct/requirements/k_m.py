"""k^m-anonymity of quasi columns: whoever knows any m columns of a person is left with k people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from indistinct.requirements.base import Requirement
from indistinct.requirements.k_anonymity import KAnonymity, fewest_respondents, too_few_respondents

if TYPE_CHECKING:
    from indistinct.model.table import Table
    from indistinct.requirements.base import Measured, PublishedClasses
    from indistinct.requirements.rules import Closure


class KM(Requirement):
    """k^m-anonymity (Terrovitis, Mamoulis and Kalnis 2008), of columns instead of items.

    An attacker knows at most m quasi columns of a person. Every combination of published values of
    any m columns of a quasi-identifier is held by at least k respondents, or by nobody; so are
    those of fewer columns, whose classes are unions. It is LKC-privacy without C, and k-anonymity
    where there are no more than m columns.

    It needs the number of distinct respondents of each class of each m columns, and is closed under
    supersets.
    """

    paper: ClassVar[str] = "Terrovitis, Mamoulis and Kalnis, PVLDB 1(1), 2008"

    model: Literal["k-m"] = "k-m"
    k: Annotated[int, Field(ge=2, strict=True)]
    m: Annotated[int, Field(ge=1, strict=True)]

    @property
    def closed_under(self) -> Closure:
        """Supersets."""
        return "supersets"

    @property
    def known_columns(self) -> int:
        """M."""
        return self.m

    @property
    def of_all_columns(self) -> KAnonymity:
        """k-anonymity: classes of fewer columns are unions."""
        return KAnonymity(k=self.k)

    @property
    def least_respondents(self) -> int:
        """K."""
        return self.k

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the class of fewest respondents."""
        return fewest_respondents(classes, self.k)

    def asked(self) -> str:
        """Say the parameters."""
        return f"k = {self.k}, m = {self.m}"

    def describe(self) -> str:
        """Say what is promised."""
        return (
            f"anyone who knows at most {columns_in_words(self.m)} of a person finds at least "
            f"{self.k} people"
        )

    def obstacle(self, table: Table) -> str | None:
        """Say that there are fewer than k respondents, if so."""
        return too_few_respondents(self.k, table)


def columns_in_words(number: int) -> str:
    """Say how many quasi columns an attacker knows."""
    return "one quasi column" if number == 1 else f"{number} quasi columns"
