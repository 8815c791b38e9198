"""What can be known over one set of labels of published tree records: their relations.

Part of the independent check of Definition 1 (Gkountouna and Terrovitis 2013): the set of labels is
given, with all records that hold it; looked for are relations among the labels that too few of
these records have, or behind which a sensitive label is too frequent (section III-F). Nothing here
is shared with the searches.

Relations are bits of a mask: bit j (j - 1) / 2 + i for the i-th and the j-th label, i < j. Records
with the same mask are of one kind, so that kinds are looked at, not records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

HASH_BITS = 12
_ONE, NO_MASK = np.uint64(1), np.uint64(0)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - HASH_BITS)
NOTHING = np.int64(-1)


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
    mask, size_of
        Each mask, and how many records have it.
    before, last
        The mask before each one with the same hash value, counted from 1, and the last for each.
    """

    mask: NDArray[np.uint64]
    size_of: NDArray[np.int64]
    before: NDArray[np.int64]
    last: NDArray[np.int64]


class Choice(NamedTuple):
    """Scratch: the bits of a mask, and which of them are chosen."""

    bits: NDArray[np.int64]
    places: NDArray[np.int64]


@inner
def _hashed(mask, few):
    """Return where a mask is in the hash table: at its own number if it has `few` bits."""
    return np.int64(mask if few else (mask * _MIX) >> _SHIFT)


@inner
def distinct(chosen, low, high, pairs, kinds):
    """Count the distinct masks of some holders, of so many pairs of labels."""
    mask, share = chosen.mask, chosen.share
    kind_mask, size_of, before, last = kinds
    few = pairs <= HASH_BITS
    size = 0
    for i in range(low, high):
        place = _hashed(mask[i], few)
        kind = last[place] - 1
        while kind >= 0 and kind_mask[kind] != mask[i]:
            kind = before[kind] - 1
        if kind < 0:
            kind = size
            kind_mask[kind] = mask[i]
            size_of[kind] = 0
            before[kind] = last[place]
            size += 1
            last[place] = size
        size_of[kind] += share[i]
    for kind in range(size):
        last[_hashed(kind_mask[kind], few)] = 0
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
    mask = NO_MASK
    for j in range(size):
        mask |= _ONE << np.uint64(bits[places[j]])
    return mask


@inner
def _rare_relations(kinds, size, one, free, k, choice):
    """Return too rare relations of one kind of records, and how many records have them, or 0.

    Fewer relations are matched by more records, so only choices of `free` (or all) are looked at.
    """
    total = _bits_of(kinds.mask[one], choice.bits)
    take = min(free, total)
    _first_subset(choice.places, take)
    more = True
    while more:
        wanted = _mask_of(choice.bits, choice.places, take)
        support = np.int64(0)
        for j in range(size):
            if kinds.mask[j] & wanted == wanted:
                support += kinds.size_of[j]
        if support < k:
            return wanted, support
        more = _next_subset(choice.places, take, total)
    return NO_MASK, np.int64(0)


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
    betrayed = NOTHING
    for i in range(low, high):
        if chosen.mask[i] & wanted == wanted:
            record = owner[chosen.entry[i]]
            for j in range(secrets.ptr[record], secrets.ptr[record + 1]):
                if secrets.tally[secrets.label[j]] * secrets.l > total:
                    betrayed = np.int64(secrets.label[j])
                secrets.tally[secrets.label[j]] = 0
    return betrayed


@inner
def betrayed(chosen, low, high, kinds, size, free, owner, secrets, choice):
    """Return a sensitive label that some knowledge over these labels betrays, and its relations.

    All numbers of relations up to `free` are looked at: more knowledge need not betray more.
    """
    for i in range(size):
        total = _bits_of(kinds.mask[i], choice.bits)
        for take in range(min(free, total) + 1):
            _first_subset(choice.places, take)
            more = True
            while more:
                wanted = _mask_of(choice.bits, choice.places, take)
                label = _too_frequent(chosen, low, high, wanted, owner, secrets)
                if label >= 0:
                    return label, wanted
                more = _next_subset(choice.places, take, total)
    return NOTHING, NO_MASK


@inner
def rarest_kind(kinds, size, free, k, choice, chosen, low, high, owner, marks):
    """Return the first too rare relations of any kind of records, and how many records have them.

    Given `marks`, the records of all such kinds are marked, and nothing is returned.
    """
    for one in range(size if free > 0 else 0):
        wanted, support = _rare_relations(kinds, size, one, free, k, choice)
        if not wanted:
            continue
        if not marks.size:
            return wanted, support
        for i in range(low, high):
            if chosen.mask[i] == kinds.mask[one]:
                marks[owner[chosen.entry[i]]] = True
    return NO_MASK, np.int64(0)
