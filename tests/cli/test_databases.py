"""The command on tables of databases: every verb takes an address where it takes a path."""

from __future__ import annotations

import json

import pytest

from tests.io.databases.conftest import PEOPLE, PLAN, Place, fill
from tests.services.postgres import SECRET


@pytest.fixture(
    params=[pytest.param("postgresql", marks=pytest.mark.services("postgresql")), "duckdb"]
)
def place(request, tmp_path):
    if request.param == "duckdb":
        made = Place("duckdb", tmp_path)
    else:
        server, schema = (request.getfixturevalue(name) for name in ("server", "schema"))
        made = Place("postgresql", tmp_path, server, schema)
    fill(made)
    return made


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(PLAN))
    return path


def test_every_verb_takes_a_table(place, plan, tmp_path, indistinct):
    people, release = place.url("people"), place.url("release")
    certificate, recoding = tmp_path / "c.json", tmp_path / "recoding.json"
    suggested = tmp_path / "plan.toml"
    ran = indistinct("plan", "suggest", people, "--out", suggested)
    assert (ran.code, "zip" in suggested.read_text()) == (0, True)
    assert f"'{people}'" in ran.out  # quoted, for a shell
    assert indistinct("plan", "check", plan, people).code == 0
    ran = indistinct(
        *("anonymize", people, "--plan", plan, "--out", release),
        *("--certificate", certificate, "--recoding", recoding),
    )
    assert (ran.code, ran.err) == (0, "")
    assert f"-> {release}" in ran.out.replace("\n", "")
    assert indistinct("verify", release, "--certificate", certificate).code == 0
    assert indistinct("verify", release, "--plan", plan, "--against", release).code in {0, 1}
    assert indistinct("assess", people, "--plan", plan, "--release", release, "--json").json["rows"]
    attacked = ("attack", release, people, "--plan", plan, "--on", "zip", "--json")
    assert indistinct(*attacked).code == 0
    assert (
        indistinct("compare", people, "--plan", plan, "--k", "2", "--methods", "optimal").code == 0
    )
    hierarchy = tmp_path / "zip.csv"
    assert (
        indistinct("hierarchy", "suggest", people, "--column", "zip", "--out", hierarchy).code == 0
    )
    check = ("hierarchy", "check", hierarchy, "--data", people, "--column", "zip")
    assert indistinct(*check).code == 0
    later = place.url("later")
    assert indistinct("apply", recoding, people, "--out", later).code == 0
    assert "later" in place.names()


def test_faults_have_exit_code_2_and_one_message(place, plan, tmp_path, indistinct):
    ran = indistinct("anonymize", place.url("peopel"), "--plan", plan, "--out", tmp_path / "x.csv")
    assert (ran.code, ran.out) == (2, "")
    assert "Closest: 'people'" in ran.err
    ran = indistinct("assess", "postgresql://ann:hunter2@host/db?table=t", "--json")
    assert (ran.code, "hunter2" in ran.out + ran.err) == (2, False)
    (fault,) = ran.json["faults"]
    assert fault["problem"] == "the address contains a password"


@pytest.mark.services("postgresql")
def test_an_address_with_a_password_in_the_environment(
    server, schema, plan, monkeypatch, indistinct
):
    fill(Place("postgresql", plan.parent, server, schema))
    server.run(
        f"GRANT USAGE, CREATE ON SCHEMA {schema} TO needs_password",
        f"GRANT SELECT ON {schema}.people TO needs_password",
    )
    monkeypatch.setenv("OURS", server.url(user=f"needs_password:{SECRET}"))
    source, out = f"env:OURS?table={schema}.people", f"env:OURS?table={schema}.release"
    ran = indistinct("anonymize", source, "--plan", plan, "--out", out)
    assert (ran.code, SECRET in ran.out + ran.err) == (0, False)
    ran = indistinct("anonymize", source, "--plan", plan, "--out", source)
    assert (ran.code, SECRET in ran.out + ran.err) == (2, False)
    assert PEOPLE.num_rows == server.run(f"SELECT count(*) FROM {schema}.people")[0][0]
