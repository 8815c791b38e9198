"""What a set of cuts costs: the classes that it makes of distinct rows, and steps to better sets.

k-Optimize (Bayardo and Agrawal 2005) publishes each column as intervals of its ordered values: a
solution is a set of cuts, its cost one of theirs (DM, the discernibility metric; CM, the
classification metric) or the loss of the intervals (GCP).

Values are numbered in blocks, column after column: block b of column c has the place first[c] + b.
A cut at a place begins a new interval there; the first place of a column is never cut. An interval
goes by the place of its first block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

DM = 0
CM = 1
GCP = 2


class CutTask(NamedTuple):
    """Distinct rows, and what their classes cost.

    Attributes
    ----------
    places
        For each distinct row and column, the place of its block.
    counts, labels
        How many rows it stands for, and how many of them have each label (for CM).
    first
        The first place of each column, and the number of places.
    mix, exact
        A number per place, whose sum over columns is a row's key; and whether different rows have
        different keys, so that rows need not be compared.
    low, high
        Where the values of each block begin and end on their column's line, weighted (for GCP).
    spans, spans_first
        What a cell published as the interval from one block to another costs, a square per column,
        and where it begins (for GCP).
    kind, k, limit
        Which cost, the smallest class, and how many rows may be suppressed.
    penalty
        What a suppressed row costs.
    """

    places: np.ndarray
    counts: np.ndarray
    labels: np.ndarray
    first: np.ndarray
    mix: np.ndarray
    exact: bool
    low: np.ndarray
    high: np.ndarray
    spans: np.ndarray
    spans_first: np.ndarray
    kind: int
    k: int
    limit: int
    penalty: float


class Grouped(NamedTuple):
    """Rows in groups, and a hash table of the groups.

    Attributes
    ----------
    group
        The group of each row.
    head, counts, keys
        The first row of each group, how many rows of the table it holds, and its key.
    slots
        The group at each slot of the hash table, -1 where there is none.
    """

    group: np.ndarray
    head: np.ndarray
    counts: np.ndarray
    keys: np.ndarray
    slots: np.ndarray


@njit
def begin(first: NDArray[np.int64], cut: NDArray[np.bool_], start: NDArray[np.int32]) -> None:
    """Write for every place where its interval begins."""
    for column in range(first.size - 1):
        begun = first[column]
        for place in range(first[column], first[column + 1]):
            if cut[place]:
                begun = place
            start[place] = begun


@njit(inline="always")
def slot_of(key, mask):
    """Return where the search for a key begins in a hash table."""
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(32)) & mask)


@njit
def grouped(
    task: CutTask, places: NDArray[np.int32], counts: NDArray[np.int64], start: NDArray[np.int32]
) -> Grouped:
    """Put rows together that lie in the same intervals."""
    rows, columns = places.shape
    size = 64
    while size < 2 * rows:
        size *= 2
    mask = np.uint64(size - 1)
    slots = np.full(size, -1, dtype=np.int32)
    group = np.empty(rows, dtype=np.int32)
    head = np.empty(rows, dtype=np.int32)
    count = np.empty(rows, dtype=np.int64)
    keys = np.empty(rows, dtype=np.uint64)
    mix = task.mix[start]
    seen = 0
    for row in range(rows):
        key = np.uint64(0)
        for column in range(columns):
            key += mix[places[row, column]]
        slot = slot_of(key, mask)
        while True:
            number = slots[slot]
            if number < 0:
                slots[slot] = seen
                keys[seen] = key
                head[seen] = row
                count[seen] = counts[row]
                group[row] = seen
                seen += 1
                break
            if keys[number] == key and (task.exact or together(places, start, row, head[number])):
                count[number] += counts[row]
                group[row] = number
                break
            slot = (slot + 1) & np.int64(mask)
    return Grouped(group, head[:seen], count[:seen], keys[:seen], slots)


@njit(inline="always")
def together(places, start, one, other):
    """Return whether two rows lie in the same intervals."""
    for column in range(places.shape[1]):
        if start[places[one, column]] != start[places[other, column]]:
            return False
    return True


@inner
def label_counts(labels, groups):
    """Count the labels of each group."""
    label_rows = np.zeros((groups.counts.size, labels.shape[1]), dtype=np.int64)
    if labels.shape[1] == 0:
        return label_rows
    for row in range(labels.shape[0]):
        for label in range(labels.shape[1]):
            label_rows[groups.group[row], label] += labels[row, label]
    return label_rows


@inner
def minority(counts):
    """Count the rows that have not the most frequent label."""
    total = np.int64(0)
    most = np.int64(0)
    for count in counts:
        total += count
        most = max(most, count)
    return float(total - most)


@inner
def interval_costs(task, start):
    """Write what a cell costs in the interval that begins at each place."""
    cost = np.zeros(start.size)
    for column in range(task.first.size - 1):
        origin = task.first[column]
        width = task.first[column + 1] - origin
        for place in range(origin, task.first[column + 1]):
            begun = start[place]
            square = task.spans_first[column] + (begun - origin) * width
            cost[begun] = task.spans[square + place - origin]
    return cost


@inner
def class_costs(task, places, labels, start, groups):
    """Return what each class costs if it is released."""
    cost = np.empty(groups.counts.size)
    if task.kind == CM:
        held = label_counts(labels, groups)
        for number in range(cost.size):
            cost[number] = minority(held[number])
    elif task.kind == GCP:
        cell = interval_costs(task, start)
        for number in range(cost.size):
            row = groups.head[number]
            each = 0.0
            for column in range(places.shape[1]):
                each += cell[start[places[row, column]]]
            cost[number] = each * groups.counts[number]
    else:
        for number in range(cost.size):
            cost[number] = float(groups.counts[number]) ** 2
    return cost


@njit
def cost_of(
    task: CutTask,
    cut: NDArray[np.bool_],
) -> tuple[float, int]:
    """Return what a set of cuts costs, and how many rows it suppresses."""
    start = np.empty(cut.size, dtype=np.int32)
    begin(task.first, cut, start)
    groups = grouped(task, task.places, task.counts, start)
    costs = class_costs(task, task.places, task.labels, start, groups)
    total = 0.0
    suppressed = np.int64(0)
    for number in range(costs.size):
        if groups.counts[number] < task.k:
            suppressed += groups.counts[number]
        else:
            total += costs[number]
    return float(total + suppressed * task.penalty), int(suppressed)


@njit
def allowed_cost(
    task: CutTask,
    cut: NDArray[np.bool_],
) -> float:
    """Return what a set of cuts costs; if it suppresses too much, more the more it suppresses."""
    cost, suppressed = cost_of(task, cut)
    if suppressed > task.limit:
        return cost + suppressed * task.penalty * task.counts.size * task.counts.size
    return cost


@njit
def flip(
    task: CutTask,
    cut: NDArray[np.bool_],
    places: NDArray[np.int64],
    cost: float,
    slack: float,
) -> float:
    """Flip cuts at some places, one after the other, where that is cheaper; return the cost."""
    for place in places:
        cut[place] = not cut[place]
        tried_cost = allowed_cost(task, cut)
        if tried_cost < cost - slack:
            cost = tried_cost
        else:
            cut[place] = not cut[place]
    return cost


@njit
def swap(
    task: CutTask,
    cut: NDArray[np.bool_],
    places: NDArray[np.int64],
    order: NDArray[np.int64],
    cost: float,
    slack: float,
    most: int,
) -> tuple[float, int]:
    """Take another cut of an order in the stead of each at some places, where that is cheaper.

    Returns the cost, and how many sets were tried; that is at most about `most`.
    """
    tried = 0
    for place in places:
        if not cut[place] or tried >= most:
            continue
        tried_cost, more = _swap(task, cut, order, place, cost - slack)
        tried += more
        if tried_cost < cost - slack:
            cost = tried_cost
    return cost, tried


@inner
def _swap(task, cut, order, place, below):
    """Take the first cut that is cheaper in the stead of one; return its cost."""
    cut[place] = False
    tried = 0
    for other in order:
        if cut[other] or other == place:
            continue
        tried += 1
        cut[other] = True
        tried_cost = allowed_cost(task, cut)
        if tried_cost < below:
            return tried_cost, tried
        cut[other] = False
    cut[place] = True
    return np.inf, tried
