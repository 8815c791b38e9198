"""Judging published tree records by Definition 1 itself: the knowledge that each record supports.

This is written apart from the searches and shares no function with them. Small functions of inner
loops are inlined: around a call, references to every array of a tuple are counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from coarsen._kernels.tree_groups import (
    NO_RELATIONS,
    ONE,
    chosen_next,
    fill,
    hold,
    part,
    room_for,
    stack_of,
    with_room,
)

FEW_BITS = 12
_NO_LABEL = np.int64(-1)


class Bounds(NamedTuple):
    """Up to m labels and n relations are known, of at least k records or of none.

    No sensitive label may be in more than 1/l of these records.
    """

    k: int
    m: int
    n: int
    l: int  # noqa: E741 - the paper's symbol


class Finding(NamedTuple):
    """Knowledge that singles records out or betrays them; without labels if there is none.

    Attributes
    ----------
    labels
        The labels known, in order.
    relations
        A bit for each two of them known to be related: (i, j), i < j, at j (j - 1) / 2 + i.
    support
        How many records match.
    betrayed
        A sensitive label that too many of them have, or -1.
    """

    labels: np.ndarray
    relations: np.uint64
    support: int
    betrayed: int


class _Room(NamedTuple):
    """Room to count in, which every group uses again.

    Attributes
    ----------
    kinds, counts
        The distinct relations of a group's members, and how many records have each.
    few
        The same counts by relations, where these have at most `FEW_BITS` bits; zeros otherwise.
    spots, places
        The bits of some relations, and the places of those that are picked.
    tally
        How many records have each sensitive label; zeros otherwise.
    """

    kinds: np.ndarray
    counts: np.ndarray
    few: np.ndarray
    spots: np.ndarray
    places: np.ndarray
    tally: np.ndarray


@njit(cache=True, nogil=True)
def judge(records, bounds, marks):
    """Look for knowledge that fewer than k records match, or that betrays a sensitive label.

    Given `marks`, a place for each record, nothing is found, but all records are marked that match
    knowledge which fewer than k do.
    """
    members, stack = room_for(records.label.size), stack_of(records, bounds.m)
    room = _room(records, bounds.n)
    for label in range(records.needs.size):
        holders = records.first[label + 1] - records.first[label]
        if records.needs[label] >= 0 or holders == 0:
            continue
        members = with_room(members, holders)
        hold(records, label, members, stack)
        depth = np.int64(1)
        while depth > 0:
            if stack.next[depth] == stack.end[depth]:
                depth -= 1
                continue
            group = chosen_next(records, stack, depth, bounds.n)
            support = _support(members, group, bounds.k)
            if support < bounds.k:
                if not marks.size:
                    return Finding(stack.chosen[:depth].copy(), NO_RELATIONS, support, _NO_LABEL)
                _mark(records, members, group, NO_RELATIONS, marks)
                continue
            kinds = _find_kinds(members, group, room)
            if marks.size:
                _mark_rare(records, members, group, room, kinds, bounds.k, marks)
            else:
                relations, support, betrayed = _worst(records, bounds, members, group, room, kinds)
                if support < bounds.k or betrayed >= 0:
                    return Finding(stack.chosen[:depth].copy(), relations, support, betrayed)
            if depth < bounds.m:
                members = with_room(members, part(records, members, stack, group))
                fill(records, members, stack, group)
                depth += 1
    return Finding(stack.chosen[:0].copy(), NO_RELATIONS, np.int64(0), _NO_LABEL)


@njit(cache=True, nogil=True)
def _room(records, n):
    """Return room for any group; it has at most one member for each holder of a label."""
    most = np.int64(0)
    for label in range(records.needs.size):
        most = max(most, records.first[label + 1] - records.first[label])
    return _Room(
        np.empty(most, dtype=np.uint64),
        np.empty(most, dtype=np.int64),
        np.zeros(1 << FEW_BITS, dtype=np.int64),
        np.empty(64, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.zeros(records.needs.size, dtype=np.int64),
    )


@njit(cache=True, nogil=True, inline="always")
def _worst(records, bounds, members, group, room, kinds):
    """Return relations in a group that are too rare or betray a label; how many match; the label.

    Where there are none, at least k match, and the label is -1.
    """
    relations, support, betrayed = NO_RELATIONS, bounds.k, _NO_LABEL
    if group.free > 0:
        relations, support = _rare(room, kinds, group.free, bounds.k)
    if support >= bounds.k and bounds.l > 1:
        relations, betrayed = _betraying(records, members, group, room, kinds, bounds.l)
        support = members.share[group.first : group.last].sum()
    return relations, support, betrayed


@njit(cache=True, nogil=True)
def _mark_rare(records, members, group, room, kinds, k, marks):
    """Mark the records of a group whose relations are too rare."""
    for kind in range(kinds if group.free > 0 else 0):
        relations, support = _rare_part(room, kinds, kind, group.free, k)
        if support < k:
            _mark(records, members, group, relations, marks)


@njit(cache=True, nogil=True)
def _mark(records, members, group, relations, marks):
    """Mark the records of a group that have some relations."""
    for member in range(group.first, group.last):
        if members.relations[member] & relations == relations:
            marks[records.owner[members.item[member]]] = True


@njit(cache=True, nogil=True)
def _support(members, group, k):
    """Count the records of a group; equal ones as one where it has k members anyway."""
    support = group.last - group.first
    if support < k:
        support = 0
        for member in range(group.first, group.last):
            support += members.share[member]
    return support


@njit(cache=True, nogil=True)
def _find_kinds(members, group, room):
    """Find the distinct relations of a group's members; return how many there are."""
    if group.depth * (group.depth - 1) // 2 <= FEW_BITS:
        return _kinds_by_table(members, group, room)
    return _kinds_by_order(members, group, room)


@njit(cache=True, nogil=True)
def _kinds_by_table(members, group, room):
    kinds = 0
    for member in range(group.first, group.last):
        relations = members.relations[member]
        if room.few[relations] == 0:
            room.kinds[kinds] = relations
            kinds += 1
        room.few[relations] += members.share[member]
    for kind in range(kinds):
        room.counts[kind] = room.few[room.kinds[kind]]
        room.few[room.kinds[kind]] = 0
    return kinds


@njit(cache=True, nogil=True)
def _kinds_by_order(members, group, room):
    kinds = 0
    for member in group.first + np.argsort(members.relations[group.first : group.last]):
        if kinds == 0 or members.relations[member] != room.kinds[kinds - 1]:
            room.kinds[kinds] = members.relations[member]
            room.counts[kinds] = 0
            kinds += 1
        room.counts[kinds - 1] += members.share[member]
    return kinds


@njit(cache=True, nogil=True)
def _rare(room, kinds, free, k):
    """Return relations that fewer than k records have, and how many do; if none, any others."""
    relations, support = NO_RELATIONS, k
    for kind in range(kinds):
        relations, support = _rare_part(room, kinds, kind, free, k)
        if support < k:
            break
    return relations, support


@njit(cache=True, nogil=True, inline="always")
def _rare_part(room, kinds, kind, free, k):
    """Return relations of a kind that fewer than k records have, as `_rare` does.

    Fewer relations are matched by more records, so only choices of `free` (or all) are looked at.
    """
    total = _find_spots(room.kinds[kind], room.spots)
    take = min(free, total)
    _pick_first(room.places, take)
    relations, support, more = NO_RELATIONS, k, True
    while support >= k and more:
        relations = _picked(room.spots, room.places, take)
        support = 0
        for other in range(kinds):
            if room.kinds[other] & relations == relations:
                support += room.counts[other]
        more = _pick_next(room.places, take, total)
    return relations, support


@njit(cache=True, nogil=True)
def _betraying(records, members, group, room, kinds, least):
    """Return relations whose records have a sensitive label too often, and the label, or -1.

    All numbers of relations that may be known are looked at: more need not betray more.
    """
    relations, betrayed = NO_RELATIONS, _NO_LABEL
    for kind in range(kinds):
        total = _find_spots(room.kinds[kind], room.spots)
        for take in range(min(group.free, total) + 1):
            _pick_first(room.places, take)
            more = betrayed < 0
            while more:
                relations = _picked(room.spots, room.places, take)
                betrayed = _too_frequent(records, members, group, relations, room.tally, least)
                more = betrayed < 0 and _pick_next(room.places, take, total)
    return relations, betrayed


@njit(cache=True, nogil=True)
def _too_frequent(records, members, group, relations, tally, least):
    """Return a sensitive label that more than 1/`least` of the matching records have, or -1."""
    secret_ptr, secret = records.secret_ptr, records.secret
    total = 0
    for member in range(group.first, group.last):
        if members.relations[member] & relations == relations:
            total += members.share[member]
            record = records.owner[members.item[member]]
            for i in range(secret_ptr[record], secret_ptr[record + 1]):
                tally[secret[i]] += members.share[member]
    found = _NO_LABEL
    for member in range(group.first, group.last):
        if members.relations[member] & relations == relations:
            record = records.owner[members.item[member]]
            for i in range(secret_ptr[record], secret_ptr[record + 1]):
                if tally[secret[i]] * least > total:
                    found = np.int64(secret[i])
                tally[secret[i]] = 0
    return found


@njit(cache=True, nogil=True, inline="always")
def _find_spots(relations, spots):
    """List the bits of some relations; return how many there are."""
    total = 0
    for bit in range(64):
        if (relations >> np.uint64(bit)) & ONE:
            spots[total] = bit
            total += 1
    return total


@njit(cache=True, nogil=True, inline="always")
def _pick_first(places, size):
    for i in range(size):
        places[i] = i


@njit(cache=True, nogil=True, inline="always")
def _picked(spots, places, size):
    """Return the relations that are picked, as bits."""
    relations = NO_RELATIONS
    for i in range(size):
        relations |= ONE << np.uint64(spots[places[i]])
    return relations


@njit(cache=True, nogil=True, inline="always")
def _pick_next(places, size, total):
    """Step to the next choice of `size` of `total` places; False after the last."""
    i = size - 1
    while i >= 0 and places[i] == total - size + i:
        i -= 1
    if i < 0:
        return False
    places[i] += 1
    for j in range(i + 1, size):
        places[j] = places[j - 1] + 1
    return True
