"""Cutting groups of rows in two, again and again: Mondrian.

LeFevre, DeWitt, Ramakrishnan 2006; Ciriani et al. 2007, Figure 16. A group is cut along the column
of the widest normalized range that allows a cut, as near to the median as both sides satisfy.

What holds between two cuts: each group is a run of the order, so that a cut only sorts its run and
says where it is cut; every run satisfies what is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.arrays import copy_into
from indistinct.kernels.compiled import inner, njit
from indistinct.methods.common.demands_kernel import clear, count_row, satisfied, tally_holds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.asked import Asked


class Columns(NamedTuple):
    """What is cut along.

    Attributes
    ----------
    codes
        The codes of each row.
    place, first
        Where each code lies on its domain, from 0 to 1, column after column; and where the codes of
        each column begin.
    strict
        Whether rows of one code stay together when their column is cut.
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
    columns: Columns, asked: Asked, rows: NDArray[np.int32], spare: NDArray[np.int32]
) -> int:
    """Sort some rows so that a cut leaves two groups that satisfy; return where, or 0.

    Columns are tried in the falling order of their normalized range, the earlier of two equal
    ones first. `spare` has room for the rows.
    """
    codes, strict = columns.codes, columns.strict
    place, place_first = columns.place, columns.first
    least, demands, tally = asked.k, asked.demands, asked.tally
    if rows.size < 2 * least or rows.size < 2:
        return 0
    number = codes.shape[1]
    low = codes[rows[0]].copy()
    high = low.copy()
    for i in range(1, rows.size):
        row = rows[i]
        for column in range(number):
            code = codes[row, column]
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
        by_code = spare[: rows.size]
        _sort_by(codes, rows, by_code, column, low[column], high[column])
        middle: int = _nearest_cut(codes, by_code, column, strict, least, demands, tally)
        if middle > 0:
            copy_into(rows, by_code)
            return middle
    return 0


@inner
def _sort_by(codes, rows, result, column, low, high):
    """Sort rows by their code, equal ones in the order they have."""
    width = np.int64(high) - low + 1
    if width > 4 * rows.size + 64:
        held = np.empty(rows.size, dtype=np.int32)
        for i in range(rows.size):
            held[i] = codes[rows[i], column]
        by_code = np.argsort(held, kind="mergesort")
        for i in range(rows.size):
            result[i] = rows[by_code[i]]
        return
    free = np.zeros(width + 1, dtype=np.int64)
    for i in range(rows.size):
        free[codes[rows[i], column] - low + 1] += 1
    for code in range(width):
        free[code + 1] += free[code]
    for i in range(rows.size):
        code = codes[rows[i], column] - low
        result[free[code]] = rows[i]
        free[code] += 1


@inner
def _nearest_cut(codes, rows, column, strict, least, demands, tally):
    """Return the allowable cut of sorted rows that is nearest to the median; 0 if there is none.

    A strict cut does not part rows of one code.
    """
    size = rows.size
    swept = False
    left = np.empty(0, dtype=np.bool_)
    right = left
    for step in range(size // 2 + 1 - least):
        for side in range(2):
            cut = size // 2 - step if side == 0 else (size + 1) // 2 + step
            if cut < 1 or cut >= size or (side == 1 and cut == size // 2):
                continue
            if strict and codes[rows[cut - 1], column] == codes[rows[cut], column]:
                continue
            if demands is None:
                return cut
            if swept:
                if left[cut] and right[cut]:
                    return cut
                continue
            if satisfied(demands, tally, rows[:cut]) and satisfied(demands, tally, rows[cut:]):
                return cut
            if demands.people.shape[0] == 0 and not demands.general:
                left = _sweep(codes, rows, column, strict, demands, tally, np.bool_(False))
                right = _sweep(codes, rows, column, strict, demands, tally, np.bool_(True))
                swept = True
    return 0


@inner
def _sweep(codes, rows, column, strict, demands, tally, backwards):
    """Judge what is on one side of every cut, adding one row after the other."""
    size = rows.size
    fine = np.zeros(size + 1, dtype=np.bool_)
    for counted in range(1, size):
        count_row(demands, tally, rows[size - counted] if backwards else rows[counted - 1])
        cut = size - counted if backwards else counted
        if cut < demands.least or size - cut < demands.least:
            continue
        if strict and codes[rows[cut - 1], column] == codes[rows[cut], column]:
            continue
        fine[cut] = tally_holds(demands, tally, counted)
    clear(demands, tally)
    return fine
