"""Methods that group rows, from 100,000 to 4,000,000 generated census rows: does time stay linear?

Seven quasi columns, k = 10 (diversify: l = 8), hot, both cores. Memory is the peak while searching,
the encoded table included.

Run: .venv/bin/python benchmarks/growth.py [most rows] [method ...]
Writes benchmarks/growth.md when it runs all of it.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from time import perf_counter

import pyarrow as pa

from _common import census_plan, lexsort_seconds, memory, task_of
from indistinct.datasets.census import census
from partition_methods import K, L

SIZES = [100_000, 250_000, 1_000_000, 2_000_000, 4_000_000]
JOBS = [
    ({"name": "mondrian"}, [K]),
    ({"name": "hilbert"}, [K]),
    ({"name": "hilbert", "fast": True}, [K]),
    ({"name": "diversify"}, [L]),
    ({"name": "best", "local_search": False}, [K]),
    ({"name": "best"}, [K]),
]
HEAD = """\
# Growth

`.venv/bin/python benchmarks/growth.py`: seven quasi columns of generated census rows, k = 10
(`diversify`: l = 8), hot, both cores. S is one `np.lexsort` of the coded quasi columns in the same
run; memory is the peak while searching, the encoded table included.

| method | rows | time | per million rows | in S | memory a row |
|---|---|---|---|---|---|
"""


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1]
    chosen = sys.argv[2:]
    sizes = [rows for rows in SIZES if rows <= most]
    jobs = [job for job in JOBS if not chosen or job[0]["name"] in chosen]
    lines = []
    small = census(rows=2_000, seed=1)
    for options, require in jobs:
        method, task = task_of(small, census_plan(require=require, method=options))
        method.search(task)
        for rows in sizes:
            lines.append(measured(census(rows=rows, seed=1), options, require))
            print(lines[-1], flush=True)
    if not chosen and most == SIZES[-1]:
        Path(__file__).with_suffix(".md").write_text(HEAD + "\n".join(lines) + "\n")


def measured(data, options, require):
    rows = data.num_rows
    method, task = task_of(data, census_plan(require=require, method=options))
    unit = lexsort_seconds([column.codes for column in task.table.quasi])
    held = sum(c.codes.nbytes for c in (*task.table.quasi, *task.table.sensitive))
    pa.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)  # or what was freed would hide what is needed
    before = memory("VmRSS") - held
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    start = perf_counter()
    method.search(task)
    took = perf_counter() - start
    above = (memory("VmHWM") - before) / rows
    name = " ".join(v if isinstance(v, str) else f"{k} = {v}".lower() for k, v in options.items())
    return (
        f"| {name} | {rows:,} | {took:.2f} s | {took / rows * 1e6:.2f} s | {took / unit:.1f} | "
        f"{above:.0f} bytes |"
    )


if __name__ == "__main__":
    main()
