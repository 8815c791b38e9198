"""What suppressing rows within classes brings: `optimal` on Adult under rules on sensitive values.

Run: .venv/bin/python benchmarks/within_classes.py

Whole classes are what was suppressed before; the same search with parts keeps the largest part of
each class that satisfies. Printed are levels, suppressed rows, loss and processor seconds.
"""

from __future__ import annotations

from time import process_time

from _common import ADULT, adult, adult_plan, task_of
from indistinct.methods.full_domain.histogram_walk import HistogramWalk
from indistinct.methods.full_domain.roll_up import RollUp

RULES = (
    {"model": "l-diversity", "kind": "frequency", "l": 4},
    {"model": "l-diversity", "kind": "entropy", "l": 4},
    {"model": "t-closeness", "t": 0.2},
    {"model": "t-closeness", "t": 0.2, "distance": "ordered"},
)


def searched(data, rule, suppression):
    """Levels, suppressed rows, loss and processor seconds of `optimal`."""
    quasi = [name for name in ADULT if name not in {"occupation", "salary-class"}]
    require = [{"model": "k-anonymity", "k": 5}, rule]
    plan = adult_plan(quasi, require=require, limits={"suppression": suppression})
    plan["method"] = {"name": "optimal"}
    plan["columns"]["occupation"] = {"role": "sensitive"}
    plan["columns"]["salary-class"] = {"role": "other"}
    method, task = task_of(data, plan)
    method.search(task)
    start = process_time()
    found = method.search(task)
    took = process_time() - start
    return f"{found.levels} {(~found.kept).sum():6,} {found.search['loss']:.4f} {took:.2f} s"


def in_whole_classes(data, rule, suppression):
    """The same, classes being kept or suppressed as a whole."""
    begin, parts = HistogramWalk.__init__, RollUp.in_parts
    HistogramWalk.__init__ = lambda self, *given, **_: begin(self, *given, whole_classes=True)
    RollUp.in_parts = lambda _, counted: counted
    try:
        return searched(data, rule, suppression)
    finally:
        HistogramWalk.__init__, RollUp.in_parts = begin, parts


def main():
    data = adult()
    for rule in RULES:
        for suppression in (0.02, 1.0):
            print(rule, suppression)
            print("  whole classes", in_whole_classes(data, rule, suppression))
            print("  within them  ", searched(data, rule, suppression), flush=True)


if __name__ == "__main__":
    main()
