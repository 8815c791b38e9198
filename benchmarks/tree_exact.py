"""How many values of a hospital's records can stay exact, against how many the default keeps.

Two values that are published as they are, each alike in all records, must be together in no record
or in k. So no such release keeps more exact values than a heaviest set of values of which no two
are together in 1 to k - 1 records: a weighted independent set, which HiGHS finds. The bound asks
for nothing else, not even that the other values are published at all.

Run: .venv/bin/python benchmarks/tree_exact.py [patients [k]]
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from indistinct.datasets import hospital, hospital_hierarchies, hospital_layout
from indistinct.datasets.hospital import CLASSES
from indistinct.trees import TreePlan, anonymize
from indistinct.trees.files import opened

SECONDS = 300.0


def most_exact(forest, k):
    """Return the largest share of exact values that any cut can have, proven up to the time."""
    has = np.zeros((len(forest.labels), forest.size), dtype=np.float32)
    owner = np.repeat(np.arange(forest.size), np.diff(forest.starts))
    has[forest.label, owner] = 1
    together = (has @ has.T).astype(np.int64)
    usable = np.flatnonzero(together.diagonal() >= k)
    clash = together[np.ix_(usable, usable)]
    pairs = np.argwhere(np.triu((clash > 0) & (clash < k), 1))
    weight = np.bincount(forest.label, minlength=len(forest.labels))[usable].astype(float)
    rows = np.repeat(np.arange(len(pairs)), 2)
    clashes = coo_array((np.ones(rows.size), (rows, pairs.ravel())), (len(pairs), usable.size))
    found = milp(
        -weight,
        constraints=LinearConstraint(clashes.tocsr(), -np.inf, 1),
        integrality=np.ones(usable.size),
        bounds=Bounds(0, 1),
        options={"time_limit": SECONDS},
    )
    return -found.mip_dual_bound / forest.nodes


def main(patients=400, k=3):
    plan = {
        "tree": {
            "format": "tables",
            "classes": list(CLASSES),
            "tables": hospital_layout(),
            "hierarchies": hospital_hierarchies(),
        },
        "require": [{"model": "k-m-n-anonymity", "k": k, "m": 2, "n": 1}],
    }
    tables = hospital(patients)
    measures = anonymize(tables, plan).summary()["measures"]
    bound = most_exact(opened(tables, TreePlan.load(plan)), k)
    print(
        f"{patients:,} patients, k = {k}, m = 2, n = 1: {measures['values_exact']:.1%} exact, "
        f"{measures['values_present']:.1%} in some form; no cut keeps more than {bound:.1%} exact"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
