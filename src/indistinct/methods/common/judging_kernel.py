"""Judging classes by the histogram of their sensitive values, and how much of one could stand.

The rules are those of the requirements (`indistinct.requirements.rules`), each compiled by itself
and called by its address: no kernel here or elsewhere knows which rules there are. A rule gets
pointers to what it reads: handed over one by one, the sixty numbers take longer than many a test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import Pointer, lent, pointer_to
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.pointers import address_of, caller, signature_of
from indistinct.requirements.rules import Held, RuleNumbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.requirements.rules import Capacity, Test

_COUNTS, _SHARES = np.zeros(1, dtype=np.int64), np.zeros(1)
ARGUMENTS = (
    RuleNumbers(0.0, 0.0, _SHARES, _SHARES, np.zeros((1, 1), dtype=np.int32)),
    Held(_COUNTS, _COUNTS, _COUNTS, 0, 0),
)
_TEST = signature_of(True, *ARGUMENTS, by=Pointer)
_CAPACITY = signature_of(0, *ARGUMENTS, by=Pointer)

call_test = caller(_TEST)
call_capacity = caller(_CAPACITY)


def test_address(test: Test) -> int:
    """Compile the test of a rule; return what `call_test` calls it by."""
    return address_of(test, _TEST)


def capacity_address(capacity: Capacity) -> int:
    """Compile the capacity of a rule; return what `call_capacity` calls it by."""
    return address_of(capacity, _CAPACITY)


class RuleArrays(NamedTuple):
    """All rules on one sensitive column.

    Attributes
    ----------
    tests
        For each rule the address of its test.
    numbers, per_value
        For each rule its two numbers, and a number for each value.
    shares
        The share of each value in the whole table.
    tree
        For each level of the values' hierarchy, the node of each value.
    """

    tests: np.ndarray
    numbers: np.ndarray
    per_value: np.ndarray
    shares: np.ndarray
    tree: np.ndarray


class PairArrays(NamedTuple):
    """The distinct pairs of a distinct row and a sensitive value, with their counts."""

    rows: np.ndarray
    values: np.ndarray
    counts: np.ndarray


@inner
def numbers_of(rules, place):
    """Return what one of all rules compares with."""
    first, second = rules.numbers[place, 0], rules.numbers[place, 1]
    return RuleNumbers(first, second, rules.per_value[place], rules.shares, rules.tree)


@inner
def holds(rules, held):
    """Return whether a class satisfies all rules; both are pointers."""
    for place in range(rules.tests.size):
        if not call_test(rules.tests[place], (pointer_to(numbers_of(rules, place)), held)):
            return False
    return True


@inner
def _standing(rules, capacities, held):
    """Return how many rows of a class could stand: all if it satisfies, else fewer."""
    most = held.total
    for place in range(rules.tests.size):
        numbers = pointer_to(numbers_of(rules, place))
        if not call_test(rules.tests[place], (numbers, held)):
            most = min(most, held.total - 1, call_capacity(capacities[place], (numbers, held)))
    return most


@inner
def by_class(row_class, classes, pair_row):
    """Return where the pairs of each class begin, and the pairs class by class."""
    starts = np.zeros(classes + 1, dtype=np.int64)
    for pair in range(pair_row.size):
        number = row_class[pair_row[pair]]
        if number >= 0:
            starts[number + 1] += 1
    for number in range(classes):
        starts[number + 1] += starts[number]
    order = np.empty(starts[classes], dtype=np.int32)
    free = starts[:-1].copy()
    for pair in range(pair_row.size):
        number = row_class[pair_row[pair]]
        if number >= 0:
            order[free[number]] = pair
            free[number] += 1
    return starts, order


@njit
def count_pairs(pairs, chosen, histogram, values):
    """Add chosen pairs to an empty histogram; list the values met, and return how many."""
    size = 0
    for pair in chosen:
        value = pairs.values[pair]
        if histogram[value] == 0:
            values[size] = value
            size += 1
        histogram[value] += pairs.counts[pair]
    return size


@inner
def list_counts(histogram, values, counts):
    """Write how often each of some values occurs; return the sum."""
    total = 0
    for i in range(values.size):
        counts[i] = histogram[values[i]]
        total += counts[i]
    return total


@njit
def judge(
    row_class: NDArray[np.int32],
    classes: int,
    people: NDArray[np.int64],
    pairs: PairArrays,
    rules: RuleArrays,
    capacities: NDArray[np.int64],
    scratch: NDArray[np.int64],
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Judge every class by the values of one sensitive column.

    Parameters
    ----------
    row_class
        The class of each distinct row, -1 where it was dropped.
    classes
        The number of classes.
    people
        How many people are in each class, where some have several values; else empty.
    capacities
        For each rule the address of its capacity.
    scratch
        Three times as many places as there are values; the first ones are 0, and are again.

    Returns
    -------
    tuple
        For each class whether it satisfies all rules, and its capacity.
    """
    starts, order = by_class(row_class, classes, pairs.rows)
    fine = np.ones(classes, dtype=np.bool_)
    capacity = np.zeros(classes, dtype=np.int64)
    histogram, values, counts = lent(scratch[0]), lent(scratch[1]), lent(scratch[2])
    rules_there, lent_pairs = pointer_to(rules), lent(pairs)
    for number in range(classes):
        size = count_pairs(
            lent_pairs, order[starts[number] : starts[number + 1]], histogram, values
        )
        if size == 0:
            continue
        total = list_counts(histogram, values[:size], counts)
        heads = people[number] if people.size else total
        held = pointer_to(Held(histogram, values[:size], counts[:size], total, heads))
        capacity[number] = _standing(rules_there, capacities, held)
        fine[number] = capacity[number] == total
        for value in held.values:
            histogram[value] = 0
    return fine, capacity
