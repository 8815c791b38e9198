"""`freeform` on Adult (nine quasi columns), and on ever more generated census rows.

The first table is set up as benchmarks/best.py is. The second shows that time and memory grow with
rows and no faster, at a fixed block size.

Run: .venv/bin/python benchmarks/freeform.py [adult | long] [census | verify | publish [rows ...]]
(`long` gives Adult 80 passes; `verify` checks releases of census rows against the private ones;
`publish` times the draw of the matching and the writing of cells)
"""

from __future__ import annotations

import sys
from pathlib import Path

from _common import (
    ADULT,
    adult,
    adult_plan,
    census_plan,
    lexsort_seconds,
    memory,
    seconds,
    task_of,
)
from indistinct import anonymize, verify
from indistinct.datasets.census import census
from indistinct.measures.bound import lower_bound
from indistinct.methods.freeform.freeform import Freeform
from indistinct.methods.partition.best import Best


def on_adult(freeform):
    data = adult()
    print(" k  method      loss     less      time       S   bound   above it")
    for k in (5, 10):
        plan = adult_plan(ADULT, require=[{"model": "k-anonymity", "k": k}])
        _, as_read = task_of(data, plan)
        _, task = task_of(data, plan, grouping=True)
        bound = lower_bound(task.table, task.spans, task.requirements).loss
        known = None
        for name, method in {"best": Best(), "freeform": freeform}.items():
            method.model_copy(update={"passes": 1}).search(task)
            took, found = seconds(lambda m=method, t=task: m.search(t), repeat=2)
            unit = lexsort_seconds([column.codes for column in as_read.table.quasi])
            loss = found.search["loss"]
            known = known or loss
            print(
                f"{k:2}  {name:9} {loss:.4f}  {1 - loss / known:6.1%} {took:7.2f} s "
                f"{took / unit:7.0f}  {bound:.4f}  {loss / bound - 1:6.0%}"
            )


def grown(sizes):
    plan = census_plan(require=[{"model": "k-anonymity", "k": 5}])
    print("     rows  start    loss     time   us a row  most memory")
    for rows in sizes:
        _, task = task_of(census(rows=rows, seed=1), plan, grouping=True)
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
        took, found = seconds(lambda t=task: Freeform().search(t), repeat=1)
        told = found.search
        print(
            f"{rows:9}  {told['partition_loss']:.4f}  {told['loss']:.4f} {took:7.1f} s "
            f"{1e6 * took / rows:8.0f}   {memory('VmHWM') / 2**30:.2f} GB"
        )


def checked(sizes):
    plan = census_plan(
        require=[{"model": "k-anonymity", "k": 5}], method={"name": "freeform", "passes": 3}
    )
    print("     rows  holds     time  most memory")
    for rows in sizes:
        private = census(rows=rows, seed=1)
        release = anonymize(private, plan).frame
        Path("/proc/self/clear_refs").write_text("5")
        took, found = seconds(lambda r=release, p=private: verify(r, plan, private=p), repeat=1)
        print(f"{rows:9}  {found.holds!s:5} {took:7.1f} s  {memory('VmHWM') / 2**30:.2f} GB")


def published(sizes):
    plan = census_plan(
        require=[{"model": "k-anonymity", "k": 5}], method={"name": "freeform", "passes": 3}
    )
    print("     rows  publish, with the draw")
    for rows in sizes:
        took = anonymize(census(rows=rows, seed=1), plan).seconds["publish"]
        print(f"{rows:9}  {took:7.2f} s")


def main():
    asked = sys.argv[1:] or ["adult", "census"]
    if "adult" in asked:
        on_adult(Freeform())
    if "long" in asked:
        on_adult(Freeform(passes=80))
    sizes = [int(word) for word in asked if word.isdigit()] or [62_500, 250_000, 1_000_000]
    if "census" in asked:
        grown(sizes)
    if "verify" in asked:
        checked(sizes)
    if "publish" in asked:
        published(sizes)


if __name__ == "__main__":
    main()
