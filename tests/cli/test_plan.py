"""`indistinct plan`: a first plan for a file, and a plan checked before it is run."""

from __future__ import annotations

import json

import pytest

from indistinct import Plan
from tests.cli.conftest import PEOPLE


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text(PEOPLE, encoding="utf-8")
    return tmp_path


def test_a_plan_is_suggested_checked_and_run(folder, indistinct):
    ran = indistinct("plan", "suggest", "in.csv", "--out", "plan.toml")
    assert (ran.code, ran.err) == (0, "")
    told = " ".join(ran.out.replace("│", " ").split())
    assert "zip quasi its name suggests a postal code" in told
    assert "disease sensitive its name suggests a matter of health" in told
    assert "look at: these are released as they are: disease" in told
    assert told.endswith("Read it, then: indistinct plan check plan.toml in.csv")
    ran = indistinct("plan", "check", "plan.toml", "in.csv")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("fine: 6 rows, method auto, k-anonymity (k = 5); l-diversity (dis")
    assert {path.name for path in folder.iterdir()} == {"in.csv", "plan.toml"}
    ran = indistinct("anonymize", "in.csv", "--plan", "plan.toml", "--out", "release.csv")
    assert (ran.code, ran.err) == (0, "")


def test_without_a_file_the_plan_alone_goes_to_standard_output(folder, indistinct):
    ran = indistinct("plan", "suggest", "in.csv")
    assert ran.code == 0
    (folder / "plan.toml").write_text(ran.out, encoding="utf-8")
    assert Plan.load(folder / "plan.toml").with_role("identifier") == ["name"]
    assert "look at: " in ran.err


def test_a_suggestion_as_json(folder, indistinct):
    told = indistinct("plan", "suggest", "in.csv", "--out", "plan.toml", "--json").json
    assert told["plan"] == (folder / "plan.toml").read_text(encoding="utf-8")
    assert told["columns"][2] == {
        "column": "age",
        "role": "quasi",
        "why": "its name suggests an age",
        "sure": True,
        "hierarchy": {"intervals": [5, 10, 20]},
    }


@pytest.mark.parametrize("name", ["plan.toml", "in.csv"])
def test_nothing_is_overwritten(folder, indistinct, name):
    (folder / "plan.toml").write_text("mine", encoding="utf-8")
    before = (folder / name).read_bytes()
    ran = indistinct("plan", "suggest", "in.csv", "--out", name)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"indistinct: {name}: ")
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.csv"], "there is no such file"),
        (["in.csv", "--out", "plan.json"], "a plan is written as TOML. Name a .toml file"),
        (["in.csv", "--out", "no/plan.toml"], "there is no folder"),
        (["in.csv", "--out", "."], "it is a folder"),
        (["in.csv", "--delimiter", ";"], "it looks separated by ','"),
        (["in.csv", "--delimiter", "ab"], "cannot separate fields"),
        (["in.csv", "--encoding", "klingon"], "there is no encoding 'klingon'"),
        (["empty.csv"], "the file is empty"),
        (["header.csv"], "it has a header and no rows"),
    ],
)
def test_what_cannot_be_looked_at(folder, indistinct, arguments, told):
    (folder / "empty.csv").write_text("", encoding="utf-8")
    (folder / "header.csv").write_text("age,sex\n", encoding="utf-8")
    before = sorted(folder.iterdir())
    ran = indistinct("plan", "suggest", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert sorted(folder.iterdir()) == before


def test_delimiter_and_encoding_go_into_the_plan(folder, indistinct):
    text = "größe|âge\n" + "".join(f"{150 + n}|{20 + n}\n" for n in range(30))
    (folder / "in.csv").write_bytes(text.encode("latin-1"))
    options = ("--encoding", "latin-1", "--delimiter", "|")
    assert indistinct("plan", "suggest", "in.csv", "--out", "plan.toml", *options).code == 0
    assert indistinct("plan", "check", "plan.toml", "in.csv").code == 0
    assert Plan.load("plan.toml").input.encoding == "latin-1"


def test_a_plan_as_it_is_checked(workshop):
    workshop.prepare()
    ran = workshop.command("plan", "check", workshop.plan_path, workshop.path("private.csv"))
    rows = [line.strip("│").split("│") for line in ran.out.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["name", "identifier", "-"],
        ["zip", "quasi", "3"],
        ["age", "quasi", "3"],
        ["marital", "quasi", "2"],
        ["disease", "sensitive", "-"],
    ]


def test_all_faults_are_told_at_once(workshop):
    workshop.plan["columns"]["salary"] = {"role": "sensitive"}
    workshop.plan["columns"]["name"]["pseudonym"] = {"kind": "keyed", "key": "none.key"}
    workshop.plan["columns"]["disease"] = {"role": "quasi", "hierarchy": {"intervals": [5]}}
    del workshop.plan["columns"]["age"]
    workshop.plan["require"][0]["k"] = 7
    workshop.marital = workshop.marital[1:]
    workshop.prepare()
    before = workshop.files()
    ran = workshop.command(
        "plan", "check", workshop.plan_path, workshop.path("private.csv"), "--json"
    )
    assert ran.code == 2
    problems = [f"{fault['place']}: {fault['problem']}" for fault in ran.json["faults"]]
    for told in (
        "data: no column 'salary', which the plan names",
        "data: columns that the plan does not name: age",
        "column 'marital': value 'married' (2 rows) is not in the hierarchy",
        "column 'disease': value 'flu' (3 rows) is not a number",
        "columns.name.pseudonym: key file",
        "requirement 'k-anonymity': k is 7, but the data has only 6 respondents",
    ):
        assert any(problem.startswith(told) for problem in problems), (told, problems)
    assert workshop.files() == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda plan: plan["columns"].pop("zip"),
        lambda plan: plan["columns"].update(zipp={"role": "quasi"}),
        lambda plan: plan["columns"]["age"].update(hierarchy={"dates": ["year"]}),
        lambda plan: plan["columns"]["age"].update(hierarchy={"intervals": [5, 7]}),
        lambda plan: plan["columns"]["age"].update(rolle="quasi"),
        lambda plan: plan["columns"]["marital"].update(publish="range"),
        lambda plan: plan["columns"]["marital"].update(range_as="mean"),
        lambda plan: plan["require"].append({"model": "l-diversity", "l": 4}),
        lambda plan: plan["require"].append(
            {"model": "alpha-k", "k": 2, "alpha": 0.5, "values": ["plague"]}
        ),
        lambda plan: plan["require"].append({"model": "t-closeness", "t": 5}),
        lambda plan: plan.update(require=[{"model": "k-anonymity", "k": 9}]),
        lambda plan: plan.update(input={"delimiter": ";"}),
        lambda plan: plan.update(publish="permutation"),
    ],
)
def test_it_tells_what_anonymize_tells(workshop, spoil):
    workshop.plan["method"] = {"name": "mondrian"}
    spoil(workshop.plan)
    refused = workshop.anonymize("--json")
    data = workshop.path("private.csv")
    ran = workshop.command("plan", "check", workshop.plan_path, data, "--json")
    assert (refused.code in {1, 2}, ran.code) == (True, 2)
    told = [json.dumps(fault) for fault in ran.json["faults"]]
    assert [fault for fault in map(json.dumps, refused.json["faults"]) if fault not in told] == []


def test_no_fault_follows_from_another(workshop):
    watched = {"model": "alpha-k", "k": 2, "alpha": 0.5, "values": ["flu"]}
    workshop.plan["require"] = [watched]
    workshop.data = PEOPLE.replace("disease", "illness")
    workshop.prepare()
    data = workshop.path("private.csv")
    told = workshop.command("plan", "check", workshop.plan_path, data, "--json").json["faults"]
    assert [fault["problem"] for fault in told] == [
        "no column 'disease', which the plan names",
        "columns that the plan does not name: illness",
    ]


def test_a_file_without_a_header_is_not_shown(workshop):
    workshop.data = PEOPLE.partition("\n")[2]
    workshop.prepare()
    ran = workshop.command("plan", "check", workshop.plan_path, workshop.path("private.csv"))
    assert ran.code == 2
    assert ran.err.startswith(
        "indistinct: data: no column that the plan names is there; it has 5 col"
    )
    assert "Ann" not in ran.err


def test_a_faulty_plan_and_a_file_that_is_not_there(workshop):
    workshop.plan["columns"]["age"]["role"] = "quasy"
    workshop.prepare()
    ran = workshop.command("plan", "check", workshop.plan_path, workshop.path("none.csv"))
    assert ran.code == 2
    assert "there is no 'quasy'" in ran.err
    assert "there is no such file" in ran.err
