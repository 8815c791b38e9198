"""The check of what a release shows, by itself: ends and members that few people have are found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from indistinct.check.detail import Detail, held_by
from indistinct.errors import DoesNotHoldError
from indistinct.hierarchy import Domain
from indistinct.hierarchy.spec import Dates, Flat, FromTree, Intervals
from indistinct.pipeline import Work
from indistinct.plan import Plan
from indistinct.running.progress import Progress


def detail_of(spec, values, k=2, people=()):
    hierarchy = spec.build(Domain.of(values), place="x", base=Path())
    column = pa.chunked_array([pa.array(values)])
    return Detail(hierarchy, lambda: held_by(column, "x", k, people))


AGES = ["17", "20", "20", "23", "31", "31", "38", "91"]


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("[17-20]", False),  # one person is 17
        ("[20-31]", True),  # two people each
        ("[20-39]", True),  # 30 to 39 holds three people
        ("[23-39]", False),
        ("[20-37]", False),
        ("[20-99]", True),  # a round number: 31, 38 and 91 lie from 0 to 99
        ("17", False),
        ("31", True),
        ("[90-94]", True),  # the label of a node
        (">=20", True),
        ("<32", True),  # up to 31, which two people are
        ("<18", False),
        ("*", True),
    ],
)
def test_ends_of_ages(text, fine):
    found = detail_of(Intervals(intervals=[5, 10]), AGES).too_fine([text])
    assert found == ([] if fine else [text])


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("[2020-03, 2020-05]", True),
        ("2020-03", True),
        ("[2020-04, 2020-05]", False),  # one person in April
        ("[2020-01, 2020-12]", True),
        ("2020-03-31", False),  # two people were, but months are the finest
        ("[2020-03-01, 2020-05-31]", True),  # where March begins and May ends
        ("[2020-03-31, 2020-05-31]", False),
        ("2020-04-02T08:30:00", False),
    ],
)
def test_dates_and_times(text, fine):
    days = ["2020-03-31", "2020-03-31", "2020-04-02T08:30:00", "2020-05-01", "2020-05-09"]
    found = detail_of(Dates(dates=["month", "year"]), days).too_fine([text])
    assert found == ([] if fine else [text])


def test_members_of_sets():
    tree = FromTree(tree={"north": ["a", "b"], "south": ["c", "d"]})
    found = detail_of(tree, ["a", "a", "b", "c", "d"])
    texts = ["{a, south}", "{a, b}", "{north, south}", "{a, zebra}", "{b, c}"]
    assert found.too_fine(texts) == ["{a, b}", "{a, zebra}", "{b, c}"]


def test_bounds_in_columns_of_their_own():
    found = detail_of(Intervals(intervals=[5, 10]), AGES)
    ends = [("20", "31"), ("17", "20"), ("20", None), (None, None), ("20", "39"), ("31", "38")]
    assert found.bounds_too_fine(ends) == ["[17, 20]", "[31, 38]"]
    amounts = detail_of(Intervals(intervals=[10]), ["1.5", "2.5", "12.5", "13.5"])
    assert amounts.bounds_too_fine([("0", "20"), ("1.5", "20"), ("0", "13.5")]) == [
        "[1.5, 20]",
        "[0, 13.5]",
    ]


def test_people_count_once_however_many_rows_they_have():
    whose = np.array([1, 1, 1, 2, 3, 4, 5, 6], dtype=np.int32)
    ages = ["20", "20", "21", "30", "40", "40", "50", "50"]
    alone = detail_of(Flat(), ages)
    people = detail_of(Flat(), ages, people=[whose])
    assert alone.too_fine(["20", "[20-50]"]) == []
    assert people.too_fine(["20", "40", "[40-50]", "[21-50]"]) == ["20", "[21-50]"]


def test_a_release_whose_ends_were_tampered_with_is_refused():
    data = pa.table({"age": [int(age) for age in AGES]})
    plan = {
        "columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "mondrian"},
    }
    work = Work(Plan.load(plan), Progress())
    work.recode(data, keep_order=True)
    rows = work.published.rows
    work.check(rows)
    with pytest.raises(DoesNotHoldError, match="fewer than 2 people"):
        work.check(rows.set_column(0, "age", pa.array(["[17-91]"] * len(AGES))))
