"""SQLite: values of any kind in any row, files that are none, and programs that write meanwhile."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import pyarrow as pa
import pytest

import indistinct
from indistinct.disk.transaction import Papers, transaction
from indistinct.errors import DataError, OutputError
from indistinct.io.base import Rows
from indistinct.io.databases.address import place_of
from indistinct.io.databases.tables import TableSource, table_sinks
from indistinct.running.progress import Progress, Stages
from tests.io.databases.conftest import PLAN, Place, fill


@pytest.fixture
def place(tmp_path):
    return Place("sqlite", tmp_path)


def filled(place, declared, *values):
    path = place.folder / "people.db"
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE t (x {declared})")
        connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
    connection.close()
    return TableSource(place_of(place.url("t"))).read().column(0)


@pytest.mark.parametrize(
    ("declared", "values", "kind"),
    [
        ("integer", [1, None, 2**62], pa.int64()),
        ("real", [1.5, None, 2.0], pa.float64()),
        ("", [1, 2.5], pa.float64()),
        ("text", ["02139", None, ""], pa.string()),
        ("date", ["2020-02-29", None], pa.string()),
        ("blob", [b"\x00", None], pa.binary()),
        ("text", [None, None], pa.string()),
    ],
)
def test_columns_have_the_type_of_their_values(place, declared, values, kind):
    column = filled(place, declared, *values)
    assert (column.to_pylist(), column.type) == (values, kind)


def test_values_of_several_kinds_come_as_text(place):
    assert filled(place, "", 1, "none", 2.5).to_pylist() == ["1", "none", "2.5"]


def test_large_whole_numbers_among_others_stay_exact(place):
    assert filled(place, "", 2**60 + 1, 0.5).to_pylist() == [str(2**60 + 1), "0.5"]


def test_many_nulls_before_the_first_value_tell_nothing_of_the_type(place):
    assert filled(place, "text", *[None] * 3000, "x").to_pylist() == [None] * 3000 + ["x"]


def test_bytes_among_other_values_are_a_fault(place):
    with pytest.raises(DataError, match="column 'x': it holds bytes and other values"):
        filled(place, "", b"x", "x")


def test_what_it_has_no_type_for_is_written_as_in_a_csv_file(place):
    rows = pa.table(
        {
            "yes": [True, None],
            "day": pa.array([0, None], pa.int32()).cast(pa.date32()),
            "at": pa.array([0, 1], pa.int64()).cast(pa.timestamp("us")),
            "price": pa.array(["1.00", None]).cast(pa.decimal128(20, 2)),
        }
    )
    sinks = table_sinks([place_of(place.url("release"))])
    with transaction(Stages(Progress()), sinks, Papers()) as drafted:
        drafted.publish([Rows.all_of(rows)], len)
    assert place.run("SELECT * FROM release") == [
        ("true", "1970-01-01", "1970-01-01", "1.00"),
        (None, None, "1970-01-01 00:00:00.000001", None),
    ]


def test_a_file_that_is_not_there_or_none(place):
    with pytest.raises(DataError, match=r"there is no such file. Check the path"):
        indistinct.assess(place.url("people"))
    assert list(place.folder.iterdir()) == []
    (place.folder / "people.db").write_text("name,zip\n" * 500)
    with pytest.raises(DataError, match="it is not a SQLite file"):
        indistinct.assess(place.url("people"))
    with pytest.raises(DataError, match="it is not a file"):
        indistinct.assess(f"sqlite:///{place.folder.parent}?table=t")


def test_a_program_that_is_writing_meanwhile(place, monkeypatch):
    monkeypatch.setattr("indistinct.io.databases.sqlite._WAIT", 10)
    fill(place)
    path = str(place.folder / "people.db")
    code = f"import sqlite3; c = sqlite3.connect({path!r}); c.execute('BEGIN IMMEDIATE'); "
    command = [sys.executable, "-c", code + "print('open', flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(OutputError, match=r"another program is writing to it. Run it again"):
            indistinct.anonymize_file(place.url("people"), PLAN, place.url("release"))
        other.communicate(b"\n")
    indistinct.anonymize_file(place.url("people"), PLAN, place.url("release"))


def test_names_that_differ_in_capitals_only(place):
    sinks = table_sinks([place_of(place.url("release"))])
    with (
        pytest.raises(OutputError, match="two columns have the same name apart from capitals"),
        transaction(Stages(Progress()), sinks, Papers()) as drafted,
    ):
        drafted.publish([Rows.all_of(pa.table({"age": [1], "Age": [2]}))], len)
    assert list(place.folder.iterdir()) == []


def test_a_new_file_is_for_its_owner_alone_until_it_is_whole(place, tmp_path):
    sinks = table_sinks([place_of(place.url("release"))])
    with transaction(Stages(Progress()), sinks, Papers()) as drafted:
        drafted.publish([Rows.all_of(pa.table({"x": [1]}))], len)
        (draft,) = [path for path in tmp_path.iterdir() if path.name.endswith(".tmp.db")]
        assert draft.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["people.db"]


def test_no_paper_is_written_over_the_database(place):
    fill(place)
    with pytest.raises(OutputError, match=r"people.db: the output is an input"):
        indistinct.anonymize_file(
            place.url("people"), PLAN, place.folder / "x.csv", report=place.folder / "people.db"
        )
