"""Judging published tree records by Definition 1 itself: the knowledge that each record supports.

This is written apart from the searches and shares no function with them. Records are lists of
items, one for each distinct label in the order of labels; an item has a bit for each place of its
record's list whose label stands above it somewhere.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner, njit

FEW_BITS = 12
_ONE = np.uint64(1)


@inner
def _related(ptr, bits_ptr, bits, record, one, other):
    """Tell whether one of two items of a record stands above the other."""
    first, second = one - ptr[record], other - ptr[record]
    down = (bits[bits_ptr[other] + first // 64] >> np.uint64(first % 64)) & _ONE
    up = (bits[bits_ptr[one] + second // 64] >> np.uint64(second % 64)) & _ONE
    return down | up


@njit
def _distinct(masks, share, first, last, width, few, kinds, counts):
    """Count the distinct masks of a bucket; `few` is a table of zeros for masks of few bits."""
    size = 0
    if width <= FEW_BITS:
        for i in range(first, last):
            if few[masks[i]] == 0:
                kinds[size] = masks[i]
                size += 1
            few[masks[i]] += share[i]
        for i in range(size):
            counts[i] = few[kinds[i]]
            few[kinds[i]] = 0
        return size
    order = first + np.argsort(masks[first:last])
    for i in order:
        if size == 0 or masks[i] != kinds[size - 1]:
            kinds[size] = masks[i]
            counts[size] = 0
            size += 1
        counts[size - 1] += share[i]
    return size


@inner
def _next_subset(places, size, total):
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


@inner
def _rare_relations(kinds, counts, size, one, free, k, spots, places):
    """Return too rare relations of one kind of records, and how many records have them, or 0.

    Fewer relations are matched by more records, so only choices of `free` (or all) are looked at.
    """
    total = 0
    for bit in range(64):
        if (kinds[one] >> np.uint64(bit)) & _ONE:
            spots[total] = bit
            total += 1
    take = min(free, total)
    for j in range(take):
        places[j] = j
    more = True
    while more:
        wanted = np.uint64(0)
        for j in range(take):
            wanted |= _ONE << np.uint64(spots[places[j]])
        support = 0
        for j in range(size):
            if kinds[j] & wanted == wanted:
                support += counts[j]
        if support < k:
            return wanted, support
        more = take > 0 and _next_subset(places, take, total)
    return np.uint64(0), 0


@inner
def _too_frequent(
    entries, masks, share, first, last, wanted, owner, secret_ptr, secret, tally, most
):
    """Return a sensitive label that more than 1/l of the matching records have, or -1."""
    total = 0
    for i in range(first, last):
        if masks[i] & wanted == wanted:
            total += share[i]
            record = owner[entries[i]]
            for j in range(secret_ptr[record], secret_ptr[record + 1]):
                tally[secret[j]] += share[i]
    found = np.int64(-1)
    for i in range(first, last):
        if masks[i] & wanted == wanted:
            record = owner[entries[i]]
            for j in range(secret_ptr[record], secret_ptr[record + 1]):
                if tally[secret[j]] * most > total:
                    found = secret[j]
                tally[secret[j]] = 0
    return found


@inner
def _betrayed(
    entries, masks, share, first, last, kinds, size, free, owner, secret_ptr, secret, tally, most,
    spots, places,
):  # fmt: skip
    """Return a sensitive label that some knowledge over these labels betrays, and its relations.

    All numbers of relations up to `free` are looked at: more knowledge need not betray more.
    """
    for i in range(size):
        total = 0
        for bit in range(64):
            if (kinds[i] >> np.uint64(bit)) & _ONE:
                spots[total] = bit
                total += 1
        for take in range(min(free, total) + 1):
            for j in range(take):
                places[j] = j
            more = True
            while more:
                wanted = np.uint64(0)
                for j in range(take):
                    wanted |= _ONE << np.uint64(spots[places[j]])
                found = _too_frequent(
                    entries, masks, share, first, last, wanted, owner, secret_ptr, secret, tally,
                    most,
                )  # fmt: skip
                if found >= 0:
                    return found, wanted
                more = take > 0 and _next_subset(places, take, total)
    return np.int64(-1), np.uint64(0)


@njit
def judge(
    ptr, items, bits_ptr, bits, first, listed, owner, weight, needs, k, m, n, most, secret_ptr,
    secret, secrets, marks,
):  # fmt: skip
    """Look for knowledge of up to m labels and n relations that fewer than k records match.

    Labels are added in order, each time to the records that hold those chosen so far: every set of
    labels that some record holds is met once, with the records that hold it. A record stands for
    as many equal ones as its `weight` says. A label that `needs` another stands for a relation
    known to be absent: it takes one of the n. Given `marks`, a place for each record, all records
    are marked that some such knowledge matches.

    Returns the labels, a bit for each relation ((i, j), i < j, at j (j - 1) / 2 + i), how many
    records match, and a sensitive label that is betrayed or -1; no labels if all is well.
    """
    width = first.size - 1
    limit = np.int64(1) << 16
    entry = np.empty(limit, dtype=np.int64)
    above = np.empty(limit, dtype=np.int64)
    mask = np.empty(limit, dtype=np.uint64)
    share = np.empty(limit, dtype=np.int64)
    kinds = np.empty(limit, dtype=np.uint64)
    counts = np.empty(limit, dtype=np.int64)
    few = np.zeros(1 << FEW_BITS, dtype=np.int64)
    tally = np.zeros(secrets, dtype=np.int64)
    spots = np.empty(64, dtype=np.int64)
    places = np.empty(n + 1, dtype=np.int64)
    size_of = np.zeros(width, dtype=np.int64)
    start_of = np.zeros(width, dtype=np.int64)
    chosen = np.empty(m + 1, dtype=np.int64)
    absent = np.zeros(m + 1, dtype=np.int64)
    bucket_label = np.empty(1024, dtype=np.int64)
    bucket_start = np.empty(1024, dtype=np.int64)
    bucket_now = np.zeros(m + 1, dtype=np.int64)
    bucket_end = np.zeros(m + 1, dtype=np.int64)
    for code in range(width):
        total = first[code + 1] - first[code]
        if total == 0 or needs[code] >= 0:
            continue
        if total > limit:
            limit = 2 * total
            entry = np.empty(limit, dtype=np.int64)
            above = np.empty(limit, dtype=np.int64)
            mask = np.empty(limit, dtype=np.uint64)
            share = np.empty(limit, dtype=np.int64)
            kinds = np.empty(limit, dtype=np.uint64)
            counts = np.empty(limit, dtype=np.int64)
        for i in range(total):
            entry[i] = listed[first[code] + i]
            above[i] = -1
            mask[i] = 0
            share[i] = weight[owner[entry[i]]]
        bucket_label[0], bucket_start[0], bucket_start[1] = code, 0, total
        bucket_now[1], bucket_end[1] = 0, 1
        depth = 1
        while depth >= 1:
            bucket = bucket_now[depth]
            if bucket >= bucket_end[depth]:
                depth -= 1
                continue
            bucket_now[depth] += 1
            low, high = bucket_start[bucket], bucket_start[bucket + 1]
            chosen[depth - 1] = bucket_label[bucket]
            absent[depth] = absent[depth - 1] + (needs[bucket_label[bucket]] >= 0)
            free = n - absent[depth]
            matching = share[low:high].sum() if high - low < k else high - low
            if matching < k:
                if not marks.size:
                    return chosen[:depth].copy(), np.uint64(0), matching, np.int64(-1)
                for i in range(low, high):
                    marks[owner[entry[i]]] = True
                continue
            if depth > 1 or most > 1:
                pairs = depth * (depth - 1) // 2
                size = _distinct(mask, share, low, high, pairs, few, kinds, counts)
                for one in range(size if free > 0 else 0):
                    wanted, support = _rare_relations(
                        kinds, counts, size, one, free, k, spots, places
                    )
                    if wanted and not marks.size:
                        return chosen[:depth].copy(), wanted, support, np.int64(-1)
                    for i in range(low, high if wanted else low):
                        if mask[i] == kinds[one]:
                            marks[owner[entry[i]]] = True
                if most > 1:
                    secret_label, wanted = _betrayed(
                        entry, mask, share, low, high, kinds, size, max(free, 0), owner,
                        secret_ptr, secret, tally, most, spots, places,
                    )  # fmt: skip
                    if secret_label >= 0:
                        matching = share[low:high].sum()
                        return chosen[:depth].copy(), wanted, matching, secret_label
            if depth == m:
                continue
            top = bucket_start[bucket_end[depth]]
            grown = np.int64(0)
            touched = np.int64(0)
            begin = bucket_end[depth] + 1
            for i in range(low, high):
                for item in range(entry[i] + 1, ptr[owner[entry[i]] + 1]):
                    label = items[item]
                    if needs[label] >= 0:
                        held = False
                        for j in range(depth):
                            held = held or chosen[j] == needs[label]
                        if not held or free <= 0:
                            continue
                    if size_of[label] == 0:
                        if begin + touched + 2 > bucket_label.size:
                            bucket_label = _longer(bucket_label)
                            bucket_start = _longer(bucket_start)
                        bucket_label[begin + touched] = label
                        touched += 1
                    size_of[label] += 1
                    grown += 1
            while top + grown > limit:
                limit *= 2
                entry, above, mask = _longer(entry), _longer(above), _longer(mask)
                share = _longer(share)
                kinds, counts = _longer(kinds), _longer(counts)
            at = top
            for j in range(begin, begin + touched):
                label = bucket_label[j]
                bucket_start[j] = at
                start_of[label] = at
                at += size_of[label]
                size_of[label] = 0
            bucket_start[begin + touched] = at
            base = np.uint64(depth * (depth - 1) // 2)
            for i in range(low, high):
                record = owner[entry[i]]
                for item in range(entry[i] + 1, ptr[record + 1]):
                    label = items[item]
                    if needs[label] >= 0:
                        held = False
                        for j in range(depth):
                            held = held or chosen[j] == needs[label]
                        if not held or free <= 0:
                            continue
                    to = start_of[label]
                    start_of[label] += 1
                    entry[to] = item
                    above[to] = i
                    share[to] = share[i]
                    found = mask[i]
                    if needs[label] < 0:
                        up = i
                        for j in range(depth - 1, -1, -1):
                            if needs[chosen[j]] < 0 and _related(
                                ptr, bits_ptr, bits, record, entry[up], item
                            ):
                                found |= _ONE << (base + np.uint64(j))
                            up = above[up]
                    mask[to] = found
            depth += 1
            bucket_now[depth] = begin
            bucket_end[depth] = begin + touched
    return chosen[:0].copy(), np.uint64(0), np.int64(0), np.int64(-1)


@njit
def _longer(array):
    grown = np.empty(2 * array.size, dtype=array.dtype)
    for i in range(array.size):
        grown[i] = array[i]
    return grown
