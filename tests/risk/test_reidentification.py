"""Risks against counting by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import comb

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, assess
from indistinct.datasets import medical
from indistinct.errors import DataError
from indistinct.risk import individual_risk, release_risk

ROWS = st.lists(
    st.tuples(*[st.sampled_from("ab") | st.none()] * 2, st.integers(0, 4), st.integers(0, 2)),
    min_size=1,
    max_size=14,
)


def table(rows):
    columns = zip(*rows, strict=True)
    return pa.table(dict(zip(("zip", "sex", "person", "home"), map(list, columns), strict=True)))


def summed(risks, limit):
    above = sum(risk > limit for risk in risks)
    return (max(risks), sum(risks) / len(risks), above, above / len(risks))


def measured(risk):
    return (risk.highest, risk.average, risk.rows_above, risk.above)


@given(ROWS, st.sampled_from([0.2, 0.5, 0.09]))
def test_prosecutor_and_marketer_are_the_definitions(rows, limit):
    found = assess(table(rows), columns=["zip", "sex"], threshold=limit).risk.reidentification
    sizes = Counter(row[:2] for row in rows)
    risks = [1 / sizes[row[:2]] for row in rows]
    assert measured(found.prosecutor) == pytest.approx(summed(risks, limit))
    assert measured(found.journalist) == pytest.approx(summed(risks, limit))
    assert found.marketer == pytest.approx(len(sizes) / len(rows))
    assert found.unique_rows == sum(size == 1 for size in sizes.values())


@given(ROWS)
def test_people_with_several_rows_and_households(rows):
    found = assess(
        table(rows), columns=["zip", "sex"], respondent="person", household="home", threshold=0.4
    ).risk
    people = defaultdict(set)
    for row in rows:
        people[row[:2]].add(row[2])
    risks = [1 / len(people[row[:2]]) for row in rows]
    assert measured(found.reidentification.prosecutor) == pytest.approx(summed(risks, 0.4))
    worst = defaultdict(float)
    for row, risk in zip(rows, risks, strict=True):
        worst[row[2]] = max(worst[row[2]], risk)
    assert found.respondents.groups == len(worst)
    assert found.respondents.highest == pytest.approx(max(worst.values()))
    assert found.respondents.average == pytest.approx(sum(worst.values()) / len(worst))
    assert found.respondents.above == sum(risk > 0.4 for risk in worst.values())


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), min_size=1, max_size=12))
def test_a_household_is_known_by_any_of_its_members(rows):
    data = pa.table({"zip": [zip_ for zip_, _ in rows], "home": [home for _, home in rows]})
    found = assess(data, columns=["zip"], household="home", threshold=0.6).risk.households
    sizes = Counter(zip_ for zip_, _ in rows)
    safe = defaultdict(lambda: 1.0)
    for zip_, home in rows:
        safe[home] *= 1 - 1 / sizes[zip_]
    risks = [1 - chance for chance in safe.values()]
    assert found.groups == len(risks)
    assert found.highest == pytest.approx(max(risks))
    assert found.average == pytest.approx(sum(risks) / len(risks))
    assert found.above == sum(risk > 0.6 + 1e-9 for risk in risks)


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=8),
    st.lists(st.sampled_from("abc"), max_size=20),
)
def test_the_journalist_counts_the_population(sample, others):
    everyone = pa.table({"zip": sample + others})
    found = assess(pa.table({"zip": sample}), population=everyone, threshold=0.3)
    sizes = Counter(sample + others)
    risks = [1 / sizes[zip_] for zip_ in sample]
    assert measured(found.risk.reidentification.journalist) == pytest.approx(summed(risks, 0.3))
    assert found.risk.reidentification.population == "a population table"


def test_a_population_that_the_sample_is_not_part_of():
    with pytest.raises(DataError, match="hold more people than it has"):
        assess(pa.table({"zip": ["1", "1"]}), population=pa.table({"zip": ["1"]}))


@pytest.mark.parametrize("fraction", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("people", [1, 2, 7, 40])
def test_individual_risk_is_the_mean_of_the_negative_binomial(people, fraction):
    total = sum(
        comb(h - 1, people - 1) * fraction**people * (1 - fraction) ** (h - people) / h
        for h in range(people, 60 * people + 600)
    )
    found = individual_risk(np.array([people]), fraction)[0]
    assert found == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("fraction", [0.0, 1.5, -1.0])
def test_impossible_fractions(fraction):
    with pytest.raises(DataError, match="sampling fraction"):
        assess(pa.table({"zip": ["1"]}), sampling=fraction)


def test_a_sample_and_a_population_are_too_much():
    rows = pa.table({"zip": ["1"]})
    with pytest.raises(DataError, match="both a sampling fraction and a population"):
        assess(rows, sampling=0.5, population=rows)


def plan(**more):
    return {
        "columns": {
            "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "sex": {"role": "quasi", "hierarchy": "flat"},
        },
        "require": [{"model": "k-anonymity", "k": 3}],
        "unlisted": "other",
        **more,
    }


def test_before_and_after():
    release = anonymize(medical(), plan())
    found = release_risk(release)
    sizes = Counter(zip(*(release.rows.column(n).to_pylist() for n in ("zip", "sex")), strict=True))
    after = found.after.reidentification
    assert found.before.reidentification.prosecutor.highest == 1
    assert after.threshold == pytest.approx(1 / 3)
    assert min(sizes.values()) >= 3
    assert after.prosecutor.highest == pytest.approx(1 / min(sizes.values()))
    assert after.prosecutor.rows_above == 0
    assert after.marketer == pytest.approx(len(sizes) / 10)
    beside = assess(medical(), plan(), release=release.rows)
    assert beside.risk == found.before
    assert beside.released == found.after


def test_after_counts_people_where_rows_repeat():
    rows = pa.table({"zip": ["1"] * 4 + ["2"] * 3, "sex": ["f"] * 7, "who": list("aabcdde")})
    more = {"who": {"role": "respondent"}}
    asked = plan(require=[{"model": "k-anonymity", "k": 2}])
    release = anonymize(rows, asked | {"columns": asked["columns"] | more})
    found = release_risk(release).after
    people = [len({w for w, z in zip("aabcdde", "1111222", strict=True) if z == x}) for x in "12"]
    assert found.reidentification.prosecutor.highest == 1 / min(people)
    assert found.respondents.groups == 5
