"""Later records through the recoding of a release: by brute force from the written files."""

from __future__ import annotations

import csv
import json
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from indistinct.cli import app
from indistinct.datasets.hospital import (
    CLASSES,
    hospital,
    hospital_hierarchies,
    hospital_layout,
)
from indistinct.errors import (
    CannotMeetError,
    DataError,
    DoesNotHoldError,
    HierarchyError,
    PlanError,
)
from indistinct.trees import anonymize, anonymize_file, apply, apply_file, verify
from indistinct.trees.applying import application
from tests.profiles import examples
from tests.trees import oracle
from tests.trees.growing import CARE, CARE_BELOW, CARE_PATHS, CARE_VALUES, records, truthful
from tests.trees.test_suppression import as_json, as_nodes, published

SOME = records(CARE_BELOW, CARE_VALUES, most=2, max_size=7)
TWICE = st.tuples(
    st.builds(lambda some, copies: some * copies, SOME, st.integers(1, 3)),
    st.builds(lambda some, copies: some * copies, SOME, st.integers(1, 2)),
).map(lambda both: (both[0], both[1][:8]))
"""The first records, most of them several times so that they can be released, and later ones."""
ASKED = st.tuples(st.integers(2, 3), st.integers(1, 3), st.integers(0, 2))


def plan(k, m, n, *, suppression=0.0, require=(), **tree):
    return {
        "tree": {
            "classes": list(CARE),
            "hierarchies": {name: {"paths": paths} for name, paths in CARE_PATHS.items()},
            **tree,
        },
        "require": [{"model": "k-m-n-anonymity", "k": k, "m": m, "n": n}, *require],
        "limits": {"suppression": suppression},
        "seed": 1,
    }


def write(path, listed):
    path.write_text("".join(json.dumps(as_json(nodes)) + "\n" for nodes in listed))
    return path


def released_and_learnt(folder, first, asked):
    """Release the first records, or return None where nothing can be released."""
    try:
        anonymize_file(
            write(folder / "first_in.jsonl", first),
            asked,
            folder / "first.jsonl",
            recoding=folder / "recoding.json",
        )
    except (CannotMeetError, DataError):
        return None
    return json.loads((folder / "recoding.json").read_text())


def recoded(nodes, learnt):
    """A record as the recoding says: the first published label on the way up, relations broken."""
    labels = {own["name"]: own["labels"] for own in learnt["classes"]}

    def image(kind, value):
        way = next(path for path in CARE_PATHS[kind] if path[0] == value)
        return next(((kind, label) for label in way if label in labels[kind]), None)

    paths = oracle.generalized(
        oracle.paths_of(nodes),
        {label: image(*label) for label in oracle.labels_of(oracle.paths_of(nodes))},
    )
    for (upper_kind, upper), (lower_kind, lower) in learnt["broken"]:
        paths = oracle.disassociated(paths, (CARE[upper_kind], upper), (CARE[lower_kind], lower))
    return paths


def is_covered(nodes, learnt):
    """Whether each value of a record has a published label, or its class has none at all."""
    labels = {own["name"]: own["labels"] for own in learnt["classes"]}
    return all(
        not labels[kind] or any(form in labels[kind] for form in way)
        for kind, value in oracle.labels_of(oracle.paths_of(nodes))
        for way in CARE_PATHS[kind]
        if way[0] == value
    )


def largest(candidates, holds):
    """The largest set of records that holds, by trying all."""
    for size in range(len(candidates), 0, -1):
        for chosen in combinations(candidates, size):
            if holds(list(chosen)):
                return list(chosen)
    return []


def can_be_of(shown, private):
    """Whether each published record is true of a private one of its own (bipartite matching)."""
    of: dict[int, int] = {}

    def place(one, tried):
        for other, nodes in enumerate(private):
            if other not in tried and truthful(nodes, shown[one]):
                tried.add(other)
                if other not in of or place(of[other], tried):
                    of[other] = one
                    return True
        return False

    return all(place(one, set()) for one in range(len(shown)))


def nodes_of(path):
    return [as_nodes(json.loads(line)) for line in path.read_text().splitlines()]


@examples(60)
@given(TWICE, ASKED, st.booleans())
def test_the_largest_set_that_holds_is_published(tmp_path_factory, twice, asked, as_one):
    first, later = twice
    folder = tmp_path_factory.mktemp("apply")
    learnt = released_and_learnt(folder, first, plan(*asked))
    if learnt is None or not any(later):
        return
    before = published(folder / "first.jsonl")

    def holds(some):
        return oracle.holds(before + some if as_one else some, *asked)

    covered = [nodes for nodes in later if is_covered(nodes, learnt)]
    meant = largest([recoded(nodes, learnt) for nodes in covered], holds)
    try:
        applied = apply_file(
            folder / "recoding.json",
            write(folder / "later.jsonl", later),
            folder / "out.jsonl",
            as_one=as_one,
            held_back=folder / "held.csv",
        )
    except CannotMeetError:
        assert not (folder / "out.jsonl").exists()
        assert not any(meant)
        return
    shown = published(folder / "out.jsonl")
    assert sorted(map(sorted, shown)) == sorted(map(sorted, meant))
    assert oracle.holds(before + shown, *asked)
    assert can_be_of(nodes_of(folder / "out.jsonl"), later)
    held = list(csv.DictReader((folder / "held.csv").read_text().splitlines()))
    assert len(held) == len(later) - len(shown) == applied.summary()["held_back_records"]
    uncovered = [n for n, nodes in enumerate(later, 1) if not is_covered(nodes, learnt)]
    assert [int(row["record"]) for row in held if row["reason"].startswith("no pub")] == uncovered


@examples(60)
@given(TWICE, ASKED, st.sampled_from([0.0, 0.3]))
def test_coarsened_records_hold_and_are_true_and_no_finer(
    tmp_path_factory, twice, asked, suppression
):
    first, later = twice
    folder = tmp_path_factory.mktemp("apply")
    learnt = released_and_learnt(folder, first, plan(*asked, suppression=suppression))
    if learnt is None or not any(later):
        return
    before = published(folder / "first.jsonl")
    try:
        apply_file(
            folder / "recoding.json",
            write(folder / "later.jsonl", later),
            folder / "out.jsonl",
            coarsen=True,
            recoding_out=folder / "second.json",
        )
    except CannotMeetError:
        assert not (folder / "out.jsonl").exists()
        return
    shown = published(folder / "out.jsonl")
    assert oracle.holds(shown, *asked)
    assert oracle.holds(before + shown, *asked)
    assert can_be_of(nodes_of(folder / "out.jsonl"), later)
    for own in learnt["classes"]:
        used = {
            value for kind, value in oracle.labels_of(set().union(*shown)) if kind == own["name"]
        }
        finer = {
            below
            for path in CARE_PATHS[own["name"]]
            for place, label in enumerate(path)
            if label in own["labels"]
            for below in path[:place]
        }
        assert not used & (finer - set(own["labels"]))
    assert json.loads((folder / "second.json").read_text())["kind"] == "indistinct tree recoding"


@examples(40)
@given(TWICE, st.integers(2, 3), st.sampled_from([2, 3]), st.booleans())
def test_sensitive_labels_stay_diverse(tmp_path_factory, twice, k, least, as_one):
    first, later = twice
    folder = tmp_path_factory.mktemp("apply")
    secret = {"model": "l-diversity", "l": least}
    asked = plan(k, 2, 1, require=[secret], sensitive=["treatment"])
    asked["tree"]["hierarchies"].pop("treatment")
    if released_and_learnt(folder, first * 2, asked) is None or not any(later):
        return
    before = published(folder / "first.jsonl")
    try:
        apply_file(
            folder / "recoding.json",
            write(folder / "later.jsonl", later),
            folder / "out.jsonl",
            as_one=as_one,
        )
    except CannotMeetError:
        assert not (folder / "out.jsonl").exists()
        return
    shown = published(folder / "out.jsonl")
    hidden = ["treatment"]
    for records_ in (before + shown,) if as_one else (shown, before + shown):
        assert oracle.holds(records_, k, 2, 1, hidden=hidden)
        assert oracle.diverse(records_, 2, 1, least, hidden)


@examples(40)
@given(TWICE, st.integers(2, 3), st.booleans())
def test_what_people_lack_tells_nothing_either(tmp_path_factory, twice, k, coarsen):
    first, later = twice
    folder = tmp_path_factory.mktemp("apply")
    denial = {"class": "disease", "value": "Flu"}
    if not any(("disease", "Flu") in oracle.labels_of(oracle.paths_of(one)) for one in first):
        return
    learnt = released_and_learnt(folder, first * 2, plan(k, 2, 1, negative=[denial]))
    if learnt is None or not any(later):
        return
    before = published(folder / "first.jsonl")
    try:
        apply_file(
            folder / "recoding.json",
            write(folder / "later.jsonl", later),
            folder / "out.jsonl",
            coarsen=coarsen,
        )
    except (CannotMeetError, DoesNotHoldError):
        assert not (folder / "out.jsonl").exists()
        return
    shown = published(folder / "out.jsonl")
    for records_ in (shown, before + shown):
        absent = oracle.present(records_, [("disease", "Flu")])
        assert oracle.holds(records_, k, 2, 1, absent=absent)


FLU = {"hospital": {"value": "H1", "disease": "Flu"}}
PLAIN = {
    "tree": {"classes": ["hospital", "disease"]},
    "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
}


def test_the_next_time_counts_what_was_published_since(tmp_path):
    learnt = anonymize([FLU] * 3, PLAIN).learnt()
    once = apply(learnt, [FLU] * 2)
    twice = apply(once.recoding, [FLU] * 4)
    assert twice.summary()["union"]["records"] == 9
    beside = apply(learnt, [FLU] * 4, others=[once.data])
    assert beside.summary()["union"]["records"] == 9
    with pytest.raises(DataError, match="counted in the recoding already"):
        apply(learnt, [FLU] * 4, others=[[FLU] * 3])
    with pytest.raises(DataError, match="no label that the recoding publishes"):
        apply(learnt, [FLU] * 4, others=[[{"disease": "Gout"}] * 2])


def test_a_value_of_no_list_is_held_back_or_named():
    asked = {**PLAIN, "tree": {"classes": ["disease"], "hierarchies": {}}}
    asked["tree"]["hierarchies"]["disease"] = {
        "paths": [["Flu", "Lung", "*"], ["Cold", "Lung", "*"]]
    }
    learnt = anonymize([{"disease": "Flu"}, {"disease": "Cold"}] * 2, asked).learnt()
    later = [{"disease": "Flu"}, {"disease": "Gout"}, {"disease": "Flu"}]
    assert apply(learnt, later).held_back["unknown value"] == [2]
    with pytest.raises(HierarchyError, match="'Gout' is unknown"):
        apply(learnt, later, unknown="error")
    with pytest.raises(PlanError, match="not a way to treat"):
        apply(learnt, later, unknown="skip")


def test_a_rule_knows_values_that_the_release_did_not_have():
    asked = {**PLAIN, "tree": {"classes": ["zip"], "hierarchies": {"zip": {"mask": "right"}}}}
    first = [{"zip": code} for code in ("10115", "10117", "10119", "20095", "20097")]
    learnt = anonymize(first, asked).learnt()
    applied = apply(learnt, [{"zip": "10111"}, {"zip": "10112"}, {"zip": "7"}])
    assert all(one["zip"][0].startswith("10") for one in applied.data)
    assert sum(map(len, applied.held_back.values())) == 1


def test_tables_and_xml_are_written_and_read_again(tmp_path):
    asked = {
        "tree": {
            "format": "tables",
            "classes": list(CLASSES),
            "tables": hospital_layout(),
            "hierarchies": hospital_hierarchies(),
        },
        "require": [{"model": "k-m-n-anonymity", "k": 3, "m": 2, "n": 1}],
    }
    learnt = anonymize(hospital(150), asked).learnt()
    applied = apply(learnt, hospital(120, seed=9), coarsen=True)
    assert verify(applied.data, asked).records == 120
    assert applied.summary()["released_nodes"] == applied.forest.nodes
    write(tmp_path / "in.jsonl", [[("disease", "Flu", [])]] * 4)
    anonymize_file(
        tmp_path / "in.jsonl", PLAIN, tmp_path / "out.xml", recoding=tmp_path / "recoding.json"
    )
    apply_file(tmp_path / "recoding.json", tmp_path / "in.jsonl", tmp_path / "later.xml")
    assert verify(tmp_path / "later.xml", PLAIN).records == 4


def test_what_cannot_be_learnt_is_refused_and_nothing_is_written(tmp_path):
    write(tmp_path / "in.jsonl", [[("hospital", "H1", [])], [("disease", "Flu", [])]] * 3)
    for more in ({"method": {"name": "miracle"}}, {"root": ["hospital"]}):
        asked = {
            **PLAIN,
            "tree": {**PLAIN["tree"], **{k: v for k, v in more.items() if k == "root"}},
        }
        asked |= {k: v for k, v in more.items() if k == "method"}
        with pytest.raises(PlanError, match="recoding: "):
            anonymize_file(
                tmp_path / "in.jsonl", asked, tmp_path / "out.jsonl", recoding=tmp_path / "r.json"
            )
        assert not (tmp_path / "out.jsonl").exists()
        assert not (tmp_path / "r.json").exists()


def test_a_recoding_is_read_with_care(tmp_path):
    learnt = anonymize([FLU] * 3, PLAIN).learnt()
    from indistinct.applying.recoding_file import as_text

    whole = json.loads(as_text(learnt))
    path = tmp_path / "recoding.json"

    def changed(**parts):
        path.write_text(json.dumps(whole | parts))
        return path

    assert apply(changed(), [FLU] * 2).summary()["released_records"] == 2
    with pytest.raises(DataError, match="with `indistinct apply`"):
        apply(changed(kind="indistinct recoding"), [FLU] * 2)
    with pytest.raises(DataError, match="not those of its plan"):
        apply(changed(classes=whole["classes"][:1]), [FLU] * 2)
    records_ = whole["released"]
    for part, problem in (
        ({"parent": [0, 0]}, "no trees"),
        ({"label": [0, 7]}, "does not list"),
        ({"sizes": [1]}, "not complete"),
        ({"labels": [[0, "H1"], [1, "Gout"]]}, "does not publish"),
    ):
        with pytest.raises(DataError, match=problem):
            apply(changed(released=records_ | part), [FLU] * 2)
    assert "seed" not in whole["plan"]
    with pytest.raises(PlanError, match="Leave one of the two out"):
        apply(learnt, [FLU] * 2, as_one=True, coarsen=True)


def test_what_would_single_people_out_is_found_out_by_the_check(tmp_path, monkeypatch):
    write(tmp_path / "in.jsonl", [[("hospital", "H1", [])], [("disease", "Flu", [])]] * 3)
    anonymize_file(
        tmp_path / "in.jsonl", PLAIN, tmp_path / "out.jsonl", recoding=tmp_path / "r.json"
    )
    write(tmp_path / "later.jsonl", [[("hospital", "H1", [])]])
    monkeypatch.setattr(application, "publishable", lambda *given, **_: given[3])
    with pytest.raises(DoesNotHoldError, match="H1"):
        apply_file(tmp_path / "r.json", tmp_path / "later.jsonl", tmp_path / "next.jsonl")
    assert not (tmp_path / "next.jsonl").exists()


def test_the_command_says_what_is_held_back(tmp_path):
    run = CliRunner()
    write(tmp_path / "in.jsonl", [[("hospital", "H1", [])], [("disease", "Flu", [])]] * 3)
    (tmp_path / "plan.json").write_text(json.dumps(PLAIN))
    given_ = [str(tmp_path / name) for name in ("in.jsonl", "plan.json", "out.jsonl", "r.json")]
    line = ["tree", "anonymize", given_[0], "--plan", given_[1], "--out", given_[2]]
    assert run.invoke(app, [*line, "--recoding", given_[3]]).exit_code == 0
    assert (tmp_path / "r.json").stat().st_mode & 0o077 == 0
    write(tmp_path / "few.jsonl", [[("hospital", "H1", [])]] * 2 + [[("disease", "Flu", [])]])
    line = ["tree", "apply", given_[3], str(tmp_path / "few.jsonl"), "--out"]
    done = run.invoke(
        app, [*line, str(tmp_path / "next.jsonl"), "--held-back", str(tmp_path / "h.csv")]
    )
    assert done.exit_code == 0
    assert "2 of 3 records released" in done.output
    assert (tmp_path / "h.csv").read_text() == "record,reason\n3,would break a requirement\n"
    write(tmp_path / "few.jsonl", [[("hospital", "H1", [])]])
    done = run.invoke(app, [*line, str(tmp_path / "none.jsonl")])
    assert done.exit_code == 1
    assert not (tmp_path / "none.jsonl").exists()
