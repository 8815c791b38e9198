"""Typed columns of a release, for every kind of frame, and what is refused."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from indistinct import anonymize, anonymize_file, read_release
from indistinct.errors import DataError

PRIVATE = {
    "age": [21, 24, 25, 38, 41, 47],
    "marital": ["married", "divorced", "married", "single", "single", "single"],
    "born": ["2001-02-03", "2001-02-17", "2001-03-30", "1980-01-01", "1980-05-05", "1980-12-31"],
    "ill": ["flu", "gout", "flu", "gout", "flu", "flu"],
}
PLAN = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "marital": {
            "role": "quasi",
            "hierarchy": {"tree": {"been married": ["married", "divorced"], "never": ["single"]}},
        },
        "born": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}},
        "ill": {"role": "sensitive"},
    },
    "require": [{"model": "k-anonymity", "k": 3}],
    "method": {"name": "mondrian"},
}


def by_marital(frame):
    rows = pa.table(frame) if isinstance(frame, dict) else frame
    return {row["marital"]: row for row in rows.to_pylist()}


def test_ranges_and_nodes_become_typed_columns():
    rows = by_marital(read_release(anonymize(pa.table(PRIVATE), PLAN).frame, PLAN).frame)
    young = rows["been married"]
    assert (young["age_low"], young["age_mid"], young["age_high"]) == (20, 24.5, 29)
    assert young["marital_leaves"] == ["divorced", "married"]
    assert young["born_low"] == dt.date(2001, 1, 1)
    assert young["born_high"] == dt.date(2001, 12, 31)
    assert rows["single"]["marital_leaves"] == ["single"]


def test_the_frame_is_of_the_kind_that_was_given(make_frame):
    frame = read_release(anonymize(make_frame(PRIVATE), PLAN).frame, PLAN).frame
    assert type(frame) is type(make_frame(PRIVATE))
    assert {"age_low", "age_high", "age_mid", "marital_leaves"} <= set(
        frame.column_names if isinstance(frame, pa.Table) else frame.columns
    )


@pytest.fixture
def files(tmp_path):
    pd.DataFrame(PRIVATE).to_csv(tmp_path / "private.csv", index=False)
    anonymize_file(
        tmp_path / "private.csv", PLAN, tmp_path / "r.csv", certificate=tmp_path / "c.json"
    )
    return tmp_path


def test_a_file_is_read_with_its_certificate(files):
    received = read_release(files / "r.csv", certificate=files / "c.json")
    assert received.count({"ill": "flu"}).low == 4
    assert isinstance(received.to_frame("pandas"), pd.DataFrame)
    assert isinstance(received.to_frame("polars"), pl.DataFrame)
    assert received.suppressed_rows == 0


def test_bounds_in_two_columns_are_one_column(make_frame):
    columns = {**PLAN["columns"], "age": {**PLAN["columns"]["age"], "range_as": "bounds"}}
    plan = {**PLAN, "columns": columns}
    received = read_release(anonymize(make_frame(PRIVATE), plan).frame, plan)
    assert "age" in received.columns
    assert received.count({"age": (0, 200)}).high == 6


def test_a_mean_over_open_ranges_has_no_bound_unless_the_reader_knows_one():
    release = pa.table({"age": [">=30", "[20-29]"], "ill": ["flu", "flu"]})
    plan = {
        "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "require": PLAN["require"],
    }
    open_ended = read_release(release, plan)
    assert open_ended.mean("age").high == float("inf")
    assert open_ended.frame.column("age_low").to_pylist() == [30, 20]
    assert open_ended.frame.column("age_high").to_pylist() == [None, 29]
    assert open_ended.frame.column("age_mid").to_pylist() == [None, 24.5]
    assert read_release(release, plan, within={"age": (0, 99)}).mean("age").high == 64


def test_a_star_has_no_ends_and_no_middle():
    release = pa.table({"age": ["*", "[20-29]"], "ill": ["flu", "*"]})
    plan = {
        "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "require": PLAN["require"],
    }
    received = read_release(release, plan)
    assert received.frame.column("age_mid").to_pylist() == [None, 24.5]
    assert received.count({"age": (20, 29), "ill": "flu"}).low == 0
    assert received.count({"age": (20, 29), "ill": "flu"}).high == 2
    assert (received.mean("age").low, received.mean("age").high) == (-float("inf"), float("inf"))


def test_labels_of_a_hierarchy_that_is_not_at_hand_are_not_guessed(tmp_path):
    release = pa.table({"marital": ["been married"] * 3, "ill": ["flu"] * 3})
    plan = {
        "columns": {
            "marital": {"role": "quasi", "hierarchy": {"csv": str(tmp_path / "gone.csv")}},
            "ill": {"role": "sensitive"},
        },
        "require": PLAN["require"],
    }
    received = read_release(release, plan)
    assert received.count({"ill": "flu"}).low == 3
    with pytest.raises(DataError, match="hierarchy is not available"):
        received.count({"marital": "married"})
    paths = [["married", "been married", "*"], ["single", "never", "*"]]
    given = read_release(release, plan, hierarchies={"marital": paths})
    assert given.count({"marital": "married"}).low == 3
    assert given.count({"marital": "single"}).high == 0


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda received: received.count({"agee": 3}), "no such column"),
        (lambda received: received.count({"age": "north"}), "is not a number"),
        (lambda received: received.mean("ill"), "holds no numbers"),
        (lambda received: received.mean("age", {"ill": "plague"}), "no released row"),
        (lambda received: received.count(weights="age"), "weights must be"),
    ],
)
def test_bad_questions_are_refused(ask, problem):
    received = read_release(anonymize(pa.table(PRIVATE), PLAN).frame, PLAN)
    with pytest.raises(DataError, match=problem):
        ask(received)


def test_a_plan_or_a_certificate_is_needed():
    with pytest.raises(DataError, match="a plan or a certificate"):
        read_release(pa.table(PRIVATE))


def test_buckets_are_refused():
    plan = {**PLAN, "method": {"name": "anatomy"}, "require": [{"model": "l-diversity", "l": 2}]}
    with pytest.raises(DataError, match="permuted"):
        read_release(pa.table(PRIVATE), plan)
