"""What it costs to search distinct rows in blocks: loss against one search of all of them.

Run: .venv/bin/python benchmarks/blocks.py [rows] [seeds]; with `large` instead, 20,000,000 rows of
which hardly two are alike, by `mondrian` in blocks (4 minutes, 1 GB of disk); with `levels` the
same by `optimal`, on counts at coarser levels.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import process_time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from _common import census_quasi, memory
from indistinct import Plan, anonymize_file
from indistinct.datasets import census

K = 10
SHARES = (1, 0.5, 0.3, 0.1, 0.03)
METHODS = ("mondrian", "best")


def plan_of(method, most):
    return Plan.load(
        {
            "columns": census_quasi(),
            "unlisted": "drop",
            "require": [{"model": "k-anonymity", "k": K}],
            "method": {"name": method},
            "engine": {"name": "duckdb", "max_distinct": most},
        }
    )


def main(rows, seeds):
    print(
        f"census, {rows:,} rows, k = {K}, {seeds} seeds: GCP, and how much more than in one block"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for method in METHODS:
            losses = {share: [] for share in SHARES}
            spent = dict.fromkeys(SHARES, 0.0)
            blocks = dict.fromkeys(SHARES, 1)
            for seed in range(seeds):
                pq.write_table(census(rows, seed=seed), folder / "private.parquet")
                for share in SHARES:
                    plan, start = plan_of(method, int(share * rows)), process_time()
                    release = anonymize_file(
                        folder / "private.parquet", plan, folder / "out.parquet"
                    )
                    spent[share] += process_time() - start
                    losses[share].append(release.measures.gcp)
                    blocks[share] = release.recoding.search.get("blocks", 1)
            for share in SHARES:
                pairs = zip(losses[share], losses[1], strict=True)
                more = [one / whole - 1 for one, whole in pairs]
                most = f"{int(share * rows):>7,} entries, {blocks[share]:>3} blocks"
                print(
                    f"{method:10} at most {most}:"
                    f" {sum(losses[share]) / seeds:.4f}  {sum(more) / seeds:+.2%}"
                    f" (most {max(more):+.2%})  {spent[share] / seeds:.1f} s"
                )


def write_people(path, rows, at_once=1_000_000):
    """Write people of whom hardly two are alike in ZIP, birth date, sex and job."""
    writer = None
    for start in range(0, rows, at_once):
        random, count = np.random.default_rng(start), min(at_once, rows - start)
        days = pa.array(random.integers(-14_000, 14_000, count).astype("int32"))
        people = {
            "zip": random.integers(10_000, 99_999, count).astype(str),
            "birth": days.cast(pa.date32()),
            "sex": random.choice(["f", "m"], count),
            "job": np.char.add("j", (random.zipf(1.5, count) % 300).astype(str)),
        }
        table = pa.table(people)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def large(method, rows=20_000_000, most=2_000_000):
    """Anonymize what does not fit, and print what it took."""
    hierarchies = {
        "zip": {"mask": "right"},
        "birth": {"dates": ["month", "year", "decade"]},
        "sex": {"flat": True},
        "job": {"flat": True},
    }
    plan = {
        "columns": {n: {"role": "quasi", "hierarchy": h} for n, h in hierarchies.items()},
        "require": [{"model": "k-anonymity", "k": K}],
        "method": {"name": method},
        "limits": {"suppression": 0.02 if method == "optimal" else 0.0},
        "engine": {"name": "duckdb", "max_distinct": most, "memory_limit": "2GB"},
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_people(folder / "private.parquet", rows)
        start = process_time()
        release = anonymize_file(folder / "private.parquet", plan, folder / "out.parquet")
        print(release, release.levels, release.recoding.search)
        print(f"{process_time() - start:.0f} processor s, {memory('VmHWM') / 1e9:.1f} GB at most")


if __name__ == "__main__":
    if sys.argv[1:2] in (["large"], ["levels"]):
        method = {"large": "mondrian", "levels": "optimal"}[sys.argv[1]]
        large(method, *map(int, sys.argv[2:]))
        sys.exit()
    main(*(int(given) for given in (*sys.argv[1:], *("100000", "5")[len(sys.argv) - 1 :])))
