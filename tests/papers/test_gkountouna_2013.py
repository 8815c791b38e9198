"""The worked example of Gkountouna and Terrovitis 2013: Figures 4, 10, 11, 12 and 13."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from indistinct.hierarchy.spec import FromTree
from indistinct.trees.cuts import LabelCuts
from indistinct.trees.forest import ForestBuilder
from indistinct.trees.hierarchies import build
from indistinct.trees.knowledge import Knowledge
from indistinct.trees.measures.rpd import rpd
from indistinct.trees.methods import AllCutSearch, GreedyCutSearch, OnlyCutSearch, TreeProblem
from indistinct.trees.operations import recoded, relabelled
from indistinct.trees.rows import LabelRows
from indistinct.trees.synopsis import Synopsis
from indistinct.trees.verification import first_violation
from tests.trees import oracle

CLASSES = ("Medical Center", "Disease", "Treatment")
HIERARCHIES = {
    "Medical Center": {
        "General Hosp.": ["Hospital1", "Hospital2"],
        "Maternity Hosp.": ["Rea", "Gaia"],
    },
    "Disease": {
        "Lung Disease": ["Flu", "Bronchitis"],
        "Stomach Disorder": ["Diarrhea", "Gastritis"],
    },
    "Treatment": {
        "Physiotherapy": ["Neurological", "Orthopedic"],
        "Medicine": ["Pain killer", "Antibiotics"],
    },
}
FLU = {"Flu": {"Pain killer": {}}}
BRONCHITIS = {"Bronchitis": {"Antibiotics": {}}}
FIGURE_10 = [
    {"Hospital1": {"Gastritis": {}}, "Hospital2": {**FLU, **BRONCHITIS}},
    {"Hospital1": {"Gastritis": {}, **BRONCHITIS}, "Hospital2": {**FLU, **BRONCHITIS}},
    {"Hospital1": FLU, "Hospital2": FLU},
    {"Hospital1": {"Gastritis": {"Pain killer": {}}, "Bronchitis": {}}},
]
FIGURE_11 = {
    "Hospital1": [1, 2, 3, 4],
    "Hospital1/Gastritis": [1, 2, 4],
    "Hospital1/Gastritis/Pain killer": [4],
    "Hospital1/Bronchitis": [2, 4],
    "Hospital1/Bronchitis/Antibiotics": [2],
    "Hospital1/Flu": [3],
    "Hospital1/Flu/Pain killer": [3],
    "Hospital2": [1, 2, 3],
    "Hospital2/Flu": [1, 2, 3],
    "Hospital2/Flu/Pain killer": [1, 2, 3],
    "Hospital2/Bronchitis": [1, 2],
    "Hospital2/Bronchitis/Antibiotics": [1, 2],
}
FIGURE_12 = {
    "Hospital1": [1, 2, 3, 4],
    "Hospital1/Stomach Disorder": [1, 2, 4],
    "Hospital1/Stomach Disorder/Pain killer": [4],
    "Hospital1/Lung Disease": [2, 3, 4],
    "Hospital1/Lung Disease/Pain killer": [3],
    "Hospital1/Lung Disease/Antibiotics": [2],
    "Hospital2": [1, 2, 3],
    "Hospital2/Lung Disease": [1, 2, 3],
    "Hospital2/Lung Disease/Pain killer": [1, 2, 3],
    "Hospital2/Lung Disease/Antibiotics": [1, 2],
}
SUPPORT = {
    "Hospital1": [1, 2, 3, 4],
    "Hospital2": [1, 2, 3],
    "Bronchitis": [1, 2, 4],
    "Gastritis": [1, 2, 4],
    "Flu": [1, 2, 3],
    "Pain killer": [1, 2, 3, 4],
    "Antibiotics": [1, 2],
    "Lung Disease": [1, 2, 3, 4],
    "Maternity Hosp.": [],
}


def nodes(tree, depth=0):
    return [(CLASSES[depth], value, nodes(below, depth + 1)) for value, below in tree.items()]


@pytest.fixture(scope="module")
def figure_10():
    builder = ForestBuilder(CLASSES)
    for record in FIGURE_10:
        builder.add(nodes(record))
    specs = {name: FromTree(tree=tree) for name, tree in HIERARCHIES.items()}
    forest = builder.build()
    hierarchies, codes = build(forest, specs, Path())
    return relabelled(forest, hierarchies.labels, codes), hierarchies


def code_of(hierarchies, value):
    return hierarchies.labels.values.index(value)


def paths_of(synopsis, hierarchies):
    return {
        "/".join(hierarchies.labels.values[code] for code in synopsis.path(node)): (
            synopsis.records_of(node) + 1
        ).tolist()
        for node in range(synopsis.size)
    }


def test_figure_4_has_twelve_leaves_and_six_labels_above_them(figure_10):
    assert figure_10[1].level_size.tolist() == [12, 6, 3]


def test_figure_11_the_synopsis(figure_10):
    forest, hierarchies = figure_10
    assert paths_of(Synopsis.of(forest), hierarchies) == FIGURE_11


def test_figure_12_the_synopsis_projected_to_a_cut(figure_10):
    forest, hierarchies = figure_10
    cut = [
        code_of(hierarchies, value)
        for value in (
            "Hospital1", "Hospital2", "Lung Disease", "Stomach Disorder", "Pain killer",
            "Antibiotics",
        )
    ]  # fmt: skip
    image = LabelCuts(hierarchies).image(cut)
    shown = Synopsis.of(forest).projection(image).settled()
    assert paths_of(shown, hierarchies) == FIGURE_12
    lung = code_of(hierarchies, "Lung Disease")
    assert [shown.path(node)[-1] for node in shown.sidelinks(lung)] == [lung, lung]


@pytest.mark.parametrize(("value", "records"), SUPPORT.items())
def test_the_array_of_labels_knows_their_records(figure_10, value, records):
    forest, hierarchies = figure_10
    rows = LabelRows(Synopsis.of(forest), LabelCuts(hierarchies))
    [place] = rows.places(np.array([code_of(hierarchies, value)]))
    bits = int(rows.rows.data[place, 0])
    assert [record for record in range(1, 65) if bits >> (record - 1) & 1] == records


def test_figure_13_is_rejected_for_gastritis_and_hospital_2(figure_10):
    forest, hierarchies = figure_10
    cut = (
        "Lung Disease", "Gastritis", "Diarrhea", "Medicine", "Hospital1", "Hospital2", "Rea",
        "Gaia",
    )  # fmt: skip
    image = LabelCuts(hierarchies).image(code_of(hierarchies, value) for value in cut)
    broken = [(code_of(hierarchies, "Gastritis"), code_of(hierarchies, "Medicine"))]
    shown = recoded(forest, image, broken)
    found = first_violation(shown, Knowledge(3, 2, 1))
    assert {hierarchies.labels.values[code] for code in found.labels} == {"Gastritis", "Hospital2"}
    assert (found.relations, found.support) == ((), 2)
    assert found.in_words(shown) == "(Hospital2, Gastritis) matches 2 records"


@pytest.mark.parametrize("method", [GreedyCutSearch, AllCutSearch, OnlyCutSearch])
def test_example_7_as_the_definition_wants_it(figure_10, method):
    forest, hierarchies = figure_10
    problem = TreeProblem(forest, hierarchies, Knowledge(3, 2, 1), np.ones(3))
    found = method(objective="rpd").search(problem)
    assert oracle.holds(oracle.records_of(found.forest), 3, 2, 1)
    assert found.cost == pytest.approx(rpd(found.forest, hierarchies))
