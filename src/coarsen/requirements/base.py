"""What every requirement has: a name, parameters, and its own definition measured on classes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from coarsen._parts import Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from coarsen.table import Table


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
    """

    rows: NDArray[np.int64]
    respondents: NDArray[np.int64]


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
    monotone
        Whether joining classes that satisfy it gives a class that satisfies it.
    """

    paper: ClassVar[str]
    monotone: ClassVar[bool]

    model: str

    @abstractmethod
    def measure(self, classes: PublishedClasses) -> Measured:
        """Measure the model's value on published classes, by its definition."""

    @abstractmethod
    def asked(self) -> str:
        """Say the parameters as a user would, `k = 5`."""

    @abstractmethod
    def describe(self) -> str:
        """Say what is promised, in words for a report."""

    @abstractmethod
    def obstacle(self, table: Table) -> str | None:
        """Say why not even one class of all rows satisfies it, or None if it does."""
