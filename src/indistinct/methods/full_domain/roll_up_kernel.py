"""Rolling up: the classes of a vector of levels from those of a finer one, with their histograms.

The rollup property of LeFevre, DeWitt and Ramakrishnan (2005): when one column rises by a
level, each class goes to one class of the coarser vector, so counts and histograms only add up.

Invariants: a class is a number in which each column has some bits for its node; its row of `counts`
is its rows first, then its histograms; all rows of a class cost the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.borrowed import lent, pointer_to
from indistinct.kernels.compiled import njit
from indistinct.kernels.hashing import slot_of
from indistinct.methods.common.judging_kernel import RuleArrays, holds
from indistinct.requirements.rules import Held

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROLL = (
    "Tuple((int64[::1], int32[:, ::1], float64[::1]))"
    "(int64[::1], int32[:, ::1], float64[::1], int64, int64, int32[::1], float64[::1])"
)


@njit(_ROLL)
def roll_up(
    keys: NDArray[np.int64],
    counts: NDArray[np.int32],
    costs: NDArray[np.float64],
    shift: int,
    bits: int,
    parents: NDArray[np.int32],
    change: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Join the classes that become equal when one column rises by one level.

    Parameters
    ----------
    keys
        The classes, as numbers in which each column has some bits for its node.
    counts
        For each class its rows, then its histograms.
    costs
        What a row of each class costs.
    shift, bits
        Where the column's bits are, and how many.
    parents, change
        For each node of the column, its parent, and what moving a cell to the parent costs more.
    """
    slots_size = 64
    while slots_size < 2 * keys.size:
        slots_size *= 2
    slots = np.full(slots_size, -1, dtype=np.int32)
    new_keys = np.empty(keys.size, dtype=np.int64)
    new_costs = np.empty(keys.size, dtype=np.float64)
    new_counts = np.empty(counts.shape, dtype=np.int32)
    field = (np.int64(1) << bits) - 1
    seen = 0
    for i in range(keys.size):
        node = (keys[i] >> shift) & field
        key = keys[i] + ((np.int64(parents[node]) - node) << shift)
        slot = slot_of(slots, new_keys, key)
        number = slots[slot]
        if number < 0:
            number = seen
            slots[slot] = seen
            new_keys[seen] = key
            new_costs[seen] = costs[i] + change[node]
            new_counts[seen] = counts[i]
            seen += 1
        else:
            for j in range(counts.shape[1]):
                new_counts[number, j] += counts[i, j]
    return new_keys[:seen], new_counts[:seen], new_costs[:seen]


_WEIGH = (
    "Tuple((int64, float64))"
    "(int32[:, ::1], float64[::1], int64, int64, int64[::1], float64[:, ::1],"
    " float64[:, ::1], float64[::1], int32[:, ::1], int64[:, ::1], boolean[::1])"
)


@njit(_WEIGH)
def weigh(
    counts: NDArray[np.int32],
    costs: NDArray[np.float64],
    k: int,
    first: int,
    tests: NDArray[np.int64],
    numbers: NDArray[np.float64],
    per_value: NDArray[np.float64],
    shares: NDArray[np.float64],
    tree: NDArray[np.int32],
    scratch: NDArray[np.int64],
    fine: NDArray[np.bool_],
) -> tuple[int, float]:
    """Mark the classes that fail; return the rows of the others and their summed cost.

    Parameters
    ----------
    first
        Where the histogram of the sensitive column begins in `counts`.
    tests, numbers, per_value, shares, tree
        The parts of `RuleArrays`, one by one: to find the type of a tuple takes Python longer than
        the classes of many a vector take.
    scratch
        Three times as many places as there are values.
    fine
        Which classes have stood so far; those that fail are unmarked.
    """
    rules = pointer_to(RuleArrays(tests, numbers, per_value, shares, tree))
    histogram, values, present = lent(scratch[0]), lent(scratch[1]), lent(scratch[2])
    rows = np.int64(0)
    cost = 0.0
    for number in range(counts.shape[0]):
        total = np.int64(counts[number, 0])
        if total < k:
            fine[number] = False
        if not fine[number]:
            continue
        size = np.int64(0)
        for value in range(shares.size):  # without a branch, which would often be mispredicted
            count = np.int64(counts[number, first + value])
            histogram[value] = count
            values[size] = value
            present[size] = count
            size += np.int64(count > 0)
        people = int(total)
        held = pointer_to(Held(histogram, values[:size], present[:size], people, people))
        if holds(rules, held):
            rows += total
            cost += total * costs[number]
        else:
            fine[number] = False
    return int(rows), cost
