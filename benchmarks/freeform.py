"""`freeform` on Adult (nine quasi columns), and on ever more generated census rows.

The first table is set up as benchmarks/best.py is. The second shows that time and memory grow with
rows and no faster, at a fixed block size.

Run: .venv/bin/python benchmarks/freeform.py [adult] [census [rows ...]]
"""

from __future__ import annotations

import sys
from pathlib import Path

from _common import ADULT, SHARED, adult_plan, lexsort_seconds, seconds
from coarsen.datasets.census import census, census_ladders
from coarsen.frames.files import format_of, read_file
from coarsen.frames.tables import encode_table
from coarsen.measures.bound import lower_bound
from coarsen.measures.costs import COSTS
from coarsen.methods.freeform.freeform import Freeform
from coarsen.methods.partition.best import Best
from coarsen.pipeline import Work
from coarsen.plan import Plan
from coarsen.progress import Progress


def problem(data, plan):
    work = Work(Plan.load(plan), Progress())
    table = encode_table(data, work.plan)
    work.table = table.in_own_order()[0]
    return work._problem(COSTS["gcp"]), [column.codes for column in table.quasi]


def adult():
    path = SHARED / "adult" / "adult.csv"
    data = read_file(path, format_of(path))
    print(" k  method      loss     less      time       S   bound   above it")
    for k in (5, 10):
        plan = adult_plan(ADULT, require=[{"model": "k-anonymity", "k": k}])
        task, as_read = problem(data, plan)
        bound = lower_bound(task.table, task.spans, k).loss
        known = None
        for name, method in {"best": Best(), "freeform": Freeform()}.items():
            method.search(task)
            took, found = seconds(lambda m=method, t=task: m.search(t), repeat=2)
            unit = lexsort_seconds(as_read)
            loss = found.search["loss"]
            known = known or loss
            print(
                f"{k:2}  {name:9} {loss:.4f}  {1 - loss / known:6.1%} {took:7.2f} s "
                f"{took / unit:7.0f}  {bound:.4f}  {loss / bound - 1:6.0%}"
            )


def memory(what):
    """Bytes of memory that this process has, or had at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(what)).split()[1])


def grown(sizes):
    columns = {
        name: {"role": "quasi", "hierarchy": {"paths": paths}}
        for name, paths in census_ladders().items()
    }
    columns |= {"occupation": {"role": "sensitive"}, "salary": {"role": "other"}}
    plan = {"columns": columns, "require": [{"model": "k-anonymity", "k": 5}]}
    print("     rows  start    loss     time   us a row  most memory")
    for rows in sizes:
        task, _ = problem(census(rows=rows, seed=1), plan)
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
        took, found = seconds(lambda t=task: Freeform().search(t), repeat=1)
        told = found.search
        print(
            f"{rows:9}  {told['partition_loss']:.4f}  {told['loss']:.4f} {took:7.1f} s "
            f"{1e6 * took / rows:8.0f}   {memory('VmHWM') / 2**30:.2f} GB"
        )


def main():
    asked = sys.argv[1:] or ["adult", "census"]
    if "adult" in asked:
        adult()
    if "census" in asked:
        grown([int(word) for word in asked if word.isdigit()] or [62_500, 250_000, 1_000_000])


if __name__ == "__main__":
    main()
