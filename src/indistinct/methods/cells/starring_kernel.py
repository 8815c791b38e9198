"""Improving groups of rows of which cells are starred: opening, joining and closing patterns.

A *pattern* is a set of starred columns (a mask) and the values of the others. A row fits one
pattern of each mask; a group is published as the pattern of its rows, and a row costs what its
group's mask does. Patterns are told apart by sums of random numbers: one per value, or one per
column where it is starred. Two patterns with one sum would only be taken for one while searching;
before rows join a group they are compared with it, value by value.

What holds between two changes: a row fits the pattern of its group; a group has the fewest stars
that its rows allow; lists are as `linked_groups_kernel` says; the hash table leads from the pattern
of each group to it. What it says of groups that are gone, or have another pattern by now, is passed
over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.methods.common.linked_groups_kernel import (
    AFTER,
    CODES,
    GROUP,
    HEAD,
    NONE,
    SIZE,
    leave,
    link,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST = 1e-9


class Stars(NamedTuple):
    """Rows, their groups, and which pattern each group is published as.

    Attributes
    ----------
    records, rows
        The groups and their rows, as `linked_groups_kernel` lays them out, without boxes. A row in
        no group has the group -1, and a group without rows is gone.
    cells, star, weights
        For each row and column the random number of its value; for each column that of a star, and
        what a star costs.
    mask, key, price
        For each group which columns are starred (a bit each), the number of its pattern, and what
        a row costs.
    free
        A stack of groups that are gone; its last place says how many they are.
    open_keys, open_group, taken
        Which group has which pattern: a hash table, -1 where a place is still empty, and how many
        places are not.
    """

    records: NDArray[np.int32]
    rows: NDArray[np.int32]
    cells: NDArray[np.uint64]
    star: NDArray[np.uint64]
    weights: NDArray[np.float64]
    mask: NDArray[np.int64]
    key: NDArray[np.uint64]
    price: NDArray[np.float64]
    free: NDArray[np.int32]
    open_keys: NDArray[np.uint64]
    open_group: NDArray[np.int32]
    taken: NDArray[np.int64]


@inner
def find(stars, key):
    """Return the group that has a pattern, -1 if none does."""
    last = np.uint64(stars.open_keys.size - 1)
    place = (key >> np.uint64(20)) & last
    while stars.open_group[place] >= 0:
        if stars.open_keys[place] == key:
            group = stars.open_group[place]
            return group if stars.records[group, SIZE] > 0 and stars.key[group] == key else NONE
        place = (place + np.uint64(1)) & last
    return NONE


@inner
def enter(stars, key, group):
    """Note that a group has a pattern."""
    last = np.uint64(stars.open_keys.size - 1)
    place = (key >> np.uint64(20)) & last
    while stars.open_group[place] >= 0 and stars.open_keys[place] != key:
        place = (place + np.uint64(1)) & last
    stars.taken[0] += stars.open_group[place] < 0
    stars.open_keys[place] = key
    stars.open_group[place] = group


@inner
def withdraw(stars, row):
    """Take a row out of its group; a group without rows is gone."""
    source = stars.rows[row, GROUP]
    leave(stars.records, stars.rows, row)
    stars.rows[row, GROUP] = NONE
    if stars.records[source, SIZE] == 0:
        stars.free[stars.free[-1]] = source
        stars.free[-1] += 1


@inner
def enlist(stars, row, target):
    """Put a row into a group."""
    link(stars.records, stars.rows, row, target)


@inner
def find_pattern(stars, target):
    """Find a group's mask anew; if another group has that pattern, the two become one."""
    first = stars.records[target, HEAD]
    mask = np.int64(0)
    row = stars.rows[first, AFTER]
    while row >= 0:
        for column in range(stars.star.size):
            if stars.rows[row, CODES + column] != stars.rows[first, CODES + column]:
                mask |= np.int64(1) << np.int64(column)
        row = stars.rows[row, AFTER]
    price, key = 0.0, np.uint64(0)
    for column in range(stars.star.size):
        if mask >> np.int64(column) & np.int64(1):
            price += stars.weights[column]
            key += stars.star[column]
        else:
            key += stars.cells[first, column]
    stars.mask[target], stars.key[target], stars.price[target] = mask, key, price
    other = find(stars, key)
    if other < 0:
        enter(stars, key, target)
    elif other != target and fits(stars, other, first):
        while stars.records[target, HEAD] >= 0:
            row = np.int64(stars.records[target, HEAD])
            withdraw(stars, row)
            enlist(stars, row, other)


@inner
def fits(stars, target, row):
    """Return whether a row has a group's values in all columns that are not starred."""
    first = stars.records[target, HEAD]
    for column in range(stars.star.size):
        starred = stars.mask[target] >> np.int64(column) & np.int64(1)
        if not starred and stars.rows[row, CODES + column] != stars.rows[first, CODES + column]:
            return False
    return True


@njit
def reopen(stars: Stars) -> None:
    """Build the table of patterns anew."""
    for place in range(stars.open_group.size):
        stars.open_group[place] = NONE
    stars.taken[0] = 0
    for group in range(stars.records.shape[0]):
        if stars.records[group, SIZE] > 0:
            find_pattern(stars, group)


@inner
def key_of(stars, mask, row):
    """Return the number of a row's pattern."""
    key = np.uint64(0)
    for column in range(stars.star.size):
        starred = mask >> np.int64(column) & np.int64(1)
        key += stars.star[column] if starred else stars.cells[row, column]
    return key
