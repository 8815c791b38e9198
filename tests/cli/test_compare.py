from __future__ import annotations

import json

import pytest


@pytest.fixture
def job(tmp_path):
    lines = [f"{22030 + n % 4},{20 + n},{'mf'[n % 2]}" for n in range(24)]
    (tmp_path / "in.csv").write_text("zip,age,sex\n" + "\n".join(lines) + "\n")
    (tmp_path / "plan.toml").write_text(
        '[columns]\nzip = { role = "quasi", hierarchy = { mask = "right" } }\n'
        'age = { role = "quasi", hierarchy = { intervals = [5, 10] } }\n'
        'sex = { role = "quasi", hierarchy = "flat" }\n'
        '[[require]]\nmodel = "k-anonymity"\nk = 2\n'
    )
    return tmp_path


def asked(job):
    return (job / "in.csv", "--plan", job / "plan.toml")


def test_compare_writes_table_and_chart(indistinct, job):
    out, chart = job / "c.csv", job / "c.svg"
    ran = indistinct(
        "compare", *asked(job), "--methods", "best, optimal", "--k", "2,40", "--out", out,
        "--chart", chart,
    )  # fmt: skip
    assert ran.code == 0
    assert "not met" in ran.out
    assert "only 24 respondents" in ran.out
    assert len(out.read_text().splitlines()) == 5
    assert chart.read_text().startswith("<svg")


def test_compare_as_json(indistinct, job):
    found = indistinct("compare", *asked(job), "--methods", "mondrian", "--k", "3", "--json").json
    assert found["trials"][0]["met"]
    assert found["trials"][0]["measured_k"] >= 3


def test_nothing_met_is_exit_1(indistinct, job):
    ran = indistinct("compare", *asked(job), "--k", "99", "--chart", job / "c.png")
    assert ran.code == 1
    assert not (job / "c.png").exists()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--k", "2,x"], "'x' is not a possible k"),
        (["--k", "1"], "1 is not a possible k"),
        (["--k", "1,x", "--methods", "besst"], "1 is not a possible k"),
        (["--k", "1,x", "--methods", "besst"], "'x' is not a possible k"),
        (["--k", "1,x", "--methods", "besst"], "Closest: 'best'"),
        (["--methods", "besst"], "Closest: 'best'"),
        (["--out", "c.txt"], "Name a file .csv or .json"),
        (["--chart", "c.pdf"], "Name a file .svg or .png or .html"),
        (["--chart", "nowhere/c.svg"], "there is no folder"),
    ],
)
def test_bad_input_is_exit_2(indistinct, job, more, told):
    ran = indistinct("compare", *asked(job), *more)
    assert ran.code == 2
    assert told in ran.err


def test_frontier_answers_which_k_fits(indistinct, job):
    ran = indistinct("frontier", *asked(job), "--method", "optimal", "--max-loss", "0.9", "--json")
    assert ran.code == 0
    assert ran.json["largest_k"] >= 2
    assert ran.json["loss_at_largest_k"] <= 0.9
    said = indistinct("frontier", *asked(job), "--method", "optimal", "--max-loss", "0.9")
    assert f"largest k found within a loss of 0.9: {ran.json['largest_k']}" in said.out
    none = indistinct("frontier", *asked(job), "--method", "optimal", "--max-loss", "0", "--k", "5")
    assert none.code == 1
    assert "no k was found" in none.out


def test_frontier_draws(indistinct, job):
    chart, out = job / "f.html", job / "f.json"
    ran = indistinct("frontier", *asked(job), "--points", 3, "--chart", chart, "--out", out)
    assert ran.code == 0
    assert "<svg" in chart.read_text()
    assert len(json.loads(out.read_text())["trials"]) == 3
    assert indistinct("frontier", *asked(job), "--max-loss", "7").code == 2


def test_a_wrong_k_of_the_curve_is_told_before_the_search(indistinct, job):
    out = job / "released.csv"
    report = ["--report", job / "r.html"]
    ran = indistinct("anonymize", *asked(job), "--out", out, *report, "--frontier", "1,x")
    assert ran.code == 2
    assert "frontier: 1 is not a possible k" in ran.err
    assert "frontier: 'x' is not a possible k" in ran.err
    assert not out.exists()
