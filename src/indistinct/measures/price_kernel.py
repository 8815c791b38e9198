"""Boxes whose rows pay more together than the box costs: what separates prices from a bound.

Every row has a price. Prices bound the loss of all releases if no class pays more than it costs: on
average, its rows pay no more than the box that holds them costs in each row (`price_bound.py`). An
anchor is the dearest row of a class, so the box costs less than the anchor pays, and each of its
rows lies no farther from the anchor than that. Boxes around an anchor are found column by column:
spans through its code, narrow ones first. What a class can pay beyond its box is never more than
what its rows would pay if each cost only the span from the anchor to itself in the columns to come;
where that is nothing, the branch ends.

Invariants: the rows of a depth lie in all spans chosen before it, in falling order of their prices;
`most` of a row is never below what any class with it pays beyond its box, on average, as far as its
anchor was looked at. An anchor that takes more than `nodes` spans is given up, and its rows are
told the bound of its first branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.sorting import sort_by_key
from indistinct.kernels.spans import span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays

TINY = 1e-9


class Rows(NamedTuple):
    """The entries of a table as classes are made of them.

    Attributes
    ----------
    codes, counts
        The code of each entry in each column, and how many rows it stands for.
    values, caps
        The sensitive value of each entry, and how many rows of each value a set may hold.
    columns
        The columns that count, in the order in which spans are chosen.
    least, least_values
        How many rows and how many different values a class has at least.
    """

    codes: np.ndarray
    counts: np.ndarray
    values: np.ndarray
    caps: np.ndarray
    columns: np.ndarray
    least: int
    least_values: int


class Pricing(NamedTuple):
    """Where the search of boxes notes what it finds.

    Attributes
    ----------
    most
        For each entry, the most that a class with it pays beyond its box, on average.
    best, low, high
        For each entry as anchor, the most that a class around it pays too much, and its box.
    """

    most: np.ndarray
    best: np.ndarray
    low: np.ndarray
    high: np.ndarray


@njit
def overpaid(
    spans: SpanArrays,
    rows: Rows,
    prices: NDArray[np.float64],
    falling: NDArray[np.int64],
    anchors: NDArray[np.int64],
    noted: Pricing,
    nodes: int,
) -> int:
    """Look around each anchor for the boxes whose rows pay too much; return how many are given up.

    Parameters
    ----------
    falling
        The entries by falling prices.
    anchors
        Places in `falling`.
    """
    size, depths = falling.size, rows.columns.size
    inside = np.empty((depths + 1, size), dtype=np.int64)
    held = np.zeros(depths + 1, dtype=np.int64)
    ends = np.empty((2, depths, size), dtype=np.int64)
    number, at = np.zeros((2, depths), dtype=np.int64), np.zeros((2, depths), dtype=np.int64)
    spent, far = np.zeros(depths + 1), np.empty((depths + 1, size))
    scratch = (
        np.empty(size),
        np.empty(size, dtype=np.int64),
        np.empty(rows.caps.size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
    )
    low, high = np.zeros(depths, dtype=np.int64), np.zeros(depths, dtype=np.int64)
    given_up = 0
    for place in anchors:
        anchor = falling[place]
        pays = prices[anchor]
        if pays <= TINY:
            continue
        held[0] = _within_reach(spans, rows, prices, falling, place, inside[0], far)
        first, _ = _most(rows, prices, far[0], inside[0], held[0], scratch)
        if first <= TINY:
            continue
        depth, left = 0, nodes
        spent[0] = 0.0
        _open(rows, anchor, 0, inside[0], held[0], ends, number, at)
        while depth >= 0 and left > 0:
            column = rows.columns[depth]
            if at[0, depth] >= number[0, depth]:
                depth -= 1
                continue
            below, above = ends[0, depth, at[0, depth]], ends[1, depth, at[1, depth]]
            cost = span(spans, column, below, above)
            if spent[depth] + cost >= pays - TINY:
                at[0, depth] = number[0, depth] if at[1, depth] == 0 else at[0, depth] + 1
                at[1, depth] = 0
                continue
            wider = at[0, depth] + 1 < number[0, depth] and (
                span(spans, column, ends[0, depth, at[0, depth] + 1], above) <= cost
            )
            at[1, depth] += 1
            if at[1, depth] < number[1, depth]:
                wider = wider or span(spans, column, below, ends[1, depth, at[1, depth]]) <= cost
            else:
                at[1, depth] = 0
                at[0, depth] += 1
            if wider:
                continue
            left -= 1
            count = 0
            for i in range(held[depth]):
                row = inside[depth, i]
                if below <= rows.codes[row, column] <= above:
                    inside[depth + 1, count] = row
                    count += 1
            held[depth + 1], spent[depth + 1] = count, spent[depth] + cost
            low[depth], high[depth] = below, above
            pay, last = _most(rows, prices, far[depth + 1], inside[depth + 1], count, scratch)
            over = pay - spent[depth + 1]
            if over <= TINY:
                continue
            if depth + 1 == depths:
                box = (low, high)
                _note(rows, prices, anchor, inside[depths], count, over, last, box, noted)
            else:
                depth += 1
                _open(rows, anchor, depth, inside[depth], count, ends, number, at)
        if left == 0:
            given_up += 1
            for i in range(held[0]):
                noted.most[inside[0, i]] = max(noted.most[inside[0, i]], first)
    return given_up


@inner
def _within_reach(spans, rows, prices, falling, place, inside, far):
    """List the rows no dearer than the anchor and nearer than it pays; note how far they are.

    `far[depth]` is the distance in the columns from that depth on.
    """
    anchor, depths, count = falling[place], rows.columns.size, 0
    for i in range(place, falling.size):
        row, distance = falling[i], 0.0
        far[depths, row] = 0.0
        for depth in range(depths - 1, -1, -1):
            column = rows.columns[depth]
            one, two = rows.codes[anchor, column], rows.codes[row, column]
            distance += span(spans, column, min(one, two), max(one, two))
            far[depth, row] = distance
            if distance >= prices[anchor]:
                break
        if distance < prices[anchor]:
            inside[count] = row
            count += 1
    return count


@inner
def _open(rows, anchor, depth, inside, count, ends, number, at):
    """List the codes at which spans of a column can end, down and up from the anchor's."""
    column = rows.columns[depth]
    centre = rows.codes[anchor, column]
    for side in range(2):
        ends[side, depth, 0] = centre
        number[side, depth] = 1
        at[side, depth] = 0
    for i in range(count):
        code = rows.codes[inside[i], column]
        side = 0 if code < centre else 1
        place = number[side, depth]
        while place > 0 and abs(ends[side, depth, place - 1] - centre) > abs(code - centre):
            place -= 1
        if ends[side, depth, place - 1] != code:
            for j in range(number[side, depth], place, -1):
                ends[side, depth, j] = ends[side, depth, j - 1]
            ends[side, depth, place] = code
            number[side, depth] += 1


@inner
def _most(rows, prices, far, inside, count, scratch):
    """Return the most that a class of such rows pays on average, each less its own distance.

    Also returns what the last of them pays, of those that it would not do without.
    """
    keys, order, used, taken = scratch
    for i in range(count):
        row = inside[i]
        keys[row] = far[row] - prices[row]
        order[i] = row
    sort_by_key(keys, order, count)
    return _chosen(rows, keys, order, count, used, taken)


@inner
def _chosen(rows, keys, order, count, used, taken):
    """Choose from rows in order the class that pays most on average: `taken` of each row.

    It takes the best row of each of as many values as it needs, then the best of the others: as
    many as it needs, and all that pay more than the average so far. Where a value has had all that
    its cap allows, its rows are passed over. Returns the average, and what the last row pays.
    """
    used[:] = 0
    paid, number, kinds, last = 0.0, 0, 0, 0.0
    for i in range(count):
        value, taken[i] = rows.values[order[i]], 0
        if kinds < rows.least_values and used[value] == 0:
            used[value], taken[i] = 1, 1
            kinds, number = kinds + 1, number + 1
            paid -= keys[order[i]]
    if kinds < rows.least_values:
        return -np.inf, 0.0
    for i in range(count):
        row = order[i]
        if number >= rows.least and -keys[row] * number <= paid:
            break
        value = rows.values[row]
        copies = min(rows.counts[row] - taken[i], rows.caps[value] - used[value])
        if -keys[row] * number <= paid:
            copies = min(copies, rows.least - number)
        if copies > 0:
            paid -= copies * keys[row]
            number += copies
            used[value] += copies
            taken[i] += copies
            last = -keys[row]
    return (paid / number, last) if number >= rows.least else (-np.inf, 0.0)


@inner
def _note(rows, prices, anchor, inside, count, over, last, box, noted):
    """Note for each row of a box what a class with it pays too much.

    A row that pays less than the last one of the class takes its place, if nothing else is asked
    than how many rows have each value: by exchange in a matroid, no class with it pays more.
    """
    low, high = box
    if over > noted.best[anchor]:
        noted.best[anchor] = over
        noted.low[anchor, :] = low
        noted.high[anchor, :] = high
    for i in range(count):
        row = inside[i]
        less = (last - prices[row]) / rows.least if rows.least_values <= 1 else 0.0
        noted.most[row] = max(noted.most[row], over - max(less, 0.0))


@njit
def class_of(
    rows: Rows,
    prices: NDArray[np.float64],
    falling: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Take from a box the class that pays most: its entries, and how many rows of each.

    There are none if no class is in the box.

    Parameters
    ----------
    falling
        The entries that may be in it, by falling prices.
    """
    keys = -prices
    order, taken = np.empty(falling.size, dtype=np.int64), np.zeros(falling.size, dtype=np.int64)
    used = np.zeros(rows.caps.size, dtype=np.int64)
    count = 0
    for row in falling:
        fits = True
        for depth in range(rows.columns.size):
            code = rows.codes[row, rows.columns[depth]]
            fits = fits and low[depth] <= code <= high[depth]
        if fits:
            order[count] = row
            count += 1
    average, _ = _chosen(rows, keys, order, count, used, taken)
    count = 0 if average == -np.inf else count
    return order[:count], taken[:count]
