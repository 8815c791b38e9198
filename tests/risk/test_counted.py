"""Risks and attacks on counted rows: as on the rows that they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import DataError
from indistinct.plan import Plan
from indistinct.requirements import KAnonymity
from indistinct.risk.assessment import assess_table
from indistinct.risk.attacks.background_knowledge import background_knowledge
from indistinct.risk.attacks.classes import ReleasedClasses
from indistinct.risk.attacks.composition import composition
from indistinct.risk.attacks.homogeneity import homogeneity
from indistinct.risk.attacks.inference import inference
from indistinct.risk.attacks.job import Job
from indistinct.risk.attacks.linking import linking
from indistinct.risk.attacks.matched import people_of
from indistinct.risk.attacks.similarity import similarity
from indistinct.risk.attacks.skewness import skewness
from indistinct.risk.before_after import Attackers, table_risk
from indistinct.risk.counted import CountedRows
from indistinct.risk.hipaa import safe_harbor
from indistinct.running.progress import Progress
from tests.counted import repeated, weighted, weights_of
from tests.methods.partition.small import problem_of
from tests.profiles import examples

AGES = ["1", "2", "3", "[1-2]", "[2-3]", "*"]


@st.composite
def tables(draw, ages=tuple(AGES), columns=("age", "sex", "sum", "home", "who")):
    """A small table, and how many rows each of its rows stands for."""
    values = {
        "age": st.sampled_from(ages),
        "sex": st.sampled_from(["f", "m", None]),
        "sum": st.sampled_from(["10", "20", "25", "90"]),
        "home": st.sampled_from(["p", "q", "r"]),
        "who": st.sampled_from(["ann", "bob", "eve", "joe"]),
    }
    count = draw(st.integers(1, 8))
    each = {"min_size": count, "max_size": count}
    rows = pa.table({n: pa.array(draw(st.lists(values[n], **each)), pa.string()) for n in columns})
    return CountedRows(rows, draw(weights_of(count)))


def one_by_one(counted):
    return repeated(counted.rows, counted.counts)


def same(one, two):
    """Compare plain data, numbers but for rounding."""
    if isinstance(one, dict):
        assert one.keys() == two.keys()
        for key, value in one.items():
            same(value, two[key])
    elif isinstance(one, list | tuple):
        assert len(one) == len(two)
        for a, b in zip(one, two, strict=True):
            same(a, b)
    elif isinstance(one, float):
        assert one == pytest.approx(two, abs=1e-9)
    else:
        assert one == two


@given(tables(), tables(ages=("1", "2", "3")), st.sampled_from([None, 0.5]))
def test_risks_of_a_table(counted, more, sampling):
    outside = {"sampling": sampling}
    whole = counted
    if sampling is None:
        everyone = pa.concat_tables([counted.rows, more.rows])
        whole = CountedRows(everyone, np.append(counted.counts, more.counts))
        outside = {"population": whole}
    for more_asked in ({}, {"respondent": "who"}, {"household": "home"}):
        asked = Attackers(**outside, **more_asked)
        long = asked if sampling else replace(asked, population=one_by_one(whole))
        one = table_risk(counted, ["age", "sex"], asked)
        two = table_risk(one_by_one(counted), ["age", "sex"], long)
        same(one.as_json(), two.as_json())


@given(tables())
def test_an_assessment(counted):
    asked = Attackers(household="home", respondent="who")
    one, two = (
        assess_table(rows, ["age", "sex", "sum"], Progress(), asked=asked, safe_harbor=True)
        for rows in (counted, one_by_one(counted))
    )
    same(one.as_json(), two.as_json())
    assert np.repeat(one.uniques.scores, counted.counts).tolist() == two.uniques.scores.tolist()


def test_codes_are_nearly_as_many_as_rows():
    codes = pa.table({"x": [f"k{n}" for n in range(30)]})
    assert safe_harbor(codes)
    assert not safe_harbor(CountedRows(codes, np.full(30, 2)))


ATTACKS = [homogeneity, background_knowledge, skewness, similarity]


@pytest.mark.parametrize("attack", ATTACKS)
@given(tables(), tables())
def test_attacks_on_classes(attack, counted, private):
    one = ReleasedClasses.of(counted, ["age", "sex"], "sum", private)
    two = ReleasedClasses.of(one_by_one(counted), ["age", "sex"], "sum", one_by_one(private))
    assert one.rows == two.rows
    same(attack(one).as_json(), attack(two).as_json())


@pytest.mark.parametrize("attack", ATTACKS)
@given(tables(), st.integers(1, 40))
def test_chance_where_rows_are_too_many_to_be_dealt(attack, counted, cells):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("indistinct.risk.attacks.classes.MOST_DEALT", 0)
        patch.setattr("indistinct.risk.attacks.classes.CELLS_DRAWN", cells)
        one, two = (
            attack(ReleasedClasses.of(rows, ["age", "sex"], "sum"))
            for rows in (counted, one_by_one(counted))
        )
    same(one.as_json(), two.as_json())


def test_chance_is_about_the_same_drawn_as_dealt(monkeypatch):
    random = np.random.default_rng(1)
    rows = pa.table(
        {
            "q": random.integers(0, 400, 3000),
            "s": random.choice(["a", "b", "c"], 3000, p=(0.8, 0.1, 0.1)),
        }
    )
    dealt = homogeneity(ReleasedClasses.of(rows, ["q"], "s")).baseline
    monkeypatch.setattr("indistinct.risk.attacks.classes.MOST_DEALT", 0)
    drawn = homogeneity(ReleasedClasses.of(rows, ["q"], "s")).baseline
    monkeypatch.setattr("indistinct.risk.attacks.classes.CELLS_DRAWN", 900)
    some = homogeneity(ReleasedClasses.of(rows, ["q"], "s")).baseline
    assert 0.1 < dealt < 0.3
    assert drawn == pytest.approx(dealt, abs=0.06)
    assert some == pytest.approx(dealt, abs=0.06)


ON = {"age": "age", "sex": "sex"}


@given(tables(), tables(ages=("1", "2", "3")), tables(ages=("1", "2", "3")))
def test_linking(counted, people, private):
    one = linking(counted, people, ON, private=private)
    two = linking(*map(one_by_one, (counted, people)), ON, private=one_by_one(private))
    same(one.as_json(), two.as_json())
    assert np.repeat(one.release.candidates, people.counts).tolist() == (
        two.release.candidates.tolist()
    )


@given(tables(ages=("1", "2", "3")))
def test_linking_where_it_is_known_who_is_who(people):
    numbers = pa.array([f"n{n}" for n in range(people.rows.num_rows)])
    private = people.rows.append_column("name", numbers)
    counted = CountedRows(private, people.counts)
    one = linking(private, counted, ON, truth="name")
    two = linking(private, one_by_one(counted), ON, truth="name")
    same(one.as_json(), two.as_json())


@given(tables(), tables(), st.none() | tables(ages=("1", "2", "3")), st.integers(2, 4))
def test_composition(new, old, people, k):
    sides = [new, old, people]
    long = [None if side is None else one_by_one(side) for side in sides]
    one, two = (
        composition(a, b, ["age", "sex"], ["sum"], k=k, people=c) for a, b, c in (sides, long)
    )
    same(one.as_json(), two.as_json())


@pytest.mark.parametrize("most", [10_000, 40])
def test_inference_from_all_or_drawn_rows(monkeypatch, most):
    from indistinct.measures import learner

    monkeypatch.setattr(learner.drawn_rows, "__defaults__", (most,))
    random = np.random.default_rng(5)
    ages = random.integers(20, 60, 50)
    private = pa.table({"age": ages.astype(str), "sum": (ages // 15).astype(str)})
    shown = pa.table({"age": [f"[{a // 10 * 10}-{a // 10 * 10 + 9}]" for a in ages]})
    shown = shown.append_column("sum", private.column("sum"))
    counts = random.integers(1, 5, 50)
    sides = [CountedRows(shown, counts), CountedRows(private, counts)]
    one = inference(*sides, ["age"], "sum", targets=30)
    two = inference(*map(one_by_one, sides), ["age"], "sum", targets=30)
    assert one == two
    assert one.rate.of == 30


@examples(5)
@given(tables(columns=("age", "sum")))
def test_matched_rows_are_attacked_one_by_one(counted):
    plan = Plan.model_validate(
        {
            "columns": {"age": {"role": "quasi"}, "sum": {"role": "sensitive"}},
            "require": [{"model": "k-anonymity", "k": 2}],
            "method": {"name": "freeform"},
        }
    )
    job = Job(counted, plan, 2, private=counted, quasi=["age"], sensitive=["sum"])
    with pytest.raises(DataError, match="each is needed by itself"):
        _ = job.targets


def test_people_who_are_matched_are_known_one_by_one():
    table = problem_of([(0,), (1,)], [2], [KAnonymity(k=2)], [0, 1]).table
    assert people_of(table).sensitive[0].tolist() == [0, 1]
    with pytest.raises(DataError, match="each is needed by itself"):
        people_of(weighted(table, np.array([1, 2])))
