"""Sets of records as packed rows of bits, and ValueCheck, which intersects them.

Gkountouna and Terrovitis (2013), section III-B: a cut is k^m-anonymous if any up to m of its labels
are together in no record or in at least k. The paper's array L lists the records of each label;
ours is a row of bits for each, 64 records to a word.

An intersection on its way is kept as its words that are not zero, and where they stand: it only
gets shorter. Combinations are walked depth first, each set being made from the one above it by one
more row. The last step only counts, and stops at k. No branch is followed that no record is in, and
none below a set of fewer than k: that is what is looked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H = np.uint64(0x0101010101010101)
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)

NONE = np.int64(0)
"""No rows, or the first: a plain 0 has a type of its own, for which numba would compile again."""


class Intersections(NamedTuple):
    """Scratch: the intersections from the first row taken down to the last, one for each.

    Attributes
    ----------
    where, words
        The words of each intersection that are not zero, and where in a row they stand.
    following, sizes
        For each row that `too_few` has taken, the next one to try, and the words of its set.
    """

    where: NDArray[np.int32]
    words: NDArray[np.uint64]
    following: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, rows: int, words: int) -> Intersections:
        """Return scratch for intersections of up to so many rows of so many words."""
        return cls(
            np.empty((rows, words), dtype=np.int32),
            np.empty((rows, words), dtype=np.uint64),
            np.empty(rows, dtype=np.int64),
            np.empty(rows, dtype=np.int64),
        )


@inner
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
def set_lists(
    row: NDArray[np.uint64],
    nodes: NDArray[np.int32],
    ptr: NDArray[np.int64],
    ids: NDArray[np.int32],
) -> None:
    """Put the records of several nodes of a synopsis into a set."""
    for i in range(nodes.size):
        set_bits(row, ids, ptr[nodes[i]], ptr[nodes[i] + 1])


@njit
def count_records(
    rows: NDArray[np.uint64], places: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    """Write the number of records of some rows to the places of these in `counts`."""
    for i in range(places.size):
        count = 0
        for word in range(rows.shape[1]):
            count += ones(rows[places[i], word])
        counts[places[i]] = count


@inner
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


@inner
def meet(where, words, level, size, row):
    """Intersect a level's set with a row, into the next level; return its words and records."""
    kept, count = 0, 0
    for i in range(size):
        word = words[level, i] & row[where[level, i]]
        if word:
            where[level + 1, kept] = where[level, i]
            words[level + 1, kept] = word
            kept += 1
            count += ones(word)
    return kept, count


@inner
def meet_up_to(where, words, level, size, row, k):
    """Count the records of a level's set that are in a row, but no further than k."""
    count = 0
    for i in range(size):
        word = words[level, i] & row[where[level, i]]
        if word:
            count += ones(word)
            if count >= k:
                return count
    return count


@inner
def too_few(rows, picks, first, left, sets, size, level, k):
    """Return whether up to `left` more of the rows leave some but fewer than k of a level's set.

    `picks` are the rows that may be taken, from place `first` on. The combinations are walked with
    a stack of our own: compiled functions that call themselves do not survive in numba's cache.
    """
    where, words, following, sizes = sets
    depth = 0
    following[0], sizes[0] = first, size
    while depth >= 0:
        place = following[depth]
        if place >= picks.size:
            depth -= 1
            continue
        following[depth] += 1
        row = rows[picks[place]]
        if depth == left - 1:
            if 0 < meet_up_to(where, words, level + depth, sizes[depth], row, k) < k:
                return True
            continue
        kept, count = meet(where, words, level + depth, sizes[depth], row)
        if count == 0:
            continue
        if count < k:
            return True
        depth += 1
        following[depth], sizes[depth] = place + 1, kept
    return False


@njit
def values_fail(
    rows: NDArray[np.uint64],
    picks: NDArray[np.int64],
    new: int,
    k: int,
    m: int,
    sets: Intersections,
) -> bool:
    """Return whether some records, but fewer than k, share up to m labels, one of them new.

    `picks` are the rows of a cut's labels; the first `new` of them have not been checked before.
    `sets` is for intersections of m rows.
    """
    for place in range(new):
        size, count = begin(rows[picks[place]], sets.where[0], sets.words[0])
        if count == 0:
            continue
        if count < k:
            return True
        if m > 1 and too_few(rows, picks, place + 1, m - 1, sets, size, NONE, k):
            return True
    return False
