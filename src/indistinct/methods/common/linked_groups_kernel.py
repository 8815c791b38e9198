"""Groups of rows that a search changes: a row joins or leaves, its group's box grows or shrinks.

What is known of a group, or of a row, lies side by side in one line of 32-bit numbers (`Groups`):
a look at a group then fetches one or two lines of the processor's cache, not six.

What holds between two calls:

- the list of a group (`HEAD`, and from each row to the one `AFTER` it) has exactly the rows whose
  `GROUP` it is, and `BEFORE` leads back; its `SIZE` is what they weigh together;
- the box of a group holds the codes of all its rows, and is the smallest that does; only after
  `leave` it may be too wide, until `tighten`;
- a group without rows has no first row (`NONE`) and, once tightened, a box that any row replaces
  (`EMPTY_LOW`, `EMPTY_HIGH`).

A row here is an entry of the table: its `WEIGHT` says how many rows of people it stands for.

Rows and groups are handed over as int64, also `NONE`: for every other kind of number numba would
compile all of this again. Functions take the two tables apart, not as one tuple: numba counts the
references to an array each time that it is taken out of a tuple.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner
from indistinct.methods.common.demands_kernel import satisfied

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE = np.int64(-1)
SIZE, HEAD, PART, SEEN, BOX = 0, 1, 2, 3, 4
GROUP, AFTER, BEFORE, WEIGHT, CODES = 0, 1, 2, 3, 4
EMPTY_LOW, EMPTY_HIGH = np.int32(np.iinfo(np.int32).max), np.int32(-1)


class Groups(NamedTuple):
    """Groups and their rows.

    Attributes
    ----------
    records
        A line for each group: what its rows weigh, the first of them; which part of the groups it
        is in, and when it was last looked at, for searches that need to know; from `BOX` on the
        smallest code of each column, then the largest of each.
    rows
        A line for each row: its group, the rows after and before it there; its weight; from
        `CODES` on its codes.
    """

    records: NDArray[np.int32]
    rows: NDArray[np.int32]


@inner
def link(records, rows, row, target):
    """Put a row at the head of a group's list; its box does not grow."""
    first = records[target, HEAD]
    rows[row, AFTER] = first
    rows[row, BEFORE] = NONE
    if first >= 0:
        rows[first, BEFORE] = row
    records[target, HEAD] = row
    rows[row, GROUP] = target
    records[target, SIZE] += rows[row, WEIGHT]


@inner
def leave(records, rows, row):
    """Take a row out of its group; the box is left to `tighten`."""
    source, after, before = rows[row, GROUP], rows[row, AFTER], rows[row, BEFORE]
    if before >= 0:
        rows[before, AFTER] = after
    else:
        records[source, HEAD] = after
    if after >= 0:
        rows[after, BEFORE] = before
    records[source, SIZE] -= rows[row, WEIGHT]


@inner
def join(records, rows, row, target):
    """Put a row into a group."""
    link(records, rows, row, target)
    widen(records, rows, row, target)


@inner
def widen(records, rows, row, target):
    """Let the box of a group grow by a row's codes."""
    columns = rows.shape[1] - CODES
    for column in range(columns):
        code = rows[row, CODES + column]
        low, high = BOX + column, BOX + columns + column
        records[target, low] = min(records[target, low], code)
        records[target, high] = max(records[target, high], code)


@inner
def box_with(records, rows, row, target, trial):
    """Write what the box of a group would be with one row more as the box of the first `trial`."""
    columns = rows.shape[1] - CODES
    for column in range(columns):
        code = rows[row, CODES + column]
        low, high = BOX + column, BOX + columns + column
        trial[0, low] = min(records[target, low], code)
        trial[0, high] = max(records[target, high], code)


@inner
def empty_box(records, target):
    """Let the box of a group hold nothing."""
    columns = (records.shape[1] - BOX) // 2
    for column in range(columns):
        records[target, BOX + column] = EMPTY_LOW
        records[target, BOX + columns + column] = EMPTY_HIGH


@inner
def tighten(records, rows, target):
    """Find the box of a group anew."""
    empty_box(records, target)
    row = np.int64(records[target, HEAD])
    while row >= 0:
        widen(records, rows, row, target)
        row = np.int64(rows[row, AFTER])


@inner(inline="always")
def bounds_without(records, rows, target, column, out):
    """Return the smallest and largest code of a column in a group once a row has left it.

    Its rows are looked at only if the one that leaves is at a bound that others may not reach, and
    only until both bounds are reached again.
    """
    columns = rows.shape[1] - CODES
    low, high = records[target, BOX + column], records[target, BOX + columns + column]
    code = rows[out, CODES + column]
    if low == high or low < code < high:
        return low, high
    least, most = EMPTY_LOW, EMPTY_HIGH
    row = records[target, HEAD]
    while row >= 0:
        if row != out:
            code = rows[row, CODES + column]
            least, most = min(least, code), max(most, code)
            if least == low and most == high:
                break
        row = rows[row, AFTER]
    return least, most


@inner
def cost_of(table, records, target):
    """Return what a row of a group costs; `table` has the cost of each span of each column."""
    columns = table.shape[0]
    cost = 0.0
    for column in range(columns):
        cost += table[
            column, records[target, BOX + column], records[target, BOX + columns + column]
        ]
    return cost


@inner(inline="always")
def cost_with(table, records, rows, target, row, limit):
    """Return what a row of a group costs once a row has joined; the limit, or more, if so."""
    columns = table.shape[0]
    cost = 0.0
    for column in range(columns):
        code = rows[row, CODES + column]
        low = min(records[target, BOX + column], code)
        high = max(records[target, BOX + columns + column], code)
        cost += table[column, low, high]
        if cost >= limit:
            break
    return cost


@inner
def most_members(records, rows, target):
    """Return how many rows a group has at most; each weighs at least one."""
    return min(np.int64(records[target, SIZE]), np.int64(rows.shape[0]))


@inner
def allowed(records, rows, demands, tally, target, out, into):
    """Return whether a group satisfies once a row has left and another joined (`NONE` if none)."""
    if demands is None:
        return True
    members = np.empty(most_members(records, rows, target) + 1, dtype=np.int32)
    count = 0
    row = records[target, HEAD]
    while row >= 0:
        if row != out:
            members[count] = row
            count += 1
        row = rows[row, AFTER]
    if into >= 0:
        members[count] = into
        count += 1
    return satisfied(demands, tally, members[:count])
