"""Groups of diverse rows along an order, for l-diversity.

The linear heuristic of Ghinita, Karras, Kalnis, Mamoulis 2009, section 4.3: a group takes rows of
different sensitive values from the *frontier*, the first unassigned row of each value (Fig. 13); it
may take one more while that is nearer to it than to the next group (Fig. 14).

Places of the order may stand for several rows. Of places of equal quasi values those with most rows
left come first on the frontier, so that their values are used up together. A group that can be made
again of further copies is, so that the work is in places, not in rows; groups of one quasi row are
one group.

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
    """The places of an order.

    Attributes
    ----------
    codes, held
        The codes and the sensitive value of each.
    run
        Places with equal codes that follow each other have a number, which rises along the order.
    values
        How many sensitive values there are.
    """

    codes: NDArray[np.int32]
    held: NDArray[np.int32]
    run: NDArray[np.int64]
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
    alike
        The number of the group that has rows of one run only; -1 if there is none yet.
    """

    group: NDArray[np.int64]
    times: NDArray[np.int64]
    aside: NDArray[np.int64]
    alike: NDArray[np.int64]


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
        A queue of the first place of each value that has unassigned rows.
    copies, run
        How many rows of each place are unassigned, and the run of each.
    """

    places: NDArray[np.int64]
    end: NDArray[np.int64]
    next: NDArray[np.int64]
    left: NDArray[np.int64]
    having: NDArray[np.int64]
    state: NDArray[np.int64]
    frontier: NDArray[np.int64]
    copies: NDArray[np.int64]
    run: NDArray[np.int64]


@njit
def _take(domains, value, count):
    """Assign so many rows of the frontier place of a value; return the place."""
    left, having, state = domains.left, domains.having, domains.state
    place = domains.places[domains.next[value]]
    domains.copies[place] -= count
    if domains.copies[place] == 0:
        domains.next[value] += 1
    having[left[value]] -= 1
    left[value] -= count
    having[left[value]] += 1
    state[0] -= count
    while state[1] > 0 and having[state[1]] == 0:
        state[1] -= 1
    return place


@inner
def _give_back(domains, value, place):
    """Undo the last `_take` of a row of a value."""
    if domains.copies[place] == 0:
        domains.next[value] -= 1
    domains.copies[place] += 1
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


@inner
def _before(domains, one, two):
    """Return whether a place comes first on the frontier: along the order, then by rows left."""
    run, copies = domains.run, domains.copies
    if run[one] != run[two]:
        return run[one] < run[two]
    if copies[one] != copies[two]:
        return copies[one] > copies[two]
    return one < two


@njit
def _push(domains, place):
    """Put a place on the frontier: a heap whose length comes first."""
    queue = domains.frontier
    queue[0] += 1
    at = queue[0]
    while at > 1 and _before(domains, place, queue[at // 2]):
        queue[at] = queue[at // 2]
        at //= 2
    queue[at] = place


@inner
def _pop(domains):
    """Take the first place off the frontier."""
    queue = domains.frontier
    first, last = queue[1], queue[queue[0]]
    queue[0] -= 1
    length, at = queue[0], 1
    while 2 * at <= length:
        child = 2 * at
        if child < length and _before(domains, queue[child + 1], queue[child]):
            child += 1
        if not _before(domains, queue[child], last):
            break
        queue[at] = queue[child]
        at = child
    queue[at] = last
    return first


@inner
def _fill_frontier(domains):
    """Queue the first place of each value that has unassigned rows."""
    domains.frontier[0] = 0
    for value in range(domains.left.size):
        if domains.left[value]:
            _push(domains, domains.places[domains.next[value]])


@njit
def _greedy(domains, held, asked, taken):
    """Take the first rows of the frontier until the rest is eligible; return how many, or 0.

    No value is taken more often than a group of the least size allows: once, if that is l. If the
    rest never becomes eligible, everything is given back.
    """
    group, times, kept_back, _ = taken
    frontier = domains.frontier
    size, back = 0, 0
    closed = False
    while frontier[0] and not closed:
        place = _pop(domains)
        value = held[place]
        if (times[value] + 1) * asked.diversity > asked.least:
            kept_back[back] = place
            back += 1
            continue
        group[size] = _take(domains, value, np.int64(1))
        size += 1
        times[value] += 1
        if domains.left[value]:
            _push(domains, domains.places[domains.next[value]])
        closed = size >= asked.least and _eligible(domains, asked)
    for i in range(back):
        _push(domains, kept_back[i])
    if closed:
        return size
    for i in range(size - 1, -1, -1):
        value = held[group[i]]
        times[value] -= 1
        _give_back(domains, value, group[i])
    return 0


@inner
def _fall_back(domains, held, asked, taken):
    """Take a row each of the most frequent values, until the rest is eligible; return how many.

    This cannot fail: if no value has more than 1/l of the rows, those that have just so many are
    few enough to be in one group. Rounds are repeated until the group is large enough.
    """
    group, times, _, _ = taken
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
            group[size] = _take(domains, value, np.int64(1))
            size += 1
            times[value] += 1
            if rank + 1 >= diversity and domains.state[1] * diversity <= domains.state[0]:
                break
        if domains.state[0] == 0 or (size >= least and domains.state[0] >= least):
            return size


@njit
def _widen(codes, place, low, high):
    for column in range(low.size):
        low[column] = min(low[column], codes[place, column])
        high[column] = max(high[column], codes[place, column])


@njit
def _refine(domains, ordered, spans, asked, taken, size):
    """Add the next frontier row while it is nearer to this group than to the next (Fig. 14)."""
    codes, held = ordered.codes, ordered.held
    group, times, others, _ = taken
    diversity, least = asked
    frontier = domains.frontier
    columns = codes.shape[1]
    low = codes[group[0]].copy()
    high = low.copy()
    for i in range(1, size):
        _widen(codes, group[i], low, high)
    with_low = np.empty(columns, dtype=np.int32)
    with_high = np.empty(columns, dtype=np.int32)
    while frontier[0] >= diversity and size < 2 * least - 1:
        value = held[frontier[1]]
        if (times[value] + 1) * diversity > size + 1:
            break
        for i in range(diversity):
            others[i] = _pop(domains)
        for i in range(diversity):
            _push(domains, others[i])
        copy_into(with_low, codes[others[0]])
        copy_into(with_high, with_low)
        for i in range(1, diversity):
            _widen(codes, others[i], with_low, with_high)
        next_cost = group_cost(spans, with_low, with_high)
        copy_into(with_low, low)
        copy_into(with_high, high)
        _widen(codes, others[0], with_low, with_high)
        if group_cost(spans, with_low, with_high) >= next_cost:
            break
        group[size] = _take(domains, value, np.int64(1))
        if not _eligible(domains, asked):
            _give_back(domains, value, group[size])
            break
        copy_into(low, with_low)
        copy_into(high, with_high)
        size += 1
        times[value] += 1
        _pop(domains)
        if domains.left[value]:
            _push(domains, domains.places[domains.next[value]])
    return size


@njit
def _again(domains, held, asked, taken, size):
    """Make a group of further copies as often as half of them last; return how often.

    Half of them, since other values of the same quasi row may then have more rows left. What is
    left must be eligible: of n rows, t such groups leave n - t size, and c - t times of a value.
    """
    group, times = taken.group, taken.times
    copies, left = domains.copies, domains.left
    often = copies[group[0]]
    for i in range(size):
        often = min(often, copies[group[i]] // times[held[group[i]]])
    often //= 2
    if often < 2:
        return np.int64(0)
    rows, diversity = domains.state[0], asked.diversity
    often = min(often, (rows - asked.least) // size)
    for value in range(left.size):
        spared = size - diversity * times[value]
        if spared > 0:
            often = min(often, (rows - diversity * left[value]) // spared)
    if often < 1:
        return np.int64(0)
    for i in range(size):
        _take(domains, held[group[i]], often)
    _fill_frontier(domains)
    return often


@inner
def _number(domains, taken, size, state):
    """Number a group: as others of the same quasi row alone, or anew."""
    group, run = taken.group, domains.run
    for i in range(1, size):
        if run[group[i]] != run[group[0]]:
            state[1] += 1
            return state[1] - 1
    if taken.alike[run[group[0]]] < 0:
        taken.alike[run[group[0]]] = state[1]
        state[1] += 1
    return taken.alike[run[group[0]]]


@njit
def diverse_groups(
    ordered: Ordered,
    domains: Domains,
    spans: SpanArrays,
    asked: Asked,
    taken: Taken,
    written: NDArray[np.int64],
    state: NDArray[np.int64],
) -> None:
    """Group rows so that no sensitive value has more than 1/l of a group (Fig. 13).

    No value has more than 1/l of all rows. It ends when all are grouped, or when there might be no
    room to write another group.

    Parameters
    ----------
    written
        Places, the groups of some of their rows, and how many rows.
    state
        How many of these were written; how many groups there are; how often the greedy step had to
        be fallen back from.
    """
    held = ordered.held
    group, times = taken.group, taken.times
    _fill_frontier(domains)
    state[0] = 0
    while domains.state[0] > 0 and state[0] + group.size <= written.shape[1]:
        size = _greedy(domains, held, asked, taken)
        if size == 0:
            size = _fall_back(domains, held, asked, taken)
            _fill_frontier(domains)
            state[2] += 1
        size = _refine(domains, ordered, spans, asked, taken, size)
        often = _again(domains, held, asked, taken, size) + 1
        number = _number(domains, taken, size, state)
        for i in range(size):
            place = state[0] + i
            written[0, place], written[1, place] = group[i], number
            written[2, place] = often
        state[0] += size
        for i in range(size):
            times[held[group[i]]] = 0
