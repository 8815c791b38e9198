"""Twelve made-up patients as trees: where they were treated, for what, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indistinct.trees.forest import Node

CLASSES = ("hospital", "disease", "treatment")
_GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "hospital": {
        "General hospital": ("North General", "St. Anna", "University Hospital"),
        "Special clinic": ("Lake Rehab", "Hill Clinic", "Spine Centre"),
    },
    "disease": {
        "Lung disease": ("Asthma", "Bronchitis", "Pneumonia"),
        "Stomach disorder": ("Gastritis", "Ulcer"),
        "Injury": ("Back strain", "Knee injury", "Fracture"),
    },
    "treatment": {
        "Medicine": ("Antibiotics", "Inhaler", "Pain killer", "Antacid"),
        "Physiotherapy": ("Exercises", "Massage"),
        "Operation": ("Surgery",),
    },
}
# One line per patient: hospital > disease > treatment, visits apart by ";", treatments by ",".
_PATIENTS = """
North General>Bronchitis>Antibiotics,Inhaler; Lake Rehab>Back strain>Exercises
North General>Bronchitis>Antibiotics; North General>Gastritis>Antacid
North General>Pneumonia>Antibiotics; Lake Rehab>Knee injury>Exercises,Massage
St. Anna>Bronchitis>Inhaler; St. Anna>Gastritis>Antacid
St. Anna>Asthma>Inhaler; Lake Rehab>Back strain>Massage
St. Anna>Pneumonia>Antibiotics; St. Anna>Ulcer>Antacid,Surgery
University Hospital>Asthma>Inhaler; University Hospital>Fracture>Surgery,Pain killer
University Hospital>Gastritis>Antacid; Hill Clinic>Back strain>Exercises
University Hospital>Bronchitis>Antibiotics; Spine Centre>Back strain>Surgery
North General>Asthma>Inhaler; Hill Clinic>Knee injury>Exercises
St. Anna>Gastritis>Antacid; Hill Clinic>Back strain>Massage,Exercises
University Hospital>Pneumonia>Antibiotics; Lake Rehab>Knee injury>Exercises
""".strip().splitlines()


def medical_trees() -> list[list[Node]]:
    """Return the records: nodes of (class, value, nodes below).

    Examples
    --------
    >>> medical_trees()[1][0]
    ('hospital', 'North General', [('disease', 'Bronchitis', [('treatment', 'Antibiotics', [])])])
    """
    return [[_visit(visit) for visit in line.split("; ")] for line in _PATIENTS]


def _visit(text: str) -> Node:
    hospital, disease, treatments = text.split(">")
    below: list[Node] = [("treatment", treatment, []) for treatment in treatments.split(",")]
    return ("hospital", hospital, [("disease", disease, below)])


def medical_tree_ladders() -> dict[str, list[list[str]]]:
    """Return for every class the ladders of its values, each path from leaf to top.

    Examples
    --------
    >>> medical_tree_ladders()["disease"][0]
    ['Asthma', 'Lung disease', 'any disease']
    """
    return {
        name: [
            [value, group, f"any {name}"]
            for group, values in _GROUPS[name].items()
            for value in values
        ]
        for name in CLASSES
    }
