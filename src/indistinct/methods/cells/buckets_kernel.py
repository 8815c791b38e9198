"""Putting rows that fit one pattern under a mask into one bucket, for the search over patterns.

What holds after `fill`: a bucket has rows that would gain if its pattern were published, and, of
groups that can spare them, rows that would not; each is a chain from the last row to the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner
from indistinct.methods.cells.starring_kernel import LEAST
from indistinct.methods.common.linked_groups_kernel import GROUP, NONE, SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_LENDERS = 256


class PatternBuckets(NamedTuple):
    """The rows by the pattern they fit under one mask: chains in a hash table.

    Attributes
    ----------
    turn
        Under which mask each place was last used.
    keys, gainers, lenders, held
        For each place its pattern, the first row that would gain and the first that could be lent
        (-1: none), and how many both are.
    following
        The next row of each chain.
    """

    turn: NDArray[Any]
    keys: NDArray[Any]
    gainers: NDArray[Any]
    lenders: NDArray[Any]
    held: NDArray[Any]
    following: NDArray[Any]


@inner
def fill(stars, buckets, mask, price, turn, k, order, places):
    """Put each row that would gain by a mask into its bucket; then those that could be lent there.

    Returns how many buckets there are; `places` lists them.
    """
    filled = 0
    shown, starred = _shown(stars, mask)
    for row in order:
        group = stars.rows[row, GROUP]
        if stars.price[group] - price <= LEAST:
            continue
        key, place = _bucket_of(stars, buckets, row, shown, starred, turn)
        if buckets.turn[place] != turn:
            buckets.turn[place] = turn
            buckets.keys[place] = key
            buckets.gainers[place] = NONE
            buckets.lenders[place] = NONE
            buckets.held[place] = 0
            places[filled] = place
            filled += 1
        buckets.held[place] += 1
        buckets.following[row] = buckets.gainers[place]
        buckets.gainers[place] = row
    if filled == 0:
        return 0
    for row in order:
        group = stars.rows[row, GROUP]
        if stars.price[group] - price > LEAST or stars.records[group, SIZE] <= k:
            continue
        if stars.mask[group] == mask:
            continue
        _, place = _bucket_of(stars, buckets, row, shown, starred, turn)
        if buckets.turn[place] == turn and buckets.held[place] < k + MOST_LENDERS:
            buckets.held[place] += 1
            buckets.following[row] = buckets.lenders[place]
            buckets.lenders[place] = row
    return filled


@inner
def _bucket_of(stars, buckets, row, shown, starred, turn):
    """Return the pattern that a row fits, and the place of its bucket, or where it would go."""
    last = np.uint64(buckets.keys.size - 1)
    key = starred
    for column in shown:
        key += stars.cells[row, column]
    place = (key >> np.uint64(20)) & last
    while buckets.turn[place] == turn and buckets.keys[place] != key:
        place = (place + np.uint64(1)) & last
    return key, place


@inner
def _shown(stars, mask):
    """List the columns that a mask does not star, and sum up the numbers of its stars."""
    shown = np.empty(stars.star.size, dtype=np.int64)
    count, starred = 0, np.uint64(0)
    for column in range(stars.star.size):
        if mask >> np.int64(column) & np.int64(1):
            starred += stars.star[column]
        else:
            shown[count] = column
            count += 1
    return shown[:count], starred
