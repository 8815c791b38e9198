"""The cells and classes of a node of the tree of cut sets, and what each further cut does to them.

In the set-enumeration tree of Bayardo and Agrawal (2005; Ciriani et al. 2007, Figure 12) a node has
a head, the cuts that are taken, and a tail, those that may still be; every set below it lies
between the head and the head with the whole tail. Rows that lie together under head and tail are a
cell: no set below the node parts them. Classes of the head hold whole cells.

Invariant: only cells of classes with at least k rows are kept. A cut never makes a class larger, so
what is too small at a node is suppressed in every set below it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels.arrays import doubled
from indistinct.kernels.compiled import inner, njit
from indistinct.methods.intervals.cut_sets_kernel import (
    DM,
    GCP,
    begin,
    class_costs,
    grouped,
    label_counts,
)


class Cells(NamedTuple):
    """The cells of classes that are large enough, class by class.

    Attributes
    ----------
    places
        For each cell and column, the place where its interval begins.
    counts, labels
        Its rows, and how many have each label.
    bounds
        Where the cells of each class begin, and their number.
    """

    places: np.ndarray
    counts: np.ndarray
    labels: np.ndarray
    bounds: np.ndarray


class Losers(NamedTuple):
    """The cells that each cut, taken next, would suppress.

    Attributes
    ----------
    cells, bounds
        The cells, cut by cut, and where those of each place begin.
    rows
        How many rows they hold.
    useful
        Whether some class is parted to the better, as far as can be seen.
    """

    cells: np.ndarray
    bounds: np.ndarray
    rows: np.ndarray
    useful: np.ndarray


@njit
def settle(task, before, head, every):
    """Put cells together that no cut parts, and drop those in classes that are too small.

    Returns the cells, what the classes of the head cost, and how many rows were dropped.
    """
    start = np.empty(head.size, dtype=np.int32)
    begin(task.first, every, start)
    merged = grouped(task, before.places, before.counts, start)
    number, columns = merged.counts.size, before.places.shape[1]
    places = np.empty((number, columns), dtype=np.int32)
    for cell in range(number):
        for column in range(columns):
            places[cell, column] = start[before.places[merged.head[cell], column]]
    labels = label_counts(before.labels, merged)
    begin(task.first, head, start)
    classes = grouped(task, places, merged.counts, start)
    costs = class_costs(task, places, labels, start, classes)
    bounds = np.zeros(costs.size + 1, dtype=np.int64)
    for cell in range(number):
        bounds[classes.group[cell] + 1] += 1
    total, dropped, kept, last = 0.0, np.int64(0), 0, np.int64(0)
    where = np.full(costs.size, -1, dtype=np.int64)
    for each in range(costs.size):
        cells = bounds[each + 1]
        if classes.counts[each] < task.k:
            dropped += classes.counts[each]
            continue
        total += costs[each]
        where[each] = last
        last += cells
        kept += 1
        bounds[kept] = last
    kept_cells = Cells(
        np.empty((last, columns), dtype=np.int32),
        np.empty(last, dtype=np.int64),
        np.empty((last, labels.shape[1]), dtype=np.int64),
        bounds[: kept + 1].copy(),
    )
    for cell in range(number):
        place = where[classes.group[cell]]
        if place >= 0:
            where[classes.group[cell]] += 1
            kept_cells.counts[place] = merged.counts[cell]
            for column in range(columns):
                kept_cells.places[place, column] = places[cell, column]
            for label in range(labels.shape[1]):
                kept_cells.labels[place, label] = labels[cell, label]
    return kept_cells, total, dropped


@inner
def losers(task, cells, head, every):
    """Find what each cut of the tail would suppress, and which cuts cannot be of use.

    A cut is useless if it parts no class so that both sides stay, and dropping it from any set
    below is no dearer.
    """
    size, columns = head.size, cells.places.shape[1]
    useful = np.zeros(size, dtype=np.bool_)
    rows = np.zeros(size, dtype=np.int64)
    bounds = np.zeros(size + 1, dtype=np.int64)
    cut_of = np.empty(1024, dtype=np.int32)
    cell_of = np.empty(1024, dtype=np.int32)
    held = np.zeros(size, dtype=np.int64)
    last = np.full(size, -1, dtype=np.int32)
    before = np.empty(cells.counts.size, dtype=np.int32)
    edges = 0
    for each in range(cells.bounds.size - 1):
        begun, ended = cells.bounds[each], cells.bounds[each + 1]
        whole = np.sum(cells.counts[begun:ended])
        for column in range(columns):
            least = most = np.int64(cells.places[begun, column])
            for cell in range(begun, ended):
                place = np.int64(cells.places[cell, column])
                held[place] += cells.counts[cell]
                before[cell] = last[place]
                last[place] = cell
                least, most = min(least, place), max(most, place)
            left = held[least]
            for place in range(least + 1, most + 1):
                right = whole - left
                if every[place] and _parts_well(task, left, right):
                    useful[place] = True
                for low, high, side in ((least, place, left), (place, most + 1, right)):
                    if side >= task.k or not every[place]:
                        continue
                    rows[place] += side
                    for other in range(low, high):
                        cell = last[other]
                        while cell >= 0:
                            if edges == cut_of.size:
                                cut_of, cell_of = doubled(cut_of), doubled(cell_of)
                            cut_of[edges], cell_of[edges] = place, cell
                            edges += 1
                            bounds[place + 1] += 1
                            cell = before[cell]
                left += held[place]
            if task.kind == GCP:
                _mark_narrowed(task, head, column, least, most, useful)
            for cell in range(begun, ended):
                held[cells.places[cell, column]] = 0
                last[cells.places[cell, column]] = -1
    for place in range(size):
        bounds[place + 1] += bounds[place]
    at = bounds[:-1].copy()
    listed = np.empty(edges, dtype=np.int32)
    for edge in range(edges):
        listed[at[cut_of[edge]]] = cell_of[edge]
        at[cut_of[edge]] += 1
    return Losers(listed, bounds, rows, useful)


@njit(inline="always")
def _parts_well(task, left, right):
    """Return whether a set with this cut may be cheaper than without it, for this class."""
    small, big = min(left, right), max(left, right)
    if small >= task.k:
        return True
    if big < task.k:
        return False
    if task.kind == DM:
        # Suppressing a few rows pays if the class holds more than about half of all rows.
        return 2 * big + small > task.penalty
    return task.kind == GCP


@inner
def _mark_narrowed(task, head, column, least, most, useful):
    """Mark cuts beside a class, which narrow its interval without parting it."""
    place = least
    while place > task.first[column] and not head[place]:
        useful[place] = True
        place -= 1
    place = most + 1
    while place < task.first[column + 1] and not head[place]:
        useful[place] = True
        place += 1
