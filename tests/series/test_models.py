"""Every requirement over a series: none fails its own check, and all are proven afterwards."""

from __future__ import annotations

import pytest

from indistinct.requirements import MODELS
from indistinct.verbs.verify import verify
from tests.series.growing import monthly, plan_of, series_of

REQUIRE = [
    {"model": "l-diversity", "l": 2},
    {"model": "l-diversity", "kind": "entropy", "l": 2},
    {"model": "l-diversity", "kind": "recursive", "l": 2, "c": 2.0},
    {"model": "l-diversity", "kind": "frequency", "l": 2},
    {"model": "l-diversity", "l": 2, "joined": True},
    {"model": "p-sensitive", "p": 2},
    {"model": "alpha-k", "alpha": 0.6, "k": 3},
    {"model": "t-closeness", "t": 0.4},
    {"model": "beta-likeness", "beta": 2.0},
    {"model": "delta-disclosure", "delta": 2.0},
    {"model": "k-m", "k": 3, "m": 1},
    {"model": "lkc", "l": 1, "k": 3, "c": 0.6},
]


def _name(asked):
    return "-".join(map(str, asked.values()))


@pytest.mark.parametrize("asked", REQUIRE, ids=_name)
def test_a_requirement_is_kept_and_proven(asked):
    tables = monthly(240, 4, change=0.1)
    plan = plan_of(3, [asked], cohort=80)
    releases = series_of(tables, plan)
    frames = [release.rows for release in releases]
    ledger = releases[-1].ledger
    proof = verify(frames[-1], plan, series=ledger, against=frames[:-1], private=tables)
    assert all(evidence.holds for _, evidence in proof.joined)
    assert {evidence.requirement.model for _, evidence in proof.joined} == {
        "k-anonymity",
        asked["model"],
    }
    assert frames[-1].num_rows >= 100


def test_numbers_and_hierarchies_of_sensitive_values_are_kept_too():
    tables = [t.append_column("pay", t["age"]) for t in monthly(240, 3, change=0.1)]
    paths = [
        ["flu", "lungs", "*"],
        ["asthma", "lungs", "*"],
        ["bronchitis", "lungs", "*"],
        ["gastritis", "stomach", "*"],
    ]
    near = {"model": "t-closeness", "t": 0.5, "distance": "hierarchical", "column": "disease"}
    wide = {"model": "k-e", "k": 3, "e": 5.0, "column": "pay"}
    varied = {"model": "variance", "e": 2.0, "column": "pay"}
    plan = plan_of(3, [near, wide, varied], cohort=80)
    plan["columns"]["disease"] = {"role": "sensitive", "hierarchy": {"paths": paths}}
    plan["columns"]["pay"] = {"role": "sensitive"}
    releases = series_of(tables, plan)
    frames = [release.rows for release in releases]
    proof = verify(frames[-1], plan, series=releases[-1].ledger, against=frames[:-1])
    assert all(evidence.holds for _, evidence in proof.joined)


def test_the_models_here_are_all_that_there_are():
    here = {asked["model"] for asked in REQUIRE} | {"k-anonymity", "k-e", "variance"}
    assert set(MODELS) == here
