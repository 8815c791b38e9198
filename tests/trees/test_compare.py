"""Methods for tree records side by side."""

from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

from indistinct.cli import app
from indistinct.datasets import write_fhir
from indistinct.errors import PlanError
from indistinct.trees import anonymize, compare, suggest_plan

PEOPLE = [
    {"hospital": name, "disease": {"value": what, "drug": drug}}
    for name in ("H1", "H2", "H3")
    for what in ("Flu", "Cold")
    for drug in ("A", "B")
] * 2
PLAN = {
    "tree": {"classes": ["hospital", "disease", "drug"]},
    "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
    "method": {"name": "greedy-cut-search", "g": 3},
    "seed": 1,
}


def test_each_trial_is_what_anonymize_gives():
    comparison = compare(
        PEOPLE,
        PLAN,
        ["greedy-cut-search", {"name": "best-cut-search", "objective": "rpd"}, "miracle"],
        k=[5, 2],
        m=[1, 3],
        n=[0, 1],
    )
    assert len(comparison.rows) == 3 * 2 * 2 * 2
    assert [(t.k, t.m, t.n) for t in comparison.rows[:4]] == [
        *((2, 1, 0), (2, 1, 1), (2, 3, 0), (2, 3, 1)),
    ]
    assert comparison.rows[8].method == "best-cut-search (objective=rpd)"
    methods = {"greedy-cut-search": PLAN["method"], "miracle": {"name": "miracle"}}
    for trial in comparison.rows:
        method = methods.get(trial.method, {"name": "best-cut-search", "objective": "rpd"})
        asked = {"model": "k-m-n-anonymity", "k": trial.k, "m": trial.m, "n": trial.n}
        alone = anonymize(PEOPLE, {**PLAN, "method": method, "require": [asked]}).summary()
        assert trial.met
        assert trial.loss == pytest.approx(alone["measures"]["loss"])
        assert trial.values_exact == pytest.approx(alone["measures"]["values_exact"])
        assert trial.suppressed_nodes == alone["suppressed"]["nodes"]


def test_what_cannot_be_met_says_why_and_what_is_gone_is_named():
    comparison = compare(PEOPLE, PLAN, ["best-cut-search"], k=[9, 100])
    first, second = comparison.rows
    assert first.met
    assert set(first.stars) <= {"hospital", "disease", "drug"}
    assert not second.met
    assert second.reason == "require: k is 100, but there are only 24 records"
    assert repr(comparison) == "<TreeComparison: 1 of 2 trials met>"


def test_all_that_is_asked_wrongly_is_told_at_once():
    with pytest.raises(PlanError) as told:
        compare(PEOPLE, PLAN, ["best"], k=[1], m=[0, 12], n=[-1], jobs=0)
    places = [fault.place for fault in told.value.faults]
    assert places == ["methods", "k", "m", "m", "n", "jobs"]


def test_requirements_beside_k_m_and_n_hold_in_every_trial():
    plan = {**PLAN, "tree": {**PLAN["tree"], "sensitive": ["drug"]}}
    plan["require"] = [*PLAN["require"], {"model": "l-diversity", "l": 3}]
    assert not any(trial.met for trial in compare(PEOPLE, plan, ["best-cut-search"], [2]).rows)


def test_the_command_prints_saves_and_draws(tmp_path):
    data, plan = write_fhir(tmp_path / "in.json", 40), tmp_path / "plan.toml"
    suggest_plan(data, out=plan)
    line = ["tree", "compare", str(data), "--plan", str(plan), "--k", "2,5", "--m", "1,2"]
    line += ["--methods", "best-cut-search,miracle", "--out", str(tmp_path / "out.csv")]
    done = CliRunner().invoke(app, [*line, "--chart", str(tmp_path / "chart.html")])
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert [row["m"] for row in rows[:4]] == ["1", "2", "1", "2"]
    page = (tmp_path / "chart.html").read_text()
    assert "best-cut-search, m = 2" in page
    assert page.count("<tr>") == 9
    done = CliRunner().invoke(app, [*line[:4], str(plan), "--k", "1000", "--json"])
    assert done.exit_code == 1
    assert not any(trial["met"] for trial in json.loads(done.stdout)["trials"])
