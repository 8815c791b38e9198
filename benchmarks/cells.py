"""Cell suppression and generalization on Adult, eight quasi columns: what is lost, and how long.

Stars are counted on the groups; beside them, those of starring whole rows outside a k-anonymous
core (all rows of which there are fewer than k alike), and a bound that no release can fall below.
Hot, in units of S.

Run: .venv/bin/python benchmarks/cells.py [k ...]
"""

from __future__ import annotations

import sys

from _common import ADULT, adult, adult_plan, lexsort_seconds, seconds, task_of
from indistinct.measures.bound import lower_bound
from indistinct.measures.loss import column_ncp

QUASI = ADULT[:8]
JOBS = [
    {"name": "cell-suppression", "algorithm": "forest"},
    {"name": "cell-suppression", "algorithm": "local", "passes": 0},
    {"name": "cell-suppression", "algorithm": "local"},
    {"name": "cell-generalization", "algorithm": "forest"},
    {"name": "cell-generalization", "algorithm": "local"},
]


def problem(data, method, k):
    """The method and the problem of a plan, rows in their own order."""
    plan = adult_plan(QUASI, require=[{"model": "k-anonymity", "k": k}], method=method)
    return task_of(data, plan | {"unlisted": "drop"}, grouping=True)


def main():
    data = adult()
    for k in map(int, sys.argv[1:] or ["5"]):
        _, task = problem(data, JOBS[0], k)
        counts, cells = task.table.frequency_set.counts, task.table.rows * len(QUASI)
        alone = int(counts[counts < k].sum()) * len(QUASI)
        bound = lower_bound(task.table, task.spans, task.requirements).loss
        print(f"Adult, {task.table.rows} rows, {cells} cells, k = {k}")
        print(f"  rows outside the core starred     {alone:7} stars, loss {alone / cells:.4f}")
        print(f"  no release has fewer than         {bound * cells:7.0f} stars, loss {bound:.4f}")
        for options in JOBS:
            method, task = problem(data, options, k)
            method.search(task)
            took, found = seconds(lambda m=method, t=task: m.search(t), repeat=3)
            unit = lexsort_seconds([column.codes for column in task.table.quasi])
            lost = column_ncp(task.table, found, task.spans.forms)
            loss = sum(lost.values()) / len(lost)
            name = " ".join(map(str, list(options.values())[0:2])) + " start" * (
                "passes" in options
            )
            stars = f"{found.search['stars']:7} stars," if "stars" in found.search else 14 * " "
            print(
                f"  {name:33} {stars} loss {loss:.4f}, {found.count} groups, "
                f"{took:.2f} s, {took / unit:.0f} S"
            )


if __name__ == "__main__":
    main()
