"""Leaving out nodes and records within limits, by brute force from written files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import CannotMeetError
from indistinct.trees import anonymize_file, verify
from tests.profiles import examples
from tests.trees import oracle
from tests.trees.growing import CARE, CARE_BELOW, CARE_PATHS, CARE_VALUES, records


def as_json(nodes):
    """Nested nodes as a record of a file."""
    members = {}
    for kind, value, below in nodes:
        members.setdefault(kind, []).append({"value": value, **as_json(below)})
    return members


def as_nodes(members):
    """A record of a file as nested nodes, by nothing but its keys."""
    listed = []
    for kind, inner in members.items():
        if kind == "value":
            continue
        for child in inner if isinstance(inner, list) else [inner]:
            node = {"value": child} if isinstance(child, str) else child
            listed.append((kind, node["value"], as_nodes(node)))
    return listed


def published(path):
    return [oracle.paths_of(as_nodes(json.loads(line))) for line in path.read_text().splitlines()]


def plan(k, m, n, suppression):
    return {
        "tree": {
            "classes": list(CARE),
            "hierarchies": {name: {"paths": paths} for name, paths in CARE_PATHS.items()},
        },
        "require": [{"model": "k-m-n-anonymity", "k": k, "m": m, "n": n}],
        "limits": {"suppression": suppression},
        "seed": 1,
    }


@examples(40)
@given(
    records(CARE_BELOW, CARE_VALUES, max_size=9),
    st.tuples(st.integers(2, 5), st.integers(1, 3), st.integers(0, 3)),
    st.sampled_from([0.05, 0.2, 0.4, 1.0]),
)
def test_what_is_written_holds_and_no_more_is_left_out_than_allowed(
    tmp_path_factory, listed, asked, share
):
    folder = tmp_path_factory.mktemp("trees")
    private = [oracle.paths_of(nodes) for nodes in listed]
    if not any(private):
        return
    lines = "".join(json.dumps(as_json(nodes)) + "\n" for nodes in listed)
    (folder / "in.jsonl").write_text(lines)
    try:
        release = anonymize_file(folder / "in.jsonl", plan(*asked, share), folder / "out.jsonl")
    except CannotMeetError:
        assert not (folder / "out.jsonl").exists()
        return
    shown = published(folder / "out.jsonl")
    assert oracle.holds(shown, *asked)
    told = release.summary()["suppressed"]
    assert len(private) - len(shown) == told["records"] <= share * len(private)
    nodes = sum(map(len, private))
    assert told["nodes"] - told["of_classes"] <= share * nodes
    assert told["node_share"] == pytest.approx(told["nodes"] / nodes)


def test_a_rare_label_is_left_out_and_its_class_published():
    """Without leaving anything out, nothing but stars is left: the one Gout is with H1 or H2."""
    from indistinct.trees import anonymize

    people = [
        {"hospital": name, "disease": what} for name in ("H1", "H2") for what in ("Flu", "Cold")
    ]
    people = people * 5 + [{"hospital": "H1", "disease": "Gout"}]
    asked = plan(5, 2, 0, 0.03)
    asked["tree"] = {"classes": ["hospital", "disease"]}
    summary = anonymize(people, asked).summary()
    assert summary["suppressed"]["nodes"] == 1
    assert set(summary["cut"]["disease"]) == {"Cold", "Flu"}
    assert summary["measures"]["values_exact"] == pytest.approx(41 / 42)


def test_a_record_that_stands_out_is_left_out_whole(tmp_path):
    """Each label is frequent; the pair of one record is not."""
    people = [{"hospital": "H1", "disease": "Flu"}, {"hospital": "H2", "disease": "Cold"}] * 20
    people += [{"hospital": "H1", "disease": "Cold"}] * 4
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people))
    asked = plan(5, 2, 0, 0.1)
    asked["tree"] = {"classes": ["hospital", "disease"]}
    release = anonymize_file(
        tmp_path / "in.jsonl", asked, tmp_path / "out.jsonl", certificate=tmp_path / "c.json"
    )
    assert release.summary()["suppressed"]["records"] == 4
    assert release.summary()["released_records"] == 40
    assert verify(tmp_path / "out.jsonl", certificate=tmp_path / "c.json").records == 40


def test_a_search_that_leaves_out_too_much_is_found_out(tmp_path, monkeypatch):
    """The limit is counted on what is published, not believed."""
    import numpy as np

    from indistinct.trees.methods import BestCutSearch, TreeRecoding
    from indistinct.trees.operations import generalized

    def careless(_, problem):
        return TreeRecoding(
            generalized(problem.forest, np.where(problem.hierarchies.labels.of_class, -1, 0)), None
        )

    monkeypatch.setattr(BestCutSearch, "search", careless)
    people = [{"hospital": "H1", "disease": "Flu"}] * 9 + [{"disease": "Flu"}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people))
    asked = plan(2, 1, 0, 0.2)
    asked["tree"] = {"classes": ["hospital", "disease"]}
    anonymize_file(tmp_path / "in.jsonl", asked, tmp_path / "whole_class.jsonl")

    def worse(_, problem):
        label = problem.forest.label.copy()
        forest = problem.forest.taken(np.arange(10))
        keep = np.ones(label.size, dtype=bool)
        keep[: 2 * 5] = False
        starts = np.concatenate(([0], np.cumsum(np.add.reduceat(keep, forest.starts[:-1]))))
        return TreeRecoding(
            type(forest)(forest.classes, forest.labels, label[keep], forest.parent[keep], starts),
            None,
        )

    monkeypatch.setattr(BestCutSearch, "search", worse)
    with pytest.raises(CannotMeetError, match="of all nodes would be suppressed"):
        anonymize_file(tmp_path / "in.jsonl", asked, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
