"""The patients of the made-up hospital as FHIR resources: Patient, Encounter, Condition, medicines.

Resources point to each other: a condition to its encounter and its patient by references such as
``Patient/p17``. Names, record numbers and nulls are in them, as in any export.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from indistinct.datasets.hospital import hospital

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Resource = dict[str, Any]
_FAMILIES = ("Ahrens", "Bauer", "Carstens", "Dietz", "Ebert", "Fuchs", "Graf", "Hahn", "Iversen")
_GIVEN = {"female": ("Anna", "Birte", "Clara", "Dora"), "male": ("Arne", "Bernd", "Carl", "Dirk")}
_ICD, _ATC = "http://hl7.org/fhir/sid/icd-10", "http://www.whocc.no/atc"


def fhir_resources(patients: int = 400, *, seed: int = 0) -> Iterator[Resource]:
    """Yield the resources, patients first.

    Parameters
    ----------
    patients
        How many people there are.
    seed
        Same seed, same resources.

    Examples
    --------
    >>> next(fhir_resources(3))["id"]
    'p1'
    """
    tables = {name: table.to_pylist() for name, table in hospital(patients, seed=seed).items()}
    owner = {row["visit"]: row["patient"] for row in tables["visit"]}
    yield from map(_patient, tables["patient"])
    yield from map(_encounter, tables["visit"])
    for number, row in enumerate(tables["diagnosis"], start=1):
        yield _condition(number, row, owner[row["visit"]])
    for number, row in enumerate(tables["prescription"], start=1):
        yield _request(number, row, owner[row["visit"]])


def fhir_bundle(patients: int = 400, *, seed: int = 0) -> Resource:
    """Return all resources as one Bundle."""
    entries = [{"resource": resource} for resource in fhir_resources(patients, seed=seed)]
    return {"resourceType": "Bundle", "type": "collection", "entry": entries}


def write_fhir(path: Path, patients: int = 400, *, seed: int = 0) -> Path:
    """Write a Bundle, or a resource per line if the file is called ``.ndjson``."""
    with path.open("w", encoding="utf-8") as handle:
        if path.suffix == ".ndjson":
            for resource in fhir_resources(patients, seed=seed):
                handle.write(json.dumps(resource) + "\n")
        else:
            handle.write(json.dumps(fhir_bundle(patients, seed=seed)))
    return path


def _patient(row: dict[str, Any]) -> Resource:
    number, sex = row["patient"], row["sex"]
    given = _GIVEN[sex][number % len(_GIVEN[sex])]
    return {
        "resourceType": "Patient",
        "id": f"p{number}",
        "identifier": [{"system": "urn:made-up:record", "value": f"R{700_000 + 7 * number}"}],
        "active": True,
        "name": [{"family": _FAMILIES[number % len(_FAMILIES)], "given": [given]}],
        "gender": sex,
        "birthDate": row["birth_date"].isoformat(),
        "deceasedBoolean": None,
        "address": [{"postalCode": row["zip"]}],
    }


def _encounter(row: dict[str, Any]) -> Resource:
    end = row["date"] + timedelta(days=row["stay"])
    return {
        "resourceType": "Encounter",
        "id": f"e{row['visit']}",
        "status": "finished",
        "subject": {"reference": f"Patient/p{row['patient']}"},
        "period": {"start": row["date"].isoformat(), "end": end.isoformat()},
        "length": {"value": row["stay"], "unit": "d"},
    }


def _condition(number: int, row: dict[str, Any], patient: int) -> Resource:
    return {
        "resourceType": "Condition",
        "id": f"c{number}",
        **_pointing(row, patient),
        "code": {"coding": [{"system": _ICD, "code": row["icd"]}]},
    }


def _request(number: int, row: dict[str, Any], patient: int) -> Resource:
    dose = float(row["dose"])
    quantity = {"value": int(dose) if dose.is_integer() else dose, "unit": "mg"}
    return {
        "resourceType": "MedicationRequest",
        "id": f"m{number}",
        "status": "completed",
        "intent": "order",
        **_pointing(row, patient),
        "medicationCodeableConcept": {"coding": [{"system": _ATC, "code": row["atc"]}]},
        "dosageInstruction": [{"doseAndRate": [{"doseQuantity": quantity}]}],
    }


def _pointing(row: dict[str, Any], patient: int) -> Resource:
    return {
        "subject": {"reference": f"Patient/p{patient}"},
        "encounter": {"reference": f"Encounter/e{row['visit']}"},
    }
