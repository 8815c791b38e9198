"""k-Optimize on Adult, discernibility, age in steps of 5 years, k = 5: optimum or gap at a limit.

Run: .venv/bin/python benchmarks/k_optimize.py [seconds] [columns]
"""

from __future__ import annotations

import sys
from time import perf_counter

from _common import ADULT, SHARED, adult_plan, lexsort_seconds
from coarsen.frames.files import format_of, read_file
from coarsen.frames.tables import encode_table
from coarsen.measures.costs import COSTS
from coarsen.pipeline import Work
from coarsen.plan import Plan
from coarsen.progress import Progress


def main():
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    path = SHARED / "adult" / "adult.csv"
    data = read_file(path, format_of(path))
    print("columns   seconds        S  cost (DM)  lower bound    gap  nodes")
    for count in range(3, most + 1):
        asked = {
            "require": [{"model": "k-anonymity", "k": 5}],
            "limits": {"suppression": 1.0},
            "unlisted": "drop",
            "method": {"name": "k-optimize", "strides": {"age": 5}, "time_limit": limit},
        }
        plan = Plan.load(adult_plan(ADULT[:count], **asked))
        work = Work(plan, Progress())
        work.table = encode_table(data, plan)
        problem = work._problem(COSTS["gcp"])
        unit = lexsort_seconds([column.codes for column in work.table.quasi])
        start = perf_counter()
        told = plan.method.search(problem).search
        took = perf_counter() - start
        print(
            f"{count:7} {took:9.2f} {took / unit:8.0f} {told['cost']:10,.0f} "
            f"{told['lower_bound']:12,.0f} {told['gap']:6.1%}  {told.get('nodes')}",
            flush=True,
        )


if __name__ == "__main__":
    main()
