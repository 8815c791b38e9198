"""Groups along an order, grown up to a bound and evened out with their neighbours: AC, for l.

The linear heuristic of Ghinita, Karras, Kalnis, Mamoulis 2009, section 6.3 and Figure 17. Two
groups are at work at a time, the two *sides*: the one that was grown before, and the next. Rows of
frequent values move from one to the other while the smaller privacy of the two does not fall.

What holds between two moves: the records of the sides have their sizes and boxes, as
`linked_groups_kernel` lays them out (nobody asks for lists), and stay within the bound; `held` and
`seen` count their rows by sensitive value and by code. Groups are as large as the bound lets them
be, so a box shrinks by these counts, not by a look at all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import group_cost
from indistinct.methods.common.linked_groups_kernel import (
    BOX,
    CODES,
    SIZE,
    box_with,
    empty_box,
    widen,
)
from indistinct.methods.partition.bounded_runs_kernel import SLACK, within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays
    from indistinct.methods.partition.bounded_runs_kernel import BoundArrays

NOWHERE = -1


class Ordered(NamedTuple):
    """The entries whose rows are grouped.

    Attributes
    ----------
    lines, order
        The codes of each, as `linked_groups_kernel` lays them out; the entries one by one.
    held, rows
        The sensitive value of each, and how many rows it stands for.
    """

    lines: NDArray[np.int32]
    order: NDArray[np.int32]
    held: NDArray[np.int32]
    rows: NDArray[np.int64]


class Sides(NamedTuple):
    """What is kept of the two groups, so that a row joins or leaves in the time of its columns.

    Attributes
    ----------
    records, trial
        The size and the box of each; a box that one of them would have.
    held, seen
        How many rows of each sensitive value each has; how many rows have each code, column after
        column.
    shrunk
        How often a box became smaller: until then, what did not fit does not fit.
    waiting, copies, first, left, turn
        The entries of which rows may still move, value after value, and how many rows; where those
        of each value begin, how many entries are left, and which of these is looked at next.
    stuck
        When it was last found, as `shrunk` of the other side tells, that no row of a value fits
        there; -1 if never.
    ranked, origin
        The values, the most frequent first; from which side rows of each have moved, -1 if none.
    """

    records: NDArray[np.int32]
    trial: NDArray[np.int32]
    held: NDArray[np.int64]
    seen: NDArray[np.int64]
    shrunk: NDArray[np.int64]
    waiting: NDArray[np.int32]
    copies: NDArray[np.int64]
    first: NDArray[np.int64]
    left: NDArray[np.int64]
    turn: NDArray[np.int64]
    stuck: NDArray[np.int64]
    ranked: NDArray[np.int64]
    origin: NDArray[np.int64]


@inner
def _clear(sides, side, bound):
    """Forget a group."""
    records, seen = sides.records, sides.seen
    columns = bound.first.size
    for column in range(columns):
        begin = bound.first[column]
        low, high = records[side, BOX + column], records[side, BOX + columns + column]
        for code in range(low, high + 1):
            seen[side, begin + code] = 0
    empty_box(records, side)
    records[side, SIZE] = 0
    for value in range(sides.held.shape[1]):
        sides.held[side, value] = 0


@inner
def _trial_cost(sides, spans, bound, lines, row, side):
    """Return what a row of a group costs with one row more; infinite if it must not join."""
    columns = lines.shape[1] - CODES
    box_with(sides.records, lines, row, side, sides.trial)
    low = sides.trial[0, BOX : BOX + columns]
    high = sides.trial[0, BOX + columns : BOX + 2 * columns]
    return group_cost(spans, low, high) if within(bound, spans, low, high) else np.inf


@inner
def _join(sides, side, lines, bound, row, value, count):
    """Let so many rows of an entry join a group."""
    sides.records[side, SIZE] += count
    sides.held[side, value] += count
    for column in range(lines.shape[1] - CODES):
        sides.seen[side, bound.first[column] + lines[row, CODES + column]] += count
    widen(sides.records, lines, row, side)


@inner
def _leave(sides, side, lines, bound, row, value):
    """Take a row out of a group that has others."""
    records, seen = sides.records, sides.seen
    records[side, SIZE] -= 1
    sides.held[side, value] -= 1
    columns = lines.shape[1] - CODES
    for column in range(columns):
        code, begin = lines[row, CODES + column], bound.first[column]
        low, high = BOX + column, BOX + columns + column
        seen[side, begin + code] -= 1
        if seen[side, begin + code] or records[side, low] < code < records[side, high]:
            continue
        while seen[side, begin + records[side, low]] == 0:
            records[side, low] += 1
        while seen[side, begin + records[side, high]] == 0:
            records[side, high] -= 1
        sides.shrunk[side] += 1


@inner
def _line_up(sides, side, ordered, begin, end):
    """List the entries of a group, a stretch of the order, by their values."""
    for value in range(sides.first.shape[1]):
        sides.left[side, value], sides.turn[side, value] = 0, -1
        sides.stuck[0, value] = sides.stuck[1, value] = NOWHERE
        sides.origin[value] = NOWHERE
    for at in range(begin, end):
        sides.left[side, ordered.held[ordered.order[at]]] += 1
    place = 0
    for value in range(sides.first.shape[1]):
        sides.first[side, value] = place
        place += sides.left[side, value]
        sides.left[side, value] = 0
    for at in range(begin, end):
        row = ordered.order[at]
        value = ordered.held[row]
        place = sides.first[side, value] + sides.left[side, value]
        sides.waiting[side, place], sides.copies[side, place] = row, ordered.rows[row]
        sides.left[side, value] += 1


@inner
def _nearest(sides, source, value, lines, spans, bound):
    """Return which row of a value widens the other group least, or `NOWHERE`.

    The first one that does not widen it is taken, and the next search goes on from there: what was
    passed by is met again only after all others.
    """
    target = 1 - source
    columns = lines.shape[1] - CODES
    best, least = NOWHERE, np.inf
    records = sides.records
    low = records[target, BOX : BOX + columns]
    high = records[target, BOX + columns : BOX + 2 * columns]
    now = group_cost(spans, low, high)
    first, left = sides.first[source, value], sides.left[source, value]
    place = sides.turn[source, value]
    for _ in range(left):
        place = place + 1 if place + 1 < left else 0
        row = sides.waiting[source, first + place]
        cost = _trial_cost(sides, spans, bound, lines, row, target)
        if cost < least:
            best, least = place, cost
            if cost <= now:
                break
    sides.turn[source, value] = place - 1
    return best


@inner
def _taken(sides, side, value, place):
    """Take a row of an entry from those that wait; after its last, the last entry takes its place.

    Returns
    -------
    int
        The entry.
    """
    waiting, copies = sides.waiting, sides.copies
    first = sides.first[side, value]
    row = waiting[side, first + place]
    copies[side, first + place] -= 1
    if copies[side, first + place] == 0:
        sides.left[side, value] -= 1
        last = first + sides.left[side, value]
        waiting[side, first + place] = waiting[side, last]
        copies[side, first + place] = copies[side, last]
    return row


@inner
def _privacy(sides, side, value, change):
    """Return how many rows a group has for each of its most frequent value, after a change."""
    most = 0
    for other in range(sides.held.shape[1]):
        most = max(most, sides.held[side, other] + (change if other == value else 0))
    return (sides.records[side, SIZE] + change) / most if most else np.inf


@inner
def _rank(ranked, held, side):
    """Sort the values by how often a group has them; they nearly are, since the last time."""
    for i in range(1, ranked.size):
        value, at = ranked[i], i
        while at > 0:
            ahead = held[side, ranked[at - 1]] - held[side, value]
            if ahead > 0 or (ahead == 0 and ranked[at - 1] < value):
                break
            ranked[at] = ranked[at - 1]
            at -= 1
        ranked[at] = value


@inner
def _move_one(sides, source, lines, spans, bound):
    """Move a row to the neighbour, of the most frequent value first; return it, or `NOWHERE`.

    The smaller privacy of the two must not fall (line 20 of Fig. 17), and a value moves in one
    direction only.
    """
    target = 1 - source
    if sides.records[source, SIZE] < 2:
        return np.int64(NOWHERE)
    now = min(_privacy(sides, 0, 0, 0), _privacy(sides, 1, 0, 0))
    _rank(sides.ranked, sides.held, source)
    for value in sides.ranked:
        if sides.held[source, value] == 0:
            break
        if sides.origin[value] == target or sides.stuck[source, value] == sides.shrunk[target]:
            continue
        if min(_privacy(sides, source, value, -1), _privacy(sides, target, value, 1)) < now - SLACK:
            continue
        place = _nearest(sides, source, value, lines, spans, bound)
        if place == NOWHERE:
            sides.stuck[source, value] = sides.shrunk[target]
            continue
        row = _taken(sides, source, value, place)
        _leave(sides, source, lines, bound, row, value)
        _join(sides, target, lines, bound, row, value, np.int64(1))
        sides.origin[value] = source
        return np.int64(row)
    return np.int64(NOWHERE)


@njit
def accuracy_constrained(
    ordered: Ordered,
    spans: SpanArrays,
    bound: BoundArrays,
    sides: Sides,
    moved: NDArray[np.int64],
) -> NDArray[np.int32]:
    """Grow groups along the order up to the bound, and even out neighbours (AC, Fig. 17).

    Copies of a row make no group wider, so groups grow by whole entries; they move one by one. A
    row that was moved does not move again.

    Parameters
    ----------
    moved
        Written: how many rows of each entry have moved to the group before its own, and to the one
        after.

    Returns
    -------
    NDArray
        The group of each entry.
    """
    lines, order, held, rows = ordered.lines, ordered.order, ordered.held, ordered.rows
    groups = np.empty(order.size, dtype=np.int32)
    number, at = 0, 0
    while at < order.size:
        side, begin = number % 2, at
        _clear(sides, side, bound)
        while at < order.size:
            row = order[at]
            if at > begin and _trial_cost(sides, spans, bound, lines, row, side) == np.inf:
                break
            _join(sides, side, lines, bound, row, held[row], rows[row])
            groups[row] = number
            at += 1
        _line_up(sides, side, ordered, begin, at)
        more = number > 0
        while more:
            more = False
            for turn in range(2):
                source = (side + 1 + turn) % 2
                gone = _move_one(sides, source, lines, spans, bound)
                if gone != NOWHERE:
                    moved[0 if source == side else 1, gone] += 1
                    more = True
        number += 1
    return groups
