"""Attacks on releases of tree records: they work where they should, and fail where promised."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from indistinct.cli import app
from indistinct.errors import CannotMeetError, DataError
from indistinct.trees import anonymize, attack
from tests.profiles import examples
from tests.trees import oracle
from tests.trees.growing import CARE, CARE_BELOW, CARE_PATHS, CARE_VALUES, records
from tests.trees.test_suppression import as_json

PLAN = {
    "tree": {"classes": ["hospital", "disease"]},
    "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
}


def plan(k, m, n, **more):
    return {
        "tree": {
            "classes": list(CARE),
            "hierarchies": {name: {"paths": paths} for name, paths in CARE_PATHS.items()},
        },
        "require": [{"model": "k-m-n-anonymity", "k": k, "m": m, "n": n}],
        "seed": 1,
        **more,
    }


@examples(40)
@given(
    records(CARE_BELOW, CARE_VALUES, most=2, max_size=9),
    st.tuples(st.integers(2, 4), st.integers(1, 3), st.integers(0, 2)),
    st.sampled_from(["best-cut-search", "miracle"]),
)
def test_who_knows_no_more_than_promised_is_left_with_k_records_or_none(listed, asked, method):
    people = [as_json(nodes) for nodes in listed]
    chosen = plan(*asked, method={"name": method})
    try:
        release = anonymize(people, chosen)
    except (CannotMeetError, DataError):
        return
    linked = attack(release, people, chosen, seed=3)["linking"]
    assert linked.rate.of == len(people)
    assert linked.details["singled_out"] == linked.details["below_k"] == 0
    if linked.details["found"]:
        assert linked.details["fewest"] >= asked[0]
    assert not linked.succeeded


@examples(40)
@given(records(CARE_BELOW, CARE_VALUES, most=2, max_size=8))
def test_on_private_records_all_who_are_unique_are_found(listed):
    """Whoever knows everything of a person finds whoever has it all, counted by brute force."""
    private = [oracle.paths_of(nodes) for nodes in listed]
    if not any(private):
        return
    people = [as_json(nodes) for nodes in listed]

    def facts(paths):
        return oracle.labels_of(paths) | oracle.relations_of(paths)

    agreeing = [sum(facts(own) <= facts(other) for other in private) for own in private]
    linked = attack(people, people, plan(2, 1, 0), known=99, relations=999)["linking"]
    assert linked.details["singled_out"] == agreeing.count(1) == linked.rate.hits
    assert linked.details["found"] == len(people)
    assert linked.details["fewest"] == min(agreeing)


def test_every_pair_is_counted_as_the_definition_counts_it():
    """Two labels and a relation: of each record all that can be known, against the oracle."""
    from indistinct.trees.attacks.knowing import Known, Published
    from tests.trees.growing import care

    listed = [
        [("hospital", "H1", [("disease", "Flu", [])])],
        [("hospital", "H1", []), ("disease", "Flu", [])],
        [("hospital", "H2", [("disease", "Flu", []), ("disease", "Gastritis", [])])],
    ]
    forest, hierarchies = care(listed)
    published = Published(forest, hierarchies, anywhere=False)
    codes = hierarchies.labels.codes
    records_ = [oracle.paths_of(nodes) for nodes in listed]
    for own in records_:
        labels = sorted(oracle.labels_of(own))
        for pair in combinations(labels, 2):
            related = pair if pair in oracle.relations_of(own) else None
            coded = tuple(codes[CARE.index(kind), value] for kind, value in pair)
            known = Known(coded, (coded,) if related else ())
            agree = sum(
                set(pair) <= oracle.labels_of(other)
                and (related is None or related in oracle.relations_of(other))
                for other in records_
            )
            assert published.agreeing(known).sum() == agree


def test_linking_works_on_what_is_not_anonymous_and_fails_on_the_release():
    people = [{"hospital": f"H{n // 2}", "disease": f"D{n % 5}"} for n in range(40)]
    before = attack(people, people, PLAN)["linking"]
    assert before.succeeded
    assert before.baseline == 1 / 40
    assert before.rate.low > before.baseline
    assert len(before.findings) == 5
    assert "exactly one" in before.story
    after = attack(anonymize(people, PLAN), people, PLAN)["linking"]
    assert not after.succeeded
    assert "the attack fails" in after.story


def test_homogeneity_reads_what_all_that_agree_share():
    people = [{"hospital": "H1", "disease": "Flu"}] * 10
    people += [{"hospital": "H2", "disease": name} for name in ("Flu", "Cold") for _ in range(5)]
    read = attack(people, people, PLAN, sensitive=["disease"], known=1)["homogeneity"]
    assert (read.rate.hits, read.rate.of) == (10, 20)
    assert read.baseline == 15 / 20
    assert not read.succeeded
    assert read.findings[0].learnt == "disease is Flu"
    people += [{"hospital": f"H{n}", "disease": f"D{n}"} for n in range(3, 60) for _ in range(2)]
    assert attack(people, people, PLAN, sensitive=["disease"], known=1)["homogeneity"].succeeded
    alike = [{"hospital": "H1", "disease": "Flu"}] * 30
    same = attack(alike, alike, PLAN, sensitive=["disease"])["homogeneity"]
    assert same.rate.share == same.baseline == 1.0
    assert not same.succeeded


def test_l_diversity_keeps_homogeneity_from_working():
    people = [
        {"hospital": f"H{n % 2}", "disease": name} for name in ("A", "B", "C") for n in range(12)
    ]
    secret = {
        "tree": {**PLAN["tree"], "sensitive": ["disease"]},
        "require": [*PLAN["require"], {"model": "l-diversity", "l": 2}],
    }
    attacks = attack(anonymize(people, secret), people, secret)
    assert attacks["homogeneity"].rate.hits == 0
    assert attacks.succeeded == ()


def test_all_that_is_asked_wrongly_is_told_at_once():
    people = [{"hospital": "H1"}] * 3
    with pytest.raises(DataError) as told:
        attack(
            people, people, PLAN, known=0, relations=-1, k=1, attempts=0,
            sensitive=["diseases"], only=["skewness"],
        )  # fmt: skip
    places = [fault.place for fault in told.value.faults]
    assert places == ["known", "relations", "k", "attempts", "sensitive", "only"]
    with pytest.raises(DataError, match="no class is sensitive"):
        attack(people, people, PLAN, only=["homogeneity"])
    assert attack(people, people, PLAN).left_out[0].place == "homogeneity"


def test_the_command_tells_the_story(tmp_path):
    people = [{"hospital": f"H{n // 2}", "disease": f"D{n % 5}"} for n in range(40)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people))
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    line = ["tree", "attack", str(tmp_path / "in.jsonl"), str(tmp_path / "in.jsonl")]
    line += ["--plan", str(tmp_path / "plan.json"), "--sensitive", "disease", "--seed", "1"]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    assert "linking: " in done.output
    assert "homogeneity (disease): " in done.output
    told = CliRunner().invoke(app, [*line, "--only", "linking", "--json"])
    assert [one["attack"] for one in json.loads(told.stdout)["attacks"]] == ["linking"]
