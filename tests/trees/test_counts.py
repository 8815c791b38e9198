"""Siblings that become equal, kept with their number (`counts = "keep"`): from written files."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import CannotMeetError, PlanError
from indistinct.running.progress import Progress
from indistinct.trees import anonymize, anonymize_file, verify
from indistinct.trees.pipeline import TreeWork
from indistinct.trees.plan import TreePlan
from tests.profiles import examples
from tests.trees import oracle
from tests.trees.growing import CARE, CARE_BELOW, CARE_PATHS, CARE_VALUES, records
from tests.trees.test_suppression import as_json, as_nodes


def plan(k, m, n, *, suppression=0.0, counts="keep", **tree):
    return {
        "tree": {
            "classes": list(CARE),
            "counts": counts,
            "hierarchies": {name: {"paths": paths} for name, paths in CARE_PATHS.items()},
            **tree,
        },
        "require": [{"model": "k-m-n-anonymity", "k": k, "m": m, "n": n}],
        "limits": {"suppression": suppression},
        "seed": 1,
    }


def walked(nodes):
    """All nodes of a record, equal ones each."""
    for kind, value, below in nodes:
        yield kind, value
        yield from walked(below)


def above(upper, lower):
    path = next(path for path in CARE_PATHS[lower[0]] if path[0] == lower[1])
    return upper[0] == lower[0] and upper[1] in path


ASKED = st.tuples(st.integers(2, 4), st.integers(1, 3), st.integers(0, 2))


@examples(40)
@given(records(CARE_BELOW, CARE_VALUES, max_size=8), ASKED, st.sampled_from([0.0, 0.3]))
def test_what_is_written_holds_and_says_how_many_there_were(tmp_path_factory, listed, asked, share):
    """Each private node is in the file once, under the label it is published as, or left out."""
    folder = tmp_path_factory.mktemp("counts")
    if not any(listed):
        return
    (folder / "in.jsonl").write_text("".join(json.dumps(as_json(nodes)) + "\n" for nodes in listed))
    told = plan(*asked, suppression=share)
    out = folder / "out.jsonl"
    try:
        release = anonymize_file(folder / "in.jsonl", told, out)
    except CannotMeetError:
        assert not out.exists()
        return
    shown = [as_nodes(json.loads(line)) for line in out.read_text().splitlines()]
    assert oracle.holds([oracle.paths_of(nodes) for nodes in shown], *asked)
    summary = release.summary()
    written = sum(1 for nodes in shown for _ in walked(nodes))
    merged = sum(len(oracle.paths_of(nodes)) for nodes in shown)
    assert summary["copies"] == written - merged
    assert summary["released_nodes"] == merged
    assert any("nobody knows how often" in note for note in summary["warnings"])
    if merged:
        assert verify(out, told).nodes == merged


@examples(30)
@given(records(CARE_BELOW, CARE_VALUES, max_size=8), ASKED)
def test_every_node_of_a_person_counts_once(listed, asked):
    if not any(listed) or len(listed) < asked[0]:
        return
    work = TreeWork(TreePlan.load(plan(*asked)), Progress())
    try:
        work.recode([as_json(nodes) for nodes in listed])
        work.repair()
    except CannotMeetError:
        return
    published = work.recoding.forest
    for nodes, shown in zip(listed, published.with_copies().records(), strict=True):
        own, said = list(walked(nodes)), Counter(walked(shown))
        for kind, count in Counter(kind for kind, _ in own).items():
            told = sum(number for (name, _), number in said.items() if name == kind)
            assert told in {0, count}  # a class may be left out whole
        for label, number in said.items():
            assert number <= sum(above(label, one) for one in own)


def test_repeated_values_of_the_source_keep_their_number():
    people = [{"disease": ["Flu", "Flu", "Flu"]}, {"disease": ["Flu"]}] * 2
    asked = plan(2, 1, 0)
    shown = sorted(len(one["disease"]) for one in anonymize(people, asked).data)
    assert shown == [1, 1, 3, 3]
    asked["tree"]["counts"] = "merge"
    assert [len(one["disease"]) for one in anonymize(people, asked).data] == [1] * 4


@pytest.mark.parametrize("name", ["out.jsonl", "out.xml"])
def test_copies_are_read_as_one_node(tmp_path, name):
    people = [{"hospital": {"value": f"H{i % 2 + 1}", "disease": ["Flu"] * 2}} for i in range(6)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people))
    release = anonymize_file(
        tmp_path / "in.jsonl", plan(3, 2, 1), tmp_path / name,
        certificate=tmp_path / "c.json", report=tmp_path / "page.html",
    )  # fmt: skip
    text = (tmp_path / name).read_text()
    assert text.count("Flu") == 12
    assert verify(tmp_path / name, certificate=tmp_path / "c.json").nodes == 12
    assert release.summary()["copies"] == 6
    page = (tmp_path / "page.html").read_text()
    assert "published 6 times more" in page
    assert "nobody knows how often" in page


def write_tables(folder):
    people = [["1"], ["2"], ["3"], ["4"]]
    care = [[str(i), disease] for i in range(1, 5) for disease in ("Flu", "Flu", "Bronchitis")]
    for name, header, rows in (("person", ["id"], people), ("care", ["id", "disease"], care)):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])


@pytest.mark.parametrize(("counts", "rows"), [("keep", 12), ("merge", 8)])
def test_rows_of_tables_are_told_before_and_after(tmp_path, counts, rows):
    write_tables(tmp_path)
    (tmp_path / "out").mkdir()
    told = plan(
        4, 2, 0, counts=counts, format="tables", classes=["disease"],
        hierarchies={"disease": {"paths": CARE_PATHS["disease"]}},
        tables={
            "person": {"key": "id"},
            "care": {"parent": "person", "foreign_key": "id", "columns": ["disease"]},
        },
    )  # fmt: skip
    release = anonymize_file(tmp_path, told, tmp_path / "out", certificate=tmp_path / "c.json")
    with (tmp_path / "out" / "care.csv").open() as file:
        assert len(list(csv.DictReader(file))) == rows
    summary = release.summary()
    assert summary["rows"] == {
        "person": {"before": 4, "after": 4},
        "care": {"before": 12, "after": rows},
    }
    assert "rows" not in json.loads((tmp_path / "c.json").read_text())["release"]
    assert verify(tmp_path / "out", certificate=tmp_path / "c.json").records == 4
    as_lines = anonymize_file(tmp_path, told, tmp_path / "out.jsonl").summary()
    assert as_lines["rows"] is None


def test_mixed_records_keep_numbers_in_every_group():
    people = [{"sex": "fm"[i % 2], "disease": ["Flu", "Flu", "Bronchitis"]} for i in range(8)]
    told = plan(4, 2, 0, root=["sex"], classes=["sex", *CARE])
    shown = anonymize(people, told).data
    assert all(len(one["disease"]) == 3 for one in shown)
    assert all(len(one["sex"]) == 1 for one in shown)


def test_miracle_has_no_numbers():
    with pytest.raises(PlanError, match=r"tree\.counts: miracle does not tell"):
        TreePlan.load({**plan(2, 1, 0), "method": {"name": "miracle"}})
