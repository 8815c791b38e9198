"""Groups of l values within a bound, seeded at the rows that find them hardest: AC, for l.

Not in Ghinita et al. 2009, whose heuristic grows groups along an order and leaves the rows of
sparse places to whatever run they fall into. Here a row with few values within reach is served
first, while the rows that can help it are free. Rows stand in their order, so near ones have near
numbers; `looks` bounds how many of them each look for company sees.

What holds between two rows that are placed: every group is a list of its rows (`first`,
`following`) with its size and box, stays within the bound, and has at least `least` rows, of which
no value takes more than one in `target`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.spans import group_cost
from indistinct.methods.partition.bounded_runs_kernel import within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays
    from indistinct.methods.partition.bounded_runs_kernel import BoundArrays

FREE, SPARE, NEEDED = 0, 1, 2


class Placed(NamedTuple):
    """Rows in their order, what they hold, and the groups that they are in.

    Attributes
    ----------
    codes, held
        The codes of each row, and its sensitive value.
    group, following
        The group of each row and the next row in it; -1 for none.
    first, size, low, high
        Of each group: a row of it, how many there are, and its box.
    """

    codes: NDArray[np.int32]
    held: NDArray[np.int32]
    group: NDArray[np.int32]
    following: NDArray[np.int32]
    first: NDArray[np.int32]
    size: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]


class Goal(NamedTuple):
    """What a group must have: so many rows for each of its most frequent value, and in all.

    Attributes
    ----------
    looks, tries
        How many rows a look for company sees, and how often rows that were left over are placed.
    """

    target: int
    least: int
    looks: int
    tries: int


class Finding(NamedTuple):
    """Scratch of a look for company.

    Attributes
    ----------
    near, standing, taken
        The rows within reach of a seed; how dear it is to take each, by `FREE`, `SPARE` and
        `NEEDED`; and those that are taken, as places in `near`.
    counts
        How many rows of each value are taken, or are in a group.
    low, high, wider
        Boxes: of what is taken, and of that with one row more.
    queue, unused
        The rows that are to be placed, each at most once at a time; numbers of groups to be used
        again.
    """

    near: NDArray[np.int32]
    standing: NDArray[np.int8]
    taken: NDArray[np.int32]
    counts: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    wider: NDArray[np.int32]
    queue: NDArray[np.int32]
    unused: NDArray[np.int32]


@inner
def _fits(placed, spans, bound, low, high, row, wider):
    """Return what a row costs in a box that holds one row more; infinite beyond the bound."""
    columns = low.size
    for column in range(columns):
        code = placed.codes[row, column]
        wider[0, column] = min(low[column], code)
        wider[1, column] = max(high[column], code)
    if not within(bound, spans, wider[0], wider[1]):
        return np.inf
    return group_cost(spans, wider[0], wider[1])


@njit
def values_in_reach(
    placed: Placed,
    spans: SpanArrays,
    bound: BoundArrays,
    finding: Finding,
    looks: int,
    most: int,
    work: int,
) -> NDArray[np.int32]:
    """Count, up to a number, the values of rows that could share a group with each row.

    Each row looks at all others, as long as work is left; then at so many.

    Returns
    -------
    NDArray
        The counts; that number where not all rows could be looked at.
    """
    rows, columns = placed.codes.shape
    reach = np.empty(rows, dtype=np.int32)
    seen = np.full(finding.counts.size, -1, dtype=np.int32)
    for row in range(rows):
        for column in range(columns):
            finding.low[column] = finding.high[column] = placed.codes[row, column]
        seen[placed.held[row]] = row
        count, looked = 1, 0
        enough = rows if work > 0 else looks
        for step in range(1, rows):
            if count >= most or looked >= enough:
                break
            for other in (row - step, row + step):
                if other < 0 or other >= rows:
                    continue
                looked += 1
                if seen[placed.held[other]] == row:
                    continue
                cost = _fits(placed, spans, bound, finding.low, finding.high, other, finding.wider)
                if cost < np.inf:
                    seen[placed.held[other]] = row
                    count += 1
        work -= looked
        reach[row] = most if enough <= looked < rows - 1 else min(count, most)
    return reach


@inner
def _holds(placed, group, without, goal, count):
    """Return whether a group satisfies, without one of its rows (-1: with all)."""
    size, most = 0, 0
    row = placed.first[group]
    while row >= 0:
        if row != without:
            size += 1
            count[placed.held[row]] += 1
            most = max(most, count[placed.held[row]])
        row = placed.following[row]
    row = placed.first[group]
    while row >= 0:
        count[placed.held[row]] = 0
        row = placed.following[row]
    return size >= goal.least and most * goal.target <= size


@inner
def _put(placed, row, group):
    """Let a row join a group."""
    placed.group[row], placed.following[row] = group, placed.first[group]
    placed.first[group] = row
    placed.size[group] += 1
    for column in range(placed.codes.shape[1]):
        code = placed.codes[row, column]
        placed.low[group, column] = min(placed.low[group, column], code)
        placed.high[group, column] = max(placed.high[group, column], code)


@inner
def _empty(placed, group):
    """Forget the rows of a group."""
    placed.first[group], placed.size[group] = -1, 0
    placed.low[group, :] = np.iinfo(np.int32).max
    placed.high[group, :] = -1


@inner
def _take_out(placed, row):
    """Take a row out of its group, whose box is found anew."""
    group = placed.group[row]
    other = placed.first[group]
    _empty(placed, group)
    while other >= 0:
        following = placed.following[other]
        if other != row:
            _put(placed, other, group)
        other = following
    placed.group[row] = placed.following[row] = -1


@inner
def _look_for_company(placed, spans, bound, goal, finding, seed, dearest):
    """List the rows within reach of a seed, up to those that are dearest to take."""
    rows, columns = placed.codes.shape
    for column in range(columns):
        finding.low[column] = finding.high[column] = placed.codes[seed, column]
    found, looked = 0, 0
    for step in range(1, rows):
        if looked >= goal.looks:
            break
        for other in (seed - step, seed + step):
            if other < 0 or other >= rows:
                continue
            looked += 1
            standing = FREE
            if placed.group[other] >= 0:
                if dearest == FREE:
                    continue
                standing = NEEDED
            cost = _fits(placed, spans, bound, finding.low, finding.high, other, finding.wider)
            if cost < np.inf:
                if standing == NEEDED and _holds(
                    placed, placed.group[other], other, goal, finding.counts
                ):
                    standing = SPARE
                finding.near[found], finding.standing[found] = other, standing
                found += 1
    return found


@inner
def _gather(placed, spans, bound, goal, finding, seed, found):
    """Take rows within reach that widen the box least, each round l different values.

    Rows that are dear to take come last. Returns whether a group came of it.
    """
    rounds = -(-goal.least // goal.target)
    wanted = max(rounds, 1) * goal.target
    finding.counts[placed.held[seed]] = 1
    size = 1
    while size < wanted:
        best, least = -1, np.inf
        for place in range(found):
            row = finding.near[place]
            if row < 0 or finding.counts[placed.held[row]] > size // goal.target:
                continue
            cost = _fits(placed, spans, bound, finding.low, finding.high, row, finding.wider)
            cost += finding.standing[place] * 2 * bound.cost
            if cost < least:
                best, least = place, cost
        if best < 0:
            break
        row = finding.near[best]
        for column in range(finding.low.size):
            code = placed.codes[row, column]
            finding.low[column] = min(finding.low[column], code)
            finding.high[column] = max(finding.high[column], code)
        finding.counts[placed.held[row]] += 1
        finding.taken[size - 1] = row
        finding.near[best] = -1
        size += 1
    finding.counts[placed.held[seed]] = 0
    for place in range(size - 1):
        finding.counts[placed.held[finding.taken[place]]] = 0
    return size - 1 if size == wanted else 0


@njit
def seed_groups(
    placed: Placed,
    spans: SpanArrays,
    bound: BoundArrays,
    goal: Goal,
    seeds: NDArray[np.int64],
    finding: Finding,
) -> int:
    """Make a group around each seed in turn, of rows that are free; return how many groups."""
    count = 0
    for seed in seeds:
        if placed.group[seed] >= 0:
            continue
        found = _look_for_company(placed, spans, bound, goal, finding, seed, np.int64(FREE))
        taken = _gather(placed, spans, bound, goal, finding, seed, found)
        if taken:
            _empty(placed, count)
            _put(placed, seed, count)
            for place in range(taken):
                _put(placed, finding.taken[place], count)
            count += 1
    return count


@inner
def _join(placed, spans, bound, goal, finding, row, count):
    """Let a row join the group that it widens least, of those that still satisfy then."""
    best, least = -1, np.inf
    for group in range(count):
        if placed.size[group] == 0:
            continue
        low, high = placed.low[group], placed.high[group]
        cost = _fits(placed, spans, bound, low, high, row, finding.wider)
        if cost < least:
            alike, other = 0, placed.first[group]
            while other >= 0:
                alike += placed.held[other] == placed.held[row]
                other = placed.following[other]
            if (alike + 1) * goal.target <= placed.size[group] + 1:
                best, least = group, cost
    if best >= 0:
        _put(placed, row, best)
    return best >= 0


@njit
def place_leftovers(
    placed: Placed,
    spans: SpanArrays,
    bound: BoundArrays,
    goal: Goal,
    count: int,
    finding: Finding,
) -> int:
    """Let rows that are left join groups, or take company from these; return how many are left.

    A group that cannot spare what is taken is dissolved, and its rows are placed in turn.
    """
    queue, rows = finding.queue, placed.group.size
    begin, waiting, gone = 0, 0, 0
    for row in range(rows):
        if placed.group[row] < 0:
            queue[waiting] = row
            waiting += 1
    for _ in range(goal.tries):
        if waiting == 0:
            break
        seed = queue[begin]
        begin, waiting = (begin + 1) % rows, waiting - 1
        if placed.group[seed] >= 0 or _join(placed, spans, bound, goal, finding, seed, count):
            continue
        found = _look_for_company(placed, spans, bound, goal, finding, seed, np.int64(NEEDED))
        taken = _gather(placed, spans, bound, goal, finding, seed, found)
        if taken == 0:
            return waiting + 1
        for place in range(taken):
            row = finding.taken[place]
            group = placed.group[row]
            if group < 0:
                continue
            _take_out(placed, row)
            if not _holds(placed, group, -1, goal, finding.counts):
                other = placed.first[group]
                _empty(placed, group)
                finding.unused[gone], gone = group, gone + 1
                while other >= 0:
                    following = placed.following[other]
                    placed.group[other] = placed.following[other] = -1
                    queue[(begin + waiting) % rows] = other
                    waiting += 1
                    other = following
        number = finding.unused[gone - 1] if gone else count
        gone, count = (gone - 1, count) if gone else (0, count + 1)
        _empty(placed, number)
        _put(placed, seed, number)
        for place in range(taken):
            _put(placed, finding.taken[place], number)
    left = 0
    for row in range(rows):
        left += placed.group[row] < 0
    return left
