"""Cutting groups of entries in two, again and again: Mondrian.

LeFevre, DeWitt, Ramakrishnan 2006; Ciriani et al. 2007, Figure 16. A group is cut along the column
of the widest normalized range that allows a cut, as near to the median as both sides satisfy.
Entries that stand for several rows count as often for the median and for what is asked.

What holds between two cuts: each group is a run of the order, so that a cut only sorts its run and
says where it is cut; every run satisfies what is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.arrays import copy_into
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.sorting import sort_by_key
from indistinct.kernels.weights import rows_in, weight_of
from indistinct.methods.common.demands_kernel import (
    clear,
    count_entry,
    satisfied,
    tally_holds,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.asked import Asked

CODES_EACH, FEW_CODES = 4, 64


class Columns(NamedTuple):
    """What is cut along.

    Attributes
    ----------
    codes
        The codes of each entry.
    place, first
        Where each code lies on its domain, from 0 to 1, column after column; and where the codes of
        each column begin.
    strict
        Whether entries of one code stay together when their column is cut.
    """

    codes: NDArray[np.int32]
    place: NDArray[np.float64]
    first: NDArray[np.int64]
    strict: bool


class Scratch(NamedTuple):
    """Arrays to write in.

    Attributes
    ----------
    until
        Where the part that begins at a place ends.
    by_code
        Entries in the order of a column.
    low, high, width
        The bounds of entries in each column, and how wide these are.
    free
        To count codes in.
    keys, places
        To sort entries by, where they are few and codes many.
    fine
        Whether each side of each cut satisfies.
    """

    until: NDArray[np.int64]
    by_code: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    width: NDArray[np.float64]
    free: NDArray[np.int64]
    keys: NDArray[np.uint64]
    places: NDArray[np.int64]
    fine: NDArray[np.bool_]


def scratch_for(columns: Columns, entries: int) -> Scratch:
    """Allocate what one thread needs to cut so many entries."""
    number = columns.codes.shape[1]
    values = np.diff(columns.first, append=columns.place.size).max(initial=1)
    return Scratch(
        until=np.empty(entries, dtype=np.int64),
        by_code=np.empty(entries, dtype=np.int32),
        low=np.empty(number, dtype=np.int32),
        high=np.empty(number, dtype=np.int32),
        width=np.empty(number),
        free=np.empty(min(values, CODES_EACH * entries + FEW_CODES) + 1, dtype=np.int64),
        keys=np.empty(entries, dtype=np.uint64),
        places=np.empty(entries, dtype=np.int64),
        fine=np.empty((2, entries), dtype=np.bool_),
    )


def cut_once(columns: Columns, asked: Asked, entries: NDArray[np.int32], scratch: Scratch) -> int:
    """Sort some entries so that a cut leaves two groups that satisfy; return where, or 0."""
    size, marked = entries.size, np.zeros(entries.size, dtype=np.bool_)
    cut_all(columns, asked, entries, 0, size, size, marked, scratch)
    return int(scratch.until[0]) % size


@njit
def cut_all(
    columns: Columns,
    asked: Asked,
    order: NDArray[np.int32],
    begin: int,
    end: int,
    smallest: int,
    first_of_group: NDArray[np.bool_],
    scratch: Scratch,
) -> None:
    """Cut a run of the order until no part of so many entries can be cut; mark where each begins.

    Parts are cut from the left to the right: what ends where is known when its turn comes. The
    columns of a part are tried in the falling order of their normalized range, the earlier of two
    equal ones first.
    """
    codes, strict = columns.codes, columns.strict
    least, demands, tally, weights = max(asked.k, 1), asked.demands, asked.tally, asked.weights
    until, low, high, width = scratch.until, scratch.low, scratch.high, scratch.width
    until[0] = end
    here = begin
    while here < end:
        entries = order[here : until[here - begin]]
        by_code = scratch.by_code[: entries.size]
        rows, cut = rows_in(weights, entries), np.int64(0)
        tries = width.size if entries.size >= max(smallest, 2) and rows >= 2 * least else 0
        if tries:
            _measure(columns, entries, low, high, width)
        while tries and cut == 0:
            tries -= 1
            column = np.int64(0)
            for other in range(1, width.size):
                if width[other] > width[column]:
                    column = np.int64(other)
            if width[column] < 0:
                break
            width[column] = -1.0
            _sort_by(codes, entries, by_code, column, low[column], high[column], scratch)
            cut = _nearest_cut(
                codes, by_code, column, strict, weights, rows, least, demands, tally, scratch.fine
            )
        if cut > 0:
            copy_into(entries, by_code)
            until[here + cut - begin] = until[here - begin]
            until[here - begin] = here + cut
        else:
            first_of_group[here] = True
            here = until[here - begin]


@inner
def _measure(columns, entries, low, high, width):
    """Write the bounds of entries in each column and their normalized range, -1 for one code."""
    codes, place, first = columns.codes, columns.place, columns.first
    for column in range(width.size):
        low[column] = high[column] = codes[entries[0], column]
    for i in range(1, entries.size):
        entry = entries[i]
        for column in range(width.size):
            code = codes[entry, column]
            if code < low[column]:
                low[column] = code
            elif code > high[column]:
                high[column] = code
    for column in range(width.size):
        width[column] = -1.0
        if low[column] < high[column]:
            begin = first[column]
            width[column] = abs(place[begin + high[column]] - place[begin + low[column]])


@inner
def _sort_by(codes, entries, result, column, low, high, scratch):
    """Sort entries by their code, equal ones in the order they have."""
    free, keys, places = scratch.free, scratch.keys, scratch.places
    width = np.int64(high) - low + 1
    if width > CODES_EACH * entries.size + FEW_CODES:  # comparing entries is faster than counting
        for i in range(entries.size):
            code = np.uint64(codes[entries[i], column] - low)
            keys[i] = code << np.uint64(32) | np.uint64(i)
            places[i] = i
        sort_by_key(keys, places, entries.size)
        for i in range(entries.size):
            result[i] = entries[places[i]]
        return
    for code in range(width + 1):
        free[code] = 0
    for i in range(entries.size):
        free[codes[entries[i], column] - low + 1] += 1
    for code in range(width):
        free[code + 1] += free[code]
    for i in range(entries.size):
        code = codes[entries[i], column] - low
        result[free[code]] = entries[i]
        free[code] += 1


@inner
def _median(weights, entries, rows):
    """Return the last place of some entries that has at most half of their rows before it."""
    if not weights.size:
        return entries.size // 2, entries.size // 2
    place, before = 0, np.int64(0)
    while 2 * (before + weights[entries[place]]) <= rows:
        before += weights[entries[place]]
        place += 1
    return place, before


@inner
def _nearest_cut(codes, entries, column, strict, weights, rows, least, demands, tally, fine):
    """Return the allowable cut of sorted entries that is nearest to the median; 0 if there is none.

    Cuts go away from the median to both sides, the nearer one first, and of two that are equally
    near the one before it. A strict cut does not part entries of one code.
    """
    swept = False
    left, left_rows = _median(weights, entries, rows)
    right, right_rows = left + 1, left_rows + weight_of(weights, entries[left])
    while left_rows >= least or rows - right_rows >= least:
        back = left_rows >= least
        if back and rows - right_rows >= least:
            back = rows - 2 * left_rows <= 2 * right_rows - rows
        cut = left if back else right
        if back:
            left -= 1
            left_rows -= weight_of(weights, entries[left])
        else:
            right_rows += weight_of(weights, entries[right])
            right += 1
        if strict and codes[entries[cut - 1], column] == codes[entries[cut], column]:
            continue
        if demands is None:
            return cut
        if swept:
            if fine[0, cut] and fine[1, cut]:
                return cut
            continue
        if satisfied(demands, tally, entries[:cut]) and satisfied(demands, tally, entries[cut:]):
            return cut
        if demands.people.shape[0] == 0 and not demands.general:
            swept_rows = (codes, entries, rows, column, strict, demands, tally)
            _sweep(*swept_rows, np.bool_(False), fine)
            _sweep(*swept_rows, np.bool_(True), fine)
            swept = True
    return 0


@inner
def _sweep(codes, entries, rows, column, strict, demands, tally, backwards, fine):
    """Judge what is on one side of every cut, adding one entry after the other."""
    size, weights, least = entries.size, demands.weights, demands.least
    before, side = np.int64(0), np.int64(backwards)
    for counted in range(1, size):
        entry = entries[size - counted] if backwards else entries[counted - 1]
        times = weight_of(weights, entry)
        count_entry(demands, tally, entry, times)
        before += times
        cut = size - counted if backwards else counted
        fine[side, cut] = False
        if before < least or rows - before < least:
            continue
        if strict and codes[entries[cut - 1], column] == codes[entries[cut], column]:
            continue
        fine[side, cut] = tally_holds(demands, tally, before)
    clear(demands, tally)
