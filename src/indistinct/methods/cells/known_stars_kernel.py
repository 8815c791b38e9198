"""Starring cells where attackers know some columns only: counts of patterns of every so many.

A row is published with some cells starred. For every so many columns that may be known together its
*pattern* there is what it shows of them, a star being a value of its own; every pattern must be
shown by k rows or by none. Patterns are told by sums of random numbers, as in `starring_kernel`; a
number for each set of columns tells these apart, so that one hash table counts all. A table that
is more than half full is made larger by Python, which then goes on where a kernel stopped.

What holds between two calls: the table counts the patterns of all rows that are `placed`, and each
of them is shown by k rows or by none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

DONE = -1


class Patterns(NamedTuple):
    """Rows, which of their cells are starred, and the sets of columns.

    Attributes
    ----------
    cells, star
        For each row and column the random number of its value; for each column that of a star.
    starred
        Which cells are starred.
    some, salt
        The sets of columns, a row each, and the random number of each.
    """

    cells: NDArray[np.uint64]
    star: NDArray[np.uint64]
    starred: NDArray[np.bool_]
    some: NDArray[np.int64]
    salt: NDArray[np.uint64]


class Counts(NamedTuple):
    """A hash table of patterns.

    Attributes
    ----------
    keys, used, counts
        The patterns, which places are taken, and how many rows show each.
    wanted
        Whether a pattern is shown by rows that need others to show it too.
    taken
        One number: how many places are taken.
    """

    keys: NDArray[np.uint64]
    used: NDArray[np.bool_]
    counts: NDArray[np.int32]
    wanted: NDArray[np.bool_]
    taken: NDArray[np.int64]


@inner
def pattern_of(patterns, known, row):
    """Return the number of what a row shows of a set of columns."""
    key = patterns.salt[known]
    for place in range(patterns.some.shape[1]):
        column = patterns.some[known, place]
        starred = patterns.starred[row, column]
        key += patterns.star[column] if starred else patterns.cells[row, column]
    return key


@inner
def slot_of_pattern(counts, key):
    """Return the place of a pattern, taken if it was free."""
    mask = np.uint64(counts.keys.size - 1)
    slot = (key >> np.uint64(20)) & mask
    while counts.used[slot] and counts.keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    if not counts.used[slot]:
        counts.used[slot] = True
        counts.keys[slot] = key
        counts.counts[slot] = 0
        counts.wanted[slot] = False
        counts.taken[0] += 1
    return np.int64(slot)


@inner
def count_row(patterns, counts, sets, row, by):
    """Count what a row shows of some sets of columns, or no longer do."""
    for known in sets:
        counts.counts[slot_of_pattern(counts, pattern_of(patterns, known, row))] += by


@inner
def shown_by_enough(patterns, counts, sets, row, k):
    """Return whether all that a row shows of some sets of columns is shown by k rows."""
    for known in sets:
        if counts.counts[slot_of_pattern(counts, pattern_of(patterns, known, row))] < k:
            return False
    return True


@njit
def moved(old: Counts, new: Counts) -> None:
    """Move all patterns to a larger table."""
    for slot in range(old.keys.size):
        if old.used[slot]:
            place = slot_of_pattern(new, old.keys[slot])
            new.counts[place] = old.counts[slot]


@njit
def count_rows(
    patterns: Patterns,
    counts: Counts,
    sets: NDArray[np.int64],
    rows: NDArray[np.int64],
    by: int,
    start: int,
) -> int:
    """Count what rows show of sets of columns, from some row on; return where it stopped, or DONE.

    It stops before a row for which the table may have no room.
    """
    for place in range(start, rows.size):
        if 2 * (counts.taken[0] + sets.size) > counts.keys.size:
            return place
        count_row(patterns, counts, sets, rows[place], by)
    return DONE


@njit
def drop_rare(
    patterns: Patterns,
    counts: Counts,
    sets: NDArray[np.int64],
    rows: NDArray[np.int64],
    placed: NDArray[np.bool_],
    k: int,
) -> None:
    """Take back rows that show something which fewer than k do, until none of them does."""
    changed = True
    while changed:
        changed = False
        for row in rows:
            if placed[row] and not shown_by_enough(patterns, counts, sets, row, k):
                count_row(patterns, counts, sets, row, -1)
                placed[row] = False
                changed = True


@njit
def could_show(
    rare: NDArray[np.bool_],
    hidden: NDArray[np.bool_],
    rows: NDArray[np.int64],
    fits: NDArray[np.bool_],
) -> None:
    """Mark the rows of which a mask hides something of all that too few rows have in common.

    Parameters
    ----------
    rare
        For each row and set of columns, whether fewer than k rows are alike in these.
    hidden
        For each set of columns, whether the mask stars one of them.
    fits
        Out: for each of the rows.
    """
    for place in range(rows.size):
        fits[place] = True
        for known in range(hidden.size):
            if rare[rows[place], known] and not hidden[known]:
                fits[place] = False
                break


@njit
def settle_revealed(
    patterns: Patterns,
    counts: Counts,
    sets: NDArray[np.int64],
    rows: NDArray[np.int64],
    column: int,
    k: int,
) -> int:
    """Star again what cannot be revealed in a column; return how many rows show it.

    All of the rows were starred there and are revealed now; `sets` are those with the column. A
    row that shows what fewer than k do is starred again. If rows that are starred then show what
    fewer than k do, others that did before are starred again too. Since fewer and fewer are
    revealed, and all starred together satisfied, it ends with rows that do.
    """
    shown = rows.size
    changed = True
    while changed:
        changed = False
        for row in rows:
            revealed = not patterns.starred[row, column]
            if revealed and not shown_by_enough(patterns, counts, sets, row, k):
                hide(patterns, counts, sets, row, column)
                shown -= 1
                changed = True
        want_more(patterns, counts, sets, rows, column, k, True)
        for row in rows:
            if not patterns.starred[row, column]:
                patterns.starred[row, column] = True
                wanted = is_wanted(patterns, counts, sets, row, k)
                patterns.starred[row, column] = False
                if wanted:
                    hide(patterns, counts, sets, row, column)
                    shown -= 1
                    changed = True
        want_more(patterns, counts, sets, rows, column, k, False)
    return shown


@inner
def hide(patterns, counts, sets, row, column):
    """Star a cell again."""
    count_row(patterns, counts, sets, row, -1)
    patterns.starred[row, column] = True
    count_row(patterns, counts, sets, row, 1)


@inner
def want_more(patterns, counts, sets, rows, column, k, wanted):
    """Mark, or no longer mark, what starred rows show and fewer than k do."""
    for row in rows:
        if patterns.starred[row, column]:
            for known in sets:
                slot = slot_of_pattern(counts, pattern_of(patterns, known, row))
                counts.wanted[slot] = wanted and counts.counts[slot] < k


@inner
def is_wanted(patterns, counts, sets, row, k):
    """Return whether a row shows what is still shown by too few."""
    for known in sets:
        slot = slot_of_pattern(counts, pattern_of(patterns, known, row))
        if counts.wanted[slot] and counts.counts[slot] < k:
            return True
    return False


@njit
def still_enough(
    patterns: Patterns, counts: Counts, sets: NDArray[np.int64], row: int, k: int
) -> bool:
    """Return whether all that a row shows is shown by k others or by none."""
    for known in sets:
        shown = counts.counts[slot_of_pattern(counts, pattern_of(patterns, known, row))]
        if 0 < shown < k:
            return False
    return True
