"""`optimal` on fifteen quasi columns and 100,000 rows: a lattice far beyond counting, in 30 s.

Run: .venv/bin/python benchmarks/large_lattice.py
"""

from __future__ import annotations

import resource
import sys
from math import prod
from time import perf_counter

import numpy as np
import pyarrow as pa

from _common import census_quasi, task_of
from indistinct.datasets import census

ROWS = 100_000
MORE = {
    "zip": {"mask": "right", "steps": [1, 2, 3]},
    "children": {"intervals": [2, 4]},
    "commute": {"intervals": [10, 30, 60]},
    "hours": {"intervals": [5, 10, 20]},
    "rooms": {"intervals": [2, 4]},
    "birth_month": {"intervals": [3, 6], "origin": 1},
}


def people(rows, seed):
    table = census(rows, seed)
    rng = np.random.default_rng(seed)
    age = table["age"].to_numpy()
    columns = {
        "zip": np.char.zfill(rng.zipf(1.3, rows).astype(np.int64).clip(0, 99_999).astype(str), 5),
        "children": rng.poisson(np.clip((age - 18) / 25, 0, 2)).clip(0, 9),
        "commute": rng.gamma(2, 14, rows).astype(np.int64).clip(0, 119),
        "hours": rng.normal(38, 9, rows).astype(np.int64).clip(0, 79),
        "rooms": rng.poisson(4, rows).clip(1, 11),
        "birth_month": rng.integers(1, 13, rows),
    }
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values))
    return table


def main():
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    quasi = census_quasi() | {n: {"role": "quasi", "hierarchy": spec} for n, spec in MORE.items()}
    quasi["salary"] = {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}}
    quasi["occupation"] = {"role": "quasi", "hierarchy": "flat"}
    data = people(ROWS, seed=1)
    for suppression in (0.02, 0.1):
        plan = {
            "columns": quasi,
            "require": [{"model": "k-anonymity", "k": 5}],
            "method": {"name": "optimal", "time_limit": limit},
            "limits": {"suppression": suppression},
        }
        method, problem = task_of(data, plan)
        start = perf_counter()
        found = method.search(problem)
        took = perf_counter() - start
        told = found.search
        vectors = prod(height + 1 for height in problem.table.heights)
        print(
            f"{len(quasi)} columns, {vectors:.2e} vectors, suppression {suppression}: "
            f"{took:.1f} s, {told['vectors_counted']} steps, loss {told['loss']:.4f}, "
            f"bound {told['lower_bound']:.4f}, gap {told['gap']:.4f}, proven "
            f"{told['proven_optimal']}, suppressed {found.suppressed_rows(problem.table)}, peak "
            f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
        )


if __name__ == "__main__":
    main()
