"""Small random tables anonymized by every method that keeps a model, held to its definition."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pyarrow as pa

from indistinct import anonymize
from indistinct.methods import METHODS
from tests import oracle_requirements as brute

ACCURACY = {"ac", "ipcsd"}
QUASI = {
    "zip": {"paths": [[zip_code, zip_code[0], "*"] for zip_code in ("11", "12", "21", "22")]},
    "age": {"paths": [[age, "young" if age < "3" else "old", "*"] for age in ("1", "2", "3", "4")]},
}


def keeping(model):
    """The methods that keep a model."""
    return sorted(name for name, method in METHODS.items() if model in method.keeps)


def table(seed, rows=30):
    drawn = random.Random(seed)
    return pa.table({
        "zip": drawn.choices(["11", "12", "21", "22"], k=rows),
        "age": drawn.choices(["1", "2", "3", "4"], k=rows),
        "ill": drawn.choices("abcd", [6, 4, 2, 1], k=rows),
    })  # fmt: skip


def released(data, asked, method, suppression=0.0):
    columns = {name: {"role": "quasi", "hierarchy": paths} for name, paths in QUASI.items()}
    plan = {
        "columns": columns | {"ill": {"role": "sensitive"}},
        "require": [asked],
        "method": {"name": method},
        "limits": {"suppression": suppression},
        "seed": 1,
    }
    if method in ACCURACY:
        plan["accuracy"] = {"max_ncp": 1.0}
    return anonymize(data, plan)


def failing_classes(data, release, asked):
    """The published classes that break what is asked, by the oracle."""
    values = data.column("ill").to_pylist()
    sensitive = brute.Sensitive(tuple(sorted(set(values))), Counter(values))
    classes = defaultdict(Counter)
    for row in release.frame.to_pylist():
        classes[row["zip"], row["age"]][row["ill"]] += 1
    assert classes
    return [
        (cells, held)
        for cells, held in classes.items()
        if not brute.holds(asked, held, sum(held.values()), sensitive)
    ]
