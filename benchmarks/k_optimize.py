"""k-Optimize on Adult, discernibility, age in steps of 5 years, k = 5: optimum or gap at a limit.

Run: .venv/bin/python benchmarks/k_optimize.py [seconds] [columns]
"""

from __future__ import annotations

import sys
from time import perf_counter

from _common import ADULT, adult, adult_plan, lexsort_seconds, task_of


def main():
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    data = adult()
    print("columns   seconds        S  cost (DM)  lower bound    gap  nodes")
    for count in range(3, most + 1):
        asked = {
            "require": [{"model": "k-anonymity", "k": 5}],
            "limits": {"suppression": 1.0},
            "unlisted": "drop",
            "method": {"name": "k-optimize", "strides": {"age": 5}, "time_limit": limit},
        }
        method, problem = task_of(data, adult_plan(ADULT[:count], **asked))
        unit = lexsort_seconds([column.codes for column in problem.table.quasi])
        start = perf_counter()
        told = method.search(problem).search
        took = perf_counter() - start
        print(
            f"{count:7} {took:9.2f} {took / unit:8.0f} {told['cost']:10,.0f} "
            f"{told['lower_bound']:12,.0f} {told['gap']:6.1%}  {told.get('nodes')}",
            flush=True,
        )


if __name__ == "__main__":
    main()
