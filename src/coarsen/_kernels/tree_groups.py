"""Groups of published tree records that hold the same labels, parted by one more label each time.

Labels are chosen in order: every set of labels that some record holds is met once, with the group
of the records that hold it. Groups are kept on a stack, because compiled functions that call
themselves do not survive in numba's cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

ONE = np.uint64(1)
NO_RELATIONS = np.uint64(0)


class Records(NamedTuple):
    """Published records as lists of items, one for each distinct label, in the order of labels.

    Attributes
    ----------
    ptr, label
        The labels of a record's items are `label[ptr[record] : ptr[record + 1]]`.
    bits_ptr, bits
        For each item, from `bits_ptr[item]` on, a bit for each place of its record's list whose
        label stands above it somewhere.
    first, listed
        The items that have a label are `listed[first[label] : first[label + 1]]`.
    owner
        The record of each item.
    weight
        As how many equal records each record counts.
    needs
        For a label that stands for a relation known to be absent, the upper label of that
        relation, without which it cannot be known; -1 for others.
    secret_ptr, secret
        The sensitive labels of a record are `secret[secret_ptr[record] : secret_ptr[record + 1]]`.
    """

    ptr: np.ndarray
    label: np.ndarray
    bits_ptr: np.ndarray
    bits: np.ndarray
    first: np.ndarray
    listed: np.ndarray
    owner: np.ndarray
    weight: np.ndarray
    needs: np.ndarray
    secret_ptr: np.ndarray
    secret: np.ndarray


class Members(NamedTuple):
    """The members of all groups that are looked at or wait for it, one group after the other.

    Attributes
    ----------
    item
        Of the member's record the item whose label was chosen last.
    before
        The same record in the group that this one is part of, -1 if only one label is chosen.
    relations
        The relations between the chosen labels in this record, as bits.
    share
        As how many records it counts.
    """

    item: np.ndarray
    before: np.ndarray
    relations: np.ndarray
    share: np.ndarray


class Stack(NamedTuple):
    """The labels chosen so far, and for each number of them the groups to look at.

    Attributes
    ----------
    chosen
        The labels.
    denied
        How many of the first so many labels stand for absent relations.
    next, end
        The next group to look at, and where the groups of this depth end.
    label, start
        The label chosen last for each group, and where its members begin; each depth has one
        `start` more, where the last ones end.
    size, filled
        For each label, while a group is parted, how many members the part has, and where its next
        one goes. Sizes are zero otherwise.
    """

    chosen: np.ndarray
    denied: np.ndarray
    next: np.ndarray
    end: np.ndarray
    label: np.ndarray
    start: np.ndarray
    size: np.ndarray
    filled: np.ndarray


class Group(NamedTuple):
    """Where a group's members are, how many labels are chosen, how many relations may be known."""

    first: int
    last: int
    depth: int
    free: int


@njit(cache=True, nogil=True)
def stack_of(records, m):
    """Return an empty stack for up to m labels."""
    width = records.needs.size
    return Stack(
        np.empty(m, dtype=np.int64),
        np.zeros(m + 1, dtype=np.int64),
        np.zeros(m + 1, dtype=np.int64),
        np.zeros(m + 1, dtype=np.int64),
        np.empty(m * (width + 1), dtype=np.int64),
        np.empty(m * (width + 1), dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.empty(width, dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def room_for(size):
    """Return room for so many members."""
    return Members(
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.uint64),
        np.empty(size, dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def with_room(members, size):
    """Return the members with room for so many in all."""
    if size <= members.item.size:
        return members
    longer = room_for(2 * size)
    for member in range(members.item.size):
        longer.item[member] = members.item[member]
        longer.before[member] = members.before[member]
        longer.relations[member] = members.relations[member]
        longer.share[member] = members.share[member]
    return longer


@njit(cache=True, nogil=True)
def hold(records, label, members, stack):
    """Make one group of all records that hold a label."""
    first, last = records.first[label], records.first[label + 1]
    for member in range(last - first):
        item = records.listed[first + member]
        members.item[member] = item
        members.before[member] = -1
        members.relations[member] = NO_RELATIONS
        members.share[member] = records.weight[records.owner[item]]
    stack.label[0], stack.start[0], stack.start[1] = label, 0, last - first
    stack.next[1], stack.end[1] = 0, 1


@njit(cache=True, nogil=True)
def chosen_next(records, stack, depth, n):
    """Choose the label of the next group; return the group."""
    group = stack.next[depth]
    stack.next[depth] += 1
    label = stack.label[group]
    stack.chosen[depth - 1] = label
    stack.denied[depth] = stack.denied[depth - 1] + (records.needs[label] >= 0)
    free = n - stack.denied[depth]
    return Group(stack.start[group], stack.start[group + 1], depth, free)


@njit(cache=True, nogil=True)
def part(records, members, stack, group):
    """Part a group by the labels that its members hold besides; return where the parts end."""
    begin = stack.end[group.depth] + 1
    end = _find_labels(records, members, stack, group, begin)
    at = stack.start[begin - 1]
    for number in range(begin, end):
        label = stack.label[number]
        stack.start[number] = at
        stack.filled[label] = at
        at += stack.size[label]
        stack.size[label] = 0
    stack.start[end] = at
    stack.next[group.depth + 1], stack.end[group.depth + 1] = begin, end
    return at


@njit(cache=True, nogil=True, inline="always")
def _find_labels(records, members, stack, group, number):
    """Number the parts of a group, and count the members of each."""
    for member in range(group.first, group.last):
        item = members.item[member]
        for other in range(item + 1, records.ptr[records.owner[item] + 1]):
            label = records.label[other]
            if not _may_follow(records, stack, group, label):
                continue
            if stack.size[label] == 0:
                stack.label[number] = label
                number += 1
            stack.size[label] += 1
    return number


@njit(cache=True, nogil=True, inline="always")
def _may_follow(records, stack, group, label):
    """Tell whether a label can be known besides those chosen; an absent relation takes one of n."""
    if records.needs[label] < 0:
        return True
    held = False
    for i in range(group.depth):
        held = held or stack.chosen[i] == records.needs[label]
    return held and group.free > 0


@njit(cache=True, nogil=True)
def fill(records, members, stack, group):
    """Put the members of a group into its parts."""
    for member in range(group.first, group.last):
        item = members.item[member]
        for other in range(item + 1, records.ptr[records.owner[item] + 1]):
            label = records.label[other]
            if not _may_follow(records, stack, group, label):
                continue
            to = stack.filled[label]
            stack.filled[label] += 1
            relations = members.relations[member]
            if records.needs[label] < 0:
                relations |= _relations_with(records, members, stack, group.depth, member, other)
            members.item[to] = other
            members.before[to] = member
            members.relations[to] = relations
            members.share[to] = members.share[member]


@njit(cache=True, nogil=True)
def _relations_with(records, members, stack, depth, member, item):
    """Return the relations of an item with those whose labels are chosen, as bits."""
    found = NO_RELATIONS
    for place in range(depth - 1, -1, -1):
        if records.needs[stack.chosen[place]] < 0 and _related(records, members.item[member], item):
            found |= ONE << np.uint64(depth * (depth - 1) // 2 + place)
        member = members.before[member]
    return found


@njit(cache=True, nogil=True, inline="always")
def _related(records, one, other):
    """Tell whether one of two items of a record stands above the other."""
    begin = records.ptr[records.owner[one]]
    first, second = one - begin, other - begin
    down = records.bits[records.bits_ptr[other] + first // 64] >> np.uint64(first % 64)
    up = records.bits[records.bits_ptr[one] + second // 64] >> np.uint64(second % 64)
    return (down | up) & ONE
