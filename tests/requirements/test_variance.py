"""Variance diversity: by hand, by brute force, by every method, and what a plan may not ask."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import Plan, anonymize, verify
from indistinct.errors import CannotMeetError, DoesNotHoldError, PlanError
from indistinct.model.table import SensitiveColumn
from indistinct.requirements import ClassValues, PublishedClasses
from tests import oracle_requirements as brute
from tests.properties.test_requirements import check_searches
from tests.requirements.jobs import jobs
from tests.requirements.strategies import requirement_of
from tests.requirements.test_judging import Judge, pairs_of
from tests.requirements.through_methods import ACCURACY, QUASI, keeping, table

NUMBERS = ("-2", "0", "0.1", "0.3", "1", "1.0", "7", None)  # 1 and 1.0 are one number
COLUMN = brute.Sensitive(NUMBERS, Counter(dict.fromkeys(NUMBERS, 2)))


def classes_of(histograms, people=None):
    triples = [
        (number, code, histogram[value])
        for number, histogram in enumerate(histograms)
        for code, value in enumerate(NUMBERS)
        if histogram[value]
    ]
    of_class, value, count = (np.array(part, dtype=np.int64) for part in zip(*triples, strict=True))
    shares, levels = np.full(len(NUMBERS), 1 / len(NUMBERS)), np.arange(len(NUMBERS))[None, :]
    rows = np.array([sum(histogram.values()) for histogram in histograms], dtype=np.int64)
    values = ClassValues(of_class, value, count, shares, levels.astype(np.int32), NUMBERS)
    return PublishedClasses(rows, rows if people is None else np.array(people), values)


def asked_of(e):
    return {"model": "variance", "e": e}


def judge_of(asked):
    codes = np.arange(len(NUMBERS), dtype=np.int32)
    column = SensitiveColumn("s", codes, NUMBERS)
    return Judge(column, (requirement_of(asked).rule(column),))


@pytest.mark.parametrize(
    ("held", "e", "holds", "measured"),
    [
        (["0", "7"], 3.5, True, 3.5),
        (["0", "7"], 3.6, False, 3.5),
        (["0", "7", "7"], 3.5, False, 7 * 2**0.5 / 3),  # more of one number narrow it
        (["1", "1.0"], 0.5, False, 0),  # one number written twice
        (["0.1", "0.3"], 0.1, True, 0.1),
        (["0", None], 1, False, 0),  # a missing number is none
        ([None, None], 1, False, 0),
        (["-2", "7", None], 4.5, True, 4.5),
    ],
)
def test_definition(held, e, holds, measured):
    found = requirement_of(asked_of(e)).measure(classes_of([Counter(held)]))
    assert (found.holds, found.value) == (holds, pytest.approx(measured))


def test_one_person_with_two_numbers_is_no_class():
    requirement = requirement_of(asked_of(1))
    assert requirement.measure(classes_of([Counter(["0", "7"])])).holds
    assert not requirement.measure(classes_of([Counter(["0", "7"])], people=[1])).holds


histograms = st.lists(st.sampled_from(NUMBERS), min_size=2, max_size=7).map(Counter)
requirements = st.builds(asked_of, st.sampled_from([0.1, 0.15, 0.4, 1, 2, 3, 3.5, 4.5]))


@given(requirements, st.lists(histograms, min_size=1, max_size=4))
def test_measured_and_judged_as_defined(asked, classes):
    each = [brute.holds(asked, h, sum(h.values()), COLUMN) for h in classes]
    found = requirement_of(asked).measure(classes_of(classes))
    assert found.holds is all(each)
    assert found.value**2 == pytest.approx(float(min(map(brute.variance, classes))), abs=1e-12)
    numbers = np.arange(len(classes), dtype=np.int32)
    fine, capacity = judge_of(asked)(numbers, len(classes), pairs_of(classes, COLUMN))
    assert fine.tolist() == each
    for held, most, ok in zip(classes, capacity.tolist(), each, strict=True):
        assert most >= largest_part(asked, held)
        assert (most == held.total()) is ok


def largest_part(asked, held):
    """The most rows of a class that satisfy, by trying all."""
    rows = list(held.elements())
    for size in range(len(rows), 1, -1):
        for some in combinations(rows, size):
            if brute.holds(asked, Counter(some), size, COLUMN):
                return size
    return 0


@given(requirements, st.lists(histograms, min_size=1, max_size=3))
def test_the_fewest_rows_of_a_class_are_suppressed(asked, classes):
    numbers = np.arange(len(classes), dtype=np.int32)
    kept = judge_of(asked).parts(numbers, len(classes), pairs_of(classes, COLUMN), 2)
    assert kept.rows.tolist() == [largest_part(asked, held) for held in classes]


@given(requirements, histograms, histograms)
def test_closed_under_unions(asked, one, other):
    assert requirement_of(asked).closed_under == "unions"
    if all(brute.holds(asked, held, held.total(), COLUMN) for held in (one, other)):
        joined = one + other
        assert brute.holds(asked, joined, joined.total(), COLUMN)


def in_numbers(job, asked):
    """The same job with numbers for values, and their variance asked."""
    number = {None: None} | {f"s{place}": str(place * place) for place in range(10)}
    [column] = job.sensitive.values()
    ladders = column.ladders and [[number[path[0]], *path[1:]] for path in column.ladders]
    numbers = brute.Sensitive(
        tuple(number[value] for value in column.values),
        Counter({number[value]: count for value, count in column.whole.items()}),
        ladders,
    )
    rows = [row | {"s": number[row["s"]]} for row in job.rows]
    return replace(job, rows=rows, sensitive={"s": numbers}, asked=[asked])


@pytest.mark.parametrize("people", [False, True])
@given(data=st.data())
def test_full_domain_searches_against_brute_force(people, data):
    job = data.draw(jobs(["p-sensitive"], people=people))
    asked = asked_of(data.draw(st.sampled_from([0.4, 0.5, 1, 1.5, 2, 4])))
    check_searches(in_numbers(job, asked), ["samarati", "branch and bound"])


def salaries(seed):
    data = table(seed)
    paid = {"a": "1000", "b": "1010.5", "c": "2500", "d": None}
    return data.set_column(2, "ill", pa.array([paid[v] for v in data["ill"].to_pylist()]))


def plan_of(method="optimal", asked=None, suppression=0.0):
    columns = {name: {"role": "quasi", "hierarchy": paths} for name, paths in QUASI.items()}
    return {
        "columns": columns | {"ill": {"role": "sensitive"}},
        "require": [asked or asked_of(100)],
        "method": {"name": method},
        "limits": {"suppression": suppression},
        "seed": 1,
    } | ({"accuracy": {"max_ncp": 1.0}} if method in ACCURACY else {})


@pytest.mark.parametrize("method", keeping("variance"))
def test_every_method_keeps_it(method):
    for seed in range(2):
        asked = asked_of(100 + 100 * seed)
        data = salaries(seed)
        release = anonymize(data, plan_of(method, asked, 0.2 * seed))
        classes = defaultdict(Counter)
        for row in release.frame.to_pylist():
            classes[row["zip"], row["age"]][row["ill"]] += 1
        assert classes
        assert all(brute.holds(asked, h, sum(h.values()), COLUMN) for h in classes.values())
        assert release.evidence[0].holds


def test_a_release_is_verified_from_its_rows_alone():
    release = anonymize(salaries(0), plan_of())
    [evidence] = verify(release.frame, plan_of()).evidence
    assert evidence.holds
    assert evidence.measured == release.evidence[0].measured >= 100
    with pytest.raises(DoesNotHoldError, match="where e = 745 was promised"):
        verify(release.frame, plan_of(asked=asked_of(745)))


def test_dates_are_counted_in_days():
    data = pa.table({"zip": list("aabb"), "day": ["2020-01-01", "2020-03-01"] * 2})
    columns = {"zip": {"role": "quasi", "hierarchy": "flat"}, "day": {"role": "sensitive"}}
    release = anonymize(data, {"columns": columns, "require": [asked_of(30)]})
    assert release.evidence[0].measured == 30


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["flu", "gout"], "values that are neither numbers nor ISO dates"),
        (["3", "gout"], "values that are neither numbers nor ISO dates"),
        (["3", "4"], "e is 0.6, more than half the range of column 'ill'"),
    ],
)
@pytest.mark.parametrize("method", ["optimal", "mondrian", "best"])
def test_what_no_release_can_keep_is_told_before_the_search(values, told, method):
    data = pa.table({"zip": ["11"] * 8, "age": ["1"] * 8, "ill": values * 4})
    with pytest.raises(CannotMeetError, match=told):
        anonymize(data, plan_of(method, asked_of(0.6), suppression=0.5))


@pytest.mark.parametrize("wrong", [{}, {"e": 0}, {"e": -1.0}, {"e": float("inf")}, {"e": "1"}])
def test_bad_parameters(wrong):
    plan = plan_of(asked={"model": "variance", **wrong})
    with pytest.raises(PlanError, match=r"require"):
        Plan.load(plan)
