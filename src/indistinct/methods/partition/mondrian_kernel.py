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


@njit
def cut_all(
    columns: Columns,
    asked: Asked,
    order: NDArray[np.int32],
    start: int,
    end: int,
    first_of_group: NDArray[np.bool_],
) -> None:
    """Cut a run of the order until no part can be cut, and mark where each group begins."""
    spare = np.empty(end - start, dtype=order.dtype)
    waiting = [(start, end)]
    while waiting:
        low, high = waiting.pop()
        middle = cut_once(columns, asked, order[low:high], spare)
        if middle > 0:
            waiting.append((low + middle, high))
            waiting.append((low, low + middle))
        else:
            first_of_group[low] = True


@njit
def cut_once(
    columns: Columns, asked: Asked, entries: NDArray[np.int32], spare: NDArray[np.int32]
) -> int:
    """Sort some entries so that a cut leaves two groups that satisfy; return where, or 0.

    Columns are tried in the falling order of their normalized range, the earlier of two equal
    ones first. `spare` has room for the entries.
    """
    codes, strict = columns.codes, columns.strict
    place, place_first = columns.place, columns.first
    least, demands, tally, weights = max(asked.k, 1), asked.demands, asked.tally, asked.weights
    rows = rows_in(weights, entries)
    if rows < 2 * least or entries.size < 2:
        return 0
    number = codes.shape[1]
    low = codes[entries[0]].copy()
    high = low.copy()
    for i in range(1, entries.size):
        entry = entries[i]
        for column in range(number):
            code = codes[entry, column]
            if code < low[column]:
                low[column] = code
            elif code > high[column]:
                high[column] = code
    width = np.empty(number)
    for column in range(number):
        width[column] = -1.0
        if low[column] < high[column]:
            first = place_first[column]
            width[column] = abs(place[first + high[column]] - place[first + low[column]])
    for _ in range(number):
        column = 0
        for other in range(1, number):
            if width[other] > width[column]:
                column = other
        if width[column] < 0:
            return 0
        width[column] = -1.0
        by_code = spare[: entries.size]
        _sort_by(codes, entries, by_code, column, low[column], high[column])
        middle: int = _nearest_cut(
            codes, by_code, column, strict, weights, rows, least, demands, tally
        )
        if middle > 0:
            copy_into(entries, by_code)
            return middle
    return 0


@inner
def _sort_by(codes, entries, result, column, low, high):
    """Sort entries by their code, equal ones in the order they have."""
    width = np.int64(high) - low + 1
    if width > 4 * entries.size + 64:
        held = np.empty(entries.size, dtype=np.int32)
        for i in range(entries.size):
            held[i] = codes[entries[i], column]
        by_code = np.argsort(held, kind="mergesort")
        for i in range(entries.size):
            result[i] = entries[by_code[i]]
        return
    free = np.zeros(width + 1, dtype=np.int64)
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
def _nearest_cut(codes, entries, column, strict, weights, rows, least, demands, tally):
    """Return the allowable cut of sorted entries that is nearest to the median; 0 if there is none.

    Cuts go away from the median to both sides, the nearer one first, and of two that are equally
    near the one before it. A strict cut does not part entries of one code.
    """
    swept = False
    fine_left = np.empty(0, dtype=np.bool_)
    fine_right = fine_left
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
            if fine_left[cut] and fine_right[cut]:
                return cut
            continue
        if satisfied(demands, tally, entries[:cut]) and satisfied(demands, tally, entries[cut:]):
            return cut
        if demands.people.shape[0] == 0 and not demands.general:
            swept_rows = (codes, entries, rows, column, strict, demands, tally)
            fine_left = _sweep(*swept_rows, np.bool_(False))
            fine_right = _sweep(*swept_rows, np.bool_(True))
            swept = True
    return 0


@inner
def _sweep(codes, entries, rows, column, strict, demands, tally, backwards):
    """Judge what is on one side of every cut, adding one entry after the other."""
    size, weights, least = entries.size, demands.weights, demands.least
    before = np.int64(0)
    fine = np.zeros(size + 1, dtype=np.bool_)
    for counted in range(1, size):
        entry = entries[size - counted] if backwards else entries[counted - 1]
        times = weight_of(weights, entry)
        count_entry(demands, tally, entry, times)
        before += times
        cut = size - counted if backwards else counted
        if before < least or rows - before < least:
            continue
        if strict and codes[entries[cut - 1], column] == codes[entries[cut], column]:
            continue
        fine[cut] = tally_holds(demands, tally, before)
    clear(demands, tally)
    return fine
