"""`best` on Adult, nine quasi columns: loss and time, against the proven bound.

Age is published as a range over what is observed, the others as nodes of the hierarchies beside
the data; loss is the mean over rows and columns of NCP. Hot, in units of S.

Run: .venv/bin/python benchmarks/best.py
"""

from __future__ import annotations

import numpy as np

from _common import ADULT, SHARED, adult_plan, lexsort_seconds, seconds
from coarsen.frames.files import format_of, read_file
from coarsen.frames.tables import encode_table
from coarsen.measures.bound import lower_bound
from coarsen.measures.costs import COSTS
from coarsen.methods.partition.best import Best
from coarsen.pipeline import Work
from coarsen.plan import Plan
from coarsen.progress import Progress


def main():
    path = SHARED / "adult" / "adult.csv"
    data = read_file(path, format_of(path))
    print(" k  search        loss      time       S  smallest group  bound")
    for k in (5, 10, 50):
        plan = Plan.load(adult_plan(ADULT, require=[{"model": "k-anonymity", "k": k}]))
        work = Work(plan, Progress())
        table = encode_table(data, plan)
        work.table = table.in_own_order()[0]
        problem = work._problem(COSTS["gcp"])
        bound = lower_bound(work.table, problem.spans, k).loss
        for name, method in {"first": Best(local_search=False), "whole": Best()}.items():
            took, found = seconds(lambda m=method, p=problem: m.search(p), repeat=2)
            unit = lexsort_seconds([column.codes for column in table.quasi])
            smallest = np.bincount(found.groups).min()
            print(
                f"{k:2}  {name:9} {found.search['loss']:9.4f} {took:7.2f} s {took / unit:7.0f} "
                f"{smallest:8}        {bound:.4f}"
            )


if __name__ == "__main__":
    main()
