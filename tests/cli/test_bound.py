"""`indistinct bound`, and the bound that `anonymize` puts into a report."""

from __future__ import annotations

import json

import pyarrow.csv
import pytest
from typer.testing import CliRunner

from indistinct.cli import app
from indistinct.cli.bound import words
from indistinct.datasets import medical, medical_plan
from indistinct.measures.bound import Bound
from indistinct.verbs.bound import Bounded


def invoke(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def job(tmp_path):
    data, plan = tmp_path / "private.csv", tmp_path / "plan.json"
    pyarrow.csv.write_csv(medical(), data)
    plan.write_text(json.dumps(medical_plan(method={"name": "best"})))
    return data, plan


def test_it_tells_how_far_above_the_best_possible_a_release_is(job):
    data, plan = job
    result = invoke("bound", data, "--plan", plan)
    assert result.exit_code == 0
    assert "best loses 0.4417; no release can lose less than 0.3667" in result.stdout
    assert "at most 20.5% above the best possible" in result.stdout


def test_exact_comes_nearer(job):
    data, plan = job
    told = json.loads(invoke("bound", data, "--plan", plan, "--exact", "--json").stdout)
    assert told["bound"]["loss"] == pytest.approx(0.4167, rel=1e-3)
    assert told["above"] == pytest.approx(0.06, abs=1e-3)


def test_it_tells_a_bound_that_holds_though_time_is_over(job):
    data, plan = job
    result = invoke("bound", data, "--plan", plan, "--exact", "--time-limit", "0")
    assert result.exit_code == 0
    assert "no release can lose less than 0.3667" in result.stdout


def test_it_says_that_more_time_could_help():
    bounded = Bounded("best", 0.5, Bound(0.4, 0.4, 0.4, 10, exact=True, at_most=0.45))
    assert "could rise to 0.4500 at most" in words(bounded)


def test_a_report_tells_the_exact_bound(job, tmp_path):
    data, plan = job
    written = tmp_path / "release.csv", tmp_path / "report.json"
    outputs = ["--out", written[0], "--report-json", written[1]]
    result = invoke("anonymize", data, "--plan", plan, *outputs, "--exact-bound", "20")
    assert result.exit_code == 0
    assert "no release can lose less than 0.4167" in result.stdout
    bound = json.loads(written[1].read_text())["bound"]
    assert bound["loss"] == pytest.approx(0.4167, rel=1e-3)
    assert bound["at_most"] >= bound["loss"]
