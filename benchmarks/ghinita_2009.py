"""The comparisons of Ghinita et al. 2009, section 7, on generated census data.

Runs every experiment once, writes the results to docs/ghinita-2009/results.csv, and from these the
page docs/ghinita-2009.md with its charts. The page's own words between its two marks are kept.

Run: .venv/bin/python benchmarks/ghinita_2009.py            10 minutes or more; methods alone 8
     .venv/bin/python benchmarks/ghinita_2009.py --quick    small tables, into a temporary folder
     .venv/bin/python benchmarks/ghinita_2009.py --only best    one method anew, the rest as stored
     .venv/bin/python benchmarks/ghinita_2009.py --page     the page again, from the stored results
     .venv/bin/python benchmarks/ghinita_2009.py --cube N   times of the data cube on N rows
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from time import perf_counter

import numpy as np

from _common import seconds
from _ghinita_2009_page import write_page
from _ghinita_2009_runs import METHODS, QUASI, SENSITIVE, Job, problem_of, run, warm_up
from indistinct.measures.cube import cube_errors
from indistinct.model.recoding import Buckets

DOCS = Path(__file__).parents[1] / "docs"

GROUPING = (
    "mondrian",
    "median mondrian",
    "hilbert",
    "hilbert fast",
    "idistance",
    "idistance fast",
    "topdown",
    "best",
)
DIVERSE = ("mondrian", "median mondrian", "diversify hilbert", "diversify idistance")
CUBE = (*DIVERSE, "anatomy", "anatomy at random")
DUAL = ("ac", "ipcsd diversify", "ipcsd mondrian")


def experiments(quick):
    """List for each experiment its name, its x, its job, its methods, and levels of the cube."""
    rows, few, dual = (4_000, 2_000, 1_000) if quick else (100_000, 20_000, 10_000)
    sizes = (2_000, 4_000) if quick else (50_000, 100_000, 200_000, 400_000)
    diversities, columns = range(2, 13, 2), range(2, 8)
    by_level = {4: (1, 2, 3), 10: (1, 2, 3)}
    synthetic = Job(rows, ("a1", "a2", "a3", "a4"), l=6)
    bound = Job(dual, max_ncp=0.6)
    return [
        *[("k", k, Job(rows, k=k), GROUPING, ()) for k in (10, 20, 50, 100)],
        *[("k, rows", n, Job(n, k=50), GROUPING, ()) for n in sizes],
        *[("k, columns", d, Job(rows, QUASI[:d], k=50), GROUPING, ()) for d in columns],
        *[("l", m, Job(rows, l=m), CUBE, by_level.get(m, (2,))) for m in diversities],
        *[("l, rows", n, Job(n, l=10), CUBE, (2,)) for n in sizes],
        *[("l, columns", d, Job(rows, QUASI[:d], l=10), CUBE, (2,)) for d in columns],
        *[("l, best", m, Job(few, l=m), (*CUBE, "best"), (2,)) for m in diversities],
        *[
            ("alpha", alpha, replace(synthetic, alpha=alpha), DIVERSE, ())
            for alpha in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
        ],
        *[("E", e, replace(bound, max_ncp=e), DUAL, 3) for e in (0.2, 0.3, 0.4, 0.5, 0.6)],
        *[("E, columns", d, bound, DUAL, d) for d in columns],
        *[("E, rows", n, replace(bound, rows=n), DUAL, 3) for n in (dual // 2, dual, 2 * dual)],
    ]


def measured(quick, only=None):
    """Run everything, or one method; a result is a row."""
    found = []
    start = perf_counter()
    for name, x, job, methods, levels in experiments(quick):
        for method in [m for m in methods if only in {None, m}]:
            if job.max_ncp is None:
                told = run_direct(job, method, levels)
            else:
                told = run_dual(job, method, levels, quick=quick)
            found += [{"experiment": name, "x": x, "rows": job.rows, **row} for row in told]
        print(f"{perf_counter() - start:6.0f} s  {name} = {x}", flush=True)
    return found


def run_direct(job, method, levels):
    permuted = bool(levels) and (method.startswith("diversify") or method == "best")
    return run(job, method, levels=levels, permuted=permuted)


def run_dual(job, method, dimensions, *, quick):
    """The mean over all projections to so many columns, as in the paper."""
    chosen = list(combinations(QUASI, dimensions))[: 3 if quick else None]
    told = [run(replace(job, columns=columns), method)[0] for columns in chosen]
    keys = ("reached", "seconds", "unit")
    return [{"method": method, **{k: float(np.mean([row[k] for row in told])) for k in keys}}]


def time_the_cube(rows):
    job = Job(rows, l=8)
    for name in ("mondrian", "diversify hilbert", "anatomy"):
        plan, problem, unit = problem_of(job, METHODS[name])
        found = plan.method.search(problem)
        for recoding in (found, Buckets(found.groups)):
            if name == "anatomy" and recoding is found:
                continue
            for level in (1, 2, 3):
                took, errors = seconds(
                    lambda r=recoding, p=problem, at=level: cube_errors(
                        p.table, r, p.spans.forms, levels=(at,), sensitive=SENSITIVE
                    )
                )
                kind = type(recoding).__name__.lower()
                told = f"{took:6.2f} s {took / unit:6.1f} S  {errors[level].cells} cells"
                print(f"{name:18} as {kind:9} level {level} {told}", flush=True)


def renewed(stored, found):
    """Put new results in the place of those of the same job and method."""

    def key(row):
        return row["experiment"], float(row["x"]), row["rows"], row["method"]

    new = {key(row): row for row in found}
    return [new.get(key(row), row) for row in stored]


def write_results(found, folder):
    keys = list(dict.fromkeys(key for row in found for key in row))
    with (folder / "results.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, keys, lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: _short(v) for k, v in row.items()} for row in found)


def _short(value):
    return f"{value:.6g}" if isinstance(value, float) else value


def read_results(folder):
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        return [{k: _number(v) for k, v in row.items() if v != ""} for row in csv.DictReader(file)]


def _number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--cube", type=int)
    parser.add_argument("--only")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    if not asked.page:
        warm_up()
    if asked.cube:
        time_the_cube(asked.cube)
        return
    out = asked.out or (Path(tempfile.mkdtemp()) if asked.quick else DOCS)
    folder = out / "ghinita-2009"
    folder.mkdir(parents=True, exist_ok=True)
    if not asked.page:
        found = measured(asked.quick, asked.only)
        write_results(renewed(read_results(folder), found) if asked.only else found, folder)
    write_page(read_results(folder), out)
    print(f"written to {out / 'ghinita-2009.md'}")


if __name__ == "__main__":
    main()
