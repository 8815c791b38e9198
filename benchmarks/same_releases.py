"""Releases of every method with a seed, kept before a change of the code and compared after it.

    .venv/bin/python benchmarks/same_releases.py keep FOLDER
    .venv/bin/python benchmarks/same_releases.py compare FOLDER

A change that only moves code leaves every byte as it was: `compare` ends with exit code 1 if a
release differs, and tells its loss and its processor time before and after. A job that was refused
keeps the words of the refusal.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from time import process_time

from _common import census_plan
from indistinct import anonymize
from indistinct.datasets import census
from indistinct.errors import IndistinctError
from indistinct.methods import METHODS
from indistinct.trees import anonymize as anonymize_trees
from indistinct.trees.methods import TREE_METHODS

K = {"model": "k-anonymity", "k": 5}
ASKED = {
    "k": [K],
    "l": [{"model": "l-diversity", "l": 3}],
    "t": [{"model": "t-closeness", "t": 0.3}, K],
    "frequency": [{"model": "l-diversity", "l": 3, "kind": "frequency"}, K],
    "alpha": [{"model": "alpha-k", "alpha": 0.5, "k": 3}],
}
OPTIONS = {
    "mondrian": [{"strict": False}],
    "one-dimension": [{"fast": True}, {"mapping": "hilbert"}],
    "ipcsd": [{"direct": "mondrian"}],
    "samarati": [{"distance_vectors": True}],
    "cell-suppression": [{"algorithm": "local"}, {"algorithm": "forest"}],
    "cell-generalization": [{"algorithm": "forest"}],
}
NEEDS_A_BOUND = {"ac", "ipcsd"}
ROWS = 1_500
FEW_ROWS = {"freeform-mip": 6, "freeform-hungarian": 200, "k-optimize": 300}
FEW_COLUMNS = {"k-optimize", "mingen"}
LEFT_OUT = ("race", "work_class", "country", "marital")


def jobs():
    """Name each job, with what runs it, its data and its plan."""
    people = census(rows=ROWS, seed=3)
    for name, method in METHODS.items():
        rows = people.slice(0, FEW_ROWS.get(name, ROWS))
        for asked, required in ASKED.items():
            for options in ({}, *OPTIONS.get(name, [])) if asked == "k" else ({},):
                if {part["model"] for part in required} <= set(method.keeps):
                    told = "-".join([name, *(str(value) for value in options.values()), asked])
                    yield told, anonymize, rows, plan_for(name, options, required)
    for name in TREE_METHODS:
        yield f"tree-{name}", anonymize_trees, forest(), tree_plan(name)


def plan_for(name, options, required):
    """A plan for the census; with few rows or columns for methods that search long."""
    plan = census_plan(
        require=[{**K, "k": 2}] if name == "freeform-mip" else required,
        method={"name": name, **options},
        limits={"suppression": 0.02},
        seed=11,
    )
    if name in NEEDS_A_BOUND:
        plan["accuracy"] = {"max_ncp": 0.9}
    if name in FEW_COLUMNS:
        plan["columns"] |= {column: {"role": "drop"} for column in LEFT_OUT}
    return plan


def tree_plan(name):
    """A plan for the records of `forest`."""
    return {
        "tree": {
            "classes": ["town", "stay", "illness"],
            "hierarchies": {"stay": {"intervals": [5, 20]}},
        },
        "require": [{"model": "k-m-n-anonymity", "k": 3, "m": 2, "n": 1}],
        "method": {"name": name},
        "seed": 11,
    }


def forest(records=300):
    """Records of a town, with stays and illnesses below them."""
    draw = random.Random(7)  # noqa: S311 - invented records
    return [
        {
            "town": draw.choice(["Rome", "Oslo", "Bern", "Cork"]),
            "stay": [
                {
                    "value": str(draw.randint(1, 40)),
                    "illness": [
                        {"value": draw.choice("abcdefgh")} for _ in range(draw.randint(0, 2))
                    ],
                }
                for _ in range(draw.randint(0, 3))
            ],
        }
        for _ in range(records)
    ]


def ended(run, data, plan):
    """What a job ends in, as text; its loss, and its processor seconds."""
    start = process_time()
    try:
        release = run(data, plan)
    except IndistinctError as error:
        return f"{type(error).__name__}: {error}", None, process_time() - start
    took = process_time() - start
    if run is anonymize_trees:
        rows = [str(record) for record in release.forest.records()]
        return json.dumps(rows), release.measures.get("rpd"), took
    return json.dumps(release.rows.to_pylist(), default=str), release.measures.gcp, took


def keep(folder):
    """Write what each job ends in."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, *job in jobs():
        text, loss, took = ended(*job)
        (folder / f"{name}.json").write_text(
            json.dumps({"loss": loss, "seconds": took, "text": text}), encoding="utf-8"
        )
        print(f"{name:36} loss {loss}  {took:.2f} s")


def compare(folder):
    """Print the jobs that end otherwise than before, and return how many do."""
    different = 0
    for name, *job in jobs():
        kept = folder / f"{name}.json"
        if not kept.exists():
            print(f"{name:36} is new")
            continue
        before = json.loads(kept.read_text("utf-8"))
        text, loss, took = ended(*job)
        if text == before["text"]:
            continue
        different += 1
        told = f"loss {before['loss']} -> {loss}, {before['seconds']:.2f} -> {took:.2f} s"
        print(f"{name:36} differs: {told if loss is not None else text[:200]}")
    print(f"{different} of {sum(1 for _ in jobs())} jobs end otherwise than before")
    return different


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in {"keep", "compare"}:
        sys.exit(__doc__)
    sys.exit(bool({"keep": keep, "compare": compare}[sys.argv[1]](Path(sys.argv[2]))))
