"""Judging published tree records by Definition 1 itself: the knowledge that each record supports.

Gkountouna and Terrovitis (2013), Definition 1: any knowledge of up to m labels of a record and up
to n ancestor-descendant relations among them agrees with no record or with at least k; section
III-F: and no sensitive label is in more than 1/l of the records that agree with it; section III-G:
labels and relations may also be known to be absent.

This is written apart from the searches and shares no function with them. Sets of labels are walked
depth first: labels are added in order, each time to the records that hold those chosen so far, so
every set of labels that some record holds is met once, with all its holders. For each holder a mask
says which of the chosen labels are related: bit j (j - 1) / 2 + i for the i-th and the j-th, i <
j.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.trees.knowledge_kernel import (
    NO_MASK,
    NOTHING,
    Choice,
    Chosen,
    Kinds,
    Secrets,
    betrayed,
    distinct,
    rarest_kind,
)
from indistinct.trees.tallies_kernel import rest_is_frequent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.items_kernel import Holders, Items

_ONE = np.uint64(1)


class JudgedRecords(NamedTuple):
    """Published records, as labels that attackers may know.

    Attributes
    ----------
    items, holders
        The labels of each record, and who has which label.
    weight
        How many records read like each record.
    needs
        For a label that says that a relation is absent, the label that it would be below: it counts
        as one of the relations. -1 for all others.
    related
        For each item a bit for each item of its record that is related to it; empty where a record
        has too many, or something may be known to be absent.
    rank, labels
        The label of each item, counted among those that some record has, and how many these are.
    """

    items: Items
    holders: Holders
    weight: NDArray[np.int64]
    needs: NDArray[np.int64]
    related: NDArray[np.uint64]
    rank: NDArray[np.int32]
    labels: int


class Limits(NamedTuple):
    """The numbers of the requirement."""

    k: int
    m: int
    n: int


class Descent(NamedTuple):
    """Scratch of the walk through all sets of labels.

    Attributes
    ----------
    labels, absent
        The labels chosen; how many absent relations the first of them stand for.
    bucket, end
        For each number of labels the next bucket to look at, and the end of them. A bucket is the
        holders of the labels chosen and one more.
    bucket_label, bucket_start
        The label of each bucket, and where its holders begin.
    size_of, start_of
        For each label how many holders could add it (zeros), and where they go.
    choice
        Scratch for the relations of a set of labels.
    tally, pair_tally
        For each label, and for each pair of labels, and each mask of these and the labels chosen,
        how many records have it (zeros). Empty where something is sensitive, m is above 4, or they
        would be large.
    """

    labels: NDArray[np.int64]
    absent: NDArray[np.int64]
    bucket: NDArray[np.int64]
    end: NDArray[np.int64]
    bucket_label: NDArray[np.int64]
    bucket_start: NDArray[np.int64]
    size_of: NDArray[np.int64]
    start_of: NDArray[np.int64]
    choice: Choice
    tally: NDArray[np.int64]
    pair_tally: NDArray[np.int64]


@inner
def _related(begin, bits_ptr, bits, one, other):
    """Return whether one of two items of a record stands above the other; `begin` is its first."""
    first, second = one - begin, other - begin
    down = bits[bits_ptr[other] + first // 64] >> np.uint64(first % 64)
    up = bits[bits_ptr[one] + second // 64] >> np.uint64(second % 64)
    return (down | up) & _ONE


@njit
def judge(
    records: JudgedRecords,
    limits: Limits,
    secrets: Secrets | None,
    marks: NDArray[np.bool_],
    walk: Descent,
    chosen: Chosen,
    kinds: Kinds,
    codes: tuple[int, int],
) -> tuple[int, np.uint64, int, int]:
    """Look for knowledge of up to m labels and n relations that fewer than k records match.

    Given `marks`, a place for each record, all records are marked that some such knowledge matches,
    and the walk goes on.

    Parameters
    ----------
    chosen, kinds
        Scratch that has to hold all records of any label; it is replaced where more is needed.
    codes
        Only knowledge is looked at whose first label is one from the first of these up to the
        second; each is a walk of its own.

    Returns
    -------
    tuple
        How many labels the knowledge has, which are then in `walk`, its relations as a mask, how
        many records match, and a sensitive label that is betrayed or -1. No labels if all is well.
    """
    first, owner = records.holders.first, records.holders.owner
    bucket_label, bucket_start = walk.bucket_label, walk.bucket_start
    for code in range(codes[0], codes[1]):
        total = first[code + 1] - first[code]
        if total == 0 or records.needs[code] >= 0:
            continue
        _hold(records, code, chosen)
        bucket_label[0], bucket_start[0], bucket_start[1] = code, 0, total
        walk.bucket[1], walk.end[1] = 0, 1
        depth = np.int64(1)
        while depth >= 1:
            bucket = walk.bucket[depth]
            if bucket >= walk.end[depth]:
                depth -= 1
                continue
            walk.bucket[depth] += 1
            low, high = bucket_start[bucket], bucket_start[bucket + 1]
            walk.labels[depth - 1] = bucket_label[bucket]
            denies = records.needs[bucket_label[bucket]] >= 0
            walk.absent[depth] = walk.absent[depth - 1] + denies
            free = limits.n - walk.absent[depth]
            matching = high - low
            if matching < limits.k:
                matching = _records_in(chosen.share, low, high)
            if matching < limits.k:  # finer knowledge matches no more: nothing to add
                if not marks.size:
                    return int(depth), NO_MASK, int(matching), int(NOTHING)
                for i in range(low, high):
                    marks[owner[chosen.entry[i]]] = True
                continue
            if depth > 1 or secrets is not None:
                pairs = depth * (depth - 1) // 2
                size = distinct(chosen, low, high, pairs, kinds)
                wanted, support = rarest_kind(
                    kinds, size, free, limits.k, walk.choice, chosen, low, high, owner, marks
                )
                if wanted:
                    return int(depth), wanted, int(support), int(NOTHING)
                if secrets is not None:  # numba leaves this out where nothing is sensitive
                    secret, wanted = betrayed(
                        chosen, low, high, kinds, size, max(free, 0), owner, secrets, walk.choice
                    )
                    if secret >= 0:
                        matching = _records_in(chosen.share, low, high)
                        return int(depth), wanted, int(matching), int(secret)
            if depth == limits.m:
                continue
            if walk.tally.size and depth == max(limits.m - 2, 1) and not marks.size:
                worth = 32 * (high - low) >= max(walk.pair_tally.size, walk.tally.size)
                if worth and rest_is_frequent(
                    records, chosen, low, high, walk, depth, limits, kinds, marks
                ):
                    continue
            begin = walk.end[depth] + 1
            touched, grown = _find_followers(records, chosen, low, high, walk, depth, free)
            top = bucket_start[walk.end[depth]]
            while top + grown > chosen.entry.size:
                chosen = Chosen(
                    _longer(chosen.entry), _longer(chosen.above), _longer_masks(chosen.mask),
                    _longer(chosen.share),
                )  # fmt: skip
                kinds = Kinds(
                    _longer_masks(kinds.mask), _longer(kinds.size_of), _longer(kinds.before),
                    kinds.last,
                )  # fmt: skip
            _lay_out(begin, touched, top, walk)
            _add_label(records, chosen, low, high, walk, depth, free)
            depth += 1
            walk.bucket[depth] = begin
            walk.end[depth] = begin + touched
    return 0, NO_MASK, 0, int(NOTHING)


@inner
def _hold(records, code, chosen):
    """Begin with the holders of a label."""
    first, listed, owner = records.holders
    for place in range(first[code], first[code + 1]):
        i = place - first[code]
        chosen.entry[i] = listed[place]
        chosen.above[i] = -1
        chosen.mask[i] = NO_MASK
        chosen.share[i] = records.weight[owner[listed[place]]]


@inner
def _records_in(share, low, high):
    """Count the records that some holders stand for."""
    total = np.int64(0)
    for i in range(low, high):
        total += share[i]
    return total


@inner
def _may_follow(label, needs, labels, depth, free):
    """Return whether a label can be added: an absent relation only with its upper label."""
    if needs[label] < 0:
        return True
    if free <= 0:
        return False
    held = False
    for j in range(depth):
        held = held or labels[j] == needs[label]
    return held


@inner
def _find_followers(records, chosen, low, high, walk, depth, free):
    """Find the labels that some holders could add, as buckets; return how many labels and items.

    Arrays are taken out of their tuples before the loop: in it that would cost more than the rest.
    """
    entry, owner, needs = chosen.entry, records.holders.owner, records.needs
    ptr, item_label = records.items.ptr, records.items.label
    labels, size_of, bucket_label = walk.labels, walk.size_of, walk.bucket_label
    begin = walk.end[depth] + 1
    touched, items = np.int64(0), np.int64(0)
    for i in range(low, high):
        for item in range(entry[i] + 1, ptr[owner[entry[i]] + 1]):
            label = item_label[item]
            if not _may_follow(label, needs, labels, depth, free):
                continue
            if size_of[label] == 0:
                bucket_label[begin + touched] = label
                touched += 1
            size_of[label] += 1
            items += 1
    return touched, items


@inner
def _lay_out(begin, touched, top, walk):
    """Give each new bucket its place behind the holders there are."""
    bucket_label, bucket_start = walk.bucket_label, walk.bucket_start
    at = top
    for j in range(begin, begin + touched):
        label = bucket_label[j]
        bucket_start[j] = at
        walk.start_of[label] = at
        at += walk.size_of[label]
        walk.size_of[label] = 0
    bucket_start[begin + touched] = at


@inner
def _add_label(records, chosen, low, high, walk, depth, free):
    """Put each holder into the bucket of every label that it has after the last one chosen."""
    entry, above, mask, share = chosen
    ptr, item_label, bits_ptr, bits = records.items
    owner, needs = records.holders.owner, records.needs
    labels, start_of = walk.labels, walk.start_of
    base = np.uint64(depth * (depth - 1) // 2)
    for i in range(low, high):
        record = owner[entry[i]]
        for item in range(entry[i] + 1, ptr[record + 1]):
            label = item_label[item]
            if not _may_follow(label, needs, labels, depth, free):
                continue
            to = start_of[label]
            start_of[label] += 1
            related = mask[i]
            if needs[label] < 0:
                up = i
                for j in range(depth - 1, -1, -1):
                    if needs[labels[j]] < 0 and _related(
                        ptr[record], bits_ptr, bits, entry[up], item
                    ):
                        related |= _ONE << (base + np.uint64(j))
                    up = above[up]
            entry[to], above[to], mask[to], share[to] = item, i, related, share[i]


@inner
def _longer(array):
    """Return a longer copy."""
    grown = np.empty(2 * array.size, dtype=np.int64)
    for i in range(array.size):
        grown[i] = array[i]
    return grown


@inner
def _longer_masks(array):
    """Return a longer copy."""
    grown = np.empty(2 * array.size, dtype=np.uint64)
    for i in range(array.size):
        grown[i] = array[i]
    return grown
