"""What it costs to search distinct rows in blocks: loss against one search of all of them.

Run: .venv/bin/python benchmarks/blocks.py [rows] [seeds]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import process_time

import pyarrow.parquet as pq

from _common import census_quasi
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


if __name__ == "__main__":
    main(*(int(given) for given in (*sys.argv[1:], *("100000", "5")[len(sys.argv) - 1 :])))
