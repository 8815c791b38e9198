"""Files of SPSS, Stata and SAS: labels, whole numbers, missing values, and what cannot be read."""

from __future__ import annotations

import datetime as dt
import sys

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from indistinct import anonymize, anonymize_file, verify
from indistinct.errors import DataError, OutputError
from indistinct.io.files import FileSource

PEOPLE = pd.DataFrame(
    {
        "age": [31.0, None, 31.0, 99.0],
        "sex": [1.0, 2.0, 1.0, 2.0],
        "weight": [60.5, 70.0, 80.0, None],
        "town": ["Ulm", "", "Köln", "Ulm"],
        "born": [dt.date(1990, 1, 2), dt.date(1980, 5, 6), None, dt.date(1921, 1, 1)],
    }
)
LABELS = {"sex": {1: "male", 2: "female", 3: "other"}, "age": {99: "99 or older"}}
READ = {
    "age": [31, None, 31, 99],
    "sex": ["male", "female", "male", "female"],
    "weight": [60.5, 70.0, 80.0, None],
    "town": ["Ulm", None, "Köln", "Ulm"],
    "born": list(PEOPLE["born"]),
}
WRITERS = {
    "people.sav": lambda path: pyreadstat.write_sav(PEOPLE, path, variable_value_labels=LABELS),
    "people.zsav": lambda path: pyreadstat.write_sav(
        PEOPLE, path, variable_value_labels=LABELS, compress=True
    ),
    "people.dta": lambda path: pyreadstat.write_dta(
        PEOPLE.drop(columns="born").assign(sex=[1, 2, 1, 2]),
        path,
        variable_value_labels={"sex": LABELS["sex"]},
    ),
    "people.xpt": lambda path: pyreadstat.write_xport(PEOPLE[["age", "weight"]], path),
    "people.por": lambda path: pyreadstat.write_por(PEOPLE[["age", "weight"]], path),
}


def read(path):
    return FileSource.of(path).read()


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_read_is_what_the_program_shows(tmp_path, name):
    WRITERS[name](tmp_path / name)
    found = read(tmp_path / name)
    names = [column.lower() for column in found.column_names]
    assert {"age", "weight"} <= set(names)
    assert dict(zip(names, found.to_pydict().values(), strict=True)) == {n: READ[n] for n in names}
    assert found.schema.types[0] == pa.int64()


@pytest.mark.parametrize(
    "labels", [{1: "male"}, {1: "same", 2: "same"}], ids=["one without a label", "a label twice"]
)
def test_values_stay_where_labels_do_not_tell_them_apart(tmp_path, labels):
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(PEOPLE, path, variable_value_labels={"sex": labels})
    assert read(path).column("sex").to_pylist() == [1, 2, 1, 2]


def test_some_columns_only(tmp_path):
    WRITERS["people.sav"](tmp_path / "people.sav")
    found = FileSource.of(tmp_path / "people.sav").read(["town", "age"])
    assert found.to_pydict() == {"town": READ["town"], "age": READ["age"]}


def test_a_release_of_an_spss_file(tmp_path):
    WRITERS["people.sav"](tmp_path / "people.sav")
    plan = {
        "columns": {"sex": {"role": "quasi"}, "town": {"role": "quasi", "hierarchy": "flat"}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "unlisted": "drop",
    }
    release = anonymize(tmp_path / "people.sav", plan)
    assert set(release.frame.column("sex").to_pylist()) == {"male", "female"}
    anonymize_file(tmp_path / "people.sav", plan, tmp_path / "r.csv")
    assert verify(tmp_path / "r.csv", plan).holds
    with pytest.raises(OutputError, match=r"no \.sav files are written. Name a \.csv"):
        anonymize_file(tmp_path / "people.sav", plan, tmp_path / "r.sav")


@pytest.mark.parametrize("name", ["x.sav", "x.por", "x.dta", "x.sas7bdat", "x.xpt"])
def test_files_that_are_none_are_told_without_their_content(tmp_path, name):
    (tmp_path / name).write_bytes(b"SECRET " * 100)
    with pytest.raises(DataError, match=f"{name}: it cannot be read: it is damaged") as caught:
        read(tmp_path / name)
    assert "SECRET" not in str(caught.value)


def test_a_file_without_rows(tmp_path):
    pyreadstat.write_sav(PEOPLE.head(0), tmp_path / "x.sav")
    with pytest.raises(DataError, match="it has no rows"):
        read(tmp_path / "x.sav")


def test_without_the_library_the_way_to_get_it_is_told(tmp_path, monkeypatch):
    WRITERS["people.sav"](tmp_path / "people.sav")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(DataError, match=r"not installed. Run: pip install pyreadstat"):
        read(tmp_path / "people.sav")
