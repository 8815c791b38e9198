"""Checking requirements on published rows alone: decided rightly, or said to be undecided."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, anonymize_file, verify
from indistinct.check.rows import ValueFacts, verify_rows
from indistinct.errors import DoesNotHoldError
from tests import oracle_requirements as brute
from tests.requirements.strategies import (
    ON_VALUES,
    column_of,
    in_walk,
    requirement_of,
    requirements,
    sensitive_columns,
)

QUASI = {"role": "quasi", "hierarchy": "flat"}
TREE = in_walk([["s0", "x", "*"], ["s1", "x", "*"], ["s2", "y", "*"]])


def plan(*asked, suppression=0.0, sensitive=None, **more):
    columns = {"q": QUASI, "s": sensitive or {"role": "sensitive"}} | more.pop("columns", {})
    limits = {"suppression": suppression}
    return {
        "columns": columns,
        "require": list(asked),
        "method": {"name": "optimal"},
        "limits": limits,
        **more,
    }


def verdict(table, promised):
    """What verify says of the first requirement; False where it raises."""
    try:
        return verify(table, promised).evidence[0].holds
    except DoesNotHoldError:
        return False


@pytest.mark.parametrize("form", ON_VALUES)
@given(data=st.data())
def test_published_rows_are_held_to_the_definitions(form, data):
    """Through the check: rows of people, perhaps several of one person, in classes."""
    sensitive = data.draw(sensitive_columns())
    row = st.tuples(st.sampled_from("ab"), st.sampled_from(sensitive.values), st.integers(0, 4))
    rows = data.draw(st.lists(row, min_size=1, max_size=9))
    several = data.draw(st.booleans())
    asked = data.draw(requirements(form, sensitive.values))
    column = column_of(sensitive)
    facts = {"s": ValueFacts(sensitive.values, column.shares, column.levels)}
    table = pa.table({
        "q": [q for q, *_ in rows],
        "s": pa.array([s for _, s, _ in rows], pa.string()),
    })  # fmt: skip
    whose = np.array([who for *_, who in rows]) if several else None
    people = {} if whose is None else {"all": whose}
    found = verify_rows(table, [requirement_of(asked)], {"all": ["q"]}, people, facts)
    classes = defaultdict(set)
    for number, (q, s, who) in enumerate(rows):
        classes[q].add((s, who if several else number))
    heads = {q: len({who for _, who in pairs}) for q, pairs in classes.items()}
    histograms = {q: Counter(s for s, _ in pairs) for q, pairs in classes.items()}
    [evidence] = found.evidence
    assert evidence.holds is all(
        brute.holds(asked, histograms[q], heads[q], sensitive) for q in classes
    )
    worst = evidence.worst_class["q"]
    measured = brute.measured(asked, histograms[worst], heads[worst], sensitive)
    assert evidence.measured == pytest.approx(float(measured))
    assert brute.holds(asked, histograms[worst], heads[worst], sensitive) is evidence.holds


# --- t-closeness of rows whose table is not at hand ----------------------------------------------


@st.composite
def suppressed_tables(draw):
    """A private table of which some rows were left out."""
    row = st.tuples(st.sampled_from("ab"), st.sampled_from(["s0", "s1", "s2"]))
    rows = draw(st.lists(row, min_size=2, max_size=12))
    gone = draw(st.sets(st.integers(0, len(rows) - 1), max_size=len(rows) - 1))
    return rows, [row for number, row in enumerate(rows) if number not in gone]


def farthest(rows, released, distance):
    sensitive = brute.Sensitive(("s0", "s1", "s2"), Counter(s for _, s in rows), TREE)
    classes = defaultdict(Counter)
    for q, s in released:
        classes[q][s] += 1
    return max(brute.distance(distance, c, sensitive) for c in classes.values())


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@given(suppressed_tables(), st.sampled_from([0, 0.1, 0.2, 0.3, 0.5, 0.7]))
def test_what_is_decided_without_the_table_is_true_of_it(distance, tables, t):
    """The triangle inequality: suppression moves the table's shares by what was suppressed."""
    rows, released = tables
    gone = (len(rows) - len(released)) / len(rows)
    listed = {"role": "sensitive", "hierarchy": {"paths": TREE}}
    asked = {"model": "t-closeness", "t": t, "distance": distance}
    table = pa.table({"q": [q for q, _ in released], "s": [s for _, s in released]})
    found = verdict(table, plan(asked, suppression=gone, sensitive=listed))
    true = farthest(rows, released, distance)
    if found is not None:
        assert found is (true <= brute.exact(t))
    else:
        assert gone > 0
        if distance == "ordered":  # suppressed values may lie between released ones
            return
        assert abs(farthest(released, released, distance) - brute.exact(t)) <= gone + 1e-9


def test_undecided_is_said_and_is_no_refusal():
    table = pa.table({"q": list("aabb"), "s": list("xyxx")})
    asked = {"model": "t-closeness", "t": 0.3}
    [found] = verify(table, plan(asked, suppression=0.2)).evidence
    assert (found.measured, found.holds) == (0.25, None)
    assert "the table before suppression is not known" in found.note
    [found] = verify(table, plan(asked, suppression=0.04)).evidence
    assert found.holds is True


def test_a_release_is_held_to_the_table_before_suppression():
    """The row of c goes; the class of a is as the released table, but not as the private one."""
    data = pa.table({"q": list("aabbc"), "s": list("xyxyx")})
    asked = [{"model": "k-anonymity", "k": 2}, {"model": "t-closeness", "t": 0.1}]
    release = anonymize(data, plan(*asked, suppression=0.2))
    assert release.suppressed_rows == 1
    assert release.evidence[1].measured == pytest.approx(0.1)
    assert [found.holds for found in verify(release.frame, plan(*asked)).evidence] == [True, True]


def test_without_suppression_the_release_is_the_table():
    data = pa.table({"q": list("aabb"), "s": list("xyxx")})
    asked = {"model": "t-closeness", "t": 0.25}
    assert verify(data, plan(asked)).holds is True
    with pytest.raises(DoesNotHoldError, match=r"it measures 0.25 in the class \(q=a\)"):
        verify(data, plan(asked | {"t": 0.2}))


def test_a_hierarchy_that_is_not_at_hand(tmp_path):
    asked = {"model": "t-closeness", "t": 0.9, "distance": "hierarchical"}
    gone = {"role": "sensitive", "hierarchy": {"csv": str(tmp_path / "gone.csv")}}
    [found] = verify(pa.table({"q": ["a"], "s": ["x"]}), plan(asked, sensitive=gone)).evidence
    assert (found.holds, found.note) == (None, "the hierarchy of 's' is not available")


# --- Missing values --------------------------------------------------------------------------


def test_a_missing_sensitive_value_is_a_value():
    data = pa.table({"q": list("aabb"), "s": ["x", None, None, "x"]})
    for asked, measured in [
        ({"model": "l-diversity", "l": 2}, 2),
        ({"model": "p-sensitive", "p": 2}, 2),
        ({"model": "l-diversity", "kind": "entropy", "l": 2}, 2),
        ({"model": "l-diversity", "kind": "frequency", "l": 2}, 2),
        ({"model": "l-diversity", "kind": "recursive", "c": 2, "l": 2}, 1),
        ({"model": "alpha-k", "alpha": 0.5, "k": 2}, 0.5),
        ({"model": "t-closeness", "t": 0, "distance": "ordered"}, 0),
    ]:
        release = anonymize(data, plan(asked))
        assert release.levels == {"q": 0}
        assert release.evidence[0].measured == pytest.approx(measured)
        assert verify(release.frame, plan(asked)).holds


def test_a_class_in_which_all_is_missing_tells_that_it_is():
    data = pa.table({"q": list("aabb"), "s": [None, None, "x", "y"]})
    release = anonymize(data, plan({"model": "l-diversity", "l": 2}))
    assert release.levels == {"q": 1}


def test_the_missing_value_is_last_in_order():
    data = pa.table({"q": list("aabb"), "s": [9, 10, 10, None]})
    asked = {"model": "t-closeness", "t": 1, "distance": "ordered"}
    release = anonymize(data, plan(asked))
    sensitive = brute.Sensitive(("9", "10", None), Counter({"9": 1, "10": 2, None: 1}))
    distances = [
        brute.distance("ordered", Counter(held), sensitive) for held in (["9", "10"], ["10", None])
    ]
    assert release.evidence[0].measured == pytest.approx(float(max(distances)))


# --- Several columns, and people with several rows ----------------------------------------------


def test_joined_classes_are_told_apart_by_the_other_columns():
    """Each is 2-diverse, but one tells the other (Ciriani et al. 2007, section 5)."""
    data = pa.table({"q": list("aaaa"), "s": list("xxyy"), "t": list("ppqq")})
    columns = {"t": {"role": "sensitive"}}
    asked = {"model": "l-diversity", "l": 2}
    assert verify(data, plan(asked, columns=columns)).holds
    with pytest.raises(DoesNotHoldError) as caught:
        verify(data, plan(asked | {"joined": True}, columns=columns))
    assert len(caught.value.faults) == 2
    independent = pa.table({"q": list("aaaa"), "s": list("xxyy"), "t": list("pqpq")})
    assert verify(independent, plan(asked | {"joined": True}, columns=columns)).holds


def test_k_of_a_joined_requirement_counts_joined_classes():
    data = pa.table({"q": list("aaaa"), "s": list("xyxy"), "t": list("ppqq")})
    columns = {"t": {"role": "sensitive"}}
    for asked in ({"model": "p-sensitive", "p": 2}, {"model": "alpha-k", "alpha": 1}):
        for k, holds in ((2, True), (3, False)):
            joined = asked | {"k": k, "joined": True, "column": "s"}
            assert verdict(data, plan(joined, columns=columns)) is holds


def test_shares_are_of_people():
    """Three rows of x are one person's: x is held by one of three, y by two of three."""
    data = pa.table({"who": list("aaabc"), "q": list("zzzzz"), "s": list("xxxyy")})
    whose = {"who": {"role": "respondent", "pseudonym": {}}}
    for asked, measured in [
        ({"model": "alpha-k", "alpha": 0.7, "k": 2}, 2 / 3),
        ({"model": "l-diversity", "kind": "frequency", "l": 1.5}, 1.5),
        ({"model": "l-diversity", "kind": "recursive", "c": 3, "l": 2}, 2),
    ]:
        release = anonymize(data, plan(asked, columns=whose))
        assert release.evidence[0].measured == pytest.approx(measured)
        assert verify(release.frame, plan(asked, columns=whose)).holds
        hidden = plan(asked, columns={"who": {"role": "respondent"}})
        [found] = verify(anonymize(data, hidden).frame, hidden).evidence
        assert found.holds is None


# --- Certificates ------------------------------------------------------------------------------


def verified_by_certificate(folder, data, promised):
    pyarrow.csv.write_csv(data, folder / "in.csv")
    certificate = folder / "c.json"
    out = folder / "out.csv"
    anonymize_file(folder / "in.csv", promised, out, certificate=certificate)
    stated = json.loads(certificate.read_text("utf-8"))["release"]["requirements"]
    return verify(out, certificate=certificate), stated


LOOSE = [
    {"model": "l-diversity", "l": 2},
    {"model": "l-diversity", "kind": "entropy", "l": 2},
    {"model": "l-diversity", "kind": "recursive", "l": 2, "c": 9},
    {"model": "l-diversity", "kind": "frequency", "l": 2},
    {"model": "p-sensitive", "p": 2},
    {"model": "alpha-k", "alpha": 0.9, "k": 2},
    {"model": "t-closeness", "t": 0.9, "distance": "equal"},
    {"model": "t-closeness", "t": 0.9, "distance": "ordered"},
    {"model": "t-closeness", "t": 0.9, "distance": "hierarchical"},
]
DATA = pa.table({"q": list("aaabbbbbbc"), "s": list("xyzxyzxyzx")})


@pytest.mark.parametrize("asked", LOOSE, ids=brute.form)
def test_a_certificate_holds_what_was_measured(asked, tmp_path):
    listed = {"role": "sensitive", "hierarchy": "flat"}
    found, stated = verified_by_certificate(tmp_path, DATA, plan(asked, sensitive=listed))
    assert found.holds
    assert stated[0]["measured"] == pytest.approx(found.evidence[0].measured)


# --- Known defects, in files of others ----------------------------------------------------------


def test_a_certificate_of_t_closeness_with_suppression(tmp_path):
    asked = [{"model": "k-anonymity", "k": 2}, {"model": "t-closeness", "t": 0.9}]
    found, _ = verified_by_certificate(tmp_path, DATA, plan(*asked, suppression=0.2))
    assert found.holds


def test_a_certificate_of_two_requirements_of_one_model(tmp_path):
    found, _ = verified_by_certificate(tmp_path, DATA, plan(*LOOSE[:2]))
    assert found.holds


def test_ordered_distance_is_undecided_where_values_may_be_hidden():
    """Nine suppressed values lie between 1 and 2, so that 2 is ten places from 1, not one."""
    private = ["1"] * 40 + ["2"] * 40 + ["3"] * 2 + [f"1.{digit}" for digit in range(1, 10)]
    released = pa.table({"q": ["a"] * 41 + ["b"] * 41, "s": [*private[:40], "3", *private[40:81]]})
    order = ("1", *private[82:], "2", "3")
    sensitive = brute.Sensitive(order, Counter(private))
    true = brute.distance("ordered", Counter({"1": 40, "3": 1}), sensitive)
    assert true > brute.exact(0.35)
    asked = {"model": "t-closeness", "t": 0.35, "distance": "ordered"}
    assert verdict(released, plan(asked, suppression=9 / 91)) is not True


def test_blanked_rows_are_no_value_in_the_order():
    table = {"q": ["a"] * 10 + ["b"] * 10 + ["*"], "s": ["1"] * 10 + ["2"] * 10 + ["*"]}
    asked = {"model": "t-closeness", "t": 0.4, "distance": "ordered"}
    promised = plan(asked, suppression=0.05, suppressed="blank")
    assert verdict(pa.table(table), promised) is not True


def test_an_infinite_measure_is_json():
    asked = {"model": "l-diversity", "kind": "recursive", "c": 2, "l": 2}
    hidden = plan(asked, columns={"who": {"role": "respondent"}})
    [found] = verify(pa.table({"q": list("aa"), "s": list("xx")}), hidden).evidence
    assert found.holds is None
    json.dumps(found.as_json(), allow_nan=False)
