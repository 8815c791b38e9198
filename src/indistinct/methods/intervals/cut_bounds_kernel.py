"""How little all sets below a node of the tree of cut sets can cost.

The published bound (Bayardo and Agrawal 2005) counts for each row the least that its class can be:
that of head and tail together. Ours also counts that a cut suppresses rows: sought is a set of cuts
none of which pays, as in a flow from what cuts save to what the rows they suppress cost.

Invariant: every bound is at most the cost of every set below the node.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.methods.intervals.cut_sets_kernel import (
    CM,
    DM,
    GCP,
    begin,
    grouped,
    label_counts,
    minority,
    slot_of,
)


@njit
def widths(task, start):
    """Write for the place where an interval begins how wide it is on its column's line."""
    width = np.zeros(start.size)
    for place in range(start.size):
        width[start[place]] = task.high[place] - task.low[start[place]]
    return width


@inner
def left_out_costs(task, cells, every, unused):
    """Bound the cost of sets that take none of the unused cuts, and what each of those could save.

    Returns the bound for released rows, for each unused cut the most that taking it could save,
    and what suppressing a row of each cell adds to the bound.
    """
    start = np.empty(every.size, dtype=np.int32)
    begin(task.first, every & ~unused, start)
    saved = np.zeros(every.size)
    if task.kind == GCP:
        width = widths(task, start)
        added = np.full(cells.counts.size, task.penalty)
        for cell in range(added.size):
            for column in range(cells.places.shape[1]):
                added[cell] -= width[start[cells.places[cell, column]]]
        bound = float(np.sum((task.penalty - added) * cells.counts))
        _saved_width(task, cells, start, unused, saved)
        return bound, saved, added
    joined = grouped(task, cells.places, cells.counts, start)
    held = label_counts(cells.labels, joined)
    bounds = np.zeros(joined.counts.size + 1, dtype=np.int64)
    for cell in range(cells.counts.size):
        bounds[joined.group[cell] + 1] += 1
    for number in range(joined.counts.size):
        bounds[number + 1] += bounds[number]
    at = bounds[:-1].copy()
    member = np.empty(cells.counts.size, dtype=np.int32)
    for cell in range(cells.counts.size):
        member[at[joined.group[cell]]] = cell
        at[joined.group[cell]] += 1
    bound = 0.0
    rows = np.zeros(every.size, dtype=np.int64)
    for number in range(joined.counts.size):
        cost = minority(held[number]) if task.kind == CM else float(joined.counts[number])
        bound += cost if task.kind == CM else cost * max(cost, task.k)
        cost = cost if task.kind == CM else -1.0
        inside = member[bounds[number] : bounds[number + 1]]
        if inside.size > 1:
            _saved_parts(cells, inside, joined.counts[number], unused, cost, rows, saved)
    each = task.penalty - task.k if task.kind == DM else 1.0 / cells.labels.shape[1]
    return bound, saved, np.full(cells.counts.size, each)


@inner
def _saved_parts(cells, inside, whole, unused, cost, rows, saved):
    """Add what taking each cut could save of joined cells: pairs of rows, or all they cost."""
    for column in range(cells.places.shape[1]):
        least = most = cells.places[inside[0], column]
        for cell in inside:
            place = cells.places[cell, column]
            rows[place] += cells.counts[cell]
            least, most = min(least, place), max(most, place)
        left = rows[least]
        for place in range(least + 1, most + 1):
            if unused[place]:
                saved[place] += cost if cost >= 0.0 else 2.0 * left * (whole - left)
            left += rows[place]
        for cell in inside:
            rows[cells.places[cell, column]] = 0


@inner
def _saved_width(task, cells, start, unused, saved):
    """Add how much narrower the intervals of all rows could be by taking each cut."""
    rows = np.zeros(start.size)
    for cell in range(cells.counts.size):
        for column in range(cells.places.shape[1]):
            rows[cells.places[cell, column]] += cells.counts[cell]
    last = np.zeros(start.size, dtype=np.int64)
    total = np.zeros(start.size)
    for place in range(start.size):
        last[start[place]] = place
        total[start[place]] += rows[place]
    left = 0.0
    for place in range(start.size):
        begun = start[place]
        if begun == place:
            left = 0.0
        elif unused[place]:
            narrower = task.high[last[begun]] - task.high[place - 1]
            saved[place] = left * narrower
            saved[place] += (total[begun] - left) * (task.low[place] - task.low[begun])
        left += rows[place]


@inner
def pushed(lost, saved, capacity):
    """Let what taking cuts could save flow into what the rows they suppress add.

    Each cut's saving is spread over the cells that it suppresses, each of which takes no more than
    its capacity. Returns what is left of the savings; the capacities are what is left of them.
    """
    shared = np.zeros(capacity.size, dtype=np.int32)
    for edge in range(lost.cells.size):
        shared[lost.cells[edge]] += 1
    rest = saved.copy()
    for alone in (True, False):
        for place in range(rest.size):
            for edge in range(lost.bounds[place], lost.bounds[place + 1]):
                if rest[place] <= 0.0:
                    break
                cell = lost.cells[edge]
                if alone and shared[cell] > 1:
                    continue
                flow = min(rest[place], capacity[cell])
                rest[place] -= flow
                capacity[cell] -= flow
    return rest


@njit
def relaxed(task, cells, lost, head, every, plain):
    """Bound the released rows of all sets below a node, with what is left of the capacities.

    Sought is a set of cuts none of which pays: whatever taking some of them saves, the rows that
    they suppress cost at least as much. Then no set is cheaper than one that takes none of them
    and all others. Cuts that may pay are left out of it until none is. A `plain` bound, as
    published, leaves out all.
    """
    unused = np.zeros(head.size, dtype=np.bool_)
    if not plain:
        for place in range(head.size):
            unused[place] = every[place] and not head[place] and lost.rows[place] > 0
    trial = 0
    while True:
        trial += 1
        bound, saved, added = left_out_costs(task, cells, every, unused)
        capacity = added * cells.counts
        rest = pushed(lost, saved, capacity)
        worst = 0.0
        for place in range(head.size):
            if rest[place] > 0.0:
                worst = max(worst, rest[place] / saved[place])
        if worst == 0.0:
            return bound, unused, capacity
        least = worst / 2 if trial < 6 else 0.0
        for place in range(head.size):
            if rest[place] > 0.0 and rest[place] / saved[place] >= least:
                unused[place] = False


@inner
def joined_costs(task, cells, head, every):
    """Return what leaving out each cut of the tail adds to the plain bound."""
    start = np.empty(head.size, dtype=np.int32)
    begin(task.first, every, start)
    after = np.full(head.size, -1, dtype=np.int64)
    for place in range(1, head.size):
        if every[place] and not head[place]:
            after[start[place - 1]] = place
    added = np.zeros(head.size)
    if task.kind == GCP:
        width = widths(task, start)
        for cell in range(cells.counts.size):
            for column in range(cells.places.shape[1]):
                place = cells.places[cell, column]
                if after[place] >= 0:
                    both = task.low[after[place]] + width[after[place]] - task.low[place]
                    added[after[place]] += (both - width[place]) * cells.counts[cell]
                if every[place] and not head[place]:
                    before = start[place - 1]
                    both = task.low[place] + width[place] - task.low[before]
                    added[place] += (both - width[place]) * cells.counts[cell]
        return added
    lookup = grouped(task, cells.places, cells.counts, start)
    for cell in range(cells.counts.size):
        key = lookup.keys[cell]
        for column in range(cells.places.shape[1]):
            place = cells.places[cell, column]
            if after[place] >= 0:
                beside = key - task.mix[place] + task.mix[after[place]]
                other = _cell_beside(task, cells, lookup, beside, cell, column, after[place])
                if other >= 0:
                    added[after[place]] += _joined_cost(task, cells, cell, other)
    return added


@njit
def _cell_beside(task, cells, lookup, key, cell, column, place):
    """Find the cell that differs from another in one column only; -1 if there is none."""
    mask = np.uint64(lookup.slots.size - 1)
    slot = slot_of(key, mask)
    while True:
        other = lookup.slots[slot]
        if other < 0:
            return -1
        if lookup.keys[other] == key and (
            task.exact or _differs(cells, cell, other, column, place)
        ):
            return other
        slot = (slot + 1) & np.int64(mask)


@inner
def _differs(cells, cell, other, column, place):
    """Return whether a cell is like another but for one column, where it has this place."""
    for each in range(cells.places.shape[1]):
        wanted = place if each == column else cells.places[cell, each]
        if cells.places[other, each] != wanted:
            return False
    return True


@inner
def _joined_cost(task, cells, one, other):
    """Return what two cells cost more as one."""
    if task.kind == CM:
        both = minority(cells.labels[one] + cells.labels[other])
        return both - minority(cells.labels[one]) - minority(cells.labels[other])
    x, y = float(cells.counts[one]), float(cells.counts[other])
    k = float(task.k)
    return (x + y) * max(x + y, k) - x * max(x, k) - y * max(y, k)
