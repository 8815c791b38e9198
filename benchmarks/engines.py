"""A release in memory, on DuckDB and on Spark: processor seconds, seconds, peak memory, stages.

Run: .venv/bin/python benchmarks/engines.py [--rows 1000000] [--source census.parquet]
     [--engines local,duckdb,spark] [--methods optimal,mondrian] [--memory-limit 2GB]
     [--master local[2]]

Rows are generated as Parquet with nulls in every column, unless a source is named. Each release
runs in a process of its own; memory and processor time are of all its processes, Java too. Beside
them stands what DuckDB takes to copy the file with the same memory limit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import tomllib
from pathlib import Path
from time import perf_counter

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indistinct.cli.demo import write_plan
from indistinct.datasets import census

BATCH = 1_000_000
MISSING = 0.001
COPY = """
import duckdb, sys
scan = f"read_parquet('{sys.argv[1]}')"
settings = {"memory_limit": sys.argv[3]}
copied = f"COPY (FROM {scan}) TO '{sys.argv[2]}' (FORMAT parquet, COMPRESSION zstd)"
duckdb.connect(config=settings).execute(copied).fetchall()
"""
ONE = """
import json, sys
from indistinct.verbs.anonymize import anonymize_file
release = anonymize_file(*sys.argv[1:4])
seconds = {k: round(v, 1) for k, v in release.seconds.items()}
print(json.dumps({"levels": release.levels, "rows": release.verified.released_rows, **seconds}))
"""


def generated(path: Path, rows: int) -> Path:
    """Write so many people, some of whose values are missing."""
    rng = np.random.default_rng(7)
    writer = None
    for place in range(0, rows, BATCH):
        table = census(min(BATCH, rows - place), seed=1000 + place // BATCH)
        for number, field in enumerate(table.schema):
            known = pa.array(rng.random(table.num_rows) >= MISSING)
            column = pc.if_else(known, table.column(number), pa.scalar(None, field.type))
            table = table.set_column(number, field.name, column)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()
    return path


def plan_for(folder: Path, method: str, engine: dict[str, str]) -> dict[str, object]:
    """The plan of `indistinct demo`, whose hierarchies lie beside it."""
    write_plan(folder)
    plan = tomllib.loads((folder / "plan.toml").read_text(encoding="utf-8"))
    del plan["columns"]["person"]
    plan["columns"]["salary"] = {"role": "other"}
    return plan | {"method": {"name": method}, "seed": 1, "engine": engine}


def measured(command: list[str]) -> tuple[str, float, float, float]:
    """Run a command; return what it printed, seconds, processor seconds and peak gigabytes."""
    start = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak, spent = 0.0, {}
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        whole = psutil.Process(process.pid)
        while not done.wait(0.1):
            memory = 0
            for one in _family(whole):
                try:
                    memory += one.memory_info().rss
                    spent[one.pid] = sum(one.cpu_times()[:2])
                except psutil.Error:
                    continue
            peak = max(peak, memory / 1e9)

    watcher = threading.Thread(target=watch)
    watcher.start()
    printed, _ = process.communicate()
    done.set()
    watcher.join()
    if process.returncode:
        sys.exit(process.returncode)
    return printed, perf_counter() - start, sum(spent.values()), peak


def _family(whole: psutil.Process) -> list[psutil.Process]:
    try:
        return [whole, *whole.children(recursive=True)]
    except psutil.Error:
        return []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=BATCH)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--engines", default="duckdb,spark")
    parser.add_argument("--methods", default="optimal,mondrian")
    parser.add_argument("--memory-limit", default="2GB")
    parser.add_argument("--master", default="local[*]")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        source = asked.source or generated(folder / "census.parquet", asked.rows)
        print(f"{pq.read_metadata(source).num_rows:,} rows")
        copied = [str(source), str(folder / "copy.parquet"), asked.memory_limit]
        _, seconds, spent, peak = measured([sys.executable, "-c", COPY, *copied])
        print(f"copy by DuckDB: {seconds:.1f} s, {spent:.1f} processor s, {peak:.2f} GB")
        for name in asked.engines.split(","):
            settings = {"name": name} | (
                {} if name == "local" else {"memory_limit": asked.memory_limit}
            )
            settings |= {"master": asked.master} if name == "spark" else {}
            for method in asked.methods.split(","):
                plan = folder / "plan.json"
                plan.write_text(json.dumps(plan_for(folder, method, settings)))
                out = folder / f"{name}-{method}.parquet"
                command = [sys.executable, "-c", ONE, str(source), str(plan), str(out)]
                printed, seconds, spent, peak = measured(command)
                head = f"{name} {method}: {seconds:.1f} s, {spent:.1f} processor s, {peak:.2f} GB"
                print(head, printed.strip(), flush=True)


if __name__ == "__main__":
    main()
