"""Messy input: numbers, dates and missing values as files in Europe have them."""

from __future__ import annotations

import csv
import datetime as dt

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct import (
    IndistinctError,
    anonymize,
    anonymize_file,
    check_plan,
    compare,
    suggest_plan,
    verify,
)

BORN = ["31.12.1999", "01.02.1950", "15.07.1960", "01.02.1950", "31.12.1999", "15.07.1960"]
COST = ["262,13", "1.234,56", "8,5", "1.234,56", "262,13", "8,5"]
SEEN = [
    "2020-01-05",
    "2020-01-05 10:00:00",
    "2020-01-06T11:30:00",
    "2020-01-06T11:30:00Z",
    "2020-02-01",
    "2020-02-01",
]
NUMBERS = {"intervals": [10, 1000]}


def people(**columns):
    return pa.table({"born": BORN, "cost": COST, "seen": SEEN} | columns)


def plan(columns, k=2, **more):
    return {
        "columns": columns,
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": "mondrian"},
        "unlisted": "drop",
        **more,
    }


QUASI = {
    "born": {"role": "quasi", "hierarchy": {"dates": ["year"]}},
    "cost": {"role": "quasi", "hierarchy": NUMBERS},
    "seen": {"role": "quasi", "hierarchy": {"dates": ["month"]}},
}


def faults(data, asked):
    with pytest.raises(IndistinctError) as caught:
        anonymize(data, asked)
    return [str(fault) for fault in caught.value.faults]


def released(data, asked, name):
    return anonymize(data, asked, keep_order=True).frame.column(name).to_pylist()


def test_european_numbers_and_dates_are_read_with_a_word_about_it():
    release = anonymize(people(), plan(QUASI))
    told = "\n".join(release.warnings)
    assert "'born': its dates are read as day, month, year" in told
    assert "'cost': its numbers are read with a comma before decimals and a point at" in told
    assert "'seen'" not in told.split("suggested")[0]
    asked = plan(QUASI, k=6, method={"name": "datafly"})
    assert released(people(), asked, "born") in (["*"] * 6, ["1999"] * 6)


def test_quasi_values_are_published_as_everybody_reads_them():
    """Exactly, if that is asked for; the finest intervals show how they are read as well."""
    asked = plan({"cost": QUASI["cost"]}, method={"name": "optimal"})
    asked["input"] = {"decimal": ",", "thousands": "."}
    read = {"[0, 10)", "[260, 270)", "[1230, 1240)"}
    assert set(released(people(), asked, "cost")) == read
    asked["publish"] = "exact"
    assert sorted(released(people(), asked, "cost")) == sorted(
        ["262.13", "1234.56", "8.5", "1234.56", "262.13", "8.5"]
    )
    assert not any("are read" in warning for warning in anonymize(people(), asked).warnings)


def test_sensitive_and_other_values_are_released_as_they_are_written():
    columns = {
        "seen": QUASI["seen"],
        "cost": {"role": "sensitive"},
        "born": {"role": "other"},
    }
    rows = anonymize(people(), plan(columns, k=3)).frame
    assert sorted(rows.column("cost").to_pylist()) == sorted(COST)
    assert sorted(rows.column("born").to_pylist()) == sorted(BORN)


def test_sensitive_values_are_in_the_order_of_what_they_say(tmp_path):
    """By text, 1.000,5 stands before 9,5; by number it is the farthest from it."""
    cost = ["9,5", "80,25", "700,5", "1.000,5"] * 2
    table = pa.table({"q": ["a"] * 4 + ["b"] * 4, "cost": cost})
    columns = {"q": {"role": "quasi", "hierarchy": "flat"}, "cost": {"role": "sensitive"}}
    close = {"model": "t-closeness", "t": 0.5, "distance": "ordered"}
    asked = plan(columns, require=[close], method={"name": "datafly"})
    release = anonymize(table, asked)
    assert release.table.sensitive[0].values == ("9,5", "80,25", "700,5", "1.000,5")
    with_tree = {**columns, "cost": {"role": "sensitive", "hierarchy": NUMBERS}}
    near = {"model": "t-closeness", "t": 0.5, "distance": "hierarchical"}
    asked = plan(with_tree, require=[near], method={"name": "datafly"})
    source = tmp_path / "p.parquet"
    pq.write_table(table, source)
    anonymize_file(source, asked, tmp_path / "r.csv", certificate=tmp_path / "c.json")
    assert "1.000,5" in (tmp_path / "r.csv").read_text()
    assert verify(tmp_path / "r.csv", certificate=tmp_path / "c.json").holds


def test_two_spellings_of_one_number_are_one_quasi_value():
    table = pa.table({"cost": ["1.234,5", "1234,5", "7,5", "7,5"]})
    asked = plan({"cost": QUASI["cost"]}, method={"name": "datafly"})
    assert sorted(released(table, asked, "cost")) == ["[0, 10)"] * 2 + ["[1230, 1240)"] * 2
    exact = released(table, asked | {"publish": "exact"}, "cost")
    assert sorted(exact) == ["1234.5"] * 2 + ["7.5"] * 2


@pytest.mark.parametrize(
    ("values", "setting"),
    [
        (["1,234", "5,678"], "decimal = '.', thousands = ',' or decimal = ','"),
        (["03/04/2020", "05/06/2020"], 'dates = "dmy" or dates = "mdy"'),
    ],
)
def test_what_no_value_decides_is_asked_for(values, setting):
    table = pa.table({"x": values * 3})
    spec = NUMBERS if "," in values[0] else {"dates": ["year"]}
    [fault] = faults(table, plan({"x": {"role": "quasi", "hierarchy": spec}}))
    assert "no value decides which" in fault
    assert setting in fault
    by_itself = anonymize(table, plan({"x": {"role": "quasi"}}))
    assert any(setting in warning for warning in by_itself.warnings)


def test_what_is_asked_for_can_be_said():
    table = pa.table({"x": ["1,234", "5,678"] * 3})
    spec = {"x": {"role": "quasi", "hierarchy": NUMBERS, "publish": "exact"}}
    said = {"decimal": ","}, {"thousands": ","}
    found = [
        sorted(set(released(table, plan(spec, method={"name": "datafly"}, input=i), "x")))
        for i in said
    ]
    assert found == [["1.234", "5.678"], ["1234", "5678"]]
    days = pa.table({"x": ["03/04/2020", "05/06/2020"] * 3})
    spec = {"x": {"role": "quasi", "hierarchy": {"dates": ["year"]}}}
    asked = plan(spec, method={"name": "datafly"}, input={"dates": "mdy"}, publish="exact")
    assert sorted(set(released(days, asked, "x"))) == ["2020-03-04", "2020-05-06"]


def test_points_that_may_stand_at_thousands_are_read_as_decimals_with_a_warning():
    table = pa.table({"x": ["1.234", "5.678"] * 3})
    [warning, *_] = anonymize(table, plan({"x": {"role": "quasi", "hierarchy": NUMBERS}})).warnings
    assert 'thousands = "."' in warning
    plain = pa.table({"x": ["1.25", "5.678"] * 3})
    told = anonymize(plain, plan({"x": {"role": "quasi", "hierarchy": NUMBERS}})).warnings
    assert not any("thousands" in warning for warning in told)


def test_a_number_that_is_not_written_as_the_plan_says_is_a_fault_of_its_own():
    table = pa.table({"x": ["1,5", "2,5", "2.5", "k.A."]})
    asked = plan({"x": {"role": "quasi", "hierarchy": NUMBERS}}, input={"decimal": ","})
    [fault] = [fault for fault in faults(table, asked) if "2.5" in fault]
    assert "is a number, but not with a comma before decimals" in fault


def test_only_what_is_no_number_is_a_fault_where_most_are():
    asked = plan({"cost": QUASI["cost"]})
    [fault] = faults(people(cost=[*COST[:-1], "k.A."]), asked)
    assert "'k.A.' (1 row) is not a number" in fault
    mixed = plan({"x": {"role": "quasi", "hierarchy": NUMBERS}})
    [fault] = faults(pa.table({"x": ["1.5", "2,5"] * 3}), mixed)
    assert "written in different ways" in fault


def test_codes_are_left_alone():
    table = pa.table({"x": ["1.234", "5.678"] * 3, "y": ["1,5"] * 6})
    columns = {
        "x": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "y": {"role": "quasi", "hierarchy": "flat"},
    }
    asked = plan(columns, method={"name": "datafly"}, input={"decimal": ",", "thousands": "."})
    assert sorted(set(released(table, asked, "x"))) == ["1.234", "5.678"]
    assert set(released(table, asked, "y")) == {"1,5"}


def test_comparisons_and_checks_read_alike():
    checked = check_plan(plan(QUASI), people())
    assert any("'born'" in note for note in checked.notes)
    assert compare(people(), plan(QUASI), methods=["mondrian"], k=[2]).rows[0].met


@pytest.mark.parametrize("kind", ["xlsx", "parquet", "pandas", "polars", "arrow"])
def test_missing_values_by_name_in_tables_with_types(tmp_path, kind):
    job = ["baker", "k.A.", "baker", "k.A."]
    age = [31, -9, 31, -9]
    day = [dt.datetime(2020, 1, 2), "k.A."] * 2  # noqa: DTZ001 - as sheets have them
    table = pa.table({"job": job, "age": age, "day": ["2020-01-02", "k.A."] * 2})
    columns = {
        "job": {"role": "other"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "day": {"role": "quasi", "hierarchy": {"dates": ["year"]}, "publish": "exact"},
    }
    asked = plan(columns, input={"missing": ["", "k.A.", "-9"]})
    data = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}.get(kind)
    if data is not None:
        rows = anonymize(data(table.to_pydict()), asked).frame
        made = {"pandas": pa.Table.from_pandas, "polars": pl.DataFrame.to_arrow}
        rows = made.get(kind, lambda rows: rows)(rows)
    elif kind == "parquet":
        pq.write_table(table, tmp_path / "p.parquet")
        rows = anonymize(tmp_path / "p.parquet", asked).frame
    else:
        book = openpyxl.Workbook()
        book.active.append(["job", "age", "day"])
        for row in zip(job, age, day, strict=True):
            book.active.append(row)
        book.save(tmp_path / "p.xlsx")
        rows = anonymize(tmp_path / "p.xlsx", asked).frame
    for name, value in {"job": "baker", "age": 31, "day": "2020-01-02"}.items():
        cells = [None if pd.isna(cell) else cell for cell in rows.column(name).to_pylist()]
        assert sum(cell is None for cell in cells) == 2
        assert {str(cell).removesuffix(".0") for cell in cells if cell is not None} == {str(value)}


def test_an_empty_text_stays_one_unless_the_plan_says_otherwise():
    table = pa.table({"q": ["a", "a"], "x": ["", "b"]})
    columns = {"q": {"role": "quasi", "hierarchy": "flat"}, "x": {"role": "other"}}
    assert "" in released(table, plan(columns), "x")
    assert None in released(table, plan(columns, input={"missing": [""]}), "x")


def test_a_first_plan_says_how_the_file_is_read(tmp_path):
    rows = list(
        zip(BORN * 20, COST * 20, ["a", "b"] * 60, ["36,6", "NA", "37,1"] * 40, strict=True)
    )
    with (tmp_path / "p.csv").open("w", newline="") as handle:
        csv.writer(handle, delimiter=";").writerows([["born", "cost", "sex", "temp"], *rows])
    found = suggest_plan(tmp_path / "p.csv")
    assert found.input.dates == "dmy"
    assert (found.input.decimal, found.input.thousands) == (",", ".")
    assert found.input.missing == ("", "NA")
    assert any("day, month, year: born" in line for line in found.look_at)
    checked = check_plan(found.plan(), tmp_path / "p.csv")
    assert not checked.notes
    points = people(weight=["1.5", "2.5"] * 3)
    assert suggest_plan(points).input.decimal is None
