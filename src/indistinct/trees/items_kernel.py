"""What judging needs of published records: which are equal, and the labels that each holds."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import njit

_ONE = np.uint64(1)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@njit
def equal_records(label, parent, starts):
    """Give every record the number of the first record that reads the same, node for node."""
    records = starts.size - 1
    bits = 4
    while (1 << bits) < 2 * records:
        bits += 1
    mask = (1 << bits) - 1
    table = np.full(1 << bits, -1, dtype=np.int64)
    same = np.empty(records, dtype=np.int64)
    for record in range(records):
        start, size = starts[record], starts[record + 1] - starts[record]
        mixed = np.uint64(size)
        for node in range(start, start + size):
            above = parent[node] - start + 1 if parent[node] >= 0 else 0
            mixed = (mixed ^ np.uint64(label[node])) * _MIX
            mixed ^= np.uint64(above) + (mixed >> np.uint64(29))
        place = np.int64((mixed * _MIX) >> np.uint64(64 - bits))
        while table[place] >= 0:
            other = starts[table[place]]
            alike = starts[table[place] + 1] - other == size
            node = 0
            while alike and node < size:
                alike = label[start + node] == label[other + node] and (
                    parent[start + node] - start == parent[other + node] - other
                    or (parent[start + node] < 0 and parent[other + node] < 0)
                )
                node += 1
            if alike:
                break
            place = (place + 1) & mask
        if table[place] < 0:
            table[place] = record
        same[record] = table[place]
    return same


@njit
def items_of(label, parent, starts, width, known):
    """List the distinct labels of every record, in order, and which of them stand above which.

    Returns where the items of each record begin, their labels, where the bits of each item begin,
    and the bits. Labels that are not `known` to attackers are passed over.
    """
    records = starts.size - 1
    place = np.full(width, -1, dtype=np.int64)
    ptr = np.zeros(records + 1, dtype=np.int64)
    for record in range(records):
        count = 0
        for node in range(starts[record], starts[record + 1]):
            if known[label[node]] and place[label[node]] != record:
                place[label[node]] = record
                count += 1
        ptr[record + 1] = ptr[record] + count
    items = np.empty(ptr[records], dtype=np.int32)
    bits_ptr = np.zeros(ptr[records] + 1, dtype=np.int64)
    place[:] = -1
    for record in range(records):
        filled = ptr[record]
        for node in range(starts[record], starts[record + 1]):
            if known[label[node]] and place[label[node]] != record:
                place[label[node]] = record
                items[filled] = label[node]
                filled += 1
        items[ptr[record] : filled].sort()
        words = (filled - ptr[record] + 63) // 64
        for item in range(ptr[record], filled):
            bits_ptr[item + 1] = bits_ptr[item] + words
    bits = np.zeros(bits_ptr[items.size], dtype=np.uint64)
    for record in range(records):
        for item in range(ptr[record], ptr[record + 1]):
            place[items[item]] = item - ptr[record]
        for node in range(starts[record], starts[record + 1]):
            if not known[label[node]]:
                continue
            first = bits_ptr[ptr[record] + place[label[node]]]
            above = parent[node]
            while above >= 0:
                if known[label[above]]:
                    where = place[label[above]]
                    bits[first + where // 64] |= _ONE << np.uint64(where % 64)
                above = parent[above]
    return ptr, items, bits_ptr, bits


@njit
def inverted(items, ptr, width):
    """List for each label the items that have it, and for each item its record."""
    first = np.zeros(width + 1, dtype=np.int64)
    for i in range(items.size):
        first[items[i] + 1] += 1
    for code in range(width):
        first[code + 1] += first[code]
    filled = first[:-1].copy()
    owner = np.empty(items.size, dtype=np.int32)
    listed = np.empty(items.size, dtype=np.int64)
    for record in range(ptr.size - 1):
        for i in range(ptr[record], ptr[record + 1]):
            owner[i] = record
            listed[filled[items[i]]] = i
            filled[items[i]] += 1
    return first, listed, owner
