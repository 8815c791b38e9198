"""Sets of records as packed rows of bits, and the two checks of a cut that intersect them.

An intersection on its way is kept as its words that are not zero, and where they stand; the last
step only counts, and stops at k.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner, njit

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H = np.uint64(0x0101010101010101)
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@njit
def ones(word):
    """Count the bits that are set."""
    word = word - ((word >> _1) & _M1)
    word = (word & _M2) + ((word >> _2) & _M2)
    word = (word + (word >> _4)) & _M4
    return np.int64((word * _H) >> _56)


@inner
def set_bits(row, ids, first, last):
    """Put records into a set."""
    for i in range(first, last):
        row[ids[i] >> 6] |= _1 << np.uint64(ids[i] & 63)


@njit
def set_lists(row, nodes, ptr, ids):
    """Put the records of several nodes of a synopsis into a set."""
    for i in range(nodes.size):
        set_bits(row, ids, ptr[nodes[i]], ptr[nodes[i] + 1])


@njit
def counts_of(rows, places):
    """Count the records of some rows."""
    found = np.zeros(places.size, dtype=np.int64)
    for i in range(places.size):
        for place in range(rows.shape[1]):
            found[i] += ones(rows[places[i], place])
    return found


@njit
def begin(row, where, words):
    """Start an intersection from one row; return how many words and how many records it has."""
    size, count = 0, 0
    for place in range(row.size):
        if row[place]:
            where[size] = place
            words[size] = row[place]
            size += 1
            count += ones(row[place])
    return size, count


@njit
def meet(where, words, size, row, new_where, new_words):
    """Intersect with a row; return how many words and how many records are left."""
    kept, count = 0, 0
    for i in range(size):
        word = words[i] & row[where[i]]
        if word:
            new_where[kept] = where[i]
            new_words[kept] = word
            kept += 1
            count += ones(word)
    return kept, count


@inner
def meet_up_to(where, words, size, row, k):
    """Count the records of an intersection with a row, but no further than k."""
    count = 0
    for i in range(size):
        word = words[i] & row[where[i]]
        if word:
            count += ones(word)
            if count >= k:
                return count
    return count


@inner
def too_few(rows, picks, first, left, where, words, size, level, k, at, sizes):
    """Tell whether up to `left` more of the rows leave some but fewer than k of a set.

    `picks` are the rows that may be taken, from place `first` on. The set is that of `level`;
    deeper levels of `where` and `words` are used on the way, and `at` and `sizes`: a stack of our
    own, because compiled functions that call themselves do not survive in numba's cache.
    """
    depth = 0
    at[0], sizes[0] = first, size
    while depth >= 0:
        place = at[depth]
        if place >= picks.size:
            depth -= 1
            continue
        at[depth] += 1
        now = level + depth
        row = rows[picks[place]]
        if depth == left - 1:
            if 0 < meet_up_to(where[now], words[now], sizes[depth], row, k) < k:
                return True
            continue
        kept, count = meet(
            where[now], words[now], sizes[depth], row, where[now + 1], words[now + 1]
        )
        if count == 0:
            continue
        if count < k:
            return True
        depth += 1
        at[depth], sizes[depth] = place + 1, kept
    return False


@njit
def values_fail(rows, picks, new, k, m):
    """Tell whether some records, but fewer than k, share up to m labels, one of them new.

    `picks` are the rows of a cut's labels; the first `new` of them have not been checked before.
    """
    where = np.empty((m + 1, rows.shape[1]), dtype=np.int32)
    words = np.empty((m + 1, rows.shape[1]), dtype=np.uint64)
    at = np.empty(m + 1, dtype=np.int64)
    sizes = np.empty(m + 1, dtype=np.int64)
    for place in range(new):
        size, count = begin(rows[picks[place]], where[0], words[0])
        if count == 0:
            continue
        if count < k:
            return True
        if m > 1 and too_few(rows, picks, place + 1, m - 1, where, words, size, 0, k, at, sizes):
            return True
    return False
