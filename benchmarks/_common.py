"""What the benchmarks share: the best of a few runs, the unit S, and the jobs that they time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from indistinct.datasets import census_ladders
from indistinct.encode.table import encode_table
from indistinct.io.files import FileSource
from indistinct.methods.posing import pose_problem
from indistinct.plan import Plan
from indistinct.publishing.draws import Draws
from indistinct.publishing.showing import shown

SHARED = Path(__file__).parents[2] / "shared" / "data"


def seconds(job, repeat=3, clock=perf_counter):
    """Return the least time of a few runs, and the last result."""
    least, result = float("inf"), None
    for _ in range(repeat):
        start = clock()
        result = job()
        least = min(least, clock() - start)
    return least, result


def lexsort_seconds(columns, clock=perf_counter):
    """S: one np.lexsort of the coded quasi columns."""
    stacked = np.array(columns, dtype=np.int32)
    return seconds(lambda: np.lexsort(stacked), repeat=7, clock=clock)[0]


def memory(what):
    """Bytes of memory that this process has (VmRSS), or had at most (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(what)).split()[1])


def task_of(data, content, *, grouping=False):
    """The method of a plan, and the problem that it is given, to group rows or not."""
    plan = Plan.load(content)
    problem = pose_problem(encode_table(data, plan), plan)
    return plan.method, as_shown(problem, plan) if grouping else problem


def as_shown(problem, plan):
    """What a method that groups rows is shown of a problem, the same in every run."""
    needed = {*plan.judged_columns(), *plan.method.reads(plan)}
    entries = shown(problem, plan.method, needed, Draws(1, problem.table.rows))
    return replace(problem, table=entries.table)


def census_quasi():
    """The seven quasi columns of the generated census, as a plan states them."""
    return {
        name: {"role": "quasi", "hierarchy": {"paths": paths}}
        for name, paths in census_ladders().items()
    }


def census_plan(**more):
    """A plan for the generated census: seven quasi columns, occupation sensitive."""
    others = {"occupation": {"role": "sensitive"}, "salary": {"role": "other"}}
    return {"columns": census_quasi() | others, **more}


def adult():
    """The Adult extract."""
    path = SHARED / "adult" / "adult.csv"
    return FileSource.of(path).read()


def adult_plan(quasi, **more):
    """A plan for the Adult extract with the hierarchies beside it; ages are asked for as ranges."""
    columns = {
        name: {
            "role": "quasi",
            "hierarchy": {"csv": str(SHARED / "adult" / f"adult_hierarchy_{name}.csv")},
            **({"publish": "range"} if name == "age" else {}),
        }
        for name in quasi
    }
    return {"columns": columns, **more}


ADULT = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
