"""Methods that group rows on generated census rows, seven quasi columns, k = 10, in units of S.

Run: .venv/bin/python benchmarks/partition_methods.py [rows]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from _common import census_plan, lexsort_seconds, memory, seconds, task_of
from indistinct.datasets.census import census
from indistinct.measures.loss import column_ncp

K = {"model": "k-anonymity", "k": 10}
L = {"model": "l-diversity", "kind": "frequency", "l": 8, "column": "occupation"}
JOBS = [
    ({"name": "mondrian"}, [K]),
    ({"name": "mondrian", "strict": False}, [K]),
    ({"name": "mondrian"}, [K, L]),
    ({"name": "hilbert"}, [K]),
    ({"name": "hilbert", "fast": True}, [K]),
    ({"name": "idistance"}, [K]),
    ({"name": "idistance", "fast": True}, [K]),
    ({"name": "one-dimension"}, [K]),
    ({"name": "best", "local_search": False}, [K]),
    ({"name": "best"}, [K]),
    ({"name": "diversify"}, [L]),
    ({"name": "diversify"}, [K, L]),
    ({"name": "diversify", "mapping": "lexicographic"}, [L]),
]


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    chosen = sys.argv[2:]
    data = census(rows=rows, seed=1)
    print(f"{rows} rows")
    for options, require in JOBS:
        if chosen and options["name"] not in chosen:
            continue
        method, task = task_of(data, census_plan(require=require, method=options))
        method.search(task)
        unit = lexsort_seconds([column.codes for column in task.table.quasi])
        before = memory("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
        took, found = seconds(lambda m=method, t=task: m.search(t), repeat=2)
        lost = np.mean(list(column_ncp(task.table, found, task.spans.forms).values()))
        asked = " ".join(str(r.get("k", "")) or f"l={r['l']}" for r in require)
        name = " ".join(str(v) for v in options.values())
        print(
            f"  {name:24} {asked:8} {took:6.2f} s {took / unit:6.2f} S  loss {lost:.4f}  "
            f"{found.count} groups, {(memory('VmHWM') - before) / rows:.0f} bytes a row on top"
        )


if __name__ == "__main__":
    main()
