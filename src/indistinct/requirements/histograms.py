"""What several requirements do with sensitive values.

Sums over those of each class, for the definitions that the check measures; tests and capacities of
one class, for the rules of a search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.requirements.base import Measured

SLACK = 1e-9

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn
    from indistinct.requirements.base import ClassValues
    from indistinct.requirements.rules import Held, Part, RuleNumbers


def per_class(values: ClassValues, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum a number per pair over each class."""
    return np.bincount(values.of_class, weights=numbers).astype(np.float64)


def totals(values: ClassValues) -> NDArray[np.float64]:
    """Sum the counts of each class."""
    return per_class(values, values.count.astype(float))


def shares_inside(values: ClassValues) -> NDArray[np.float64]:
    """Return for each pair of a class and a value what share of the class it is."""
    inside: NDArray[np.float64] = values.weight / per_class(values, values.weight)[values.of_class]
    return inside


def largest_counts(values: ClassValues) -> NDArray[np.float64]:
    """Find the largest count of each class."""
    largest = np.zeros(values.of_class[-1] + 1)
    np.maximum.at(largest, values.of_class, values.count.astype(float))
    return largest


def worst(
    per_class_value: NDArray[np.float64], *, largest: bool, holds: Callable[[float], bool]
) -> Measured:
    """Take the worst class as the measure of all."""
    place = int(np.argmax(per_class_value) if largest else np.argmin(per_class_value))
    value = float(per_class_value[place])
    return Measured(value=value, holds=holds(value), worst=place)


def values_held(column: SensitiveColumn) -> int:
    """Count the values that occur; a hierarchy may list more."""
    return int(np.count_nonzero(np.bincount(column.codes)))


def values_in_words(column: SensitiveColumn, held: int) -> str:
    """Say how many values a column has."""
    return f"column {column.name!r} has only {held} value{'s' if held > 1 else ''}"


def too_few_values(
    needed: float, name: str, columns: Sequence[SensitiveColumn], *, enough: bool = True
) -> str | None:
    """Say that a column has fewer values than a class would need, if so.

    With `enough`, a class that holds all values satisfies.
    """
    for column in columns:
        held = values_held(column)
        if held < needed:
            most = f"the largest {name} that can be met is {held}"
            if not enough:
                most = f"no {name} above {held} can be met"
            if held == 1:
                most = f"no {name} can be met"
            return f"{name} is {needed:g}, but {values_in_words(column, held)}; {most}"
    return None


def has_enough_values(numbers: RuleNumbers, held: Held) -> bool:
    """Return whether a class holds at least as many values as the first number says."""
    return bool(held.counts.size >= numbers.first)


def largest_within_shares(numbers: RuleNumbers, held: Held) -> int:
    """Return the most rows of which no value has a larger share than `per_value` says."""
    return largest_bounded(held, of_values(held, numbers.per_value), held.total, 1.0)


def keep_within_shares(numbers: RuleNumbers, held: Held, part: Part) -> int:
    """Let no value have a larger share of a part than `per_value` says."""
    for i in range(held.counts.size):
        share = numbers.per_value[held.values[i]]
        part.high[i] = min(part.high[i], int(share * part.size + SLACK))
    return 0


def of_values(held: Held, per_value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the numbers of the values that a class holds, in the order of its counts."""
    numbers = np.empty(held.counts.size)
    for i in range(numbers.size):
        numbers[i] = per_value[held.values[i]]
    return numbers


def largest_bounded(held: Held, bounds: NDArray[np.float64], most: int, part: float) -> int:
    """Return the largest n up to `most` whose `part` is made up of counts of at most bound x n.

    The sum of min(count, bound n) less part n is concave in n and 0 at n = 0, so it is not negative
    up to the largest such n, and negative above.
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        left = 0.0
        for i in range(bounds.size):
            left += min(float(held.counts[i]), bounds[i] * middle)
        if left >= part * middle - SLACK:
            low = middle
        else:
            high = middle - 1
    return low
