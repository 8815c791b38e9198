"""Sixteen columns, one after the other: what each function of `lanes_kernel` means, in plain loops.

These stand for those when nothing is compiled (`NUMBA_DISABLE_JIT=1`), for a debugger or to measure
coverage; they can be compiled, too, which is how tests and benchmarks/plumbing.py compare them.
Arguments are as there: whole lines, and the column that the sixteen begin with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Line = NDArray[Any]

LANES = 16
LEAST_CODE, MOST_CODE, SECOND_CODE, LAST_BUT_ONE = range(4)

ONE = np.uint64(1)


def width_of(lines: Line) -> int:
    """Return how wide lines are."""
    return int(lines.shape[-1])


def outside(low: Line, high: Line, codes: Line, lane: int) -> np.uint64:
    """Tell where a code is not between two others."""
    bits = np.uint64(0)
    for place in range(LANES):
        column = np.uint64(lane + place)
        beyond = (codes[column] < low[column]) | (codes[column] > high[column])
        bits |= np.uint64(beyond) << np.uint64(place)
    return bits


def different(one: Line, two: Line, lane: int) -> np.uint64:
    """Tell where two codes differ."""
    bits = np.uint64(0)
    for place in range(LANES):
        column = np.uint64(lane + place)
        bits |= np.uint64(one[column] != two[column]) << np.uint64(place)
    return bits


def changing(ends: Line, gone: Line, new: Line, lane: int) -> np.uint64:
    """Tell where what a box spans may change with one code instead of another."""
    bits = np.uint64(0)
    for place in range(LANES):
        column = np.uint64(lane + place)
        least, most = ends[LEAST_CODE, column], ends[MOST_CODE, column]
        old, code = gone[column], new[column]
        matters = (old == least) | (old == most) | (code < least) | (code > most)
        bits |= np.uint64(matters & (old != code)) << np.uint64(place)
    return bits


def begin_ends(ends: Line, codes: Line, lane: int) -> None:
    """Let the ends of a box be those of one row, which has no second ones."""
    for place in range(LANES):
        column = np.uint64(lane + place)
        ends[LEAST_CODE, column] = ends[MOST_CODE, column] = codes[column]
        ends[LAST_BUT_ONE, column] = 0
        ends[SECOND_CODE, column] = ~ends[LAST_BUT_ONE, column]


def widen_ends(ends: Line, codes: Line, lane: int) -> None:
    """Let the ends of a box be those of one row more."""
    for place in range(LANES):
        column = np.uint64(lane + place)
        code = codes[column]
        least, most = ends[LEAST_CODE, column], ends[MOST_CODE, column]
        second, last = ends[SECOND_CODE, column], ends[LAST_BUT_ONE, column]
        ends[LEAST_CODE, column] = min(least, code)
        ends[MOST_CODE, column] = max(most, code)
        ends[SECOND_CODE, column] = min(second, max(least, code))
        ends[LAST_BUT_ONE, column] = max(last, min(most, code))


def span_without(ends: Line, codes: Line, low: Line, high: Line, lane: int) -> None:
    """Write what a box spans without one of its rows into two lines."""
    for place in range(LANES):
        column = np.uint64(lane + place)
        code = codes[column]
        least, most = ends[LEAST_CODE, column], ends[MOST_CODE, column]
        low[column] = ends[SECOND_CODE, column] if code == least else least
        high[column] = ends[LAST_BUT_ONE, column] if code == most else most


def widen(span: Line, wider: Line, codes: Line, lane: int) -> None:
    """Write what a span of two lines, the least and the greatest codes, is with one row more."""
    for place in range(LANES):
        column = np.uint64(lane + place)
        wider[0, column] = min(span[0, column], codes[column])
        wider[1, column] = max(span[1, column], codes[column])


def first_lane(bits: np.uint64) -> np.uint64:
    """Return the lane of the lowest bit; there has to be one."""
    lane = np.uint64(0)
    while (bits >> lane) & ONE == 0:
        lane += ONE
    return lane
