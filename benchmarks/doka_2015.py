"""Loss and time of all freeform methods over k and n, against the ring and partition methods.

Generated census rows, seven quasi columns: numbers as ranges, categories as nodes. Writes
docs/doka-2015.md.

Run: .venv/bin/python benchmarks/doka_2015.py
"""

from __future__ import annotations

from pathlib import Path

from _common import census_plan, lexsort_seconds, seconds, task_of
from indistinct.datasets.census import census
from indistinct.measures.bound import lower_bound
from indistinct.measures.loss import column_ncp

PAGE = Path(__file__).parents[1] / "docs" / "doka-2015.md"
METHODS = {
    "freeform": {"name": "freeform"},
    "freeform-hungarian": {"name": "freeform-hungarian"},
    "freeform-sortgreedy": {"name": "freeform-sortgreedy"},
    "freeform-greedy": {"name": "freeform-greedy"},
    "freeform-ring": {"name": "freeform-ring"},
    "freeform-ring, local": {"name": "freeform-ring", "local": True},
    "best": {"name": "best"},
    "mondrian": {"name": "mondrian"},
    "hilbert": {"name": "hilbert"},
}
SMALL = {"freeform-mip": {"name": "freeform-mip", "time_limit": 10}}


def problem(rows, k, method):
    plan = census_plan(require=[{"model": "k-anonymity", "k": k}], method=method)
    return task_of(census(rows=rows, seed=1), plan, grouping=True)


def measured(rows, k, method):
    warm, task = problem(12, k, method)
    warm.search(task)
    found, task = problem(rows, k, method)
    took, answer = seconds(lambda: found.search(task), repeat=1)
    if found.matches_rows:
        loss = answer.search["loss"]
    else:
        loss = sum(column_ncp(task.table, answer, task.forms).values()) / len(task.table.quasi)
    bound = lower_bound(task.table, task.spans, task.requirements).loss
    return loss, took, took / lexsort_seconds([c.codes for c in task.table.quasi]), bound


def table(settings, methods, head):
    """One row per method, a pair of columns per setting."""
    lines = [f"| method | {' | '.join(f'{head} = {s[1]}' for s in settings)} |"]
    lines.append("|---|" + "---|" * len(settings))
    bounds = ["bound, no release can be below"]
    for name, method in methods.items():
        cells = []
        for (rows, k), _ in settings:
            loss, took, unit, bound = measured(rows, k, method)
            cells.append(f"{loss:.4f}, {took:.2f} s ({unit:,.0f} S)")
            if len(bounds) <= len(settings):
                bounds.append(f"{bound:.4f}")
            print(name, rows, k, cells[-1], flush=True)
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    lines.append(f"| {' | '.join(bounds)} |")
    return "\n".join(lines)


def main():
    over_k = table([((2000, k), k) for k in (2, 5, 10)], METHODS, "k")
    over_n = table([((n, 5), f"{n:,}") for n in (500, 2000, 8000)], METHODS, "n")
    small = table([((n, 2), n) for n in (8, 12)], SMALL | METHODS, "n")
    PAGE.write_text(
        f"""# Freeform generalization, measured

Mean loss (GCP, range and node form) and time of one search, in seconds and in units of S, the
time of one sort of the table (`np.lexsort` of the coded quasi columns), on generated census rows
with seven quasi columns. Made by `.venv/bin/python benchmarks/doka_2015.py` on two shared cores;
times vary with what else runs.
`freeform-greedy`, `freeform-sortgreedy` and `freeform-hungarian` work in blocks of at most 10,000,
2,000 and 1,000 rows; `freeform` includes the time of its start.

## Over k, 2,000 rows

{over_k}

## Over n, k = 5

{over_n}

## Against the optimum, k = 2

`freeform-mip` stops after 10 seconds.

{small}
""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
