"""What a requirement on a sensitive column brings to a search: the test of a class, its capacity.

Both are plain functions of the numbers that the rule is about and of the values that a class holds.
They stand in the requirement's own file. A search compiles those that a plan asks for, with the
functions of this package that they call (`indistinct.kernels.pointers`); they may use what numba
knows of Python and numpy.

The *capacity* of a class is the most of its rows that parts of it which satisfy could hold. It is
needed because most models are closed under unions only: a failing class may split into parts that
satisfy, but those parts together satisfy too, so they hold no more rows than the largest part of
the class that satisfies. A capacity may be larger than that, never smaller.

That largest part itself is what is left of a class when the fewest of its rows are suppressed
(`methods/common/part_kernel.py`). For each number of rows it is looked for among the parts that
keep every value within its `limits`. Most rules then ask for values as even as possible: of all
parts of so many rows, the evenest has the greatest entropy, the smallest largest count and the
greatest sum of all but the largest counts (it is majorized by every other), so if any satisfies, it
does. A rule that wants another one brings its own `fill`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Closure = Literal["supersets", "unions"]


class RuleNumbers(NamedTuple):
    """What a rule compares a class with.

    Attributes
    ----------
    first, second
        Two numbers that mean what the rule takes them for.
    per_value
        A number for each value of the column, likewise.
    shares
        The share of each value in the whole table.
    tree
        For each level of the values' hierarchy, the node of each value.
    """

    first: float
    second: float
    per_value: NDArray[np.float64]
    shares: NDArray[np.float64]
    tree: NDArray[np.int32]


class Held(NamedTuple):
    """The sensitive values of one class.

    Attributes
    ----------
    histogram
        How often each value of the column occurs.
    values, counts
        The values that occur, and how often each does.
    total
        The sum of all counts.
    heads
        How many people they stand for; fewer where some have several values.
    """

    histogram: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    total: int
    heads: int


class Part(NamedTuple):
    """A part of a class: for each value that the class holds, how many of its rows are kept.

    Attributes
    ----------
    size
        How many rows the part has.
    low, high
        How many rows of each value may be kept, at least and at most.
    kept
        How many are kept.
    """

    size: int
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    kept: NDArray[np.int64]


Test: TypeAlias = Callable[[RuleNumbers, Held], bool]
Capacity: TypeAlias = Callable[[RuleNumbers, Held], int]
Limits: TypeAlias = Callable[[RuleNumbers, Held, Part], int]
Fill: TypeAlias = Callable[[RuleNumbers, Held, Part], float]


def no_part(_numbers: RuleNumbers, _held: Held) -> int:
    """Return the capacity of a class that fails a rule closed under supersets."""
    return 0


def all_but_one(_numbers: RuleNumbers, held: Held) -> int:
    """Return the capacity of a failing class of whose parts nothing is known."""
    return held.total - 1


@dataclass(frozen=True)
class Rule:
    """A requirement on one sensitive column, as a search tests classes for it.

    Attributes
    ----------
    test
        Returns whether a class satisfies it.
    capacity
        Returns how many rows of a failing class parts of it that satisfy could hold.
    closed_under
        Which classes satisfy when others do, class sizes aside.
    numbers, per_value
        What `RuleNumbers` passes on to the two; each value's number is 0 if not given.
    least_values
        How many values of the column every satisfying class has, as far as that is known.
    limits
        Narrows how many rows of each value a part of so many rows may keep; returns nothing of use.
    fill
        Keeps those rows with which a part of so many rows comes nearest to satisfying, for a rule
        that does not ask for the evenest; returns how far it is from that, in what its test
        compares, and at most 0 where it satisfies. Without rounding to whole rows, that must rise
        with the size of the part.
    """

    test: Test
    capacity: Capacity
    closed_under: Closure
    numbers: tuple[float, float] = (0.0, 0.0)
    per_value: tuple[float, ...] | None = None
    least_values: float = 1.0
    limits: Limits | None = None
    fill: Fill | None = None
