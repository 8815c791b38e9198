"""JSON that is not ours: paths to classes, documents, Bundles, resources that point to others."""

from __future__ import annotations

import gzip
import json
from collections import Counter

import pyarrow.csv as pacsv
import pytest

from indistinct.datasets import fhir_bundle, fhir_resources, hospital, hospital_layout, write_fhir
from indistinct.datasets.hospital import CLASSES
from indistinct.errors import DataError, DoesNotHoldError, PlanError
from indistinct.trees import TreePlan, anonymize, anonymize_file, verify
from indistinct.trees.files import opened
from tests.trees.growing import as_set, sets_of

K2 = [{"model": "k-m-n-anonymity", "k": 2, "m": 1}]
NESTED = {
    "classes": ["town", "day", "icd"],
    "map": {
        "home.town": "town",
        "visits[]": {"class": "day", "value": "on"},
        "visits[].found[].codes[0]": "icd",
    },
}
ANN = {
    "name": "Ann Smith",
    "home": {"town": "Rome", "street": None},
    "visits": [
        {"on": "Monday", "found": [{"codes": ["E11", "x"]}, {"codes": ["I10"]}, {"codes": []}]},
        {"on": None, "found": [{"codes": ["J00"]}]},
        None,
    ],
}
ANN_NODES = [
    ("town", "Rome", []),
    ("day", "Monday", [("icd", "E11", []), ("icd", "I10", [])]),
    ("icd", "J00", []),
]
FHIR = {
    "classes": list(CLASSES),
    "map": {
        "Patient.address[].postalCode": "zip",
        "Patient.birthDate": "birth_date",
        "Patient.gender": "sex",
        "Encounter": {"class": "date", "value": "period.start"},
        "Encounter.length.value": "stay",
        "Condition.code.coding[0].code": "icd",
        "MedicationRequest": {
            "class": "atc",
            "value": "medicationCodeableConcept.coding[0].code",
        },
        "MedicationRequest.dosageInstruction[].doseAndRate[].doseQuantity.value": "dose",
    },
    "resources": {
        "Patient": {},
        "Encounter": {"parent": "Patient", "reference": "subject.reference"},
        "Condition": {"parent": "Encounter", "reference": "encounter.reference"},
        "MedicationRequest": {"parent": "Encounter", "reference": "encounter.reference"},
    },
}


def plan_of(tree, **changes):
    return TreePlan.load({"tree": {**tree, **changes}, "require": K2})


def told(tree, records, **changes):
    with pytest.raises(DataError) as caught:
        opened(records, plan_of(tree, **changes))
    return str(caught.value)


def test_paths_lead_to_classes_and_objects_to_nodes_that_others_hang_below():
    [record] = sets_of(opened([ANN], plan_of(NESTED)))
    assert record == as_set(ANN_NODES)


def test_the_path_of_the_issue_reads_a_bundle_for_each_person():
    entries = [{"resource": {"code": {"coding": [{"code": code}]}}} for code in ("E11", "I10")]
    bundle = {"resourceType": "Bundle", "entry": [*entries, {"resource": {"id": "p"}}]}
    tree = {"classes": ["icd"], "map": {"entry[].resource.code.coding[0].code": "icd"}}
    records = sets_of(opened([bundle, bundle], plan_of(tree)))
    assert records == [as_set([("icd", "E11", []), ("icd", "I10", [])])] * 2
    assert "it is one Bundle" in told(tree, [bundle])


def test_elements_of_an_array_can_be_chosen_by_a_member():
    codes = [{"system": "icd", "code": "E11"}, {"system": "snomed", "code": "73211009"}]
    tree = {"classes": ["icd"], "map": {"codes[system=icd].code": "icd"}}
    [record] = sets_of(opened([{"codes": codes}], plan_of(tree)))
    assert record == as_set([("icd", "E11", [])])


@pytest.mark.parametrize("name", ["in.json", "in.jsonl", "in.json.gz"])
@pytest.mark.parametrize(
    ("text", "records"),
    [
        (json.dumps([ANN, ANN]), None),
        (json.dumps([ANN, ANN], indent=2), None),
        (json.dumps({"people": [ANN, ANN]}), "people[]"),
        (json.dumps(ANN) + "\n" + json.dumps(ANN) + "\n", None),
    ],
    ids=["array", "pretty", "path", "lines"],
)
def test_records_stand_on_lines_in_arrays_or_at_a_path(tmp_path, name, text, records):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    forest = opened(path, plan_of(NESTED, records=records))
    assert sets_of(forest) == [as_set(ANN_NODES)] * 2


def test_our_own_records_may_stand_in_an_array_too(tmp_path):
    path = tmp_path / "in.json"
    path.write_text(json.dumps([{"town": "Rome"}, {"town": ["Rome", "Pisa"]}], indent=1))
    assert opened(path, plan_of({"classes": ["town"]})).nodes == 3
    path.write_text(json.dumps({"data": [{"town": "Rome"}]}))
    assert opened(path, plan_of({"classes": ["town"]}, records="data[]")).nodes == 1


def test_entities_group_without_a_value_of_their_own(tmp_path):
    tree = {
        "classes": ["visit", "icd"],
        "entities": ["visit"],
        "map": {"visits[]": "visit", "visits[].icd": "icd"},
    }
    people = [{"visits": [{"icd": "E11"}, {"icd": "I10"}]}, {"visits": {"icd": "E11"}}] * 2
    first, second = sets_of(opened(people[:2], plan_of(tree)))
    assert first == as_set([("visit", "visit", [("icd", "E11", []), ("icd", "I10", [])])])
    assert second == as_set([("visit", "visit", [("icd", "E11", [])])])
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(person) + "\n" for person in people))
    plan = plan_of(tree)
    release = anonymize_file(source, plan, out, certificate=tmp_path / "c.json")
    assert release.summary()["measures"]["values_exact"] == 1
    assert verify(out, plan).records == 4
    assert verify(out, certificate=tmp_path / "c.json").records == 4
    as_xml = tmp_path / "out.xml"
    anonymize_file(source, plan, as_xml)
    assert verify(as_xml, plan).records == 4
    told = as_xml.read_text("utf-8").replace('<visit value="visit">', '<visit value="Ann">', 1)
    as_xml.write_text(told, "utf-8")
    with pytest.raises(DoesNotHoldError, match="Ann"):
        verify(as_xml, plan)


@pytest.mark.parametrize("kind", ["bundle", "ndjson", "patient bundles", "python"])
def test_resources_make_the_records_that_tables_make(tmp_path, kind):
    for name, table in hospital(60).items():
        pacsv.write_csv(table, tmp_path / f"{name}.csv")
    tables = {"classes": CLASSES, "format": "tables", "tables": hospital_layout()}
    wanted = sets_of(opened(tmp_path, plan_of(tables)))
    if kind == "bundle":
        source = write_fhir(tmp_path / "all.json", 60)
    elif kind == "ndjson":
        source = write_fhir(tmp_path / "all.ndjson", 60)
    elif kind == "patient bundles":
        source = tmp_path / "all.jsonl"
        source.write_text(json.dumps(fhir_bundle(60)) + "\n")
    else:
        source = list(fhir_resources(60))
    assert Counter(sets_of(opened(source, plan_of(FHIR)))) == Counter(wanted)


def test_the_order_of_resources_does_not_matter():
    resources = list(fhir_resources(30))
    there, back = (sets_of(opened(r, plan_of(FHIR))) for r in (resources, resources[::-1]))
    assert there == back[::-1]


def test_a_mapped_release_is_read_as_our_own_records(tmp_path):
    source, out = write_fhir(tmp_path / "all.json", 20), tmp_path / "out.jsonl"
    plan = plan_of(FHIR)
    release = anonymize_file(source, plan, out)
    assert verify(out, plan).records == release.forest.size == 20
    text = out.read_text("utf-8")
    assert "Ahrens" not in text
    assert "Patient" not in text
    assert anonymize(list(fhir_resources(20)), plan).forest.size == 20


def person(**more):
    return {"resourceType": "Patient", "id": "secret-7", "gender": "female", **more}


def encounter(**more):
    return {
        "resourceType": "Encounter",
        "id": "secret-8",
        "period": {"start": "2022-01-01"},
        "subject": {"reference": "Patient/secret-7"},
        **more,
    }


SMALL = {
    "classes": ["sex", "date"],
    "map": {"Patient.gender": "sex", "Encounter.period.start": "date"},
    "resources": {
        "Patient": {},
        "Encounter": {"parent": "Patient", "reference": "subject.reference"},
    },
}
UNKNOWN = {"reference": "Patient/secret-9"}


def small(**changes):
    return {
        **SMALL,
        "resources": {"Patient": {}, "Encounter": {**SMALL["resources"]["Encounter"], **changes}},
    }


@pytest.mark.parametrize(
    ("resources", "what"),
    [
        ([person(), encounter(subject=UNKNOWN)], "record 2: 'subject.reference' leads to no"),
        ([person(), encounter(subject=None)], "record 2: 'subject.reference' leads to no"),
        ([person(), encounter(subject={"reference": "Group/secret-7"})], "leads to no 'Patient'"),
        ([person(), person()], "record 2: 'id' is that of an earlier one"),
        ([person(id=None), encounter(id={})], "record 1: there is no 'id'"),
        ([encounter()], "none of 1 resources is a 'Patient'"),
        ([person(gender={"text": "secret-f"})], "at 'gender' there is an object"),
        ([person(gender=float("nan"))], "at 'gender' there is an object, an array or no finite"),
        ([person(), "secret-text"], "record 2: it is not a JSON object"),
    ],
)
def test_resources_that_do_not_fit_are_told_by_place_and_without_a_value(resources, what):
    text = told(SMALL, resources)
    assert what in text
    assert "secret" not in text


def test_all_faults_are_told_at_once():
    bad = [person(), person(), encounter(id=None), encounter(), encounter()]
    text = told(SMALL, bad)
    assert "resources 'Patient': record 2" in text
    assert "resources 'Encounter': record 3" in text
    assert "resources 'Encounter': record 5" in text


def test_orphans_may_be_dropped_and_the_release_says_so():
    people = [person(id=str(n)) for n in range(3)]
    resources = [*people, encounter(subject=UNKNOWN), encounter(id="x", subject=None)]
    plan = plan_of(small(orphans="drop"))
    assert opened(resources, plan).nodes == 3
    [note, *_] = anonymize(resources, plan).summary()["warnings"]
    assert note == "2 resources 'Encounter' left out: 'subject.reference' leads to no 'Patient'"


def test_orphans_may_hang_at_the_root_and_are_never_a_person_of_their_own():
    tree = {
        "classes": ["date", "icd"],
        "map": {"Encounter": {"class": "date", "value": "period.start"}, "Condition.code": "icd"},
        "resources": {
            "Patient": {},
            "Encounter": {"parent": "Patient", "reference": "subject.reference"},
            "Condition": {
                "parent": "Encounter",
                "reference": "encounter.reference",
                "orphans": "root",
                "person": "subject.reference",
            },
        },
    }
    subject = {"reference": "https://here/Patient/secret-7/_history/3"}
    condition = {"resourceType": "Condition", "id": "c", "code": "E11", "subject": subject}
    [record] = sets_of(opened([person(), encounter(), condition], plan_of(tree)))
    assert record == as_set([("date", "2022-01-01", []), ("icd", "E11", [])])
    inside = {**condition, "encounter": {"reference": "urn:uuid:secret-8"}}
    [record] = sets_of(opened([person(), encounter(), inside], plan_of(tree)))
    assert record == as_set([("date", "2022-01-01", [("icd", "E11", [])])])
    assert "to nobody" in told(tree, [person(), {**condition, "subject": UNKNOWN}])


def test_broken_documents_are_told_with_their_place(tmp_path):
    path = tmp_path / "in.json"
    path.write_text('[\n{"home": {"town": "Rome"}},\n{"home": }\n]')
    assert "not JSON: expecting value at line 3, column 10" in told(NESTED, path)
    path.write_text("[" * 100_000)
    assert "nested too deeply" in told(NESTED, path)
    path.write_text('[{"home": {"town": 1e400}}, {"home": {"town": {}}}, 5]')
    text = told(NESTED, path)
    assert [f"record {n}" in text for n in (1, 2, 3)] == [True] * 3
    path.write_text('{"home": {"town": "Rome", "town": "Pisa"}}\n')
    assert "line 1: key 'town' occurs twice" in told(NESTED, path)
    path.write_text("[]")
    assert "it has no records" in told(NESTED, path)
    assert "there is no such file" in told(NESTED, tmp_path / "no.json")


def test_deep_and_huge_values_are_read_or_told():
    deep = "x"
    for _ in range(5_000):
        deep = {"home": deep}
    assert opened([{"home": {"town": "Rome"}, "visits": deep}], plan_of(NESTED)).nodes == 1
    [record] = sets_of(opened([{"home": {"town": 10**300}}], plan_of(NESTED)))
    assert record == as_set([("town", "1" + "0" * 300, [])])


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"map": {"home..town": "town"}}, "'home..town' is not a path: character 5 fits nothing"),
        ({"map": {"home.town": "city"}}, "'home.town' leads to 'city', which is not a class"),
        ({"map": {"home.town": "town"}}, "no path leads to class 'day'"),
        ({"records": "a["}, "tree.records: 'a[' is not a path"),
        ({"format": "xml"}, 'set format = "jsonl"'),
        ({"unlisted": "error"}, "with a map, only what it names is read"),
        ({"entities": ["visit"]}, "there is no class 'visit'"),
        ({"entities": ["town", "day", "icd"]}, "there is nothing to publish"),
        ({"entities": ["day"], "sensitive": ["day"]}, "'day' has no values"),
        ({"resources": {"A": {}, "B": {}}}, "2 resources have no parent: A, B"),
        ({"resources": {"A": {"parent": "A", "reference": "x"}}}, "in a circle: A -> A"),
        ({"resources": {"A": {"parent": "Z", "reference": "x"}}}, "there is no resource 'Z'"),
        ({"resources": {"A": {}, "B": {"parent": "A"}}}, "parent and reference go together"),
        (
            {"resources": {"A": {}, "B": {"parent": "A", "reference": "x", "orphans": "root"}}},
            'orphans = "root" needs person',
        ),
        ({"resources": {"A": {}}}, "'home.town' begins with none of the resources A"),
    ],
)
def test_a_map_that_cannot_be_is_told_before_any_data(changes, what):
    with pytest.raises(PlanError) as caught:
        plan_of(NESTED, **changes)
    assert what in str(caught.value)
