"""Certificates, recodings and plans that somebody meddled with: a fault, never a crash."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize_file, apply_file, trees, verify
from indistinct.errors import IndistinctError

PEOPLE = "name,zip,age,born,land,ill\n" + "".join(
    f"P{n},{22030 + n % 3},{20 + n % 25},19{50 + n % 40}-0{1 + n % 9}-11,"
    f"{('Italy', 'France', 'Japan')[n % 3]},{('flu', 'gout', 'HIV')[n % 3]}\n"
    for n in range(40)
)
PLAN = {
    "columns": {
        "name": {"role": "identifier", "pseudonym": {"kind": "random"}},
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}, "weight": 2.0},
        "born": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}},
        "land": {
            "role": "quasi",
            "hierarchy": {"tree": {"Europe": ["Italy", "France"], "Asia": ["Japan"]}},
        },
        "ill": {"role": "sensitive", "hierarchy": {"paths": [["flu", "a", "*"], ["gout", "b", "*"],
                                                             ["HIV", "b", "*"]]}},
    },
    "require": [
        {"model": "k-anonymity", "k": 3},
        {"model": "l-diversity", "l": 2},
        {"model": "t-closeness", "t": 0.9, "distance": "hierarchical"},
    ],
    "limits": {"suppression": 0.1},
    "seed": 5,
}  # fmt: skip
TREES = "".join(
    json.dumps({"sex": "fm"[n % 2], "stay": [{"value": "A", "ill": "flu"}]}) + "\n"
    for n in range(12)
)
TREE_PLAN = {
    "tree": {"classes": ["sex", "stay", "ill"], "hierarchies": {"ill": {"tree": {"x": ["flu"]}}}},
    "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
    "seed": 5,
}
ODD = st.sampled_from(
    [None, True, False, 0, 1, -1, 2, 7, 10**6, 2**63, 10**400, -(10**30), 0.5, -0.5, 1e308, 1e-308,
     float("nan"), float("inf"), "", "*", "x", "zip", "csv", "\0", "\t", "é", "../x", "/dev/zero",
     "[1-2]", "{a, b}", [], [None], [[]], [1, "a"], ["a", "a"], {}, {"a": 1}, {"": None}]
).map(deepcopy)  # fmt: skip


def places(content, path=()):
    """Every place in a document, but for the document itself."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, part in items:
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))


def at(content, path):
    for key in path:
        content = content[key]
    return content


@st.composite
def mutated(draw, content):
    """A document with a few things taken out, put in, replaced or exchanged."""
    content = json.loads(json.dumps(content))
    for _ in range(draw(st.integers(1, 3))):
        known = list(places(content))
        if not known:
            break
        *outer, last = draw(st.sampled_from(known))
        whole = at(content, outer)
        match draw(st.sampled_from(["replace", "drop", "repeat", "exchange", "add"])):
            case "replace":
                whole[last] = draw(ODD)
            case "drop":
                del whole[last]
            case "exchange":
                whole[last] = json.loads(json.dumps(at(content, draw(st.sampled_from(known)))))
            case "repeat" if isinstance(whole, list):
                whole.insert(last, json.loads(json.dumps(whole[last])))
            case _ if isinstance(whole, dict):
                whole[draw(st.sampled_from(["x", "csv", "k", "columns", "value", ""]))] = draw(ODD)
            case _:
                whole.append(draw(ODD))
    return content


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Releases of a table and of trees, with their papers."""
    made = tmp_path_factory.mktemp("documents")
    (made / "in.csv").write_text(PEOPLE)
    (made / "in.jsonl").write_text(TREES)
    for method, papers in (("best", "best"), ("optimal", "optimal")):
        anonymize_file(
            made / "in.csv", PLAN | {"method": {"name": method}}, made / f"{papers}.csv",
            certificate=made / f"{papers}.json", recoding=made / f"{papers}.recoding.json",
        )  # fmt: skip
    trees.anonymize_file(
        made / "in.jsonl", TREE_PLAN, made / "out.jsonl", certificate=made / "trees.json"
    )
    return made


def answered(run, path, content):
    """Run on a document; the answer is a result or faults, and nothing else."""
    path.write_text(json.dumps(content))
    try:
        run(path)
    except IndistinctError as error:
        str(error).encode()


def fuzzed(folder, name, data, run):
    content = data.draw(mutated(json.loads((folder / name).read_text())))
    answered(run, folder / f"mutated.{name}", content)


@given(st.data())
def test_certificates(folder, data):
    fuzzed(folder, "best.json", data, lambda path: verify(folder / "best.csv", certificate=path))


@given(st.data())
def test_tree_certificates(folder, data):
    def run(path):
        trees.verify(folder / "out.jsonl", certificate=path)

    fuzzed(folder, "trees.json", data, run)


@pytest.mark.parametrize("method", ["best", "optimal"])
@given(data=st.data())
def test_recodings(folder, method, data):
    def run(path):
        apply_file(path, folder / "in.csv", folder / "again.csv")

    fuzzed(folder, f"{method}.recoding.json", data, run)


@given(st.data())
def test_plans(folder, data):
    plan = data.draw(mutated(PLAN))
    answered(lambda path: verify(folder / "best.csv", path), folder / "mutated.plan.json", plan)


@given(st.data())
def test_tree_plans(folder, data):
    plan = data.draw(mutated(TREE_PLAN))
    answered(
        lambda path: trees.verify(folder / "out.jsonl", path), folder / "mutated.tree.json", plan
    )
