"""How well methods keep a time limit, and how soon they answer Ctrl-C.

Run: .venv/bin/python benchmarks/limits.py [--table census] [--rows 30000] [--seconds 2] [METHOD]

For each method with a time limit, on a generated census or on a wide table of twelve columns (the
smaller ones on fewer rows), after one run that loads the kernels: processor and wall-clock seconds
of the search under the limit, how long an interrupt that comes after half of it is not answered,
and when the abandoned search has ended.
"""

from __future__ import annotations

import argparse
import threading
from dataclasses import replace
from functools import cache
from signal import SIGINT, pthread_kill
from time import perf_counter, process_time

from _common import census_quasi, task_of
from indistinct.datasets import census
from indistinct.errors import IndistinctError
from indistinct.methods.catalogue import METHODS
from indistinct.running.progress import Progress, Stages, Stopped
from shapes import WIDE, Shape

LIMITED = [name for name, method in METHODS.items() if "time_limit" in method.model_fields]
FEWER = {"freeform-mip": 40, "cell-suppression exact": 60}
GROUPING = {name for name, method in METHODS.items() if method.groups_rows}


@cache
def drawn(table, rows):
    """The rows of a table, and its columns as a plan states them."""
    if table == "census":
        return census(rows, seed=1).select(list(census_quasi())), census_quasi()
    columns = tuple(replace(column, fan=column.fan or 4) for column in WIDE[:12])
    data, stated = Shape(rows, columns, ()).drawn(5)
    return data.drop_columns("ill"), {n: s for n, s in stated.items() if n != "ill"}


def posed(table, name, rows, limit):
    """A method with a limit, and its problem; a name may have an algorithm beside it."""
    method, _, algorithm = name.partition(" ")
    options = {"name": method, "time_limit": limit} | (
        {"algorithm": algorithm} if algorithm else {}
    )
    people, columns = drawn(table, FEWER.get(name, rows))
    plan = {
        "columns": columns,
        "require": [{"model": "k-anonymity", "k": 5}],
        "method": options,
    }
    return task_of(people, plan, grouping=method in GROUPING)


def limited(*job):
    """Processor and wall-clock seconds under a limit."""
    method, problem = posed(*job)
    start, wall = process_time(), perf_counter()
    try:
        method.search(problem)
    except IndistinctError as error:
        print(job, error)
    return process_time() - start, perf_counter() - wall


def interrupted(table, name, rows, limit):
    """Seconds from an interrupt to its answer, and to the end of the search."""
    method, problem = posed(table, name, rows, 100 * limit)
    stages, ended, at = Stages(Progress()), threading.Event(), []
    problem = replace(problem, progress=stages.progress)

    def search():
        try:
            method.search(problem)
        except Stopped:
            pass
        finally:
            at.append(perf_counter())
            ended.set()

    def interrupt():
        at.append(perf_counter())
        pthread_kill(threading.main_thread().ident, SIGINT)

    timer = threading.Timer(limit / 2, interrupt)
    timer.start()
    try:
        stages.interruptibly(search)
    except KeyboardInterrupt:
        answered = perf_counter()
        ended.wait(60)
        return answered - at[0], at[-1] - at[0]
    timer.cancel()
    return None, None


def main():
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("methods", nargs="*")
    reader.add_argument("--table", choices=["census", "wide"], default="census")
    reader.add_argument("--rows", type=int, default=30_000)
    reader.add_argument("--seconds", type=float, default=2.0)
    given = reader.parse_args()
    limit = given.seconds
    print(f"{'method':24}{'limit':>7}{'processor':>11}{'wall':>8}{'answered':>10}{'ended':>8}")
    for name in given.methods or [*LIMITED, "cell-suppression exact"]:
        job = (given.table, name, given.rows, limit)
        limited(*job)
        spent = limited(*job)
        answers = interrupted(*job)
        told = "".join(f"{a:>10.2f}" if a is not None else f"{'done':>10}" for a in answers)
        print(f"{name:24}{limit:7.1f}{spent[0]:11.1f}{spent[1]:8.2f}{told}", flush=True)


if __name__ == "__main__":
    main()
