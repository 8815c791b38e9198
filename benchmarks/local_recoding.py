"""`local-recoding` on Adult, nine columns, ages as ranges: processor seconds, loss and groups.

Run: .venv/bin/python benchmarks/local_recoding.py
"""

from __future__ import annotations

from time import process_time

from _common import ADULT, adult, adult_plan, lexsort_seconds, task_of
from indistinct.methods.partition.cutting import cost_of


def main():
    data = adult()
    for k in (5, 10, 50):
        require = [{"model": "k-anonymity", "k": k}]
        plan = adult_plan(ADULT, require=require, method={"name": "local-recoding"})
        unit = lexsort_seconds([column.codes for column in task_of(data, plan)[1].table.quasi])
        method, problem = task_of(data, plan, grouping=True)
        method.search(problem)
        start = process_time()
        made = method.search(problem)
        took = process_time() - start
        lost = cost_of(problem, made.groups) / problem.table.rows / len(ADULT)
        print(
            f"k = {k}: {took:.2f} s, {took / unit:.0f} S, loss {lost:.4f}, {made.count} groups, "
            f"{made.search['rounds']} rounds",
            flush=True,
        )


if __name__ == "__main__":
    main()
