"""What is told: what is promised, what cannot be met and why, what a plan may not ask."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from indistinct import Plan, anonymize
from indistinct.errors import CannotMeetError, PlanError
from tests.requirements.strategies import FORMS, KIND, requirement_of

QUASI = {"role": "quasi", "hierarchy": "flat"}
PLACES, ILLNESSES = "aaabbbbbbb", "xyzxyzxyzx"


def asked_of(form, **more):
    model, _, kind = form.partition(" ")
    numbers = {key: of[-1] for key, of in FORMS[form].items()}
    return {"model": model} | ({KIND[model]: kind} if kind else {}) | numbers | more


def plan(*asked, suppression=0.0, method="optimal", **columns):
    known = {"place": QUASI, "illness": {"role": "sensitive"}} | columns
    return {
        "columns": known,
        "require": list(asked),
        "limits": {"suppression": suppression},
        "method": {"name": method},
    }


def data(illness=ILLNESSES):
    return pa.table({"place": list(PLACES), "illness": list(illness)})


def refused(error, *asked, values=ILLNESSES, **more):
    with pytest.raises(error) as caught:
        anonymize(data(values), plan(*asked, **more))
    return str(caught.value)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("more", [{}, {"column": "illness"}, {"joined": True}])
def test_every_requirement_describes_itself(form, more):
    if form == "k-anonymity" and more:
        return
    asked = asked_of(form, **more)
    requirement = requirement_of(asked)
    said = requirement.describe()
    assert said[0].islower()
    assert said[-1] != "."
    assert ("'illness'" in said) == ("column" in more)
    assert ("knows the other sensitive columns" in said) == ("joined" in more)
    assert requirement.asked().endswith(", joined") == ("joined" in more)
    for key in FORMS[form]:
        assert f"{key} = {asked[key]:g}" in requirement.asked()
    assert requirement.paper
    assert requirement_of(requirement.model_dump(mode="json")) == requirement


@pytest.mark.parametrize("form", FORMS)
def test_the_summary_of_a_release_is_json(form):
    loose = {"l": 2, "c": 3, "p": 2, "k": 2, "alpha": 0.9, "t": 0.9, "beta": 9, "delta": 2}
    asked = asked_of(form) | {key: loose[key] for key in FORMS[form]}
    tree = {"role": "sensitive", "hierarchy": "flat"}
    release = anonymize(data(), plan(asked, illness=tree))
    [told] = json.loads(json.dumps(release.summary(), allow_nan=False))["requirements"]
    assert told["holds"] is True
    assert told["worst_class"]
    assert told["description"] == requirement_of(asked).describe()


@pytest.mark.parametrize("method", ["samarati", "optimal"])
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"model": "l-diversity", "l": 4}, "l is 4, but ONLY; the largest l that can be met is 3"),
        ({"model": "p-sensitive", "p": 7}, "p is 7, but ONLY; the largest p that can be met is 3"),
        (
            {"model": "l-diversity", "kind": "entropy", "l": 3.5},
            "l is 3.5, but ONLY; no l above 3 can be met",
        ),
        ({"model": "l-diversity", "kind": "frequency", "l": 4}, "no l above 3 can be met"),
        ({"model": "l-diversity", "kind": "recursive", "l": 4, "c": 9}, "no l above 3 can be met"),
        (
            {"model": "alpha-k", "alpha": 0.3, "k": 2},
            "alpha is 0.3, but ONLY; no alpha below 1/3 can be met",
        ),
        ({"model": "alpha-k", "alpha": 0.5, "k": 11}, "k is 11, but the data has only 10"),
        ({"model": "p-sensitive", "p": 2, "k": 11}, "k is 11, but the data has only 10"),
    ],
)
def test_more_than_the_data_has(method, asked, told):
    told = told.replace("ONLY", "column 'illness' has only 3 values")
    assert told in refused(CannotMeetError, asked, method=method, suppression=0.9)


def test_values_that_a_hierarchy_lists_and_nobody_has():
    tree = {"role": "sensitive", "hierarchy": {"paths": [[value, "*"] for value in "uvwxyz"]}}
    asked = {"model": "l-diversity", "l": 4}
    assert "the largest l that can be met is 3" in refused(CannotMeetError, asked, illness=tree)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"model": "l-diversity", "l": 2}, "has only 1 value; no l can be met"),
        ({"model": "l-diversity", "kind": "entropy", "l": 1.1}, "has only 1 value; no l can"),
        ({"model": "p-sensitive", "p": 2}, "has only 1 value; no p can be met"),
        ({"model": "alpha-k", "alpha": 0.9, "k": 2}, "1 value; no alpha below 1 can be met"),
    ],
)
def test_a_sensitive_column_of_one_value_is_told_by_every_release(asked, told):
    assert told in refused(CannotMeetError, asked, values="x" * 10)


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_a_sensitive_column_of_one_value_is_close_to_itself(distance):
    asked = {"model": "t-closeness", "t": 0, "distance": distance}
    release = anonymize(data("x" * 10), plan(asked))
    assert [evidence.measured for evidence in release.evidence] == [0.0]
    assert release.levels == {"place": 0}


def test_a_watched_value_that_does_not_occur():
    """A misspelt value would be watched in vain."""
    told = "there is no value 'HIV' in column 'illness'"
    for more in ({}, {"column": "illness"}):
        asked = {"model": "alpha-k", "alpha": 0.5, "k": 2, "values": ["x", "HIV", "w"], **more}
        message = refused(PlanError, asked)
        assert told in message
        assert "no value 'w' in column 'illness'. Write it as the data does" in message
    known = {"role": "sensitive", "hierarchy": {"paths": [[v, "*"] for v in ("HIV", *"xyz")]}}
    asked = {"model": "alpha-k", "alpha": 0.5, "k": 2, "values": ["HIV"]}
    assert anonymize(data(), plan(asked, illness=known)).evidence[0].measured == 0


def test_a_watched_value_of_one_of_two_columns():
    table = pa.table({"place": list("aabb"), "illness": list("xyxy"), "drug": list("pqpq")})
    columns = {"drug": {"role": "sensitive"}}
    asked = {"model": "alpha-k", "alpha": 0.5, "k": 2, "values": ["x", "p"]}
    release = anonymize(table, plan(asked, **columns))
    assert [(found.column, found.measured) for found in release.evidence] == [
        ("illness", 0.5), ("drug", 0.5),
    ]  # fmt: skip


def test_hierarchical_distance_without_a_hierarchy():
    asked = {"model": "t-closeness", "t": 0.5, "distance": "hierarchical"}
    told = refused(PlanError, asked)
    assert "hierarchical distance needs a hierarchy of column 'illness'" in told


def test_nothing_within_the_limits_names_all_that_was_asked():
    asked = [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "kind": "entropy", "l": 3}]
    told = refused(CannotMeetError, *asked)
    assert "no level vector satisfies k-anonymity (k = 2); l-diversity (entropy, l = 3)" in told
    assert "at most 0 of 10 rows suppressed" in told


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"model": "l-diversity", "l": 1}, "it should be greater than 1"),
        ({"model": "l-diversity", "l": 2.5}, "l of distinct l-diversity is a whole number"),
        ({"model": "l-diversity", "l": "3"}, "Write a number, without quotes"),
        ({"model": "l-diversity", "l": 2, "c": 2}, 'c goes with kind = "recursive"'),
        ({"model": "l-diversity", "l": 2, "kind": "recursive"}, 'c goes with kind = "recursive"'),
        ({"model": "l-diversity", "l": 2, "kind": "entropie"}, "Closest: 'entropy'"),
        ({"model": "p-sensitive", "p": 1}, "Give 2 or more"),
        ({"model": "alpha-k", "alpha": 0, "k": 2}, "it should be greater than 0"),
        ({"model": "alpha-k", "alpha": 0.5}, "it is required but absent"),
        ({"model": "alpha-k", "alpha": 0.5, "k": 2, "values": []}, "it is empty"),
        ({"model": "t-closeness", "t": 1.5}, "Give 1 or less"),
        ({"model": "t-closeness", "t": 0.1, "distance": "euclid"}, "Known: equal, ordered"),
        ({"model": "l-diversty", "l": 2}, "Closest: 'l-diversity'"),
        ({"model": "l-diversity", "l": 2, "column": "place"}, "'place', which is not a sensitive"),
        ({"model": "l-diversity", "l": 2, "column": "ilness"}, "Closest: 'illness'"),
    ],
)
def test_what_a_plan_may_not_ask(asked, told):
    with pytest.raises(PlanError) as caught:
        Plan.load(plan(asked))
    assert told in str(caught.value)


@pytest.mark.parametrize("form", [form for form in FORMS if form != "k-anonymity"])
def test_no_sensitive_column(form):
    with pytest.raises(PlanError) as caught:
        Plan.load(plan(asked_of(form), illness={"role": "other"}))
    assert f"{asked_of(form)['model']!r} needs a sensitive column" in str(caught.value)
