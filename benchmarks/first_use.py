"""Processor seconds of a first run, whose kernels have to be compiled, and of the second.

Each job is a process of its own; the first has an empty folder to keep kernels in. A third line
tells how many functions were compiled, and those that took longest.

Run: .venv/bin/python benchmarks/first_use.py [job ...]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
CENSUS = "from _common import census_plan; from indistinct import anonymize; "
CENSUS += "from indistinct.datasets import census; "
CENSUS += "asked = [{'model': 'k-anonymity', 'k': 5}]; "
ADULT = "from _common import ADULT, adult, adult_plan; from indistinct import anonymize; "
TREES = "from same_releases import forest, tree_plan; from indistinct.trees import anonymize; "
JOBS = {
    "300 rows": CENSUS + "anonymize(census(rows=300), census_plan(require=asked))",
    "adult": ADULT
    + "anonymize(adult(), adult_plan(ADULT, require=[{'model': 'k-anonymity', 'k': 5}]))",
    "adult freeform": ADULT
    + "anonymize(adult(), adult_plan(ADULT, require=[{'model': 'k-anonymity', 'k': 5}], "
    "method={'name': 'freeform'}))",
    "trees": TREES + "anonymize(forest(2000), tree_plan('greedy-cut-search'))",
    "300 rows, optimal": CENSUS
    + "anonymize(census(rows=300), census_plan(require=asked, method={'name': 'optimal'}))",
    "300 rows, l = 3": CENSUS
    + "anonymize(census(rows=300), census_plan(require=[{'model': 'l-diversity', 'l': 3}]))",
}
COUNTED = """
import atexit, collections, time
from numba.core import event
running, took = [], collections.Counter()
class Watch(event.Listener):
    def on_start(self, _):
        running.append([time.process_time(), 0.0])
    def on_end(self, ended):
        began, inside = running.pop()
        whole = time.process_time() - began
        function = ended.data["dispatcher"].py_func
        took[function.__module__.split(".")[-1] + "." + function.__name__] += whole - inside
        if running:
            running[-1][1] += whole
event.register("numba:compile", Watch())
def told():
    longest = ", ".join(f"{name} {seconds:.2f}" for name, seconds in took.most_common(8))
    print(f"    {len(took)} functions compiled in {sum(took.values()):.1f} s: {longest}")
atexit.register(told)
"""


def processor_seconds(code, kept):
    """User and system time of a process that runs some code, kernels kept in a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": kept},
        cwd=HERE,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(names):
    for name in names or JOBS:
        with TemporaryDirectory() as kept:
            first, second = (processor_seconds(JOBS[name], kept) for _ in range(2))
        print(f"{name:20} first {first:5.1f} s, second {second:4.1f} s", flush=True)
        with TemporaryDirectory() as kept:
            processor_seconds(COUNTED + JOBS[name], kept)


if __name__ == "__main__":
    main(sys.argv[1:])
