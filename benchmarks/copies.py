"""What copies of a row cost: methods on entries, as they take them, and on each row by itself.

Generated tables of 1 to 4 columns with many copies, k = 2 to 25; the loss (GCP) of both ways on
average over the tables, how much more or less it is in each on average, and the processor time of
all searches; of methods that maximize privacy, what they reach instead of the loss. Then searches
of 1,000,000 rows of which a tenth is distinct. Last, Mondrian on many entries that stand for many
more rows.

Run: .venv/bin/python benchmarks/copies.py [tables [method ...]]
"""

from __future__ import annotations

import sys
from dataclasses import replace
from time import process_time

import numpy as np
import pyarrow as pa

from _common import task_of
from indistinct.encode.table import encode_table
from indistinct.errors import CannotMeetError
from indistinct.measures.loss import column_ncp
from indistinct.methods import METHODS
from indistinct.methods.posing import pose_problem
from indistinct.model.entries import dealt
from indistinct.plan import Plan
from indistinct.publishing.draws import Draws
from indistinct.publishing.showing import shown

TABLES = 40
DUAL = {"ac", "ipcsd"}
WAYS = {
    "mondrian": {},
    "mondrian, relaxed": {"strict": False},
    "one-dimension": {},
    "one-dimension, fast": {"fast": True},
    "hilbert": {},
    "idistance": {},
    "alpha-k-topdown": {},
    "diversify": {},
    "k-member": {},
    "ac": {},
    "ac, l": {"accuracy": {"max_ncp": 0.2, "maximize": "l"}},
    "ipcsd": {},
    "ipcsd, l": {"accuracy": {"max_ncp": 0.2, "maximize": "l"}},
}
BOUND = {"max_ncp": 0.2}
ASKED = {
    "k": [],
    "k and l": [{"model": "l-diversity", "l": 2}],
    "k and l by frequency": [{"model": "l-diversity", "kind": "frequency", "l": 2}],
}
LARGE = 1_000_000
LARGE_WAYS = {
    "mondrian": "k",
    "hilbert": "k",
    "ac": "k",
    "ac, l": "k",
    "ipcsd": "k",
    "ipcsd, l": "k",
    "diversify": "k and l by frequency",
    "k-member": "k",
}
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
    name, options = way.partition(",")[0], dict(WAYS[way])
    accuracy = options.pop("accuracy", BOUND)
    return Plan.load(
        {
            "columns": {q: {"role": "quasi", "publish": "range"} for q in quasi}
            | {"ill": {"role": "sensitive"}},
            "require": [{"model": "k-anonymity", "k": k}, *more],
            "method": {"name": name, **options},
        }
        | ({"accuracy": accuracy} if name in DUAL else {})
    )


def searched(data, plan, *, apart):
    """The loss of a search (or what it reached), its processor time, and how many entries it had.

    The loss is that of rows whose copies were dealt out.
    """
    table = encode_table(data, plan)
    problem = pose_problem(table, plan)
    method = plan.method
    if apart:
        kind = type("Apart", (METHODS[method.name],), {"copies_for": lambda *_: "apart"})
        method = kind(**method.model_dump())
    needed, draws = {*plan.judged_columns(), *method.reads(plan)}, Draws(1, table.rows)
    start = process_time()
    entries = shown(problem, method, needed, draws)
    try:
        recoding = method.search(replace(problem, table=entries.table))
    except CannotMeetError:
        return np.nan, process_time() - start, entries.table.entries
    count = entries.table.entries
    if recoding.parts is not None:
        entries = dealt(table, entries, recoding.parts, draws.order("ties"))
    took = process_time() - start
    if method.name in DUAL:
        return recoding.search["reached"], took, count
    losses = column_ncp(table, recoding.of_entries(entries.of_row), plan.forms(table))
    return np.mean(list(losses.values())), took, count


def compare(tables, ways):
    """Print each method's loss and time both ways."""
    for asked, more in ASKED.items():
        for way in ways:
            jobs = [table_of(seed) for seed in range(tables)]
            both = np.array(
                [
                    [searched(data, plan_for(data, k, way, more), apart=apart) for apart in (0, 1)]
                    for data, k in jobs
                ]
            )
            seconds = both[:, :, 1].sum(axis=0)
            failed = np.isnan(both[:, :, 0])
            only, only_rows = (~failed & failed[:, ::-1]).sum(axis=0)
            both = both[~failed.any(axis=1)]
            loss, rows_loss = both[:, 0, 0], both[:, 1, 0]
            some = rows_loss > 0
            each = (loss[some] / rows_loss[some] - 1).mean() if some.any() else 0.0
            told = "reached" if way.partition(",")[0] in DUAL else "loss"
            print(
                f"{asked:20} {way:20} {told} {loss.mean():.4f}, rows apart {rows_loss.mean():.4f}; "
                f"in each {each:+.1%} ({both.shape[0]} tables; besides, met by entries only "
                f"{only}, by rows only {only_rows}); "
                f"{seconds[0]:.2f} s, rows apart {seconds[1]:.2f} s",
                flush=True,
            )


def large_table():
    """Rows of which a tenth is distinct, a few of them frequent."""
    draw = np.random.default_rng(2)
    distinct = LARGE // 10
    columns = [draw.integers(0, size, 2 * distinct) for size in (80, 2, 9, 16, 5, 40)]
    kinds = np.unique(np.stack(columns, axis=1), axis=0)
    kinds = kinds[draw.permutation(kinds.shape[0])[:distinct]]
    shares = draw.pareto(1.5, distinct) + 0.2
    taken = np.append(np.arange(distinct), draw.choice(distinct, LARGE - distinct, p=_of(shares)))
    ill = draw.choice(14, LARGE, p=_of(1 / np.arange(3, 17)))
    quasi = {f"q{i}": codes for i, codes in enumerate(kinds[taken].T)}
    return pa.table(quasi | {"ill": ill})


def _of(weights):
    return weights / weights.sum()


def large(ways):
    """Print the time of each method both ways on a large table; each compiles before."""
    data = large_table()
    for way in ways:
        plan = plan_for(data, 5, way, ASKED[LARGE_WAYS[way]])
        searched(table_of(0)[0], plan_for(table_of(0)[0], 2, way, []), apart=False)
        searched(data.slice(0, 2_000), plan, apart=False)
        outcomes = [searched(data, plan, apart=apart) for apart in (False, True)]
        told = "reached" if way.partition(",")[0] in DUAL else "loss"
        print(
            f"{LARGE:,} rows {way:12} "
            + "; rows apart ".join(
                f"{count:,} entries, {told} {loss:.5f}, {took:.2f} s"
                for loss, took, count in outcomes
            ),
            flush=True,
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
    chosen = sys.argv[2:]
    compare(int(sys.argv[1]) if len(sys.argv) > 1 else TABLES, chosen or WAYS)
    large([way for way in LARGE_WAYS if not chosen or way in chosen])
    if not chosen:
        many()
