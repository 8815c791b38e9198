"""The made-up hospital: its tables hold together, its resources say the same, seeds repeat it."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow.csv as pacsv
import pytest

from indistinct.datasets import (
    fhir_bundle,
    fhir_resources,
    hospital,
    hospital_hierarchies,
    hospital_layout,
    write_fhir,
    zipf_trees,
)
from indistinct.datasets.hospital import CLASSES, MOST_VISITS
from indistinct.datasets.hospital_codes import DIAGNOSES, MEDICINES, doses_of
from indistinct.trees import anonymize_file, assess
from tests.trees.growing import sets_of


@pytest.fixture(scope="module")
def tables():
    return hospital(400)


def column(table, name):
    return table[name].to_pylist()


def test_keys_hold_the_tables_together(tables):
    assert set(column(tables["visit"], "patient")) == set(column(tables["patient"], "patient"))
    visits = set(column(tables["visit"], "visit"))
    assert set(column(tables["diagnosis"], "visit")) == visits
    assert set(column(tables["prescription"], "visit")) <= visits


def test_people_have_one_to_six_stays_of_one_to_three_diagnoses(tables):
    stays = Counter(column(tables["visit"], "patient")).values()
    assert set(stays) == set(range(1, MOST_VISITS + 1))
    assert set(Counter(column(tables["diagnosis"], "visit")).values()) == {1, 2, 3}


def test_few_diagnoses_are_most_of_all(tables):
    counts = sorted(Counter(column(tables["diagnosis"], "icd")).values(), reverse=True)
    assert sum(counts[:10]) > sum(counts) / 2
    assert counts.count(1) > 5
    assert len(counts) > 60


def test_medicines_are_given_for_what_was_found(tables):
    given = {code: set(row[-1]) for code, row in DIAGNOSES.items()}
    of_visit = {}
    for visit, code in zip(*map(tables["diagnosis"].column, ("visit", "icd")), strict=True):
        of_visit.setdefault(visit.as_py(), set()).update(given[code.as_py()])
    for row in tables["prescription"].to_pylist():
        assert row["atc"] in of_visit[row["visit"]]
        assert row["dose"] in doses_of(row["atc"])


def test_the_same_seed_gives_the_same_hospital(tables):
    assert hospital(400) == tables
    assert hospital(400, seed=1) != tables


def test_codes_have_one_path_each():
    hierarchies = hospital_hierarchies()
    assert len({path[0] for path in hierarchies["icd"]["paths"]}) == len(DIAGNOSES)
    assert len({path[0] for path in hierarchies["atc"]["paths"]}) == len(MEDICINES)


def test_the_tables_can_be_read_and_released_by_their_layout(tmp_path):
    private, out = tmp_path / "private", tmp_path / "out"
    for folder in (private, out):
        folder.mkdir()
    for name, table in hospital(60).items():
        pacsv.write_csv(table, private / f"{name}.csv")
    plan = {
        "tree": {
            "format": "tables",
            "classes": list(CLASSES),
            "tables": hospital_layout(),
            "hierarchies": hospital_hierarchies(),
        },
        "require": [{"model": "k-m-n-anonymity", "k": 3, "m": 1}],
    }
    assert assess(private, plan).records == 60
    assert anonymize_file(private, plan, out).forest.size == 60


def test_resources_say_what_the_tables_say(tables):
    counts = Counter(resource["resourceType"] for resource in fhir_resources(400))
    assert counts == {
        "Patient": 400,
        "Encounter": tables["visit"].num_rows,
        "Condition": tables["diagnosis"].num_rows,
        "MedicationRequest": tables["prescription"].num_rows,
    }


def test_references_lead_to_resources():
    named = {f"{r['resourceType']}/{r['id']}": r for r in fhir_resources(30)}
    for resource in named.values():
        for key in ("subject", "encounter"):
            if key in resource:
                assert resource[key]["reference"] in named
        if "encounter" in resource:
            assert named[resource["encounter"]["reference"]]["subject"] == resource["subject"]


def test_bundles_and_lines_hold_the_same_resources(tmp_path):
    bundle = json.loads(write_fhir(tmp_path / "all.json", 20).read_text("utf-8"))
    lines = write_fhir(tmp_path / "all.ndjson", 20).read_text("utf-8").splitlines()
    assert bundle == fhir_bundle(20)
    assert [entry["resource"] for entry in bundle["entry"]] == list(map(json.loads, lines))


def test_zipf_trees_have_the_asked_size_and_repeat():
    forest = zipf_trees(2_000)
    assert forest.size == 2_000
    assert forest.nodes / forest.size == pytest.approx(4.5, abs=0.2)
    assert sets_of(zipf_trees(2_000)) == sets_of(forest)
    counts = np.sort(np.bincount(forest.label))[::-1]
    assert counts[:50].sum() > forest.nodes / 2
