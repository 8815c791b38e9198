"""What the check needs of published records: which are equal, and the labels that each holds.

The independent check of Definition 1 (Gkountouna and Terrovitis 2013) sees a record as its distinct
labels, its items, and which of them stand above which somewhere in the record. Nothing here is
shared with the searches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ONE = np.uint64(1)
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Items(NamedTuple):
    """The items of records: one for each distinct label of each record.

    Attributes
    ----------
    ptr, label
        The items of a record are those from `ptr[record]` on, in the order of their labels.
    bits_ptr, bits
        From `bits_ptr[item]` on, a bit for each item of the record: whether its label stands above
        this one's.
    """

    ptr: NDArray[np.int64]
    label: NDArray[np.int32]
    bits_ptr: NDArray[np.int64]
    bits: NDArray[np.uint64]


class Holders(NamedTuple):
    """Who has which label.

    Attributes
    ----------
    first, listed
        The items of a label are those from `listed[first[label]]` on, in the order of records.
    owner
        The record of each item.
    """

    first: NDArray[np.int64]
    listed: NDArray[np.int64]
    owner: NDArray[np.int32]


@njit
def equal_records(
    label: NDArray[np.int32], parent: NDArray[np.int32], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Give every record the number of the first record that reads the same, node for node."""
    records = starts.size - 1
    bits = 4
    while (1 << bits) < 2 * records:
        bits += 1
    mask = (1 << bits) - 1
    table = np.zeros(1 << bits, dtype=np.int64)  # a hash table of records, counted from 1
    same = np.zeros(records, dtype=np.int64)
    for record in range(records):
        start, size = starts[record], starts[record + 1] - starts[record]
        mixed = np.uint64(size)
        for node in range(start, start + size):
            above = parent[node] - start + 1 if parent[node] >= 0 else 0
            mixed = (mixed ^ np.uint64(label[node])) * _MIX
            mixed ^= np.uint64(above) + (mixed >> np.uint64(29))
        place = np.int64((mixed * _MIX) >> np.uint64(64 - bits))
        while table[place] and not _alike(label, parent, starts, record, table[place] - 1):
            place = (place + 1) & mask
        if not table[place]:
            table[place] = record + 1
        same[record] = table[place] - 1
    return same


@inner
def _alike(label, parent, starts, one, other):
    """Return whether two records read the same."""
    here, there = starts[one], starts[other]
    size = starts[one + 1] - here
    if starts[other + 1] - there != size:
        return False
    for node in range(size):
        above, other_above = parent[here + node], parent[there + node]
        if label[here + node] != label[there + node] or (above < 0) != (other_above < 0):
            return False
        if above >= 0 and above - here != other_above - there:
            return False
    return True


@njit
def items_of(
    label: NDArray[np.int32],
    parent: NDArray[np.int32],
    starts: NDArray[np.int64],
    known: NDArray[np.bool_],
) -> tuple[Items, Holders]:
    """List the items of every record, and who has which label.

    Labels that are not `known` to attackers are passed over.
    """
    records, width = starts.size - 1, known.size
    last = np.zeros(width, dtype=np.int64)  # of each label the last record met, counted from 1
    ptr = np.zeros(records + 1, dtype=np.int64)
    items = np.empty(label.size, dtype=np.int32)
    filled = 0
    for record in range(records):
        for node in range(starts[record], starts[record + 1]):
            if known[label[node]] and last[label[node]] != record + 1:
                last[label[node]] = record + 1
                items[filled] = label[node]
                filled += 1
        ptr[record + 1] = filled
    items = items[:filled]
    holders = inverted(items, ptr, width)
    _sort_items(items, ptr, holders)
    bits_ptr = np.zeros(filled + 1, dtype=np.int64)
    for record in range(records):
        words = (ptr[record + 1] - ptr[record] + 63) // 64
        for item in range(ptr[record], ptr[record + 1]):
            bits_ptr[item + 1] = bits_ptr[item] + words
    listed = Items(ptr, items, bits_ptr, np.zeros(bits_ptr[filled], dtype=np.uint64))
    _mark_above(listed, label, parent, starts, known, last)
    return listed, holders


@inner
def _sort_items(items, ptr, holders):
    """Put the items of each record in the order of their labels.

    Labels are dealt out to the records that have them, the smallest first: no sort is needed.
    """
    at = ptr.copy()
    for label in range(holders.first.size - 1):
        for place in range(holders.first[label], holders.first[label + 1]):
            record = holders.owner[holders.listed[place]]
            items[at[record]] = label
            holders.listed[place] = at[record]
            at[record] += 1


@inner
def _mark_above(items, label, parent, starts, known, place):
    """Set the bits of the labels that stand above each item; `place` is scratch for each label."""
    for record in range(starts.size - 1):
        for item in range(items.ptr[record], items.ptr[record + 1]):
            place[items.label[item]] = item - items.ptr[record]
        for node in range(starts[record], starts[record + 1]):
            if not known[label[node]]:
                continue
            first = items.bits_ptr[items.ptr[record] + place[label[node]]]
            above = parent[node]
            while above >= 0:
                if known[label[above]]:
                    where = place[label[above]]
                    items.bits[first + where // 64] |= _ONE << np.uint64(where % 64)
                above = parent[above]


@njit
def related_items(items: Items) -> NDArray[np.uint64]:
    """Return for each item a bit for each item of its record that stands above or below it.

    Nothing if a record has more items than a word has bits.
    """
    related = np.zeros(items.label.size, dtype=np.uint64)
    for record in range(items.ptr.size - 1):
        first, last = items.ptr[record], items.ptr[record + 1]
        if last - first > 64:
            return related[:0]
        for item in range(first, last):
            above = items.bits[items.bits_ptr[item]]
            related[item] |= above
            for other in range(first, last):
                if (above >> np.uint64(other - first)) & _ONE:
                    related[other] |= _ONE << np.uint64(item - first)
    return related


@njit
def inverted(items: NDArray[np.int32], ptr: NDArray[np.int64], width: int) -> Holders:
    """List for each label the items that have it, and for each item its record."""
    first = np.zeros(width + 1, dtype=np.int64)
    for i in range(items.size):
        first[items[i]] += 1
    total = np.int64(0)
    for code in range(width + 1):
        total += first[code]
        first[code] = total
    owner = np.empty(items.size, dtype=np.int32)
    listed = np.empty(items.size, dtype=np.int64)
    for record in range(ptr.size - 2, -1, -1):  # from the back: each `first` becomes a beginning
        for i in range(ptr[record + 1] - 1, ptr[record] - 1, -1):
            owner[i] = record
            first[items[i]] -= 1
            listed[first[items[i]]] = i
    return Holders(first, listed, owner)
