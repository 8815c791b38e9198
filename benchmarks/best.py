"""`best` on Adult, nine quasi columns: loss and time, against the proven bound.

Age is published as a range over what is observed, the others as nodes of the hierarchies beside
the data; loss is the mean over rows and columns of NCP. Hot, in units of S.

Run: .venv/bin/python benchmarks/best.py
"""

from __future__ import annotations

import numpy as np

from _common import ADULT, adult, adult_plan, lexsort_seconds, seconds, task_of
from indistinct.measures.bound import lower_bound
from indistinct.methods.partition.best import Best


def main():
    data = adult()
    print(" k  search        loss      time       S  smallest group  bound")
    for k in (5, 10, 50):
        plan = adult_plan(ADULT, require=[{"model": "k-anonymity", "k": k}])
        _, as_it_came = task_of(data, plan)
        _, problem = task_of(data, plan, grouping=True)
        bound = lower_bound(problem.table, problem.spans, problem.requirements).loss
        for name, method in {"first": Best(local_search=False), "whole": Best()}.items():
            took, found = seconds(lambda m=method, p=problem: m.search(p), repeat=2)
            unit = lexsort_seconds([column.codes for column in as_it_came.table.quasi])
            smallest = np.bincount(found.groups).min()
            print(
                f"{k:2}  {name:9} {found.search['loss']:9.4f} {took:7.2f} s {took / unit:7.0f} "
                f"{smallest:8}        {bound:.4f}"
            )


if __name__ == "__main__":
    main()
