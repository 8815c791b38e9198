"""What the paper leaves open about its customers: each reading measured with GCS and OCS.

Table I gives six attributes, a depth of 4, 12 nodes for a record and |I| = 276. It does not say
whether orders stand below the nation or beside it, how prices and dates were cut into labels, or
whether 276 counts the inner labels too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from indistinct.datasets import tpch_ladders, tpch_layout, tpch_tables
from indistinct.datasets.tpch import CLASSES, STEPS
from indistinct.hierarchy.core import Hierarchy
from indistinct.trees.files.layout import TableSpec
from indistinct.trees.files.tables import read
from indistinct.trees.hierarchies import joined
from indistinct.trees.knowledge import Knowledge
from indistinct.trees.measures.rpd import rpd
from indistinct.trees.methods import GreedyCutSearch, OnlyCutSearch
from indistinct.trees.methods.base import TreeProblem
from indistinct.trees.operations import relabelled

WIDE = tuple(range(0, 546, 6))
# Thousands that split the generator's order prices into 33 parts of about the same number.
EQUAL_33 = (
    *(0, 14, 26, 36, 45, 53, 60, 68, 76, 84, 92, 100, 108, 116, 124, 132, 140, 148, 157, 165, 173),
    *(182, 190, 199, 208, 218, 228, 239, 250, 263, 279, 298, 325),
)
KS = (5, 10, 20, 50, 100, 300)
SEARCHES = {
    "GCS": GreedyCutSearch(objective="rpd"),
    "OCS": OnlyCutSearch(objective="rpd"),
    "GCS by labels": GreedyCutSearch(objective="rpd", levels=False),
    "OCS by labels": OnlyCutSearch(objective="rpd", levels=False),
}


@dataclass(frozen=True)
class Reading:
    """One way to read section IV: where nation stands, what is below a date, the steps of price."""

    told: str
    customer: list
    order: list
    steps: tuple[int, ...]


ABOVE, BESIDE = ["nation"], [["nation"]]
SPLIT, CHAIN = ["order_date", ["order_price"]], ["order_date", "order_price"]
READINGS = (
    Reading("nation above, 91 equally frequent steps", ABOVE, SPLIT, STEPS),
    Reading("nation above, 91 steps of 6,000", ABOVE, SPLIT, WIDE),
    Reading("nation beside, 91 equally frequent steps", BESIDE, CHAIN, STEPS),
    Reading("nation beside, 91 steps of 6,000", BESIDE, CHAIN, WIDE),
    Reading("nation beside, 33 equally frequent steps", BESIDE, CHAIN, EQUAL_33),
)


def customers(reading, cache, records):
    """The customers of a reading, with their hierarchies."""
    folder = cache if reading.steps == STEPS else cache / f"steps-to-{reading.steps[-1]}"
    layout = tpch_layout(tpch_tables(folder, records, steps=reading.steps))
    layout["customers"]["columns"] = reading.customer
    layout["orders"]["columns"] = reading.order
    forest = read({name: TableSpec(**spec) for name, spec in layout.items()}, CLASSES, Path("/"))
    ladders = tpch_ladders(reading.steps)
    hierarchies = joined(CLASSES, [Hierarchy.from_paths(ladders[name]) for name in CLASSES])
    keys = zip(forest.labels.of_class.tolist(), forest.labels.values, strict=True)
    codes = np.array([hierarchies.labels.codes[key] for key in keys], dtype=np.int32)
    return relabelled(forest, hierarchies.labels, codes), hierarchies


def measure(cache, records):
    """Measure every reading for several k, m = 3, n = 2, and keep the figures."""
    found = []
    for reading in READINGS:
        forest, hierarchies = customers(reading, cache, records)
        private = rpd(forest, hierarchies)
        for k in KS:
            row = {"reading": reading.told, "records": records, "k": k, "private": private}
            given = TreeProblem(forest, hierarchies, Knowledge(k, 3, 2), np.ones(len(CLASSES)))
            for name, method in SEARCHES.items():
                start = perf_counter()
                recoding = method.search(given)
                row[f"{name} seconds"] = perf_counter() - start
                row[name] = rpd(recoding.forest, hierarchies)
                row[f"{name} broken"] = len(recoding.disassociated)
            print(row, flush=True)
            found.append(row)
            (cache / "gkountouna-2013-readings.json").write_text(json.dumps(found, indent=1))
