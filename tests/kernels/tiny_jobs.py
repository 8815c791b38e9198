"""A tiny job for every method, whose rows depend on nothing but the code.

Run: python -m tests.kernels.tiny_jobs METHOD ..., which prints the rows of each as JSON.
"""

from __future__ import annotations

import json
import sys

from indistinct import anonymize
from indistinct.datasets import census
from indistinct.errors import IndistinctError
from indistinct.methods import METHODS
from indistinct.trees import anonymize as anonymize_trees
from indistinct.trees.methods import TREE_METHODS

ROWS, FEW_ROWS = 40, {"freeform-mip": 6, "auto": 12}
QUASI = {
    "age": {"role": "quasi", "hierarchy": {"intervals": [10, 30]}},
    "gender": {"role": "quasi", "hierarchy": "flat"},
    "education": {"role": "quasi", "hierarchy": "flat"},
}
QUICK = {"best": {"passes": 2}, "freeform": {"passes": 2}}
BOUND = {"ac", "ipcsd"}
FOREST = [
    {"town": town, "stay": [{"value": str(days), "illness": [{"value": illness}]}]}
    for town, days, illness in zip("RROBBR", (3, 4, 12, 3, 13, 14), "aabbab", strict=True)
]


def jobs():
    """Name every method, and tree method."""
    return [*METHODS, *(f"tree {name}" for name in TREE_METHODS)]


def rows_of(job):
    """Return what a job publishes, or the words in which it is refused (as `mu-argus` is)."""
    try:
        return _published(job)
    except IndistinctError as refused:
        return str(refused)


def _published(job):
    if job.startswith("tree "):
        return [str(record) for record in _tree_release(job.removeprefix("tree ")).records()]
    people = census(rows=FEW_ROWS.get(job, ROWS), seed=3)
    k = 2 if job in FEW_ROWS else 3
    plan = {
        "columns": {name: {"role": "drop"} for name in people.column_names} | QUASI,
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": job, **QUICK.get(job, {})},
        "limits": {"suppression": 0.1},
        "seed": 11,
    }
    plan["columns"]["occupation"] = {"role": "sensitive"}
    if job == "anatomy":
        plan["require"] = [{"model": "l-diversity", "l": 2}]
    if job in BOUND:
        plan["accuracy"] = {"max_ncp": 0.9}
    return json.loads(json.dumps(anonymize(people, plan).rows.to_pylist(), default=str))


def _tree_release(name):
    plan = {
        "tree": {
            "classes": ["town", "stay", "illness"],
            "hierarchies": {"stay": {"intervals": [5, 10]}},
        },
        "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 1, "n": 1}],
        "method": {"name": name},
        "seed": 11,
    }
    return anonymize_trees(FOREST, plan).forest


if __name__ == "__main__":
    json.dump({job: rows_of(job) for job in sys.argv[1:]}, sys.stdout)
