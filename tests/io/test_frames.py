"""Data frames in and out, and what other tools get wrong with them, on every kind of frame."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from indistinct import anonymize, assess, verify
from indistinct.errors import (
    CannotMeetError,
    DataError,
    DoesNotHoldError,
    IndistinctError,
    PlanError,
)
from indistinct.methods import METHODS
from indistinct.model.recoding import LevelVector
from tests.conftest import FRAMES, LAZY
from tests.rows import records

DUAL = {"ac", "ipcsd"}  # they need a bound on loss in the plan
KEEPING = [
    name
    for name, method in METHODS.items()
    if "k-anonymity" in method.keeps and name not in {*DUAL, "auto"}
]

ZIPS = ["02139", "02139", "02141", "02141", "10001", "10001", "94110"]
SEXES = ["f", "f", "m", "m", "f", "f", "m"]
ILLS = ["flu", "gout", "flu", "gout", "flu", "gout", "SECRET"]


def plan(*, k=2, suppression=0.2, method="optimal", **more):
    columns = {
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "sex": {"role": "quasi", "hierarchy": "flat"},
        "ill": {"role": "sensitive"},
    }
    return {
        "columns": columns | more.pop("columns", {}),
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": method},
        "limits": {"suppression": suppression},
        **more,
    }


def people(make_frame, **more):
    return make_frame({"zip": ZIPS, "sex": SEXES, "ill": ILLS} | more)


@pytest.mark.parametrize("method", KEEPING)
def test_the_same_kind_comes_back_with_its_columns_in_order(make_frame, method):
    given = people(make_frame, note=[1, 2, 3, 4, 5, 6, 7])
    asked = plan(method=method, columns={"note": {"role": "other"}})
    release = anonymize(given, asked)
    assert type(release.frame) is type(given)
    names = release.rows.column_names
    assert names == ["zip", "sex", "ill", "note"]
    assert release.suppressed_rows <= 1
    assert len(records(release.frame)) == 7 - release.suppressed_rows
    classes = Counter(row[:2] for row in records(release.frame))
    matched = METHODS[method].matches_rows
    assert matched or min(classes.values()) >= 2
    assert verify(release.frame, asked, private=given if matched else None).holds


def test_the_input_is_left_alone(make_frame):
    given = people(make_frame)
    before = records(given)
    anonymize(given, plan())
    assert records(given) == before


def test_columns_that_are_dropped(make_frame):
    given = people(make_frame, name=list("abcdefg"), room=[1] * 7, note=[2] * 7)
    more = {"name": {"role": "identifier"}, "room": {"role": "drop"}}
    assert anonymize(given, plan(columns=more, unlisted="drop")).rows.column_names == [
        "zip", "sex", "ill",
    ]  # fmt: skip
    released = anonymize(given, plan(columns=more, unlisted="other")).rows
    assert released.column_names == ["zip", "sex", "ill", "note"]
    with pytest.raises(DataError, match="does not name: note"):
        anonymize(given, plan(columns=more))


INDEXES = {
    "duplicate labels": [0] * 7,
    "shuffled labels": [6, 2, 4, 0, 1, 5, 3],
    "text labels": list("gfedcba"),
    "a named index": pd.Index(range(7), name="zip"),
    "two levels": pd.MultiIndex.from_product([[0], range(7)]),
    "missing labels": [np.nan] * 7,
}


@pytest.mark.parametrize("index", INDEXES)
def test_the_index_of_pandas_neither_counts_nor_leaks(index):
    plain = people(pd.DataFrame)
    labelled = plain.set_axis(INDEXES[index], axis=0)
    expected = anonymize(plain, plan(seed=1)).frame
    found = anonymize(labelled, plan(seed=1)).frame
    pd.testing.assert_frame_equal(found, expected, check_index_type="exact")
    assert list(found.columns) == ["zip", "sex", "ill"]
    assert isinstance(found.index, pd.RangeIndex)
    assert len(found) == 6


def test_many_rows_under_one_label():
    rows = 2000
    frame = pd.DataFrame({"zip": ["02139", "02141"] * (rows // 2)}, index=[0] * rows)
    column = {"zip": {"role": "quasi", "hierarchy": {"mask": "right"}}}
    released = anonymize(
        frame,
        {
            "columns": column,
            "require": [{"model": "k-anonymity", "k": 5}],
            "method": {"name": "optimal"},
        },
    )
    assert len(released.frame) == rows


def test_nan_in_a_number_column_is_a_value_of_its_own(make_frame):
    ages = [31.0, 31.0, float("nan"), float("nan"), 52.0, 52.0, float("nan")]
    columns = {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}}
    asked = {
        "columns": columns,
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
    }
    release = anonymize(make_frame({"age": ages}), asked, keep_order=True)
    assert release.levels == {"age": 0}
    assert records(release.frame) == [(31,), (31,), (None,), (None,), (52,), (52,), (None,)]
    lonely = make_frame({"age": [*ages[:2], float("nan"), *ages[4:6]]})
    limits = {"limits": {"suppression": 0.2}}
    release = anonymize(lonely, asked | limits, keep_order=True)
    assert records(release.frame) == [(31,), (31,), (52,), (52,)]
    assert release.suppressed_rows == 1
    release = anonymize(lonely, asked)
    assert set(records(release.frame)) == {("*",)}


@pytest.mark.parametrize("method", KEEPING)
@pytest.mark.parametrize("k", [0, 1, -5, 2.5, "2", True])
def test_a_k_that_promises_nothing_is_refused(make_frame, method, k):
    with pytest.raises(PlanError, match="k"):
        anonymize(people(make_frame), plan(k=k, method=method))


@pytest.mark.parametrize("method", KEEPING)
@pytest.mark.parametrize("suppression", [0.0, 0.5, 1.0])
def test_a_k_above_the_number_of_rows_cannot_be_met(make_frame, method, suppression):
    asked = plan(k=8, method=method, suppression=suppression)
    with pytest.raises(CannotMeetError, match="only 7 respondents"):
        anonymize(people(make_frame), asked)


def test_suppressing_every_row_is_no_release(make_frame):
    frame = make_frame({"zip": ZIPS[::2], "sex": SEXES[::2], "ill": ILLS[::2]})
    with pytest.raises(CannotMeetError, match="every row"):
        anonymize(frame, plan(k=4, method="samarati", suppression=1.0))


@pytest.mark.parametrize("method", KEEPING)
def test_no_state_between_two_calls(make_frame, method):
    from indistinct import Plan

    asked = Plan.load(plan(method=method, seed=5))
    before = asked.model_dump()
    first = anonymize(people(make_frame), asked)
    other = make_frame({"zip": ["1", "1"], "sex": ["f", "m"], "ill": ["a", "b"]})
    anonymize(other, asked)
    again = anonymize(people(make_frame), asked)
    assert asked.model_dump() == before
    assert records(first.frame) == records(again.frame)
    assert first.levels == again.levels
    told, told_again = first.summary(), again.summary()
    assert {**told, "seconds": 0} == {**told_again, "seconds": 0}


@pytest.mark.parametrize("method", KEEPING)
def test_a_result_that_does_not_satisfy_is_never_returned(
    make_frame, method, monkeypatch, tmp_path
):
    from indistinct import anonymize_file

    def wrong(_self, problem):
        return LevelVector((0, 0), np.ones(problem.table.rows, dtype=bool))

    monkeypatch.setattr(METHODS[method], "search", wrong)
    with pytest.raises(DoesNotHoldError, match=r"measures 1 .* k = 2 was promised"):
        anonymize(people(make_frame), plan(method=method))
    people(pd.DataFrame).to_csv(tmp_path / "private.csv", index=False)
    with pytest.raises(DoesNotHoldError):
        anonymize_file(
            tmp_path / "private.csv",
            plan(method=method),
            tmp_path / "release.csv",
            report=tmp_path / "report.html",
            certificate=tmp_path / "certificate.json",
        )
    assert [path.name for path in tmp_path.iterdir()] == ["private.csv"]


def test_every_kind_gives_the_same_release():
    asked = plan(seed=3, columns={"age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}}})
    ages = [31, 32, 41, None, 52, 55, 71]
    found = [records(anonymize(people(make, age=ages), asked).frame) for make in FRAMES.values()]
    assert found[0] == found[1] == found[2]


PANDAS = {
    "int64": [1, 2, 3],
    "int8": np.array([1, 2, 3], "int8"),
    "float32": np.array([1, 2, 3], "float32"),
    "float64": [1.5, None, 3],
    "Int64": pd.array([2**53 + 1, None, 3], "Int64"),
    "boolean": pd.array([True, None, False], "boolean"),
    "bool": [True, False, True],
    "object": pd.Series(["q", None, "r"], dtype=object),
    "decimals": pd.Series([Decimal("1.10"), None, Decimal(2)], dtype=object),
    "lists": pd.Series([[1], [2, 3], []], dtype=object),
    "string": pd.array(["q", None, "r"], "string"),
    "dates": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
    "zoned": pd.to_datetime(["2020-01-01", None, "2021-01-01"]).tz_localize("Europe/Rome"),
    "durations": pd.to_timedelta([1, 2, 3], unit="s"),
    "periods": pd.period_range("2020-01", periods=3, freq="M"),
    "arrow": pd.array([2**53 + 1, None, 3], dtype=pd.ArrowDtype(pa.int64())),
}


@pytest.mark.parametrize("kind", PANDAS)
def test_untouched_columns_of_pandas_keep_their_type(kind):
    frame = pd.DataFrame({"zip": ["1", "1", "2"], "other": PANDAS[kind]})
    found = anonymize(frame, _one_other(), keep_order=True).frame
    pd.testing.assert_frame_equal(found, frame.iloc[:2])


def _one_other(role="other"):
    columns = {"zip": {"role": "quasi", "hierarchy": "flat"}, "other": {"role": role}}
    return {
        "columns": columns,
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
        "limits": {"suppression": 0.5},
    }


POLARS = {
    "Int8": pl.Series([1, 2, 3], dtype=pl.Int8),
    "UInt64": pl.Series([2**63 + 1, None, 3], dtype=pl.UInt64),
    "Float32": pl.Series([1.5, 2, 3], dtype=pl.Float32),
    "Date": pl.Series([dt.date(2020, 1, 1)] * 3),
    "Datetime": pl.Series([12, 13, 14], dtype=pl.Datetime("ms", "UTC")),
    "Duration": pl.Series([dt.timedelta(1)] * 3),
    "Time": pl.Series([dt.time(1)] * 3),
    "Decimal": pl.Series([Decimal("1.10")] * 3),
    "Categorical": pl.Series(["q", "r", "SECRET"], dtype=pl.Categorical),
    "List": pl.Series([[1], [2], [3]]),
    "Struct": pl.Series([{"x": 1}] * 3),
    "Binary": pl.Series([b"\xff", b"1", b"2"]),
    "Null": pl.Series([None] * 3),
}


@pytest.mark.parametrize("kind", POLARS)
def test_untouched_columns_of_polars_keep_their_type(kind):
    frame = pl.DataFrame({"zip": ["1", "1", "2"], "other": POLARS[kind]})
    found = anonymize(frame, _one_other(), keep_order=True).frame
    assert found.schema == frame.schema
    assert found.rows() == frame.head(2).rows()


ARROW = {
    "dictionary": pa.array(["q", "r", "SECRET"]).dictionary_encode(),
    "timestamp": pa.array([0, 1, 500], pa.timestamp("ns", "Asia/Tokyo")),
    "large text": pa.array(["q", "r", "s"], pa.large_string()),
    "lists": pa.array([[1], [2], [3]]),
    "maps": pa.array([[("x", 1)]] * 3, pa.map_(pa.string(), pa.int64())),
    "bytes": pa.array([b"\xff", b"1", b"2"]),
    "nothing": pa.nulls(3),
}


@pytest.mark.parametrize("kind", ARROW)
def test_untouched_columns_of_arrow_keep_their_type(kind):
    table = pa.table({"zip": ["1", "1", "2"], "other": ARROW[kind]})
    found = anonymize(table, _one_other(), keep_order=True).frame
    assert found.schema == table.schema
    assert found.to_pylist() == table.slice(0, 2).to_pylist()


def test_categories_of_suppressed_rows_do_not_leak():
    values = ["q", "r", "SECRET"]
    ordered = pd.Categorical(values, categories=["r", "SECRET", "q"], ordered=True)
    frame = pd.DataFrame({"zip": ["1", "1", "2"], "other": ordered})
    found = anonymize(frame, _one_other(), keep_order=True).frame["other"]
    assert list(found.cat.categories) == ["r", "q"]
    assert found.cat.ordered
    enum = pl.Series(values, dtype=pl.Enum(values))
    frame = pl.DataFrame({"zip": ["1", "1", "2"], "other": enum})
    found = anonymize(frame, _one_other()).frame
    assert found.schema["other"] == pl.Enum(["q", "r"])
    table = pa.table({"zip": ["1", "1", "2"], "other": pa.array(values).dictionary_encode()})
    release = anonymize(table, _one_other())
    for rows in (release.rows, release.frame):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
        assert b"SECRET" not in sink.getvalue().to_pybytes()


def test_recoded_categories_are_told_in_their_own_words():
    zips = ["02139", "02141", "02141"]
    asked = {
        "columns": {"zip": {"role": "quasi", "hierarchy": {"mask": "right"}}},
        "require": [{"model": "k-anonymity", "k": 3}],
        "method": {"name": "optimal"},
    }
    ordered = pd.Categorical(zips, ordered=True)
    for column in (ordered, pd.Categorical(zips)):
        found = anonymize(pd.DataFrame({"zip": column}), asked).frame
        assert found["zip"].tolist() == ["021**"] * 3
    enum = pl.Series(zips, dtype=pl.Enum(sorted(set(zips))))
    assert anonymize(pl.DataFrame({"zip": enum}), asked).frame["zip"].to_list() == ["021**"] * 3


def test_numbers_published_as_ranges_are_text(make_frame):
    asked = {
        "columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
    }
    release = anonymize(make_frame({"age": [31, 32, 41, 45]}), asked, keep_order=True)
    assert records(release.frame) == [("[30-39]",)] * 2 + [("[40-49]",)] * 2


BAD_FRAMES = {
    "two columns of a name": (
        pd.DataFrame([["1", "1", "2"]] * 3, columns=["zip", "sex", "sex"]), "'sex' stands 2 times",
    ),
    "two columns of a name in arrow": (
        pa.table([pa.array(ZIPS)] * 2, names=["zip", "zip"]), "'zip' stands 2 times",
    ),
    "mixed types": (
        pd.DataFrame({"zip": pd.Series(["SECRET", 1, 2.5], dtype=object)}),
        r"column 'zip': its values \(object\) cannot be read",
    ),
    "complex numbers": (pd.DataFrame({"zip": [1j]}), r"column 'zip': its values \(complex128\)"),
    "objects": (
        pl.DataFrame({"zip": pl.Series([{1}], dtype=pl.Object)}),
        r"column 'zip': its values \(Object\)",
    ),
    "no rows": (pd.DataFrame({"zip": []}), "no rows"),
    "a lazy frame that fails": (
        pl.LazyFrame({"zip": ["SECRET"] * 4}).with_columns(pl.col("zip").cast(pl.Int64)),
        "it is lazy, and computing it fails with InvalidOperationError",
    ),
    "a mapping": ({"zip": ZIPS}, "cannot read a builtins.dict"),
    "a series": (pd.Series(ZIPS), "cannot read a pandas"),
    "nothing": (None, "cannot read a builtins.NoneType"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_FRAMES)
def test_frames_that_cannot_be_read(kind):
    frame, message = BAD_FRAMES[kind]
    asked = {
        "columns": {"zip": {"role": "quasi", "hierarchy": "flat"}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
        "unlisted": "drop",
    }
    with pytest.raises(IndistinctError, match=message) as caught:
        anonymize(frame, asked)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("kind", LAZY)
def test_lazy_frames_are_computed_and_come_back_lazy(kind):
    given = people(LAZY[kind], note=[1, 2, 3, 4, 5, 6, 7])
    asked = plan(columns={"note": {"role": "other"}}, seed=1)
    found = anonymize(given, asked).frame
    assert type(found) is type(given)
    assert list(found.columns if kind == "duckdb" else found.collect_schema()) == [
        "zip", "sex", "ill", "note",
    ]  # fmt: skip
    eager = anonymize(people(pa.table, note=[1, 2, 3, 4, 5, 6, 7]), asked).frame
    assert records(found) == records(eager)
    assert records(given) == records(people(pa.table, note=[1, 2, 3, 4, 5, 6, 7]))
    assert verify(found, asked).holds
    assert assess(given, columns=["zip", "sex"]).unique_rows == 1


def test_a_relation_that_cannot_be_computed():
    relation = duckdb.from_arrow(pa.table({"zip": ["SECRET"]})).project("zip::int as zip")
    with pytest.raises(DataError, match="computing it fails with ConversionException") as caught:
        assess(relation, columns=["zip"])
    assert "SECRET" not in str(caught.value)


def test_whole_number_names_of_columns():
    frame = pd.DataFrame({0: ["1", "1"], 1: ["a", "b"]})
    columns = {"0": {"role": "quasi", "hierarchy": "flat"}, "1": {"role": "other"}}
    asked = {
        "columns": columns,
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
    }
    assert list(anonymize(frame, asked).frame.columns) == ["0", "1"]


def test_arrow_layouts_that_cannot_be_reordered_as_they_are():
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["q", "r"])
    table = pa.table({"zip": pa.array(["1", "1", "2"], pa.string_view()), "other": runs})
    found = anonymize(table, _one_other(), keep_order=True).frame
    assert found.to_pydict() == {"zip": ["1", "1"], "other": ["q", "q"]}


def test_assess_and_verify_take_every_kind(make_frame):
    assert assess(people(make_frame), columns=["zip", "sex"]).unique_rows == 1
    with pytest.raises(DoesNotHoldError):
        verify(people(make_frame), plan())
