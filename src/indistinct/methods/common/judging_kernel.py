"""Judging classes by the histogram of their sensitive values, and how much of one could stand.

Every rule says of a class whether it satisfies, and how many of its rows could at most belong to
parts of it that satisfy (its *capacity*). Both are needed because most models are closed under
unions only: a failing class may split into parts that satisfy, but those parts together satisfy
too, so they cannot hold more rows than the largest satisfying part of the class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.methods.common.histograms_kernel import (
    SLACK,
    close_capacity,
    effective_number,
    entropy_capacity,
    frequency_capacity,
    hierarchical_distance,
    ordered_distance,
    recursive_capacity,
    share_capacity,
)

DISTINCT, ENTROPY, RECURSIVE, FREQUENCY, SHARE, EQUAL, ORDERED, HIERARCHICAL = range(8)


class RuleArrays(NamedTuple):
    """All rules on one sensitive column.

    Attributes
    ----------
    kinds, numbers, watched
        For each rule what kind it is, its two numbers, and which values it watches.
    shares
        The share of each value in the whole table.
    tree
        For each level of the values' hierarchy, the node of each value.
    """

    kinds: np.ndarray
    numbers: np.ndarray
    watched: np.ndarray
    shares: np.ndarray
    tree: np.ndarray


class PairArrays(NamedTuple):
    """The distinct pairs of a distinct row and a sensitive value, with their counts."""

    rows: np.ndarray
    values: np.ndarray
    counts: np.ndarray


class Rule(NamedTuple):
    """One rule, as `RuleArrays` has many."""

    kind: int
    first: float
    second: float
    watched: np.ndarray
    shares: np.ndarray
    tree: np.ndarray


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

    histogram: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    total: int
    heads: int


@njit(inline="always")
def _recursive_standing(held, factor, diversity, bound):
    """Judge by r1 < c (r_l + ... + r_m) as `standing` does, sorting the counts once."""
    rising = np.sort(held.counts)
    if rising.size >= diversity:
        tail = rising[: rising.size - diversity + 1].sum()
        if rising[-1] < factor * tail - SLACK:
            return held.total
    if not bound:
        return 0
    return min(held.total - 1, recursive_capacity(rising, held.total, factor, diversity))


@njit(inline="always")
def _share_holds(held, watched, share):
    """Tell whether no watched value has more than its share of the people."""
    for i in range(held.counts.size):
        if watched[held.values[i]] and held.counts[i] > share * held.heads + SLACK:
            return False
    return True


@njit(inline="always")
def _distance(rule, held):
    """Return how far a class is from the table, by the distance of a rule."""
    if rule.kind == ORDERED:
        return ordered_distance(held.histogram, rule.shares, held.total)
    if rule.kind == HIERARCHICAL:
        return hierarchical_distance(held.histogram, rule.shares, held.total, rule.tree)
    distance = 0.0
    for i in range(held.counts.size):
        distance += max(0.0, held.counts[i] / held.total - rule.shares[held.values[i]])
    return distance


@njit(inline="always")
def _steps(rule):
    """Return how many times farther apart the farthest values are than the nearest."""
    if rule.kind == ORDERED:
        return max(rule.shares.size - 1, 1)
    if rule.kind == HIERARCHICAL:
        return max(rule.tree.shape[0] - 1, 1)
    return 1


@njit(inline="always")
def _holds(rule, held):
    """Tell whether a class satisfies a rule."""
    if rule.kind == DISTINCT:
        return held.counts.size >= rule.first
    if rule.kind == ENTROPY:
        return effective_number(held.counts, float(held.total)) + SLACK >= rule.first
    if rule.kind == FREQUENCY:
        return held.counts.max() * rule.first <= held.heads + SLACK
    if rule.kind == SHARE:
        return _share_holds(held, rule.watched, rule.first)
    return _distance(rule, held) <= rule.first + SLACK


@njit(inline="always")
def _capacity(rule, held):
    """Return the capacity of a class, as far as its counts tell."""
    if rule.kind == DISTINCT:
        return 0
    if rule.kind == ENTROPY:
        return entropy_capacity(held.counts, held.total, rule.first)
    if rule.kind == FREQUENCY:
        return frequency_capacity(held.counts, held.total, rule.first)
    if rule.kind == SHARE:
        return share_capacity(held.counts, held.values, rule.watched, held.total, rule.first)
    closeness = min(1.0, rule.first * _steps(rule))
    return close_capacity(held.counts, held.values, rule.shares, held.total, closeness)


@njit(inline="always")
def standing(rule, held, bound):
    """Return how much of a class could stand by one rule: all of it if it satisfies, else less.

    Of one that fails, only if its capacity is asked for by `bound`; else 0.
    """
    if rule.kind == RECURSIVE:
        return _recursive_standing(held, rule.first, np.int64(rule.second), bound)
    if _holds(rule, held):
        return held.total
    if not bound:
        return 0
    return min(held.total - 1, _capacity(rule, held))


@njit(inline="always")
def _judge_one(
    kind, first, second, watched, shares, tree, histogram, values, counts, size, total, heads, bound
):
    """Return whether a class satisfies one rule and, if asked, its capacity."""
    rule = Rule(kind, first, second, watched, shares, tree)
    most = standing(rule, Held(histogram, values[:size], counts[:size], total, heads), bound)
    return most == total, most


@inner
def rule_at(rules, place):
    """Return one of all rules."""
    first, second = rules.numbers[place, 0], rules.numbers[place, 1]
    return Rule(rules.kinds[place], first, second, rules.watched[place], rules.shares, rules.tree)


@inner
def _by_class(row_class, classes, pair_row):
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
def _count(pairs, chosen, histogram, values):
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
def _list_counts(histogram, values, counts):
    """Write how often each of some values occurs; return the sum."""
    total = 0
    for i in range(values.size):
        counts[i] = histogram[values[i]]
        total += counts[i]
    return total


@njit
def judge(row_class, classes, people, pairs, rules):
    """Judge every class by the values of one sensitive column.

    Parameters
    ----------
    row_class
        The class of each distinct row, -1 where it was dropped.
    classes
        The number of classes.
    people
        How many people are in each class, where some have several values; else empty.

    Returns
    -------
    tuple
        For each class whether it satisfies all rules, and its capacity.
    """
    starts, order = _by_class(row_class, classes, pairs.rows)
    fine = np.ones(classes, dtype=np.bool_)
    capacity = np.zeros(classes, dtype=np.int64)
    histogram = np.zeros(rules.shares.size, dtype=np.int64)
    values = np.empty(rules.shares.size, dtype=np.int64)
    counts = np.empty(rules.shares.size, dtype=np.int64)
    for number in range(classes):
        size = _count(pairs, order[starts[number] : starts[number + 1]], histogram, values)
        if size == 0:
            continue
        total = _list_counts(histogram, values[:size], counts)
        heads = people[number] if people.size else total
        held = Held(histogram, values[:size], counts[:size], total, heads)
        capacity[number] = total
        for place in range(rules.kinds.size):
            most = standing(rule_at(rules, place), held, True)
            capacity[number] = min(capacity[number], most)
        fine[number] = capacity[number] == total
        for value in held.values:
            histogram[value] = 0
    return fine, capacity
