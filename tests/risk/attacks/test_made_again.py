"""Attacks that ask how the method decides, on a file: the release is made again by its plan."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

from indistinct import anonymize, anonymize_file, attack, verify
from indistinct.cli import app
from indistinct.errors import DataError

HALF = {"model": "alpha-k", "alpha": 0.5, "k": 2, "values": ["HIV"]}
SIX = pa.table({"q": ["q1"] * 2 + ["q2"] * 4, "d": ["HIV"] * 2 + ["none"] * 4})
PLAN = {
    "columns": {"q": {"role": "quasi", "hierarchy": "flat"}, "d": {"role": "sensitive"}},
    "require": [HALF],
    "method": {"name": "mondrian"},
    "seed": 1,
}


@pytest.fixture
def files(tmp_path):
    pyarrow.csv.write_csv(SIX, tmp_path / "private.csv")
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    anonymize_file(tmp_path / "private.csv", tmp_path / "plan.json", tmp_path / "release.csv")
    return tmp_path


@pytest.mark.parametrize("name", ["minimality", "downcoding", "definetti"])
def test_a_file_is_attacked_as_the_release_that_was_made(files, name):
    expected = attack(anonymize(SIX, PLAN), only=[name]).as_json()
    found = attack(
        files / "release.csv",
        plan=files / "plan.json",
        private=files / "private.csv",
        only=[name],
    ).as_json()
    assert found == expected


def test_by_the_command(files):
    arguments = ["--plan", "plan.json", "--private", "private.csv", "--only", "minimality"]
    paths = [str(files / a) if "." in a else a for a in ["release.csv", *arguments]]
    ran = CliRunner().invoke(app, ["attack", *paths])
    assert ran.exit_code == 0, ran.output
    assert "minimality (d): " in ran.output
    assert "in 15 ways" in ran.output


@pytest.mark.parametrize(
    ("seed", "words"), [(None, "its plan has no seed"), (1, "give other rows than those")]
)
def test_another_release_is_refused(files, seed, words):
    private = SIX.slice(0, 5) if seed else SIX
    with pytest.raises(DataError, match=words):
        attack(
            files / "release.csv", plan=PLAN | {"seed": seed}, private=private, only=["minimality"]
        )


def test_without_the_private_table_it_says_what_is_missing(files):
    with pytest.raises(DataError, match="the private table and the plan with its seed"):
        attack(files / "release.csv", plan=PLAN, only=["downcoding"])


# --- verify says which attacks were tried --------------------------------------------------------


def test_verify_tells_of_attacks_from_the_release_alone(files):
    checked = verify(files / "release.csv", PLAN, attacks=True)
    assert checked.holds
    assert {"homogeneity", "skewness"} <= {tried.attack for tried in checked.attacks}
    assert checked.not_tried["linking"] == "an external table"
    assert "seed" in checked.not_tried["minimality"]
    assert verify(files / "release.csv", PLAN).attacks == ()


def test_verify_makes_the_release_again_with_the_private_table(files):
    checked = verify(files / "release.csv", PLAN, private=files / "private.csv", attacks=True)
    ended = {tried.attack: tried.succeeded for tried in checked.attacks}
    assert ended["minimality"] is True
    assert checked.holds  # an attack that succeeds decides nothing of what the plan promises


def test_verify_tells_them_by_the_command(files):
    paths = [str(files / "release.csv"), "--plan", str(files / "plan.json"), "--attacks"]
    ran = CliRunner().invoke(app, ["verify", *paths])
    assert ran.exit_code == 0, ran.output
    assert "attack homogeneity (d): fails" in ran.output
    assert "attack linking: not tried, it lacks an external table" in ran.output
    told = json.loads(CliRunner().invoke(app, ["verify", *paths, "--json"]).stdout)
    assert {tried["attack"] for tried in told["attacks"]} >= {"homogeneity"}
    assert "linking" in told["not_tried"]
