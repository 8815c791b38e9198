"""The whole `tree anonymize` on TPC-H customers, against `json.loads` in a loop on the same file.

Processor seconds, best of a few runs that take turns, and the most memory that the command had.

Run: .venv/bin/python benchmarks/tree_command.py [records [method [runs]]]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from indistinct.datasets import tpch, tpch_ladders
from indistinct.datasets.tpch import CLASSES
from indistinct.trees.files import jsonl_writing

CACHE = Path(tempfile.gettempdir()) / "indistinct-tpch"
LOOP = """
import json, sys, time
start = time.process_time()
for line in open(sys.argv[1]):
    json.loads(line)
print(time.process_time() - start)
"""
MOST = 6.0


def run(*command):
    """Return what a process says, its processor and wall seconds, and its most memory in MB."""
    start = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    spent = usage.ru_utime + usage.ru_stime
    return out, spent, perf_counter() - start, usage.ru_maxrss / 1024


def plan_of(method):
    """The paper's defaults, with its generated hierarchy."""
    return {
        "seed": 1,
        "tree": {
            "classes": list(CLASSES),
            "hierarchies": {name: {"paths": paths} for name, paths in tpch_ladders().items()},
        },
        "require": [{"model": "k-m-n-anonymity", "k": 20, "m": 3, "n": 2}],
        **({"method": {"name": method}} if method else {}),
    }


def main(records=250_000, method=None, runs=3):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        private, plan = folder / "private.jsonl", folder / "plan.json"
        jsonl_writing.write(tpch(CACHE, records), private)
        plan.write_text(json.dumps(plan_of(method)))
        command = [
            *(sys.executable, "-m", "indistinct", "tree", "anonymize", str(private)),
            *("--plan", str(plan), "--out", str(folder / "release.jsonl"), "--json"),
        ]
        run(*command)
        print(f"{records:,} records, {method or 'the default method'}")
        least = [float("inf"), float("inf")]
        for _ in range(runs):
            loop = float(run(sys.executable, "-c", LOOP, str(private))[0])
            out, spent, wall, memory = run(*command)
            least = [min(least[0], loop), min(least[1], spent)]
            print(
                f"json.loads {loop:.2f} s; command {spent:.2f} s of processors, {wall:.2f} s:"
                f" {spent / loop:.1f} times; peak {memory:.0f} MB; {json.loads(out)['seconds']}",
                flush=True,
            )
        print(f"least against least: {least[1] / least[0]:.2f} times, of {MOST} at most")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 250_000, *given[1:2], *map(int, given[2:3]))
