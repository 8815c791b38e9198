"""Patients of a made-up hospital in four tables: who they are, their stays, what was found, given.

Diagnoses follow Zipf's law over a hundred codes cut down from ICD-10; a medicine is one that
is given for a diagnosis of its stay. People have one to six stays, a stay one to three diagnoses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.datasets.hospital_codes import (
    DIAGNOSES,
    MEDICINES,
    atc_ladder,
    doses_of,
    icd_ladder,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

CLASSES = ("zip", "birth_date", "sex", "date", "stay", "icd", "atc", "dose")
MOST_VISITS = 6
_VISITS = (0.38, 0.26, 0.16, 0.10, 0.06, 0.04)
_ZIPF = 1.1
_TOWNS = (("201", 8), ("202", 6), ("207", 5), ("224", 4), ("227", 4), ("253", 3))
_FIRST_DAY, _DAYS = np.datetime64("2022-01-01"), 730
_BORN_AT_MOST, _MOST_DAYS_OLD = np.datetime64("2021-12-31"), 95 * 365


def hospital(patients: int = 400, *, seed: int = 0) -> dict[str, pa.Table]:
    """Return the tables ``patient``, ``visit``, ``diagnosis`` and ``prescription``.

    Parameters
    ----------
    patients
        How many people there are.
    seed
        Same seed, same tables.

    Examples
    --------
    >>> {name: table.column_names for name, table in hospital(10).items()}["visit"]
    ['visit', 'patient', 'date', 'stay']
    >>> hospital(10)["patient"].num_rows
    10
    """
    draw = np.random.default_rng(seed)
    people = np.arange(1, patients + 1)
    of_patient = np.repeat(people, draw.choice(MOST_VISITS, patients, p=_VISITS) + 1)
    visits = np.arange(1, of_patient.size + 1)
    of_visit, code = _diagnoses(visits, of_patient, draw)
    return {
        "patient": _patients(people, draw),
        "visit": _visits(visits, of_patient, draw),
        "diagnosis": pa.table({"visit": of_visit, "icd": _taken(tuple(DIAGNOSES), code)}),
        "prescription": _prescriptions(of_visit, code, draw),
    }


def hospital_layout() -> dict[str, dict[str, Any]]:
    """Return the ``[tree.tables]`` section that reads the four tables as CSV files."""
    below = {"parent": "visit", "foreign_key": "visit"}
    return {
        "patient": {
            "file": "patient.csv",
            "key": "patient",
            "columns": [["zip", "birth_date", "sex"]],
        },
        "visit": {
            "file": "visit.csv",
            "key": "visit",
            "parent": "patient",
            "foreign_key": "patient",
            "columns": ["date", ["stay"]],
        },
        "diagnosis": {"file": "diagnosis.csv", **below, "columns": ["icd"]},
        "prescription": {"file": "prescription.csv", **below, "columns": ["atc", "dose"]},
    }


def hospital_hierarchies() -> dict[str, Any]:
    """Return hierarchies for the classes, as the ``[tree.hierarchies]`` section of a plan."""
    return {
        "zip": {"mask": "right"},
        "birth_date": {"dates": ["month", "year", "decade"]},
        "date": {"dates": ["month", "quarter", "year"]},
        "stay": {"cuts": [[2, 4, 8, 15], [4, 15]]},
        "icd": {"paths": [icd_ladder(code) for code in DIAGNOSES]},
        "atc": {"paths": [atc_ladder(code) for code in MEDICINES]},
        "dose": {"cuts": [[10, 50, 100, 500, 1000], [50, 500]]},
    }


def _patients(people: Ints, draw: np.random.Generator) -> pa.Table:
    zips = [f"{town}{number:02}" for town, size in _TOWNS for number in range(1, 2 * size, 2)]
    days = (_MOST_DAYS_OLD * draw.beta(2.2, 1.8, people.size)).astype(int)
    return pa.table(
        {
            "patient": people,
            "zip": _taken(zips, _zipf(len(zips), people.size, draw, power=0.5)),
            "birth_date": pa.array(_BORN_AT_MOST - days),
            "sex": _taken(("female", "male"), draw.integers(0, 2, people.size)),
        }
    )


def _visits(visits: Ints, of_patient: Ints, draw: np.random.Generator) -> pa.Table:
    days = np.sort(draw.integers(0, _DAYS, visits.size) + _DAYS * of_patient) % _DAYS
    stay = np.minimum(draw.geometric(0.22, visits.size), 60)
    return pa.table(
        {
            "visit": visits,
            "patient": of_patient,
            "date": pa.array(_FIRST_DAY + days),
            "stay": stay,
        }
    )


def _diagnoses(visits: Ints, of_patient: Ints, draw: np.random.Generator) -> tuple[Ints, Ints]:
    """Return of each diagnosis its visit and code; people come again for what they have."""
    of_visit = np.repeat(visits, draw.choice(3, visits.size, p=(0.55, 0.3, 0.15)) + 1)
    shuffled = np.random.default_rng(1).permutation(len(DIAGNOSES))  # one hospital, one order
    code = shuffled[_zipf(len(DIAGNOSES), of_visit.size, draw)]
    first = np.unique(of_patient[of_visit - 1], return_index=True)[1]
    lasting = np.repeat(code[first], np.diff(np.append(first, code.size)))
    code = np.where(draw.random(code.size) < 0.4, lasting, code)
    pairs = np.unique(np.stack([of_visit, code], axis=1), axis=0)
    return pairs[:, 0], pairs[:, 1]


def _prescriptions(of_visit: Ints, code: Ints, draw: np.random.Generator) -> pa.Table:
    """Prescribe for three of four diagnoses one of its medicines, mostly in the usual dose."""
    treated = np.flatnonzero(draw.random(code.size) < 0.75)
    options = [[MEDICINES.index(name) for name in row[-1]] for row in DIAGNOSES.values()]
    doses = [doses_of(name) for name in MEDICINES]
    medicine = _one_of(options, code[treated], draw, 0.7)
    pairs = np.unique(np.stack([of_visit[treated], medicine], axis=1), axis=0)
    amounts = sorted({dose for own in doses for dose in own}, key=float)
    places = [[amounts.index(dose) for dose in own] for own in doses]
    dose = _one_of(places, pairs[:, 1], draw, 0.75)
    return pa.table(
        {
            "visit": pairs[:, 0],
            "atc": _taken(MEDICINES, pairs[:, 1]),
            "dose": _taken(amounts, dose),
        }
    )


def _one_of(
    options: list[list[int]], chosen: Ints, draw: np.random.Generator, usual: float
) -> Ints:
    """Take one of the options of each: the first with some probability, or else any."""
    counts = np.array([len(own) for own in options])[chosen]
    rank = np.where(draw.random(chosen.size) < usual, 0, draw.integers(0, counts))
    padded = np.array([own + [0] * (max(map(len, options)) - len(own)) for own in options])
    taken: Ints = padded[chosen, rank]
    return taken


def _zipf(values: int, size: int, draw: np.random.Generator, *, power: float = _ZIPF) -> Ints:
    """Draw places of values whose frequencies fall with their places."""
    weights = np.arange(1, values + 1) ** -power
    drawn: Ints = draw.choice(values, size, p=weights / weights.sum())
    return drawn


def _taken(values: Sequence[str], places: Ints) -> pa.Array:
    return pa.array(values, pa.string()).take(pa.array(places))
