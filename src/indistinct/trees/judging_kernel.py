"""Judging published tree records by Definition 1 itself: the knowledge that each record supports.

Gkountouna and Terrovitis (2013), Definition 1: any knowledge of up to m labels of a record and up to
n ancestor-descendant relations among them agrees with no record or with at least k; section III-F:
and no sensitive label is in more than 1/l of the records that agree with it; section III-G: labels
and relations may also be known to be absent.

This is written apart from the searches and shares no function with them. Sets of labels are walked
depth first: labels are added in order, each time to the records that hold those chosen so far, so
every set of labels that some record holds is met once, with all its holders. For each holder a mask
tells which of the chosen labels are related: bit j (j - 1) / 2 + i for the i-th and the j-th, i < j.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.items_kernel import Holders, Items

HASH_BITS = 12
MOST_BUCKETS = 1024
_ONE, _NO_MASK = np.uint64(1), np.uint64(0)
_HASHED = np.uint64((1 << HASH_BITS) - 1)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - HASH_BITS)
_NOTHING = np.int64(-1)


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
    """

    items: Items
    holders: Holders
    weight: NDArray[np.int64]
    needs: NDArray[np.int64]


class Secrets(NamedTuple):
    """Sensitive labels.

    Attributes
    ----------
    ptr, label
        Those of a record are `label[ptr[record] : ptr[record + 1]]`.
    tally
        Scratch, zeros: for each label a count.
    l
        None may be in more than 1/l of the records that agree with some knowledge.
    """

    ptr: NDArray[np.int64]
    label: NDArray[np.int32]
    tally: NDArray[np.int64]
    l: int  # noqa: E741 - the paper's symbol


class Limits(NamedTuple):
    """The numbers of the requirement."""

    k: int
    m: int
    n: int


class Chosen(NamedTuple):
    """The holders of the labels chosen so far, those of each further label behind one another.

    Attributes
    ----------
    entry
        The item of the last label chosen.
    above
        Where the same record stands among the holders of the labels before.
    mask
        Which of the labels are related.
    share
        How many records it stands for.
    """

    entry: NDArray[np.int64]
    above: NDArray[np.int64]
    mask: NDArray[np.uint64]
    share: NDArray[np.int64]


class Kinds(NamedTuple):
    """The distinct masks of some holders, in a hash table that is empty in between.

    Attributes
    ----------
    mask, count
        Each mask, and how many records have it.
    before, last
        The mask before each one with the same hash value, counted from 1, and the last for each.
    """

    mask: NDArray[np.uint64]
    count: NDArray[np.int64]
    before: NDArray[np.int64]
    last: NDArray[np.int64]


class Descent(NamedTuple):
    """Scratch of the walk through all sets of labels.

    Attributes
    ----------
    labels, absent
        The labels chosen; how many absent relations the first of them stand for.
    bucket, end
        For each number of labels the next bucket to look at, and the end of them.
    size_of, start_of
        For each label how many holders could add it (zeros), and where they go.
    bits, places
        The bits of a mask, and which of them are chosen.
    """

    labels: NDArray[np.int64]
    absent: NDArray[np.int64]
    bucket: NDArray[np.int64]
    end: NDArray[np.int64]
    size_of: NDArray[np.int64]
    start_of: NDArray[np.int64]
    bits: NDArray[np.int64]
    places: NDArray[np.int64]


@inner
def _related(items, record, one, other):
    """Tell whether one of two items of a record stands above the other."""
    first, second = one - items.ptr[record], other - items.ptr[record]
    down = items.bits[items.bits_ptr[other] + first // 64] >> np.uint64(first % 64)
    up = items.bits[items.bits_ptr[one] + second // 64] >> np.uint64(second % 64)
    return (down | up) & _ONE


@inner
def _hashed(mask, few):
    """Return where a mask is in the hash table: at its own number if it has `few` bits."""
    return np.int64(mask if few else (mask * _MIX) >> _SHIFT)


@inner
def _distinct(chosen, low, high, pairs, kinds):
    """Count the distinct masks of some holders, of so many pairs of labels."""
    few = pairs <= HASH_BITS
    size = 0
    for i in range(low, high):
        place = _hashed(chosen.mask[i], few)
        kind = kinds.last[place] - 1
        while kind >= 0 and kinds.mask[kind] != chosen.mask[i]:
            kind = kinds.before[kind] - 1
        if kind < 0:
            kind = size
            kinds.mask[kind] = chosen.mask[i]
            kinds.count[kind] = 0
            kinds.before[kind] = kinds.last[place]
            size += 1
            kinds.last[place] = size
        kinds.count[kind] += chosen.share[i]
    for kind in range(size):
        kinds.last[_hashed(kinds.mask[kind], few)] = 0
    return size


@inner
def _bits_of(mask, bits):
    """List the bits of a mask; return how many there are."""
    total = np.int64(0)
    for bit in range(64):
        if (mask >> np.uint64(bit)) & _ONE:
            bits[total] = bit
            total += 1
    return total


@inner
def _first_subset(places, size):
    """Choose the first `size` places."""
    for i in range(size):
        places[i] = i


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
def _mask_of(bits, places, size):
    """Return the mask of the bits that are chosen."""
    mask = _NO_MASK
    for j in range(size):
        mask |= _ONE << np.uint64(bits[places[j]])
    return mask


@inner
def _rare_relations(kinds, size, one, free, k, walk):
    """Return too rare relations of one kind of records, and how many records have them, or 0.

    Fewer relations are matched by more records, so only choices of `free` (or all) are looked at.
    """
    total = _bits_of(kinds.mask[one], walk.bits)
    take = min(free, total)
    _first_subset(walk.places, take)
    more = True
    while more:
        wanted = _mask_of(walk.bits, walk.places, take)
        support = np.int64(0)
        for j in range(size):
            if kinds.mask[j] & wanted == wanted:
                support += kinds.count[j]
        if support < k:
            return wanted, support
        more = _next_subset(walk.places, take, total)
    return _NO_MASK, np.int64(0)


@inner
def _too_frequent(chosen, low, high, wanted, owner, secrets):
    """Return a sensitive label that more than 1/l of the matching records have, or -1."""
    total = 0
    for i in range(low, high):
        if chosen.mask[i] & wanted == wanted:
            total += chosen.share[i]
            record = owner[chosen.entry[i]]
            for j in range(secrets.ptr[record], secrets.ptr[record + 1]):
                secrets.tally[secrets.label[j]] += chosen.share[i]
    betrayed = _NOTHING
    for i in range(low, high):
        if chosen.mask[i] & wanted == wanted:
            record = owner[chosen.entry[i]]
            for j in range(secrets.ptr[record], secrets.ptr[record + 1]):
                if secrets.tally[secrets.label[j]] * secrets.l > total:
                    betrayed = np.int64(secrets.label[j])
                secrets.tally[secrets.label[j]] = 0
    return betrayed


@inner
def _betrayed(chosen, low, high, kinds, size, free, owner, secrets, walk):
    """Return a sensitive label that some knowledge over these labels betrays, and its relations.

    All numbers of relations up to `free` are looked at: more knowledge need not betray more.
    """
    for i in range(size):
        total = _bits_of(kinds.mask[i], walk.bits)
        for take in range(min(free, total) + 1):
            _first_subset(walk.places, take)
            more = True
            while more:
                wanted = _mask_of(walk.bits, walk.places, take)
                label = _too_frequent(chosen, low, high, wanted, owner, secrets)
                if label >= 0:
                    return label, wanted
                more = _next_subset(walk.places, take, total)
    return _NOTHING, _NO_MASK


@njit
def judge(
    records: JudgedRecords, limits: Limits, secrets: Secrets | None, marks: NDArray[np.bool_], walk: Descent,
    chosen: Chosen, kinds: Kinds, bucket_label: NDArray[np.int64], bucket_start: NDArray[np.int64],
) -> tuple[int, np.uint64, int, int]:  # fmt: skip
    """Look for knowledge of up to m labels and n relations that fewer than k records match.

    Given `marks`, a place for each record, all records are marked that some such knowledge matches,
    and the walk goes on.

    Parameters
    ----------
    chosen, kinds, bucket_label, bucket_start
        Scratch that has to hold all records of any label; it is replaced where more is needed. A
        bucket is the holders of the labels chosen and one more, `bucket_label`.

    Returns
    -------
    tuple
        How many labels the knowledge has, which are then in `walk`, its relations as a mask, how
        many records match, and a sensitive label that is betrayed or -1. No labels if all is well.
    """
    first, owner = records.holders.first, records.holders.owner
    for code in range(first.size - 1):
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
                    return depth, _NO_MASK, matching, _NOTHING
                for i in range(low, high):
                    marks[owner[chosen.entry[i]]] = True
                continue
            if depth > 1 or secrets is not None:
                pairs = depth * (depth - 1) // 2
                size = _distinct(chosen, low, high, pairs, kinds)
                wanted, support = _rarest_kind(
                    kinds, size, free, limits.k, walk, chosen, low, high, owner, marks
                )
                if wanted:
                    return depth, wanted, support, _NOTHING
                if secrets is not None:  # numba leaves this out where nothing is sensitive
                    secret, wanted = _betrayed(
                        chosen, low, high, kinds, size, max(free, 0), owner, secrets, walk
                    )
                    if secret >= 0:
                        return depth, wanted, _records_in(chosen.share, low, high), secret
            if depth == limits.m:
                continue
            begin = walk.end[depth] + 1
            touched, grown = np.int64(0), np.int64(0)
            for i in range(low, high):
                record = owner[chosen.entry[i]]
                for item in range(chosen.entry[i] + 1, records.items.ptr[record + 1]):
                    label = records.items.label[item]
                    if not _may_follow(label, records.needs, walk.labels, depth, free):
                        continue
                    if walk.size_of[label] == 0:
                        if begin + touched + 2 > bucket_label.size:
                            bucket_label = _longer(bucket_label)
                            bucket_start = _longer(bucket_start)
                        bucket_label[begin + touched] = label
                        touched += 1
                    walk.size_of[label] += 1
                    grown += 1
            top = bucket_start[walk.end[depth]]
            while top + grown > chosen.entry.size:
                chosen = Chosen(
                    _longer(chosen.entry), _longer(chosen.above), _longer_masks(chosen.mask),
                    _longer(chosen.share),
                )  # fmt: skip
                kinds = Kinds(
                    _longer_masks(kinds.mask), _longer(kinds.count), _longer(kinds.before),
                    kinds.last,
                )  # fmt: skip
            _lay_out(begin, touched, top, bucket_label, bucket_start, walk)
            _add_label(records, chosen, low, high, walk, depth, free)
            depth += 1
            walk.bucket[depth] = begin
            walk.end[depth] = begin + touched
    return 0, _NO_MASK, np.int64(0), _NOTHING


@inner
def _hold(records, code, chosen):
    """Begin with the holders of a label."""
    first, listed, owner = records.holders
    for place in range(first[code], first[code + 1]):
        i = place - first[code]
        chosen.entry[i] = listed[place]
        chosen.above[i] = -1
        chosen.mask[i] = _NO_MASK
        chosen.share[i] = records.weight[owner[listed[place]]]


@inner
def _records_in(share, low, high):
    """Count the records that some holders stand for."""
    total = np.int64(0)
    for i in range(low, high):
        total += share[i]
    return total


@inner
def _rarest_kind(kinds, size, free, k, walk, chosen, low, high, owner, marks):
    """Return the first too rare relations of any kind of records, and how many records have them.

    Given `marks`, the records of all such kinds are marked, and nothing is returned.
    """
    for one in range(size if free > 0 else 0):
        wanted, support = _rare_relations(kinds, size, one, free, k, walk)
        if not wanted:
            continue
        if not marks.size:
            return wanted, support
        for i in range(low, high):
            if chosen.mask[i] == kinds.mask[one]:
                marks[owner[chosen.entry[i]]] = True
    return _NO_MASK, np.int64(0)


@inner
def _may_follow(label, needs, labels, depth, free):
    """Tell whether a label can be added: an absent relation only with its upper label."""
    if needs[label] < 0:
        return True
    if free <= 0:
        return False
    for j in range(depth):
        if labels[j] == needs[label]:
            return True
    return False


@inner
def _lay_out(begin, touched, top, bucket_label, bucket_start, walk):
    """Give each new bucket its place behind the holders there are."""
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
    items, needs = records.items, records.needs
    base = np.uint64(depth * (depth - 1) // 2)
    for i in range(low, high):
        record = records.holders.owner[entry[i]]
        for item in range(entry[i] + 1, items.ptr[record + 1]):
            label = items.label[item]
            if not _may_follow(label, needs, walk.labels, depth, free):
                continue
            to = walk.start_of[label]
            walk.start_of[label] += 1
            related = mask[i]
            if needs[label] < 0:
                up = i
                for j in range(depth - 1, -1, -1):
                    if needs[walk.labels[j]] < 0 and _related(items, record, entry[up], item):
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
