"""Counting the last labels of what may be known, in tables by label and mask.

Part of the independent check of Definition 1 (Gkountouna and Terrovitis 2013): most knowledge that
records support differs in its last two labels, and nearly all of it is frequent enough. Nothing
here is shared with the searches.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner
from indistinct.trees.knowledge_kernel import NO_MASK, NOTHING, rarest_kind

_ONE = np.uint64(1)


@inner
def rest_is_frequent(records, chosen, low, high, walk, depth, limits, kinds, marks):
    """Return whether no knowledge is too rare that some labels make with the last one or two.

    Of these nothing but numbers is needed, so that holders are counted by label and mask, record by
    record, not put into buckets. If something is too rare, the walk goes there and finds it.
    """
    entry, above, mask, share = chosen
    ptr, rank, related = records.items.ptr, records.rank, records.related
    owner, tally, pair_tally = records.holders.owner, walk.tally, walk.pair_tally
    width = np.int64(records.labels)
    one_bit = np.uint64(depth * (depth - 1) // 2)
    two_bit = one_bit + np.uint64(depth)
    one_bits, two_bits = np.int64(two_bit), np.int64(two_bit) + depth + 1
    above_last = np.uint64(depth - 1)
    two_more = depth + 2 <= limits.m
    for i in range(low, high):
        last, shared = entry[i], share[i]
        base, end = ptr[owner[last]], ptr[owner[last] + 1]
        with_last, with_upper = related[last], NO_MASK
        if depth > 1:
            with_upper = related[entry[above[i]]]
        for one in range(last + 1, end):
            place = np.uint64(one - base)
            met = mask[i] | ((with_last >> place) & _ONE) << (one_bit + above_last)
            met |= ((with_upper >> place) & _ONE) << one_bit
            label = np.int64(rank[one])
            tally[(label << one_bits) + np.int64(met)] += shared
            if two_more:
                with_one, row = related[one], label * width
                for two in range(one + 1, end):
                    place = np.uint64(two - base)
                    more = met | ((with_one >> place) & _ONE) << (two_bit + above_last + _ONE)
                    more |= ((with_last >> place) & _ONE) << (two_bit + above_last)
                    more |= ((with_upper >> place) & _ONE) << two_bit
                    pair = row + rank[two]
                    pair_tally[(pair << two_bits) + np.int64(more)] += shared
    frequent = _table_is_frequent(tally, width, one_bits, limits, walk.choice, kinds, chosen, marks)
    if two_more:
        pairs = width * width
        frequent &= _table_is_frequent(
            pair_tally, pairs, two_bits, limits, walk.choice, kinds, chosen, marks
        )
    return frequent


@inner
def _table_is_frequent(tally, rows, bits, limits, choice, kinds, chosen, marks):
    """Return whether no row of a table of masks has knowledge that is too rare; empty the table."""
    frequent = True
    masks = np.int64(1) << bits
    for row in range(rows):
        size, total = np.int64(0), np.int64(0)
        for met in range(masks):
            count = tally[row * masks + met]
            if count:
                tally[row * masks + met] = 0
                kinds.mask[size], kinds.size_of[size] = np.uint64(met), count
                size += 1
                total += count
        if size and frequent:
            wanted, _ = rarest_kind(
                kinds, size, limits.n, limits.k, choice, chosen, NOTHING, NOTHING, chosen.entry,
                marks,
            )  # fmt: skip
            frequent = total >= limits.k and not wanted
    return frequent
