"""Improving groups of rows of which cells are starred: opening, joining and closing patterns.

A *pattern* is a set of starred columns (a mask) and the values of the others. A row fits one
pattern of each mask; a group is published as the pattern of its rows, and a row costs what its
group's mask does. Patterns are told apart by sums of random numbers: one per value, or one per
column where it is starred. Two patterns with one sum would only be taken for one while searching;
before rows join a group they are compared with it, value by value.

Throughout: `demands` is what each group must satisfy, `None` where that is no more than k rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

LEAST = 1e-9
NONE = -1


class Rows(NamedTuple):
    """What is grouped: the codes of each row, and the random numbers of patterns.

    Attributes
    ----------
    codes, cells
        For each row and column its code, and the random number of that value.
    star, weights
        For each column the random number, and the cost, of a star.
    """

    codes: np.ndarray
    cells: np.ndarray
    star: np.ndarray
    weights: np.ndarray


class Groups(NamedTuple):
    """Groups of rows: a list of rows each, its mask, its pattern and what one of its rows costs.

    Attributes
    ----------
    of_row
        The group of each row, -1 where it has none.
    size, mask, key, price
        For each group, how many rows it has (0: it is gone), which columns are starred (a bit
        each), the number of its pattern, and what a row costs.
    head, after, before
        The first row of each group; the rows after and before each row.
    free
        A stack of groups that are gone; its last place says how many they are.
    """

    of_row: np.ndarray
    size: np.ndarray
    mask: np.ndarray
    key: np.ndarray
    price: np.ndarray
    head: np.ndarray
    after: np.ndarray
    before: np.ndarray
    free: np.ndarray


class Open(NamedTuple):
    """Which group has which pattern: a hash table of keys, with places that are still empty.

    `taken` counts the places that are not.
    """

    keys: np.ndarray
    group: np.ndarray
    taken: np.ndarray


@njit
def find(groups, table, key):
    """Return the group that has a pattern, -1 if none does."""
    last = np.uint64(table.keys.size - 1)
    place = (key >> np.uint64(20)) & last
    while table.group[place] >= 0:
        if table.keys[place] == key:
            group = table.group[place]
            return group if groups.size[group] > 0 and groups.key[group] == key else NONE
        place = (place + np.uint64(1)) & last
    return NONE


@inner
def enter(table, key, group):
    """Note that a group has a pattern."""
    last = np.uint64(table.keys.size - 1)
    place = (key >> np.uint64(20)) & last
    while table.group[place] >= 0 and table.keys[place] != key:
        place = (place + np.uint64(1)) & last
    table.taken[0] += table.group[place] < 0
    table.keys[place] = key
    table.group[place] = group


@njit
def join(groups, row, target):
    """Put a row into a group."""
    first = groups.head[target]
    groups.after[row] = first
    groups.before[row] = NONE
    if first >= 0:
        groups.before[first] = row
    groups.head[target] = row
    groups.of_row[row] = target
    groups.size[target] += 1


@njit
def leave(groups, row):
    """Take a row out of its group; a group without rows is gone."""
    source = groups.of_row[row]
    if groups.before[row] >= 0:
        groups.after[groups.before[row]] = groups.after[row]
    else:
        groups.head[source] = groups.after[row]
    if groups.after[row] >= 0:
        groups.before[groups.after[row]] = groups.before[row]
    groups.of_row[row] = NONE
    groups.size[source] -= 1
    if groups.size[source] == 0:
        groups.free[groups.free[-1]] = source
        groups.free[-1] += 1


@inner
def tighten(rows, groups, table, target):
    """Find a group's mask anew; if another group has that pattern, the two become one."""
    first = groups.head[target]
    mask = np.int64(0)
    row = groups.after[first]
    while row >= 0:
        for column in range(rows.codes.shape[1]):
            if rows.codes[row, column] != rows.codes[first, column]:
                mask |= np.int64(1) << np.int64(column)
        row = groups.after[row]
    price, key = 0.0, np.uint64(0)
    for column in range(rows.codes.shape[1]):
        if mask >> np.int64(column) & np.int64(1):
            price += rows.weights[column]
            key += rows.star[column]
        else:
            key += rows.cells[first, column]
    groups.mask[target], groups.key[target], groups.price[target] = mask, key, price
    other = find(groups, table, key)
    if other < 0:
        enter(table, key, target)
    elif other != target and fits(rows, groups, other, first):
        while groups.head[target] >= 0:
            row = groups.head[target]
            leave(groups, row)
            join(groups, row, other)


@njit
def fits(rows, groups, target, row):
    """Tell whether a row has a group's values in all columns that are not starred."""
    first = groups.head[target]
    for column in range(rows.codes.shape[1]):
        starred = groups.mask[target] >> np.int64(column) & np.int64(1)
        if not starred and rows.codes[row, column] != rows.codes[first, column]:
            return False
    return True


@njit
def start(rows, groups, table):
    """Fill in everything about groups from the group of each row."""
    for row in range(groups.of_row.size):
        if groups.of_row[row] >= 0:
            join(groups, row, groups.of_row[row])
    for group in range(groups.size.size - 1, -1, -1):
        if groups.size[group] == 0:
            groups.free[groups.free[-1]] = group
            groups.free[-1] += 1
    reopen(rows, groups, table)


@njit
def reopen(rows, groups, table):
    """Build the table of patterns anew."""
    table.group[:] = NONE
    table.taken[0] = 0
    for group in range(groups.size.size):
        if groups.size[group] > 0:
            tighten(rows, groups, table, group)


@njit
def key_of(rows, mask, row):
    """Return the number of a row's pattern."""
    key = np.uint64(0)
    for column in range(rows.star.size):
        starred = mask >> np.int64(column) & np.int64(1)
        key += rows.star[column] if starred else rows.cells[row, column]
    return key
