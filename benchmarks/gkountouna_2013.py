"""The comparisons of section IV of Gkountouna and Terrovitis 2013, on TPC-H customers.

    python benchmarks/gkountouna_2013.py run k m n g       # measure, and keep what was measured
    python benchmarks/gkountouna_2013.py shows             # the figures that are promised
    python benchmarks/gkountouna_2013.py readings          # what the paper leaves open, each way
    python benchmarks/gkountouna_2013.py reading           # tables of a million customers
    python benchmarks/gkountouna_2013.py report            # docs/gkountouna-2013.md and its charts

What was measured is kept beside the generated customers, so a part can be run again alone.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np

from _common import seconds
from indistinct.datasets import tpch, tpch_ladders
from indistinct.hierarchy.core import Hierarchy
from indistinct.trees.files import jsonl_writing
from indistinct.trees.hierarchies import joined
from indistinct.trees.knowledge import Knowledge
from indistinct.trees.measures.kept import align
from indistinct.trees.measures.mining import Miner
from indistinct.trees.measures.rpd import rpd
from indistinct.trees.methods import AllCutSearch, GreedyCutSearch, MiRaCle, OnlyCutSearch
from indistinct.trees.methods.base import TreeProblem
from indistinct.trees.operations import relabelled
from indistinct.trees.synopsis import Synopsis

DOCS = Path(__file__).parents[1] / "docs"
CACHE = Path(tempfile.gettempdir()) / "indistinct-tpch"
KEPT = CACHE / "gkountouna-2013.json"


@dataclass(frozen=True)
class Setting:
    """One point of a chart; the defaults are the paper's."""

    k: int = 20
    m: int = 3
    n: int = 2
    records: int = 250_000
    g: int = 2


VARIED = {
    "k": [5, 20, 100, 300],
    "m": [2, 3, 4, 5, 6],
    "n": [0, 1, 2, 3],
    "g": [1, 2, 3, 4],
}
SECONDS = 100
METHODS = {
    "GCS": lambda setting: GreedyCutSearch(objective="rpd", g=setting.g, seconds=SECONDS),
    "OCS": lambda setting: OnlyCutSearch(objective="rpd", g=setting.g, seconds=SECONDS),
    "GCS by labels": lambda setting: GreedyCutSearch(
        objective="rpd", g=setting.g, levels=False, seconds=SECONDS
    ),
    "OCS by labels": lambda setting: OnlyCutSearch(
        objective="rpd", g=setting.g, levels=False, seconds=SECONDS
    ),
    "MiRaCle": lambda _: MiRaCle(),
    "ACS": lambda _: AllCutSearch(objective="rpd", seconds=60),
}


def problem(setting):
    """The customers with their hierarchies, and what an attacker may know."""
    forest, hierarchies = customers(setting.records)
    return TreeProblem(
        forest,
        hierarchies,
        Knowledge(setting.k, setting.m, setting.n),
        np.ones(len(forest.classes)),
    )


@lru_cache(maxsize=1)
def customers(records):
    forest = tpch(CACHE, records)
    ladders = tpch_ladders()
    hierarchies = joined(
        forest.classes, [Hierarchy.from_paths(ladders[name]) for name in forest.classes]
    )
    keys = zip(forest.labels.of_class.tolist(), forest.labels.values, strict=True)
    codes = np.array([hierarchies.labels.codes[key] for key in keys], dtype=np.int32)
    return relabelled(forest, hierarchies.labels, codes), hierarchies


@lru_cache(maxsize=1)
def miner(records):
    return Miner(*customers(records))


def warm_up():
    """Have everything compiled."""
    small = problem(Setting(records=1_000))
    for method in METHODS.values():
        found = method(Setting()).search(small)
        miner(1_000).loss(found.forest)


def measured(setting, name):
    given = problem(setting)
    start = perf_counter()
    found = METHODS[name](setting).search(given)
    seconds = perf_counter() - start
    loss = miner(setting.records).loss(found.forest)
    kept = align(given.forest, found.forest, given.hierarchies)
    return {
        "method": name,
        **asdict(setting),
        "seconds": seconds,
        "rpd": rpd(found.forest, given.hierarchies),
        "ml2": loss.ml2,
        "dml2": loss.dml2,
        "values": kept.present,
        "relations": kept.relations,
        "broken": len(found.disassociated),
        "cost": found.cost,
        "stopped": any("time limit" in note for note in found.notes),
    }


def kept_results():
    return json.loads(KEPT.read_text()) if KEPT.exists() else []


def run(parts):
    warm_up()
    for part in parts:
        for value in VARIED[part]:
            setting = replace(Setting(), **{part: value})
            for name in METHODS:
                if name == "ACS" or (part == "g" and not name.startswith("GCS")):
                    continue
                key = _matters(name, setting)
                results = kept_results()
                if any(_matters(r["method"], Setting(**_of(r))) == key for r in results):
                    continue
                result = measured(setting, name)
                print(
                    part,
                    value,
                    {k: v for k, v in result.items() if k not in asdict(setting)},
                    flush=True,
                )
                KEPT.write_text(json.dumps([*results, result], indent=1))


def _of(result):
    return {key: result[key] for key in asdict(Setting())}


def _matters(name, setting):
    """A key of a result: MiRaCle does not ask for m, n or g."""
    if name == "MiRaCle":
        setting = replace(setting, m=0, n=0, g=0)
    return name, *asdict(setting).values()


def compare_with_all_cuts(records):
    """ACS sees every cut, which only a small attacker allows; GCS should be near it."""
    warm_up()
    for k, m, n in ((20, 3, 2), (100, 3, 2), (300, 3, 2)):
        setting = Setting(k=k, m=m, n=n, records=records)
        for name in ("ACS", "GCS", "GCS by labels"):
            result = measured(setting, name)
            print((k, m, n, records), result)
            KEPT.write_text(json.dumps([*kept_results(), result | {"compared": True}], indent=1))


def shows():
    """GCS against a plain loop that parses the records, both here and now; and its growth."""
    told = {}
    for records in (100_000, 250_000, 500_000, 1_000_000):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            told[records] = alone.submit(_shown, records).result()
        print(records, told[records], told[records]["gcs"] / told[records]["json"], flush=True)
    (CACHE / "gkountouna-2013-shows.json").write_text(json.dumps(told))


def _shown(records):
    """Measure in a process of its own, so that its memory is its own too."""
    warm_up()
    given = problem(Setting(records=records))
    before = _most_memory()
    took, found = seconds(lambda: GreedyCutSearch(objective="rpd").search(given))
    gigabytes = _most_memory()
    longer, other = seconds(lambda: GreedyCutSearch(objective="rpd", levels=False).search(given))
    return {
        "gcs": took,
        "gcs by labels": longer,
        "json": _parsing(given.forest),
        "gigabytes": gigabytes,
        "gigabytes before": before,
        "rpd": rpd(found.forest, given.hierarchies),
        "rpd by labels": rpd(other.forest, given.hierarchies),
        "synopsis": Synopsis.of(given.forest).size,
    }


def _most_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def _parsing(forest):
    path = CACHE / "customers.jsonl"
    jsonl_writing.write(forest, path)
    took, _ = seconds(lambda: _parsed(path))
    path.unlink()
    return took


def _parsed(path):
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            json.loads(line)


def reading():
    tpch(CACHE, 1_000)
    before = _most_memory()
    start = perf_counter()
    forest = tpch(CACHE, 1_000_000)
    seconds = perf_counter() - start
    print(f"{forest.size} records, {forest.nodes} nodes: {seconds:.1f} s, ", end="")
    print(f"{_most_memory():.1f} GB at most, {before:.1f} GB before")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "what", choices=["run", "all-cuts", "shows", "readings", "reading", "report"]
    )
    parser.add_argument("parts", nargs="*", help=f"some of {', '.join(VARIED)}; all if none")
    parser.add_argument("--records", type=int, default=100_000)
    given = parser.parse_args()
    CACHE.mkdir(exist_ok=True)
    if given.what == "run":
        run(given.parts or list(VARIED))
    elif given.what == "all-cuts":
        compare_with_all_cuts(given.records)
    elif given.what == "readings":
        from _gkountouna_2013_readings import measure

        measure(CACHE, Setting().records)
    elif given.what == "report":
        from _gkountouna_2013_report import write

        write(kept_results(), CACHE, DOCS)
    else:
        {"shows": shows, "reading": reading}[given.what]()


if __name__ == "__main__":
    main()
