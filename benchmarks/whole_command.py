"""The whole command on 1,000,000 generated rows, against pyarrow reading and writing the CSV.

Run: .venv/bin/python benchmarks/whole_command.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from pyarrow import csv

from _common import seconds
from indistinct.cli.demo import write_plan
from indistinct.datasets import census
from indistinct.encode.table import encode_table
from indistinct.io.files import FileSource
from indistinct.plan import Plan

ROWS = 1_000_000
PYARROW = """
import sys, time
from pyarrow import csv
start = time.perf_counter()
table = csv.read_csv(sys.argv[1])
csv.write_csv(table, sys.argv[2])
print(time.perf_counter() - start)
"""


def run(*command):
    start = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return perf_counter() - start, usage.ru_maxrss / 1024, out


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        csv.write_csv(census(ROWS, seed=1), folder / "private.csv")
        write_plan(folder)
        plan = folder / "plan.toml"
        named = '[columns.person]\nrole = "identifier"\n'
        whole = '[method]\nname = "optimal"\n'
        plan.write_text(plan.read_text().replace(named, "") + whole)
        command = [
            str(Path(sys.executable).with_name("indistinct")),
            *("anonymize", str(folder / "private.csv"), "--plan", str(plan), "--json"),
            *("--out", str(folder / "release.csv"), "--certificate", str(folder / "c.json")),
        ]
        run(*command)
        for _ in range(5):
            _, _, out = run(
                sys.executable, "-c", PYARROW, str(folder / "private.csv"), str(folder / "x.csv")
            )
            pyarrow = float(out)
            whole, memory, out = run(*command)
            stages = json.loads(out)["seconds"]
            print(
                f"pyarrow {pyarrow:.2f} s, command {whole:.2f} s: {whole / pyarrow:.1f} times; "
                f"peak {memory:.0f} MB; {stages}"
            )
        encode(folder)


def encode(folder):
    path = folder / "private.csv"
    parse, _ = seconds(lambda: csv.read_csv(path))
    plan = Plan.load(folder / "plan.toml")
    table = FileSource.of(path).read()
    took, _ = seconds(lambda: encode_table(table, plan))
    plain = csv.read_csv(path)
    typed, _ = seconds(lambda: encode_table(plain, plan))
    print(
        f"pyarrow parses the CSV in {parse:.3f} s; encoding takes {took:.3f} s from our reading "
        f"of it, {typed:.3f} s from pyarrow's typed table"
    )


if __name__ == "__main__":
    main()
