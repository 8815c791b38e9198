"""What copies of a row cost: methods on entries, as they take them, and on each row by itself.

Generated tables of 1 to 4 columns with many copies, k = 2 to 25; the loss (GCP) of both ways on
average over the tables, how much more or less it is in each on average, and the processor time of
all searches. Last, Mondrian on many entries that stand for many more rows.

Run: .venv/bin/python benchmarks/copies.py [tables]
"""

from __future__ import annotations

import sys
from dataclasses import replace
from time import process_time

import numpy as np
import pyarrow as pa

from _common import task_of
from indistinct.encode.table import encode_table
from indistinct.measures.loss import column_ncp
from indistinct.methods import METHODS
from indistinct.methods.posing import pose_problem
from indistinct.plan import Plan
from indistinct.publishing.draws import Draws
from indistinct.publishing.showing import shown

TABLES = 40
WAYS = {
    "mondrian": {},
    "mondrian, relaxed": {"strict": False},
    "one-dimension": {},
    "one-dimension, fast": {"fast": True},
    "hilbert": {},
    "idistance": {},
    "alpha-k-topdown": {},
}
ASKED = {"k": [], "k and l": [{"model": "l-diversity", "l": 2}]}
ENTRIES, WEIGHT = 2_400_000, 41


def table_of(seed):
    """A table in which rows repeat, and k."""
    draw = np.random.default_rng(seed)
    rows = int(draw.choice([300, 1_000, 4_000, 12_000]))
    columns = {}
    for number in range(draw.integers(1, 5)):
        size = int(draw.choice([2, 3, 6, 12, 40, 100]))
        shares = draw.dirichlet(np.full(size, draw.choice([0.1, 0.3, 1.0])))
        columns[f"q{number}"] = draw.choice(size, rows, p=shares)
    taken = draw.choice(draw.integers(0, rows, int(rows * draw.choice([0.05, 0.2, 0.5, 1]))), rows)
    ill = draw.choice(8, rows, p=draw.dirichlet(np.ones(8)))
    data = {name: codes[taken] for name, codes in columns.items()} | {"ill": ill}
    return pa.table(data), int(draw.choice([2, 3, 5, 10, 25]))


def plan_for(data, k, way, more):
    """A plan that publishes ranges."""
    quasi = [name for name in data.column_names if name != "ill"]
    name = way.partition(",")[0]
    return Plan.load(
        {
            "columns": {q: {"role": "quasi", "publish": "range"} for q in quasi}
            | {"ill": {"role": "sensitive"}},
            "require": [{"model": "k-anonymity", "k": k}, *more],
            "method": {"name": name, **WAYS[way]},
        }
    )


def searched(data, plan, *, apart):
    """The loss of a search, and its processor time."""
    table = encode_table(data, plan)
    problem = pose_problem(table, plan)
    method = plan.method
    if apart:
        kind = type("Apart", (METHODS[method.name],), {"copies_for": lambda *_: "apart"})
        method = kind(**method.model_dump())
    entries = shown(problem, method, plan.judged_columns(), Draws(1, table.rows))
    start = process_time()
    recoding = method.search(replace(problem, table=entries.table))
    took = process_time() - start
    losses = column_ncp(table, recoding.of_entries(entries.of_row), plan.forms(table))
    return np.mean(list(losses.values())), took


def compare(tables):
    """Print each method's loss and time both ways."""
    for asked, more in ASKED.items():
        for way in WAYS:
            jobs = [table_of(seed) for seed in range(tables)]
            both = np.array(
                [
                    [searched(data, plan_for(data, k, way, more), apart=apart) for apart in (0, 1)]
                    for data, k in jobs
                ]
            )
            loss, rows_loss = both[:, 0, 0], both[:, 1, 0]
            some = rows_loss > 0
            each = (loss[some] / rows_loss[some] - 1).mean()
            seconds = both[:, :, 1].sum(axis=0)
            print(
                f"{asked:8} {way:20} loss {loss.mean():.4f}, rows apart {rows_loss.mean():.4f}; "
                f"in each {each:+.1%}; {seconds[0]:.2f} s, rows apart {seconds[1]:.2f} s"
            )


def many():
    """Time Mondrian on many entries."""
    draw = np.random.default_rng(1)
    sizes = (100, 2, 8, 16, 5, 90, 42)
    columns = {f"q{i}": draw.integers(0, size, ENTRIES) for i, size in enumerate(sizes)}
    quasi = {name: {"role": "quasi", "publish": "range"} for name in columns}
    asked = {"require": [{"model": "k-anonymity", "k": 5}], "method": {"name": "mondrian"}}
    method, problem = task_of(pa.table(columns), {"columns": quasi, **asked}, grouping=True)
    weights = np.maximum(1, draw.pareto(1.2, problem.table.entries) * WEIGHT / 5).astype(np.int64)
    weighted = replace(problem, table=replace(problem.table, weights=weights))
    method.search(weighted)
    start = process_time()
    method.search(weighted)
    print(
        f"mondrian on {weighted.table.entries:,} entries, {weighted.table.rows:,} rows: "
        f"{process_time() - start:.1f} s"
    )


if __name__ == "__main__":
    compare(int(sys.argv[1]) if len(sys.argv) > 1 else TABLES)
    many()
