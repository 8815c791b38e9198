"""Groups of diverse rows along an order, for l-diversity.

The linear heuristic of Ghinita, Karras, Kalnis, Mamoulis 2009, section 4.3: a group takes rows of
different sensitive values from the *frontier*, the first unassigned row of each value (Fig. 13); it
may take one more while that is nearer to it than to the next group (Fig. 14).

What holds between two groups: unassigned rows are none, or eligible (EG): no value has more than
1/l of them, so they can always be grouped; the frontier has the first of each value that has any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.arrays import copy_into
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import group_cost

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays


class Ordered(NamedTuple):
    """The rows in their order.

    Attributes
    ----------
    codes
        The codes of all rows of the table.
    rows, held
        The rows on each place, and the sensitive value of each.
    values
        How many sensitive values there are.
    """

    codes: np.ndarray
    rows: np.ndarray
    held: np.ndarray
    values: int


class Asked(NamedTuple):
    """What groups need: the whole number l, and how many rows (l or more)."""

    diversity: int
    least: int


class Taken(NamedTuple):
    """The group that is being made.

    Attributes
    ----------
    group, times
        The places in it, and how often it has each value.
    aside
        Scratch: places that are put back on the frontier.
    """

    group: np.ndarray
    times: np.ndarray
    aside: np.ndarray


class Domains(NamedTuple):
    """The unassigned rows of each sensitive value, and what shows whether they are eligible.

    Attributes
    ----------
    places, end, next
        Places on the order, value after value; where each value's end, and which is its frontier.
    left, having
        How many rows of each value are unassigned; how many values have so many.
    state
        How many rows are unassigned at all, and the largest number of one value.
    frontier
        A queue of the first unassigned place of each value.
    """

    places: np.ndarray
    end: np.ndarray
    next: np.ndarray
    left: np.ndarray
    having: np.ndarray
    state: np.ndarray
    frontier: np.ndarray


@inner
def _domains(held, values):
    """Sort places on the order by their value."""
    left = np.zeros(values, dtype=np.int64)
    for place in range(held.size):
        left[held[place]] += 1
    end = np.cumsum(left)
    first = end - left
    free = first.copy()
    places = np.empty(held.size, dtype=np.int64)
    for place in range(held.size):
        value = held[place]
        places[free[value]] = place
        free[value] += 1
    having = np.zeros(left.max() + 2, dtype=np.int64)
    for value in range(values):
        having[left[value]] += 1
    state = np.array([held.size, left.max()])
    frontier = np.zeros(values + 1, dtype=np.int64)
    return Domains(places, end, first, left, having, state, frontier)


@njit
def _take(domains, value):
    """Assign the frontier row of a value; return its place."""
    place = domains.places[domains.next[value]]
    domains.next[value] += 1
    domains.having[domains.left[value]] -= 1
    domains.left[value] -= 1
    domains.having[domains.left[value]] += 1
    domains.state[0] -= 1
    while domains.state[1] > 0 and domains.having[domains.state[1]] == 0:
        domains.state[1] -= 1
    return place


@inner
def _give_back(domains, value):
    """Undo the last `_take` of a value."""
    domains.next[value] -= 1
    domains.having[domains.left[value]] -= 1
    domains.left[value] += 1
    domains.having[domains.left[value]] += 1
    domains.state[0] += 1
    domains.state[1] = max(domains.state[1], domains.left[value])


@inner
def _eligible(domains, asked):
    """Return whether what is left is nothing, or can be grouped (EG)."""
    left = domains.state[0]
    return left == 0 or (left >= asked.least and domains.state[1] * asked.diversity <= left)


@njit
def _push(queue, place):
    """Put a place in a queue: a heap whose length comes first."""
    queue[0] += 1
    at = queue[0]
    while at > 1 and queue[at // 2] > place:
        queue[at] = queue[at // 2]
        at //= 2
    queue[at] = place


@inner
def _pop(queue):
    """Take the first place out of a queue."""
    first, last = queue[1], queue[queue[0]]
    queue[0] -= 1
    length, at = queue[0], 1
    while 2 * at <= length:
        child = 2 * at
        if child < length and queue[child + 1] < queue[child]:
            child += 1
        if queue[child] >= last:
            break
        queue[at] = queue[child]
        at = child
    queue[at] = last
    return first


@inner
def _fill_frontier(domains):
    """Queue the first unassigned row of each value."""
    frontier = domains.frontier
    frontier[0] = 0
    for value in range(domains.left.size):
        if domains.left[value]:
            _push(frontier, domains.places[domains.next[value]])


@njit
def _greedy(domains, held, asked, taken):
    """Take the first rows of the frontier until the rest is eligible; return how many, or 0.

    No value is taken more often than a group of the least size allows: once, if that is l. If the
    rest never becomes eligible, everything is given back.
    """
    group, times, kept_back = taken
    frontier = domains.frontier
    size, back = 0, 0
    closed = False
    while frontier[0] and not closed:
        place = _pop(frontier)
        value = held[place]
        if (times[value] + 1) * asked.diversity > asked.least:
            kept_back[back] = place
            back += 1
            continue
        group[size] = _take(domains, value)
        size += 1
        times[value] += 1
        if domains.left[value]:
            _push(frontier, domains.places[domains.next[value]])
        closed = size >= asked.least and _eligible(domains, asked)
    for i in range(back):
        _push(frontier, kept_back[i])
    if closed:
        return size
    for i in range(size - 1, -1, -1):
        value = held[group[i]]
        times[value] -= 1
        _give_back(domains, value)
    return 0


@inner
def _fall_back(domains, held, asked, taken):
    """Take a row each of the most frequent values, until the rest is eligible; return how many.

    This cannot fail: if no value has more than 1/l of the rows, those that have just so many are
    few enough to be in one group. Rounds are repeated until the group is large enough.
    """
    group, times, _ = taken
    diversity, least = asked
    size = 0
    values = domains.left.size
    keys = np.empty(values, dtype=np.int64)
    while True:
        for value in range(values):
            keys[value] = -domains.left[value] * (held.size + 1)
            if domains.left[value]:
                keys[value] += domains.places[domains.next[value]]
        for rank, value in enumerate(np.argsort(keys)):
            if domains.left[value] == 0:
                break
            group[size] = _take(domains, value)
            size += 1
            times[value] += 1
            if rank + 1 >= diversity and domains.state[1] * diversity <= domains.state[0]:
                break
        if domains.state[0] == 0 or (size >= least and domains.state[0] >= least):
            return size


@njit
def _widen(codes, row, low, high):
    for column in range(low.size):
        low[column] = min(low[column], codes[row, column])
        high[column] = max(high[column], codes[row, column])


@njit
def _refine(domains, ordered, spans, asked, taken, size):
    """Add the next frontier row while it is nearer to this group than to the next (Fig. 14)."""
    codes, rows, held, _ = ordered
    group, times, others = taken
    diversity, least = asked
    frontier = domains.frontier
    columns = codes.shape[1]
    low = codes[rows[group[0]]].copy()
    high = low.copy()
    for i in range(1, size):
        _widen(codes, rows[group[i]], low, high)
    with_low = np.empty(columns, dtype=np.int32)
    with_high = np.empty(columns, dtype=np.int32)
    while frontier[0] >= diversity and size < 2 * least - 1:
        value = held[frontier[1]]
        if (times[value] + 1) * diversity > size + 1:
            break
        for i in range(diversity):
            others[i] = _pop(frontier)
        for i in range(diversity):
            _push(frontier, others[i])
        copy_into(with_low, codes[rows[others[0]]])
        copy_into(with_high, with_low)
        for i in range(1, diversity):
            _widen(codes, rows[others[i]], with_low, with_high)
        next_cost = group_cost(spans, with_low, with_high)
        copy_into(with_low, low)
        copy_into(with_high, high)
        _widen(codes, rows[others[0]], with_low, with_high)
        if group_cost(spans, with_low, with_high) >= next_cost:
            break
        group[size] = _take(domains, value)
        if not _eligible(domains, asked):
            _give_back(domains, value)
            break
        copy_into(low, with_low)
        copy_into(high, with_high)
        size += 1
        times[value] += 1
        _pop(frontier)
        if domains.left[value]:
            _push(frontier, domains.places[domains.next[value]])
    return size


@njit
def diverse_groups(
    ordered: Ordered, spans: SpanArrays, asked: Asked
) -> tuple[NDArray[np.int32], int]:
    """Group rows so that no sensitive value has more than 1/l of a group (Fig. 13).

    No value has more than 1/l of all rows.

    Returns
    -------
    tuple
        The group of the row on each place; how often the greedy step had to be fallen back from.
    """
    held = ordered.held
    domains = _domains(held, ordered.values)
    groups = np.empty(held.size, dtype=np.int32)
    group = np.empty(held.size, dtype=np.int64)
    times = np.zeros(ordered.values, dtype=np.int64)
    taken = Taken(group, times, np.empty(ordered.values, dtype=np.int64))
    _fill_frontier(domains)
    number, fallen_back = 0, 0
    while domains.state[0] > 0:
        size = _greedy(domains, held, asked, taken)
        if size == 0:
            size = _fall_back(domains, held, asked, taken)
            _fill_frontier(domains)
            fallen_back += 1
        size = _refine(domains, ordered, spans, asked, taken, size)
        for i in range(size):
            groups[group[i]] = number
            times[held[group[i]]] = 0
        number += 1
    return groups, fallen_back
