"""A first plan for tree records: it reads them, names no value, and can be used as it is."""

from __future__ import annotations

import json
import tomllib

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from typer.testing import CliRunner

from indistinct.cli import app
from indistinct.datasets import fhir_bundle, fhir_resources, hospital, write_fhir
from indistinct.datasets.hospital_codes import DIAGNOSES, MEDICINES
from indistinct.errors import DataError, OutputError, PlanError
from indistinct.trees import anonymize, check_plan, suggest_plan
from indistinct.trees.suggesting.shapes import placed_below

NESTED = [
    {
        "name": {"first": "Ann", "family": "Smith"},
        "born": f"19{n % 50 + 30}-0{n % 9 + 1}-11",
        "by_id": {f"key-{n}-{m}": "x" for m in range(5)},
        "notes": f"Ann {n} came by bus and was seen by Dr. Quinn in the morning, {n} times over",
        "visits": [
            {
                "on": f"2023-0{n % 9 + 1}-0{m + 1}",
                "ward": "AB"[n % 2],
                "found": ["E11.9", "I10"][:m],
            }
            for m in range(1, 3)
        ],
    }
    for n in range(100)
]


def values_of(suggested):
    return {leaf.name: leaf for leaf in suggested.classes}


@pytest.mark.parametrize("kind", ["bundle", "lines", "resources", "one document"])
def test_resources_are_joined_by_the_references_they_have(kind, tmp_path):
    data = {
        "bundle": lambda: write_fhir(tmp_path / "all.json", 120),
        "lines": lambda: write_fhir(tmp_path / "all.ndjson", 120),
        "resources": lambda: list(fhir_resources(120)),
        "one document": lambda: fhir_bundle(120),
    }[kind]()
    suggested = suggest_plan(data)
    plan = suggested.plan()
    parents = {name: spec.parent for name, spec in plan.tree.resources.items()}
    below = dict.fromkeys(("Condition", "MedicationRequest"), "Encounter")
    assert parents == {"Patient": None, "Encounter": "Patient", **below}
    assert plan.tree.classes == (
        *("gender", "birth_date", "postal_code", "period_start", "period_end", "length"),
        *("condition", "medication", "dose_quantity"),
    )
    checked = check_plan(plan, data)
    assert checked.records == 120
    assert not checked.warnings


def test_the_plan_holds_names_and_no_value_of_the_data():
    text = suggest_plan(list(fhir_resources(120))).toml()
    for private in ("Ahrens", "Anna", "R7000", "female", "2022-", "p1", *DIAGNOSES, *MEDICINES):
        assert private not in text


def test_what_tells_who_somebody_is_makes_no_class():
    suggested = suggest_plan(NESTED)
    assert list(values_of(suggested)) == ["born", "on", "ward", "found"]
    text = suggested.toml()
    assert "#   name.first: it identifies somebody" in text
    assert "#   notes: " in text
    assert "key-" not in text
    assert "Quinn" not in text


def test_a_date_stands_for_an_object_and_codes_coarsen_by_their_beginnings():
    plan = tomllib.loads(suggest_plan(NESTED).toml())["tree"]
    assert plan["map"] == {
        "born": "born",
        "visits[]": {"class": "on", "value": "on"},
        "visits[].ward": "ward",
        "visits[].found[]": "found",
    }
    assert plan["hierarchies"]["found"] == {"mask": "right", "steps": [2, 4]}
    assert plan["hierarchies"]["born"] == {"dates": ["month", "year", "decade"]}
    assert anonymize(NESTED, suggest_plan(NESTED).plan()).forest.size == 100


def test_resources_without_a_reference_hang_below_their_person():
    resources = list(fhir_resources(60))
    conditions = [one for one in resources if one["resourceType"] == "Condition"]
    del conditions[0]["encounter"]
    plan = suggest_plan(resources).plan()
    assert plan.tree.resources["Condition"].orphans == "root"
    assert plan.tree.resources["Condition"].person == "subject.reference"
    assert check_plan(plan, resources).records == 60


def test_resources_of_nobody_are_left_out():
    others = [{"resourceType": "Location", "id": f"l{n}", "status": "ab"[n % 2]} for n in range(9)]
    suggested = suggest_plan([*fhir_resources(60), *others])
    assert "Location" not in suggested.plan().tree.resources
    assert any("left out: Location" in line for line in suggested.look_at)


def test_foreign_keys_of_tables_are_found_by_their_values(tmp_path):
    for name, table in hospital(200).items():
        pacsv.write_csv(table, tmp_path / f"{name}.csv")
    suggested = suggest_plan(tmp_path)
    tables = suggested.plan().tree.tables
    assert {name: (spec.parent, spec.foreign_key) for name, spec in tables.items()} == {
        "patient": (None, None),
        "visit": ("patient", "patient"),
        "diagnosis": ("visit", "visit"),
        "prescription": ("visit", "visit"),
    }
    assert tables["visit"].columns == ("date", ("stay",))
    assert check_plan(suggested.plan(), tmp_path).records == 200
    assert suggest_plan(hospital(200)).plan().tree.classes == suggested.plan().tree.classes


def test_keys_have_other_names_and_rows_without_a_parent_are_told():
    people = pa.table({"id": list(range(40)), "sex": ["m", "f"] * 20})
    stays = pa.table({"person_id": [*range(39), 99], "ward": ["a", "b"] * 20})
    suggested = suggest_plan({"person": people, "stays": stays})
    spec = suggested.plan().tree.tables["stays"]
    assert (spec.parent, spec.foreign_key, spec.orphans) == ("person", "person_id", "drop")
    checked = check_plan(suggested.plan(), {"person": people, "stays": stays})
    assert checked.warnings[0].startswith("1 row of table 'stays' left out")


def test_of_two_tables_with_the_same_keys_one_stands_above():
    people = pa.table({"person": list(range(40)), "sex": ["m", "f"] * 20})
    homes = pa.table({"person": list(range(40)), "zip": [f"1010{n % 9}" for n in range(40)]})
    for frames in ({"person": people, "homes": homes}, {"homes": homes, "person": people}):
        tables = suggest_plan(frames).plan().tree.tables
        assert {name: spec.parent for name, spec in tables.items()} == {
            "person": None,
            "homes": "person",
        }


def test_tables_that_do_not_hang_together_are_told():
    with pytest.raises(DataError, match="no column of a table holds the keys of another"):
        suggest_plan({"a": pa.table({"x": [1, 2]}), "b": pa.table({"y": [5, 6]})})


def test_circles_of_references_are_cut():
    parents = placed_below({"P": {}, "A": {"B": 2, "P": 1}, "B": {"A": 2}})
    assert parents == {"P": None, "A": "P", "B": "A"}
    assert placed_below({"A": {"B": 1}, "B": {"A": 1}}) == {"A": None, "B": "A"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[]", "it has no records"),
        ('[{"name": "Ann"}, 5]', "record 2: it is not a JSON object"),
        ('{"name": "Ann"}\n{"name": }\n', "line 2: it is not JSON"),
        ('{"name": "Ann"}\n', "no value in it could make a class"),
    ],
)
def test_data_without_a_plan_is_told(tmp_path, text, what):
    path = tmp_path / "in.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        suggest_plan(path)
    assert what in str(caught.value)
    assert "Ann" not in str(caught.value)


def test_a_plan_is_written_once_and_never_over_another(tmp_path):
    path, out = write_fhir(tmp_path / "all.json", 60), tmp_path / "plan.toml"
    suggest_plan(path, out=out)
    with pytest.raises(OutputError):
        suggest_plan(path, out=out)
    with pytest.raises(OutputError, match="a plan is written as TOML"):
        suggest_plan(path, out=tmp_path / "plan.json")


def test_check_tells_faults_of_plan_and_data_at_once(tmp_path):
    plan = suggest_plan(list(fhir_resources(60))).plan()
    content = plan.model_dump(mode="json", by_alias=True, exclude_unset=True)
    content["tree"]["hierarchies"]["length"] = {"intervals": [5, 7]}
    resources = list(fhir_resources(60))
    resources[-1]["encounter"] = None
    with pytest.raises(PlanError) as caught:
        check_plan(content, resources)
    assert "class 'length'" in str(caught.value)
    assert "'encounter.reference' leads to no 'Encounter'" in str(caught.value)
    with pytest.raises(PlanError, match="k is 5, but there are only 3 records"):
        check_plan(plan, list(fhir_resources(3)))


def test_check_warns_of_what_will_be_lost_or_told():
    people = [{"id_number": f"A{n:05}", "town": f"town {n % 40}"} for n in range(200)]
    people[0]["rare"] = "x"
    plan = {
        "tree": {
            "classes": ["id_number", "town", "rare", "never"],
            "map": {name: name for name in ("id_number", "town", "rare", "never")},
        },
        "require": [{"model": "k-m-n-anonymity", "k": 5, "m": 1}],
    }
    told = " | ".join(check_plan(plan, people).warnings)
    assert "class 'id_number' looks like an identifier" in told
    assert "class 'town' has 40 values and no hierarchy" in told
    assert "class 'rare' is in fewer than k records" in told
    assert "class 'never' has no nodes" in told


def test_the_command_suggests_checks_and_releases(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_fhir(tmp_path / "export.json", 80)
    run = CliRunner()
    first = run.invoke(app, ["tree", "suggest", "export.json", "--out", "plan.toml"])
    assert first.exit_code == 0, first.output
    assert "indistinct tree check plan.toml export.json" in first.output
    shown = run.invoke(app, ["tree", "suggest", "export.json", "--json"])
    assert json.loads(shown.stdout)["records"] == 80
    printed = run.invoke(app, ["tree", "suggest", "export.json"])
    assert tomllib.loads(printed.stdout)["tree"]["classes"]
    checked = run.invoke(app, ["tree", "check", "plan.toml", "export.json"])
    assert checked.exit_code == 0, checked.output
    assert "fine: 80 records" in checked.output
    as_json = run.invoke(app, ["tree", "check", "plan.toml", "export.json", "--json"])
    assert json.loads(as_json.stdout)["classes"][0]["name"] == "gender"
    args = ["tree", "anonymize", "export.json", "--plan", "plan.toml", "--out", "release.jsonl"]
    assert run.invoke(app, args).exit_code == 0
    assert (
        run.invoke(app, ["tree", "verify", "release.jsonl", "--plan", "plan.toml"]).exit_code == 0
    )


def test_a_folder_without_tables(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(DataError, match="there are no tables"):
        suggest_plan(tmp_path)
