"""Groups along an order, grown up to a bound and evened out with their neighbours (AC, for l).

Two groups are at work at a time, the two *sides*: the one that was grown before, and the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import group_cost
from indistinct.methods.partition.bounded_runs_kernel import SLACK, within

NOWHERE = -1


class Sides(NamedTuple):
    """What is kept of the two groups, so that a row joins or leaves in the time of its columns.

    Attributes
    ----------
    size, held
        How many rows each has, and how many of each sensitive value.
    seen, low, high
        How many rows have each code, column after column; the least and greatest code of each.
    shrunk
        How often a bound was drawn in: until then, what did not fit does not fit.
    waiting, first, left, turn
        The rows that may still move, value after value; where those of each value begin, how many
        are left, and which of these is looked at next.
    stuck
        When it was last found, as `shrunk` of the other side tells, that no row of a value fits
        there; -1 if never.
    """

    size: np.ndarray
    held: np.ndarray
    seen: np.ndarray
    low: np.ndarray
    high: np.ndarray
    shrunk: np.ndarray
    waiting: np.ndarray
    first: np.ndarray
    left: np.ndarray
    turn: np.ndarray
    stuck: np.ndarray


@inner
def _new_sides(rows, columns, codes, values):
    return Sides(
        np.zeros(2, dtype=np.int64),
        np.zeros((2, values), dtype=np.int64),
        np.zeros((2, codes), dtype=np.int32),
        np.zeros((2, columns), dtype=np.int32),
        np.zeros((2, columns), dtype=np.int32),
        np.zeros(2, dtype=np.int64),
        np.empty((2, rows), dtype=np.int32),
        np.zeros((2, values), dtype=np.int64),
        np.zeros((2, values), dtype=np.int64),
        np.zeros((2, values), dtype=np.int64),
        np.full((2, values), NOWHERE, dtype=np.int64),
    )


@inner
def _clear(sides, side, bound):
    """Forget a group."""
    for column in range(sides.low.shape[1]):
        begin = bound.first[column]
        for code in range(sides.low[side, column], sides.high[side, column] + 1):
            sides.seen[side, begin + code] = 0
        sides.low[side, column] = np.iinfo(np.int32).max
        sides.high[side, column] = -1
    sides.size[side] = 0
    sides.held[side] = 0


@njit
def _widen(sides, side, codes, row, low, high):
    """Fill in what a group would span with one row more."""
    for column in range(codes.shape[1]):
        low[column] = min(sides.low[side, column], codes[row, column])
        high[column] = max(sides.high[side, column], codes[row, column])


@inner
def _join(sides, side, codes, bound, row, value):
    sides.size[side] += 1
    sides.held[side, value] += 1
    for column in range(codes.shape[1]):
        sides.seen[side, bound.first[column] + codes[row, column]] += 1
    _widen(sides, side, codes, row, sides.low[side], sides.high[side])


@inner
def _leave(sides, side, codes, bound, row, value):
    """Take a row out of a group that has others."""
    sides.size[side] -= 1
    sides.held[side, value] -= 1
    low, high, seen = sides.low[side], sides.high[side], sides.seen[side]
    for column in range(codes.shape[1]):
        code, begin = codes[row, column], bound.first[column]
        seen[begin + code] -= 1
        if seen[begin + code] or low[column] < code < high[column]:
            continue
        while seen[begin + low[column]] == 0:
            low[column] += 1
        while seen[begin + high[column]] == 0:
            high[column] -= 1
        sides.shrunk[side] += 1


@inner
def _line_up(sides, side, rows, held):
    """List the rows of a group by their values."""
    begin = 0
    for value in range(sides.first.shape[1]):
        sides.first[side, value] = begin
        sides.left[side, value], sides.turn[side, value] = 0, -1
        begin += sides.held[side, value]
    for row in rows:
        value = held[row]
        sides.waiting[side, sides.first[side, value] + sides.left[side, value]] = row
        sides.left[side, value] += 1


@njit
def _nearest(sides, source, value, codes, spans, bound):
    """Return which row of a value widens the other group least, or `NOWHERE`.

    The first one that does not widen it is taken, and the next search goes on from there: what was
    passed by is met again only after all others.
    """
    target = 1 - source
    low = np.empty(codes.shape[1], dtype=np.int32)
    high = np.empty(codes.shape[1], dtype=np.int32)
    best, least = NOWHERE, np.inf
    now = group_cost(spans, sides.low[target], sides.high[target])
    first, left = sides.first[source, value], sides.left[source, value]
    place = sides.turn[source, value]
    for _ in range(left):
        place = place + 1 if place + 1 < left else 0
        _widen(sides, target, codes, sides.waiting[source, first + place], low, high)
        cost = group_cost(spans, low, high)
        if cost < least and within(bound, spans, low, high):
            best, least = place, cost
            if cost <= now:
                break
    sides.turn[source, value] = place - 1
    return best


@inner
def _taken(sides, side, value, place):
    """Take a row from those that wait; the last one waits in its place."""
    first = sides.first[side, value]
    row = sides.waiting[side, first + place]
    sides.left[side, value] -= 1
    sides.waiting[side, first + place] = sides.waiting[side, first + sides.left[side, value]]
    return row


@inner
def _privacy(sides, side, value, change):
    """Return how many rows a group has for each of its most frequent value, after a change."""
    most = 0
    for other in range(sides.held.shape[1]):
        most = max(most, sides.held[side, other] + (change if other == value else 0))
    return (sides.size[side] + change) / most if most else np.inf


@inner
def _move_one(sides, source, codes, spans, bound, direction, groups, number):
    """Move a row to the neighbour, of the most frequent value first; tell whether one was moved.

    The smaller privacy of the two must not fall (line 20 of Fig. 17), and a value moves in one
    direction only.
    """
    target = 1 - source
    if sides.size[source] < 2:
        return False
    now = min(_privacy(sides, 0, 0, 0), _privacy(sides, 1, 0, 0))
    for value in np.argsort(-sides.held[source], kind="mergesort"):
        if sides.held[source, value] == 0:
            break
        if direction[value] == target or sides.stuck[source, value] == sides.shrunk[target]:
            continue
        if min(_privacy(sides, source, value, -1), _privacy(sides, target, value, 1)) < now - SLACK:
            continue
        place = _nearest(sides, source, value, codes, spans, bound)
        if place == NOWHERE:
            sides.stuck[source, value] = sides.shrunk[target]
            continue
        row = _taken(sides, source, value, place)
        _leave(sides, source, codes, bound, row, value)
        _join(sides, target, codes, bound, row, value)
        direction[value] = source
        groups[row] = number
        return True
    return False


@njit
def accuracy_constrained(codes, order, held, values, spans, bound):
    """Grow groups along the order up to the bound, and even out neighbours (AC, Fig. 17).

    A row that was moved does not move again.

    Returns
    -------
    NDArray
        The group of each row.
    """
    count, columns = order.size, codes.shape[1]
    groups = np.empty(count, dtype=np.int32)
    sides = _new_sides(count, columns, bound.number.size, values)
    low = np.empty(columns, dtype=np.int32)
    high = np.empty(columns, dtype=np.int32)
    number, at = 0, 0
    while at < count:
        side, begin = number % 2, at
        _clear(sides, side, bound)
        while at < count:
            row = order[at]
            _widen(sides, side, codes, row, low, high)
            if at > begin and not within(bound, spans, low, high):
                break
            _join(sides, side, codes, bound, row, held[row])
            groups[row] = number
            at += 1
        _line_up(sides, side, order[begin:at], held)
        sides.stuck[:] = NOWHERE
        direction = np.full(values, NOWHERE, dtype=np.int64)
        moved = number > 0
        while moved:
            moved = False
            for turn in range(2):
                source = (side + 1 + turn) % 2
                moved |= _move_one(
                    sides, source, codes, spans, bound, direction, groups,
                    number - 1 if source == side else number,
                )  # fmt: skip
        number += 1
    return groups
