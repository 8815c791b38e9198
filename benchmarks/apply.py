"""New rows through a learnt recoding: 1,000,000 rows among many published classes."""

from __future__ import annotations

import sys
from time import perf_counter

from _common import census_quasi, lexsort_seconds
from indistinct import anonymize, apply
from indistinct.datasets import census

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000


def main():
    columns = census_quasi()
    names = list(columns)
    first, later = (census(ROWS, seed=seed).select(names) for seed in (1, 2))
    for method in ("mondrian", "optimal"):
        plan = {
            "columns": columns,
            "require": [{"model": "k-anonymity", "k": 15}],
            "method": {"name": method},
            "limits": {"suppression": 0.02},
        }
        release = anonymize(first, plan)
        learnt = release.learnt()
        unit = lexsort_seconds([column.codes for column in release.table.quasi])
        del release
        start = perf_counter()
        applied = apply(learnt, later)
        took = perf_counter() - start
        classes = len(set(zip(*learnt.released.cells, strict=True)))
        held = {reason: len(rows) for reason, rows in applied.held_back.items()}
        print(
            f"{method}: {ROWS:,} rows among {classes:,} classes in {took:.2f} s = "
            f"{took / unit:.1f} S, placing {applied.seconds['place']:.2f} s; "
            f"loss {applied.loss:.4f}, held back {held}"
        )


if __name__ == "__main__":
    main()
