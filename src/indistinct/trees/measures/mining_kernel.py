"""Counting in how many records small subtrees occur, those with frequent parts only.

For ML2 and dML2 (Gkountouna and Terrovitis 2013, Formulas 4 to 6). As in any mining of frequent
patterns, a subtree can only be frequent if its parts are: triples are counted where all pairs are.

Labels are numbers below `width`, -1 for nodes that do not count. A pattern is up to three labels,
all different, with relations among them: its key is
((shape * width + a) * width + b) * width + c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.hashing import MIX

if TYPE_CHECKING:
    from numpy.typing import NDArray

APART, PAIR_AND_ONE, CHAIN, FORK = 0, 1, 2, 3


class LabeledRecords(NamedTuple):
    """The labels of nodes, their parents, and where the nodes of each record begin."""

    label: np.ndarray
    parent: np.ndarray
    starts: np.ndarray


@njit
def count_labels(
    label: NDArray[np.int32],
    starts: NDArray[np.int64],
    width: int,
) -> NDArray[np.int64]:
    """Count the records that hold each label."""
    count = np.zeros(width, dtype=np.int64)
    last = np.full(width, -1, dtype=np.int64)
    for record in range(starts.size - 1):
        for node in range(starts[record], starts[record + 1]):
            code = label[node]
            if code >= 0 and last[code] != record:
                last[code] = record
                count[code] += 1
    return count


@njit
def count_pairs(records: LabeledRecords, width: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Count the records that hold two labels (smaller first), and one above the other."""
    label, parent, starts = records
    both = np.zeros((width, width), dtype=np.int32)
    above = np.zeros((width, width), dtype=np.int32)
    last_both = np.full((width, width), -1, dtype=np.int32)
    last_above = np.full((width, width), -1, dtype=np.int32)
    for record in range(starts.size - 1):
        end = starts[record + 1]
        for x in range(starts[record], end):
            a = label[x]
            if a < 0:
                continue
            for b in label[x + 1 : end]:
                low, high = min(a, b), max(a, b)
                if low >= 0 and low != high and last_both[low, high] != record:
                    last_both[low, high] = record
                    both[low, high] += 1
            over = parent[x]
            while over >= 0:
                b = label[over]
                if b >= 0 and last_above[b, a] != record:
                    last_above[b, a] = record
                    above[b, a] += 1
                over = parent[over]
    return both, above


@inner
def _spot_of(table, key):
    """Return where a key is in a table, or the free spot where it goes."""
    mask = table.size - 1
    spot = np.int64((np.uint64(key) * MIX) >> np.uint64(20)) & mask
    while table[spot] >= 0 and table[spot] != key:
        spot = (spot + 1) & mask
    return spot


@inner
def _note(table, counts, last, key, record):
    """Count a key once for a record; return whether it is new to the table."""
    spot = _spot_of(table, key)
    if table[spot] < 0:
        table[spot] = key
        counts[spot] = 1
        last[spot] = record
        return True
    if last[spot] != record:
        last[spot] = record
        counts[spot] += 1
    return False


@inner
def _doubled(table, counts, last):
    """Return a table of twice the size with the same keys."""
    new = np.full(2 * table.size, -1, dtype=np.int64)
    new_counts = np.zeros(2 * table.size, dtype=np.int64)
    new_last = np.empty(2 * table.size, dtype=np.int64)
    for old in range(table.size):
        key = table[old]
        if key >= 0:
            spot = _spot_of(new, key)
            new[spot], new_counts[spot], new_last[spot] = key, counts[old], last[old]
    return new, new_counts, new_last


@njit
def count_triples(
    records: LabeledRecords, width: int, both: NDArray[np.bool_], above: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the records that hold each pattern of three labels whose pairs are all frequent.

    `both` and `above` say which pairs are. Returns keys and counts.
    """
    label, parent, starts = records
    table = np.full(1 << 12, -1, dtype=np.int64)
    counts = np.zeros(table.size, dtype=np.int64)
    last = np.empty(table.size, dtype=np.int64)
    used = 0
    for record in range(starts.size - 1):
        first, end = starts[record], starts[record + 1]
        for x in range(first, end):
            a = label[x]
            if a < 0:
                continue
            for y in range(x + 1, end):
                b = label[y]
                if b < 0 or b == a or not both[min(a, b), max(a, b)]:
                    continue
                y_below = _is_below(y, x, parent) and above[a, b]
                for z in range(y + 1, end):
                    c = label[z]
                    if c < 0 or c in (a, b):
                        continue
                    if not both[min(a, c), max(a, c)] or not both[min(b, c), max(b, c)]:
                        continue
                    if 4 * used > 2 * table.size:
                        table, counts, last = _doubled(table, counts, last)
                    z_below_x = above[a, c] and _is_below(z, x, parent)
                    z_below_y = above[b, c] and _is_below(z, y, parent)
                    used += _note_all(
                        table, counts, last, record, width, a, b, c, y_below, z_below_x, z_below_y
                    )
    held = table >= 0
    return table[held], counts[held]


@inner
def _is_below(node, other, parent):
    while node > other:
        node = parent[node]
    return node == other


@inner
def _note_all(table, counts, last, record, width, a, b, c, ab, ac, bc):
    """Note all patterns that three nodes hold; `ab` says whether b is below a. Count new keys."""
    new = 0
    low, high = min(a, b, c), max(a, b, c)
    new += _note(table, counts, last, _key(APART, low, a + b + c - low - high, high, width), record)
    if ab:
        new += _note(table, counts, last, _key(PAIR_AND_ONE, a, b, c, width), record)
    if ac:
        new += _note(table, counts, last, _key(PAIR_AND_ONE, a, c, b, width), record)
    if bc:
        new += _note(table, counts, last, _key(PAIR_AND_ONE, b, c, a, width), record)
    if ab and ac:
        key = _key(FORK, a, min(b, c), max(b, c), width)
        new += _note(table, counts, last, key, record)
        if bc:
            new += _note(table, counts, last, _key(CHAIN, a, b, c, width), record)
    return new


@inner
def _key(shape, a, b, c, width):
    return ((np.int64(shape) * width + a) * width + b) * width + c
