"""The attacks of Ciriani et al. 2007, section 5, on its own tables (Figures 18 and 19)."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import attack
from indistinct.risk.attacks.background_knowledge import background_knowledge
from indistinct.risk.attacks.classes import ReleasedClasses
from indistinct.risk.attacks.homogeneity import homogeneity
from indistinct.risk.attacks.skewness import skewness
from tests.requirements.test_chapter import QUASI, figure_18, figure_19

COLUMNS = list(QUASI[0])


def on_18(**more):
    return attack(figure_18().rows, quasi=COLUMNS, sensitive=["disease"], **more)


def on_19(column, **more):
    return attack(figure_19(), quasi=COLUMNS, sensitive=[column], **more)


def test_hellen_has_hypertension():
    found = on_18()["homogeneity"]
    [finding] = found.findings
    assert finding.where == QUASI[0]
    assert (finding.rows, finding.learnt) == (3, "disease is hypertension")
    assert found.rate.hits == 3
    assert "3 rows" in found.story


def test_bob_is_thin_and_has_hiv():
    found = on_18()["background knowledge"]
    by_class = {tuple(f.where.values()): f.learnt for f in found.findings}
    assert by_class[tuple(QUASI[1].values())] == "disease is HIV, once obesity can be ruled out"
    assert by_class[tuple(QUASI[2].values())] == "disease is obesity, once HIV can be ruled out"
    assert "with nothing ruled out" in by_class[tuple(QUASI[0].values())]
    assert found.rate.hits == 9


def test_nothing_ruled_out_is_homogeneity():
    assert on_18(excluded=0)["background knowledge"].rate.hits == 3


def test_diabetes_is_skewed():
    """67 % in a class; 30 % in the private table of ten, of which the release shows nine."""
    private = pa.table({"diabetes": list("NNYYNNNYNN")})
    classes = ReleasedClasses.of(figure_19(), COLUMNS, "diabetes", private)
    found = skewness(classes, watched=["Y"])
    [finding] = found.findings
    assert finding.where == QUASI[1]
    assert finding.learnt == (
        "diabetes is Y with 67% probability, where it is 30% in the whole table"
    )
    assert found.details["largest_gain"] == pytest.approx(2 / 3 - 3 / 10)
    assert not skewness(classes, watched=["Y"], gain=0.4).findings


def test_cholesterol_is_between_250_and_260():
    found = on_19("cholesterol")["similarity"]
    [finding] = found.findings
    assert finding.where == QUASI[1]
    assert (finding.rows, finding.learnt) == (3, "cholesterol is between 250 and 260")


def test_a_2_diverse_table_withstands_homogeneity():
    found = on_19("cholesterol")["homogeneity"]
    assert found.rate.hits == 0
    assert not found.succeeded
    assert "the attack fails" in found.story


def test_similar_diseases_lie_under_one_node():
    tree = {"stomach": ["ulcer", "gastritis"], "lung": ["flu", "asthma"]}
    plan = {
        "columns": {
            "zip": {"role": "quasi", "hierarchy": "flat"},
            "disease": {"role": "sensitive", "hierarchy": {"tree": tree}},
        },
        "require": [{"model": "k-anonymity", "k": 2}],
    }
    rows = pa.table(
        {"zip": ["1", "1", "2", "2"], "disease": ["ulcer", "gastritis", "flu", "ulcer"]}
    )
    [finding] = attack(rows, plan=plan)["similarity"].findings
    assert finding.where == {"zip": "1"}
    assert finding.learnt == "disease is one of gastritis, ulcer, which are much the same"


ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "y", "z", None])),
    min_size=1,
    max_size=12,
)


@given(ROWS, st.integers(0, 2))
def test_classes_are_counted_as_defined(rows, excluded):
    table = pa.table({"q": [q for q, _ in rows], "s": pa.array([s for _, s in rows], pa.string())})
    classes = ReleasedClasses.of(table, ["q"], "s")
    held = {q: Counter(s for p, s in rows if p == q) for q in {q for q, _ in rows}}
    few = sum(sum(c.values()) for c in held.values() if len(c) <= excluded + 1)
    assert background_knowledge(classes, excluded=excluded).rate.hits == few
    same = sum(sum(c.values()) for c in held.values() if len(c) == 1)
    assert homogeneity(classes).rate.hits == same
    most = sum(sum(c.values()) for c in held.values() if max(c.values()) >= 0.5 * sum(c.values()))
    assert homogeneity(classes, certainty=0.5).rate.hits == most
    whole = Counter(s for _, s in rows)
    skewed = sum(
        sum(c.values())
        for c in held.values()
        if max(n / sum(c.values()) - whole[s] / len(rows) for s, n in c.items()) > 0.25
    )
    assert skewness(classes).rate.hits == skewed


def test_the_baseline_is_that_of_values_dealt_at_random():
    """Two values, classes of two: half of them are homogeneous by chance."""
    table = pa.table({"q": [str(i // 2) for i in range(4000)], "s": ["x", "y"] * 2000})
    found = homogeneity(ReleasedClasses.of(table, ["q"], "s"))
    assert found.rate.hits == 0
    assert found.baseline == pytest.approx(0.5, abs=0.03)


def test_as_json_is_plain_data():
    import json

    told = json.loads(json.dumps(on_18().as_json()))
    assert told["attacks"][0]["attack"] == "homogeneity"
    assert {"story", "rate", "baseline", "findings"} <= set(told["attacks"][0])
