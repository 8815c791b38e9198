"""The largest part of a class that satisfies: what is left when the fewest rows are suppressed.

Serves the full-domain methods, which may suppress rows within a class (Samarati 2001, section 3,
suppresses tuples one by one; for k-anonymity alone whole classes are all there is to suppress).

Sizes are tried from the capacity of the class downwards; what a part of some size looks like that
satisfies if any does is told in `requirements/rules.py`. Where a rule fills parts itself, a size at
which the nearest part is farther off than rounding to whole rows could explain shows that no larger
one satisfies: such sizes are skipped by halving.

Invariant: scratch histograms are 0 before and after each class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import Pointer, lent, pointer_to
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.pointers import address_of, caller, signature_of
from indistinct.methods.common.judging_kernel import (
    ARGUMENTS,
    by_class,
    call_capacity,
    call_test,
    count_pairs,
    holds,
    list_counts,
    numbers_of,
)
from indistinct.requirements.rules import Held, Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.judging_kernel import PairArrays, RuleArrays
    from indistinct.requirements.rules import Fill, Limits

_COUNTS = np.zeros(1, dtype=np.int64)
_PART = Part(0, _COUNTS, _COUNTS, _COUNTS)
_LIMITS = signature_of(0, *ARGUMENTS, _PART, by=Pointer)
_FILL = signature_of(0.0, *ARGUMENTS, _PART, by=Pointer)

call_limits = caller(_LIMITS)
call_fill = caller(_FILL)


def limits_address(limits: Limits | None) -> int:
    """Compile the limits of a rule; return what `call_limits` calls them by, 0 for none."""
    return address_of(limits, _LIMITS) if limits else 0


def fill_address(fill: Fill | None) -> int:
    """Compile how a rule fills a part; return what `call_fill` calls it by, 0 for none."""
    return address_of(fill, _FILL) if fill else 0


class PartRules(NamedTuple):
    """For each rule on a sensitive column, where its capacity, its limits and its fill are."""

    capacities: NDArray[np.int64]
    limits: NDArray[np.int64]
    fills: NDArray[np.int64]


class Kept(NamedTuple):
    """What is kept of classes.

    Attributes
    ----------
    rows
        How many rows of each class.
    of_class, value, held
        For each value that a class in part holds, how many of its rows are kept.
    """

    rows: NDArray[np.int64]
    of_class: NDArray[np.int64]
    value: NDArray[np.int64]
    held: NDArray[np.int64]


PLACES = 9
"""How many scratch arrays of as many places as there are values `largest_parts` needs."""


@njit
def largest_parts(
    row_class: NDArray[np.int32],
    classes: int,
    least: int,
    pairs: PairArrays,
    rules: RuleArrays,
    part_rules: PartRules,
    scratch: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Find the largest part of every class that satisfies all rules on one sensitive column.

    Parameters
    ----------
    row_class
        The class of each distinct row, -1 where it was dropped.
    least
        How many rows a part needs.
    scratch
        `PLACES` times as many places as there are values, all 0, and so again.

    Returns
    -------
    tuple
        The fields of `Kept`.
    """
    starts, order = by_class(row_class, classes, pairs.rows)
    rows = np.zeros(classes, dtype=np.int64)
    of_class = np.empty(order.size, dtype=np.int64)
    value_there, count_there = np.empty_like(of_class), np.empty_like(of_class)
    used = 0
    histogram, values, counts = lent(scratch[0]), lent(scratch[1]), lent(scratch[2])
    rules_there, more, lent_pairs = pointer_to(rules), pointer_to(part_rules), lent(pairs)
    for number in range(classes):
        size = count_pairs(
            lent_pairs, order[starts[number] : starts[number + 1]], histogram, values
        )
        if size == 0:
            continue
        total = list_counts(histogram, values[:size], counts)
        held = pointer_to(Held(histogram, values[:size], counts[:size], total, total))
        kept = lent(scratch[3, :size])
        rows[number] = _largest(rules_there, more, held, least, kept, scratch)
        for i in range(size):
            histogram[values[i]] = 0
            if 0 < rows[number] < total:
                of_class[used], value_there[used], count_there[used] = number, values[i], kept[i]
                used += 1
    return rows, of_class[:used], value_there[:used], count_there[:used]


@inner
def _largest(rules, more, held, least, kept, scratch):
    """Return how many rows the largest part of a class has, and write what it keeps."""
    if held.total < least:
        return 0
    if holds(rules, held):
        return held.total
    size = held.counts.size
    low, high = scratch[4, :size], scratch[5, :size]
    most = _most(rules, more, held)
    filling = _filling(more)
    if filling >= 0:
        most = _possible(rules, more, filling, held, least, most, low, high, kept)
    for rows in range(most, least - 1, -1):
        part = pointer_to(Part(rows, low, high, kept))
        if not _narrow(rules, more, held, part):
            continue
        if filling >= 0:
            numbers = pointer_to(numbers_of(rules, filling))
            call_fill(more.fills[filling], (numbers, held, part))
        else:
            _level(rows, low, high, kept)
        if _satisfies(rules, held, rows, kept, scratch):
            return rows
    return 0


@inner
def _most(rules, more, held):
    """Return the smallest capacity of a class that fails."""
    most = held.total - 1
    for place in range(rules.tests.size):
        numbers = pointer_to(numbers_of(rules, place))
        if not call_test(rules.tests[place], (numbers, held)):
            most = min(most, call_capacity(more.capacities[place], (numbers, held)))
    return most


@inner
def _filling(more):
    """Return the first rule that fills parts itself, -1 if none does."""
    for place in range(more.fills.size):
        if more.fills[place] != 0:
            return place
    return -1


@inner
def _possible(rules, more, filling, held, least, most, low, high, kept):
    """Return a size above which no part comes near enough, whatever is rounded.

    Rounding a part of n rows to whole rows moves less than one row of each of the m values, at most
    m / n of all; and what a part lacks does not fall as it grows, rounding aside.
    """
    lowest, values = least - 1, rules.shares.size
    while lowest < most:
        rows = (lowest + most + 1) // 2
        for i in range(kept.size):
            low[i], high[i] = 0, held.counts[i]
        numbers = pointer_to(numbers_of(rules, filling))
        part = pointer_to(Part(rows, low, high, kept))
        if call_fill(more.fills[filling], (numbers, held, part)) > values / rows:
            most = rows - 1
        else:
            lowest = rows
    return most


@inner
def _narrow(rules, more, held, part):
    """Write how many rows of each value a part may keep; return whether it can have its size."""
    for i in range(part.kept.size):
        part.low[i], part.high[i] = 0, held.counts[i]
    for place in range(more.limits.size):
        if more.limits[place] != 0:
            numbers = pointer_to(numbers_of(rules, place))
            call_limits(more.limits[place], (numbers, held, part))
    fewest, most = 0, 0
    for i in range(part.kept.size):
        if part.low[i] > part.high[i]:
            return False
        fewest += part.low[i]
        most += part.high[i]
    return fewest <= part.size <= most


@inner
def _level(size, low, high, kept):
    """Keep as evenly many rows of each value as may be: all as near to one level as they can."""
    below, above = np.int64(0), np.int64(0)
    for i in range(kept.size):
        above = max(above, high[i])
    while below < above:  # the highest level that no more than `size` rows reach
        middle = (below + above + 1) // 2
        rows = 0
        for i in range(kept.size):
            rows += min(max(middle, low[i]), high[i])
        if rows <= size:
            below = middle
        else:
            above = middle - 1
    left = size
    for i in range(kept.size):
        kept[i] = min(max(below, low[i]), high[i])
        left -= kept[i]
    for i in range(kept.size):
        if left > 0 and kept[i] == below and kept[i] < high[i]:
            kept[i] += 1
            left -= 1


@inner
def _satisfies(rules, held, size, kept, scratch):
    """Return whether a part satisfies all rules."""
    histogram, values, counts = scratch[6], scratch[7], scratch[8]
    present = 0
    for i in range(kept.size):
        if kept[i] > 0:
            histogram[held.values[i]] = kept[i]
            values[present] = held.values[i]
            present += 1
    fine = False
    if present:
        list_counts(histogram, values[:present], counts)
        part = pointer_to(Held(histogram, values[:present], counts[:present], size, size))
        fine = holds(rules, part)
    for i in range(present):
        histogram[values[i]] = 0
    return fine
