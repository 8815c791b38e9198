"""Global recoding with local suppression on Adult: levels-and-stars beside sdcMicro's algorithm.

The baseline is what `localSuppression` of sdcMicro does (Templ, Kowarik, Meindl, J. Stat. Software
67(4), 2015; its R sources, version 5), written down anew. Of rows alike at most k are looked at.
While rows have fewer than k matches, each of them, the rarest first, loses one value: among the
rows that differ from it in the fewest columns, in the first column that differs, columns of most
values first (its default importance). **A missing value matches every value** there, so a row is
counted with rows that are not published like it. A release of ours is counted as published: `*` is
a value of its own. So the baseline is run twice: as it is, with how many rows are then in classes
of fewer than k rows that are published alike, and with matches counted as published, which is the
same promise as ours.

The same for attackers who know at most m columns (k-m): sdcMicro's `combs` runs its algorithm on
every m columns, one after the other; here until nothing changes any more.

Times are of the processor, in seconds and in S, one np.lexsort of the coded columns.

Run: .venv/bin/python benchmarks/local_suppression.py [k ...]
     .venv/bin/python benchmarks/local_suppression.py k-m [m [k]]
"""

from __future__ import annotations

import sys
from itertools import combinations
from time import process_time

import numpy as np
from numba import njit

from _common import ADULT, adult, adult_plan, lexsort_seconds, seconds, task_of
from indistinct.methods.cells.levels_and_stars import at_vector

QUASI = ADULT[:8]
STAR = -1


@njit(cache=True)
def apart(a, b):
    """Whether two cells differ, a star matching everything."""
    return a != b and min(a, b) != STAR


@njit(cache=True)
def matches(rows, some):
    """How many rows match each of some rows, a star matching everything."""
    counts = np.zeros(some.size, dtype=np.int64)
    for place in range(some.size):
        for other in range(rows.shape[0]):
            differ = False
            for c in range(rows.shape[1]):
                if apart(rows[some[place], c], rows[other, c]):
                    differ = True
                    break
            counts[place] += not differ
    return counts


@njit(cache=True)
def suppress_one(rows, row, order):
    """Star the cell of a row that the algorithm chooses; return whether there was one."""
    columns = rows.shape[1]
    nearest = columns + 1
    differs = np.zeros(columns, dtype=np.bool_)
    for other in range(rows.shape[0]):
        distance = 0
        for c in range(columns):
            distance += apart(rows[row, c], rows[other, c])
            if distance > nearest:
                break
        if distance == 0 or distance > nearest:
            continue
        if distance < nearest:
            nearest = distance
            differs[:] = False
        for c in range(columns):
            differs[c] |= apart(rows[row, c], rows[other, c])
    for c in order:
        if differs[c]:
            rows[row, c] = STAR
            return True
    return False


def as_published(rows, some):
    """How many rows are published like each of some rows."""
    _, inverse, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return counts[inverse.ravel()[some]]


def local_suppression(nodes, k, count=matches):
    """Star cells of a table as sdcMicro does; the rows that are looked at, with stars."""
    distinct, counts = np.unique(nodes, axis=0, return_counts=True)
    rows = np.repeat(distinct, np.minimum(counts, k), axis=0).astype(np.int16)
    order = np.argsort([-np.unique(column).size for column in nodes.T], kind="stable")
    everyone = np.arange(rows.shape[0])
    while True:
        held = count(rows, everyone)
        rare = everyone[held < k]
        rare = rare[np.argsort(held[rare], kind="stable")]
        changed = [suppress_one(rows, row, order) for row in rare]
        if not any(changed):
            return rows


def of_some_columns(nodes, m, k, count):
    """Star cells as sdcMicro does with `combs = m`: every m columns, until nothing changes."""
    rows = nodes.astype(np.int16)
    order = np.argsort([-np.unique(column).size for column in nodes.T], kind="stable")
    some = [np.array(known) for known in combinations(range(rows.shape[1]), m)]
    stars = -1
    while stars != (stars := int((rows == STAR).sum())):
        for known in some:
            part = np.ascontiguousarray(rows[:, known])
            distinct, place, held = np.unique(part, axis=0, return_inverse=True, return_counts=True)
            seen = np.repeat(distinct, np.minimum(held, k), axis=0)
            if count(seen, np.arange(seen.shape[0])).min() >= k:
                continue
            importance = np.argsort([np.flatnonzero(order == c)[0] for c in known])
            rows[:, known] = _starred_part(part, (place.ravel(), held), k, importance, count)
    return rows


def _starred_part(part, alike, k, importance, count):
    """Run the algorithm on some columns, of rows alike on at most k."""
    place, held = alike
    copies = np.minimum(held, k)
    starts = np.cumsum(copies) - copies
    nth = np.empty(place.size, dtype=np.int64)
    nth[np.argsort(place, kind="stable")] = np.arange(place.size) - np.repeat(
        np.cumsum(held) - held, held
    )
    looked_at = nth < copies[place]
    rows = np.empty((int(copies.sum()), part.shape[1]), dtype=part.dtype)
    rows[starts[place[looked_at]] + nth[looked_at]] = part[looked_at]
    everyone = np.arange(rows.shape[0])
    while True:
        matched = count(rows, everyone)
        rare = everyone[matched < k]
        rare = rare[np.argsort(matched[rare], kind="stable")]
        changed = [suppress_one(rows, row, importance) for row in rare]
        if not any(changed):
            break
    part[looked_at] = rows[starts[place[looked_at]] + nth[looked_at]]
    return part


def known_rows_too_few(rows, m, k):
    """How many rows are published like fewer than k in some m columns."""
    few = np.zeros(rows.shape[0], dtype=bool)
    for known in combinations(range(rows.shape[1]), m):
        part = np.ascontiguousarray(rows[:, known])
        few |= as_published(part, np.arange(rows.shape[0])) < k
    return int(few.sum())


def known_at_levels(data, m, k, levels):
    """Print what each way stars at some levels, where attackers know at most m columns."""
    require = {"model": "k-m", "k": k, "m": m}
    plan = plan_of(k, {"name": "levels-and-stars", "levels": levels}) | {"require": [require]}
    method, task = task_of(data, plan, grouping=True)
    unit = lexsort_seconds([column.codes for column in task.table.quasi], process_time)
    method.search(task)
    took, found = seconds(lambda: method.search(task), 1, process_time)
    print(f"m = {m}, k = {k}, levels {found.levels}, S = {1000 * unit:.1f} ms")
    nodes = _nodes(task, found)
    of_some_columns(nodes[:50], m, k, matches)
    for name, count in [("sdcMicro", matches), ("sdcMicro, counted as published", as_published)]:
        spent, rows = seconds(
            lambda count=count: of_some_columns(nodes, m, k, count), 1, process_time
        )
        few = known_rows_too_few(rows, m, k)
        alone = (
            f", {few} rows like fewer than {k} in {m} columns; {spent:.1f} s, {spent / unit:.0f} S"
        )
        told(name, int((rows == STAR).sum()), alone)
    told("levels-and-stars", found.search["stars"], f"; {took:.2f} s, {took / unit:.0f} S")
    told("no release has fewer than", int(found.search["star_cost_at_least"]), "")
    return found.levels


def known_columns(m=3, k=5):
    data = adult()
    known_at_levels(data, m, k, dict.fromkeys(QUASI, 0))
    known_at_levels(data, m, k, {})


def told(name, stars, more):
    print(f"  {name:42} {stars:7} stars{more}")


def at_levels(data, k, levels):
    """Print what each way stars at some levels."""
    method, task = task_of(
        data, plan_of(k, {"name": "levels-and-stars", "levels": levels}), grouping=True
    )
    unit = lexsort_seconds([column.codes for column in task.table.quasi], process_time)
    method.search(task)
    took, found = seconds(lambda: method.search(task), clock=process_time)
    print(f"k = {k}, levels {found.levels}, {task.table.rows} rows, S = {1000 * unit:.1f} ms")
    for name, count in [("sdcMicro", matches), ("sdcMicro, counted as published", as_published)]:
        spent, rows = seconds(
            lambda count=count: local_suppression(_nodes(task, found), k, count), 1, process_time
        )
        few = int((as_published(rows, np.arange(rows.shape[0])) < k).sum())
        alone = f", {few} rows of classes of fewer than {k}; {spent:.1f} s, {spent / unit:.0f} S"
        told(name, int((rows == STAR).sum()), alone)
    told("levels-and-stars", found.search["stars"], f"; {took:.2f} s, {took / unit:.0f} S")
    told("no release has fewer than", int(found.search["star_cost_at_least"]), "")


def _nodes(task, found):
    return at_vector(task, found.levels)[0].codes


def plan_of(k, method):
    plan = adult_plan(QUASI, require=[{"model": "k-anonymity", "k": k}], method=method)
    plan["columns"]["age"].pop("publish")
    return plan | {"unlisted": "drop"}


def main():
    if sys.argv[1:2] == ["k-m"]:
        known_columns(*map(int, sys.argv[2:]))
        return
    data = adult()
    for k in map(int, sys.argv[1:] or ["5"]):
        at_levels(data, k, dict.fromkeys(QUASI, 0))
        method, task = task_of(data, plan_of(k, {"name": "levels-and-stars"}), grouping=True)
        unit = lexsort_seconds([column.codes for column in task.table.quasi], process_time)
        method.search(task)
        took, found = seconds(lambda m=method, t=task: m.search(t), clock=process_time)
        print(f"k = {k}, levels chosen: {took:.2f} s, {took / unit:.0f} S")
        at_levels(data, k, dict(zip(QUASI, found.levels, strict=True)))


if __name__ == "__main__":
    main()
