"""What every requirement has: a name, parameters, and its own definition measured on classes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from indistinct._parts import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.rules import Closure, Rule


@dataclass(frozen=True, eq=False)
class ClassValues:
    """The sensitive values in each class of one quasi-identifier, counted on published rows.

    Attributes
    ----------
    of_class, value, count
        The distinct pairs of a class and a value, ordered by class; how many respondents of the
        class have the value.
    shares
        The share of each value in the whole table, before suppression; of respondents who have
        several rows, the different values of each weigh one together.
    levels
        For each level of the values' hierarchy, the node of each value; only the values
        themselves where there is none.
    names
        The values as text.
    weighed
        For each pair, what its respondents weigh, where some have several values in a class;
        otherwise each weighs one.
    """

    of_class: NDArray[np.intp]
    value: NDArray[np.intp]
    count: NDArray[np.int64]
    shares: NDArray[np.float64]
    levels: NDArray[np.int32]
    names: tuple[str | None, ...]
    weighed: NDArray[np.float64] | None = None

    @property
    def weight(self) -> NDArray[np.float64]:
        """What the respondents of a class who have a value weigh, as `shares` weighs them."""
        return self.count / 1.0 if self.weighed is None else self.weighed


@dataclass(frozen=True, eq=False)
class PublishedClasses:
    """The classes of one quasi-identifier, counted on published rows.

    Attributes
    ----------
    rows
        The number of published rows in each class.
    respondents
        The number of distinct respondents in each class; equal to `rows` where each row is
        someone else's.
    values
        What a requirement on a sensitive column needs counted; None for others.
    """

    rows: NDArray[np.int64]
    respondents: NDArray[np.int64]
    values: ClassValues | None = None


@dataclass(frozen=True)
class Measured:
    """What a requirement's value is on a release, and which class is the worst."""

    value: float
    holds: bool
    worst: int | None


class Requirement(Part):
    """A privacy model with its parameters, as a plan states it.

    Attributes
    ----------
    paper
        Where the model was published.
    compares_with_table
        Whether classes are compared with the whole private table, rows left out among it.
    loose_capacity
        Whether the capacity of a failing class is often far from what could stand of it.
    """

    paper: ClassVar[str]
    compares_with_table: ClassVar[bool] = False
    loose_capacity: ClassVar[bool] = False

    model: str

    @property
    @abstractmethod
    def closed_under(self) -> Closure:
        """Which classes satisfy when others do.

        `supersets`: every class that contains a satisfying class satisfies; `unions`: a union of
        satisfying classes satisfies, if no person is in both. Only the first makes required
        suppression fall as columns become coarser; both make satisfaction without suppression
        monotone where each row is another person's.
        """

    @property
    def least_respondents(self) -> int:
        """The fewest respondents a satisfying class can have."""
        return 1

    @property
    def known_columns(self) -> int | None:
        """How many columns of a quasi-identifier an attacker knows at most; all if None.

        It is then about the classes of every so many columns, not of all together.
        """
        return None

    @property
    def of_all_columns(self) -> Requirement:
        """The same of the classes of all columns, which implies it where each row is a person's."""
        return self

    def reaches(self, columns: int) -> bool:
        """Return whether it is about the classes of so many columns together."""
        return self.known_columns is None or self.known_columns >= columns

    @property
    def needs_hierarchy(self) -> bool:
        """Whether it needs a hierarchy of sensitive values."""
        return False

    @abstractmethod
    def measure(self, classes: PublishedClasses) -> Measured:
        """Measure the model's value on published classes, by its definition."""

    def decided_without_table(self, value: float, suppressed: float) -> bool | None:
        """Decide from a value that was measured against the released rows, not the whole table.

        Only asked where it compares with the table. At most a share `suppressed` of the table is
        not released. None where that leaves it open.
        """
        del value, suppressed
        return None

    @abstractmethod
    def asked(self) -> str:
        """Say the parameters as a user would, `k = 5`."""

    @abstractmethod
    def describe(self) -> str:
        """Say what is promised, in words for a report."""

    @abstractmethod
    def obstacle(self, table: Table) -> str | None:
        """Say why no release of the table can satisfy it, or None."""


def least_respondents(requirements: Iterable[Requirement]) -> int:
    """Return how many respondents a class needs at least to satisfy all requirements."""
    return max((requirement.least_respondents for requirement in requirements), default=1)


def people_needed(requirements: Iterable[Requirement]) -> int:
    """Return how many people must have what is shown: as many as a class needs, and never one."""
    return max(2, least_respondents(requirements))


def some_columns(requirements: Iterable[Requirement], columns: int) -> bool:
    """Return whether some requirement is about attackers who do not know all of so many columns."""
    return not all(requirement.reaches(columns) for requirement in requirements)


class SensitiveRequirement(Requirement):
    """A requirement on what may be learnt of sensitive columns.

    Attributes
    ----------
    column
        The sensitive column it is about; each of them by itself if None.
    joined
        The stricter form for several sensitive columns: the attacker may know the values of all
        the others, so classes are distinguished by them too.
    """

    column: str | None = None
    joined: bool = False

    def columns(self, table: Table) -> list[SensitiveColumn]:
        """Return the column it names, or all sensitive columns."""
        return [c for c in table.sensitive if self.column in {None, c.name}]

    @property
    def heeds_order(self) -> bool:
        """Whether it matters to it in which order values are, or under which nodes."""
        return False

    @property
    def largest_share(self) -> float | None:
        """The largest share of a class that it lets a value have, if that is all it asks."""
        return None

    def most_of_class(self, column: SensitiveColumn) -> NDArray[np.float64] | None:
        """Return for each value the largest share of a class that it lets it have, if it says."""
        del column
        return None

    @property
    def of_what(self) -> str:
        """Say which columns it is about, for a report."""
        return f"of {self.column!r}" if self.column else "of each sensitive column"

    @property
    def in_form(self) -> str:
        """Name the joined form, behind the parameters."""
        return ", joined" if self.joined else ""

    @property
    def for_whom(self) -> str:
        """Say in the joined form what the attacker may know besides, for a report."""
        return ", also for someone who knows the other sensitive columns" if self.joined else ""

    @abstractmethod
    def rule(self, column: SensitiveColumn) -> Rule:
        """Say how a search tests a class for it."""

    def least_values(self, column: SensitiveColumn) -> float:
        """Return how many values of a column every satisfying class has, as far as that is known.

        A search is told of it by the rule, unless groups of just so many would mislead it.
        """
        return self.rule(column).least_values
