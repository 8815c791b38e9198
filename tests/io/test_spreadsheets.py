"""Spreadsheets: types, the sheet that is read, and what cannot be read."""

from __future__ import annotations

import datetime as dt
import sys

import openpyxl
import pyarrow as pa
import pytest

from indistinct import anonymize_file, assess, check_plan, suggest_plan, verify
from indistinct.errors import DataError
from indistinct.io.files import FileSource

ROWS = [
    ["age", "zip", "born", "seen", "mixed", "note"],
    [31, "02139", dt.date(1990, 1, 2), dt.datetime.fromisoformat("2020-01-02T10:30"), 1, "a"],
    [45, "02141", dt.date(1980, 1, 2), dt.datetime.fromisoformat("2020-01-02"), "SECRET", None],
    [None, "02139", None, None, 2.5, "b"],
]


@pytest.fixture
def book(tmp_path):
    """Write a file with some sheets of some rows."""

    def write(name="x.xlsx", **sheets):
        workbook = openpyxl.Workbook()
        workbook.remove(workbook.active)
        for title, rows in sheets.items():
            sheet = workbook.create_sheet(title)
            for row in rows:
                sheet.append(row)
        workbook.save(tmp_path / name)
        return tmp_path / name

    return write


def read(path, columns=None):
    return FileSource.of(path).read(columns)


def test_what_is_read_is_what_the_sheet_shows(book):
    found = read(book(empty=[], people=ROWS))
    assert found.column_names == ROWS[0]
    assert found.schema.types[:3] == [pa.int64(), pa.string(), pa.date32()]
    assert found.to_pydict() == {
        "age": [31, 45, None],
        "zip": ["02139", "02141", "02139"],
        "born": [row[2] for row in ROWS[1:]],
        "seen": [row[3] for row in ROWS[1:]],
        "mixed": ["1", "SECRET", "2.5"],
        "note": ["a", None, "b"],
    }


def test_a_text_after_thousands_of_numbers_is_not_lost(book):
    found = read(book(people=[["code"], *([[number] for number in range(5000)]), ["x1"]]))
    assert found.column("code").to_pylist()[-2:] == ["4999", "x1"]


def test_some_columns_only(book):
    assert read(book(people=ROWS), ["zip", "age"]).column_names == ["zip", "age"]


FAULTS = {
    "two sheets": ({"one": ROWS, "SECRET": ROWS}, "2 sheets with something on them. Name one: --"),
    "no rows": ({"one": ROWS[:1]}, "it has no rows"),
    "nothing": ({"one": []}, "it has no rows"),
    "a name twice": ({"one": [["a", "a"], ["SECRET", 1]]}, "'a' stands 2 times"),
    "no name": ({"one": [["a", None], ["SECRET", 1]]}, "header: field 2 has no name"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_sheets_that_are_no_tables(book, kind):
    sheets, fault = FAULTS[kind]
    with pytest.raises(DataError, match=fault) as caught:
        read(book(**sheets))
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("name", ["x.xlsx", "x.xls", "x.ods", "x.xlsb"])
def test_files_that_are_none_are_told_without_their_content(tmp_path, name):
    (tmp_path / name).write_bytes(b"PK SECRET" * 100)
    with pytest.raises(DataError, match=f"{name}: it cannot be read: it is damaged") as caught:
        read(tmp_path / name)
    assert "SECRET" not in str(caught.value)


def test_a_release_of_a_spreadsheet(book, tmp_path):
    plan = {
        "columns": {"zip": {"role": "quasi", "hierarchy": {"mask": "right"}}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "unlisted": "drop",
    }
    anonymize_file(book(people=ROWS), plan, tmp_path / "r.csv", certificate=tmp_path / "c.json")
    assert verify(tmp_path / "r.csv", certificate=tmp_path / "c.json").holds


def test_a_sheet_of_several(book, tmp_path):
    path = book(codes=[["code"], [1]], people=ROWS, SECRET=[])
    plan = {
        "columns": {"zip": {"role": "quasi", "hierarchy": {"mask": "right"}}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "unlisted": "drop",
        "input": {"sheet": "people"},
    }
    anonymize_file(path, plan, tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text().splitlines()[0] == "zip"
    assert 'sheet = "people"' in suggest_plan(path, sheet="people").toml()
    assert check_plan(plan | {"input": {}}, path, sheet="people").rows == len(ROWS) - 1
    assert assess(path, columns=["zip"], sheet="people").rows == len(ROWS) - 1
    with pytest.raises(DataError, match="of its 3 sheets none is called 'People'") as caught:
        assess(path, sheet="People")
    assert "SECRET" not in str(caught.value)
    with pytest.raises(DataError, match="it has no header"):
        assess(path, sheet="SECRET")


def test_without_the_library_the_way_to_get_it_is_told(book, monkeypatch):
    path = book(people=ROWS)
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(DataError, match=r"not installed. Run: pip install fastexcel"):
        read(path)
