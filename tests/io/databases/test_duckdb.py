"""DuckDB files: their types, and other programs that have them open."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal

import duckdb
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

COLUMNS = {
    "tiny": ("UTINYINT", "7", 7),
    "huge": ("HUGEINT", "170141183460469231731687303715884105", Decimal(2**127 // 1000)),
    "price": ("DECIMAL(10, 2)", "12.5", Decimal("12.50")),
    "mood": ("ENUM('sad', 'glad')", "'sad'", "sad"),
    "key": ("UUID", "'00000000-0000-0000-0000-000000000001'", f"{'0' * 8}-0000-0000-0000-{1:012d}"),
    "list": ("INTEGER[]", "[1, NULL]", "[1, NULL]"),
    "pair": ("STRUCT(a INTEGER)", "{'a': 1}", "{'a': 1}"),
    "span": ("INTERVAL", "INTERVAL 1 DAY", "1 day"),
    "bits": ("BIT", "'101'", "101"),
    "day": ("DATE", "'2020-02-29'", dt.date(2020, 2, 29)),
    "instant": (
        *("TIMESTAMPTZ", "'2020-02-29 10:30:00+02'"),
        dt.datetime(2020, 2, 29, 8, 30, tzinfo=dt.UTC),
    ),
    "yes": ("BOOLEAN", "true", True),
    "nan": ("DOUBLE", "'NaN'", None),
    "bytes": ("BLOB", r"'\xFF'::BLOB", b"\xff"),
}


@pytest.fixture
def place(tmp_path):
    return Place("duckdb", tmp_path)


def test_every_type_comes_as_a_file_would_give_it_and_goes_out_again(place):
    columns = ", ".join(f'"{name}" {kind}' for name, (kind, *_) in COLUMNS.items())
    values = ", ".join(value for _, value, _ in COLUMNS.values())
    nulls = ", ".join(["NULL"] * len(COLUMNS))
    place.run(f"CREATE TABLE typed ({columns})", f"INSERT INTO typed VALUES ({values}), ({nulls})")
    rows = TableSource(place_of(place.url("typed"))).read()
    for name, (_, _, value) in COLUMNS.items():
        assert (name, rows.column(name).to_pylist()) == (name, [value, None])
    sinks = table_sinks([place_of(place.url("release"))])
    with transaction(Stages(Progress()), sinks, Papers()) as drafted:
        back = drafted.publish([Rows.all_of(rows)], lambda read: read[0])
    assert back.to_pydict() == rows.to_pydict()


def test_schemas(place):
    fill(place)
    place.run("CREATE SCHEMA health", "CREATE TABLE health.people AS FROM people LIMIT 2")
    assert TableSource(place_of(place.url("health.people"))).read().num_rows == 2
    indistinct.anonymize_file(place.url("people"), PLAN, place.url("health.release"))
    with pytest.raises(OutputError, match="there is no such schema"):
        indistinct.anonymize_file(place.url("people"), PLAN, place.url("nowhere.release"))


def test_a_file_that_is_not_there_or_none(place):
    with pytest.raises(DataError, match="there is no such file"):
        indistinct.assess(place.url("people"))
    (place.folder / "people.duckdb").write_text("name,zip\n" * 5000)
    with pytest.raises(DataError, match="it is not a DuckDB file"):
        indistinct.assess(place.url("people"))


def test_a_file_that_another_program_has_open(place):
    fill(place)
    path = str(place.folder / "people.duckdb")
    code = f"import duckdb; c = duckdb.connect({path!r}); print('open', flush=True); input()"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(DataError, match=r"another program has it open. Close it there"):
            indistinct.assess(place.url("people"))
        other.communicate(b"\n")
    assert indistinct.assess(place.url("people")).rows == 6


def test_a_file_that_this_program_has_open(place):
    fill(place)
    with (
        duckdb.connect(place.folder / "people.duckdb"),
        pytest.raises(DataError, match=r"it is open in this program. Close it first"),
    ):
        indistinct.assess(place.url("people"))


def test_a_new_file_holds_the_release_and_nothing_else(tmp_path):
    place = Place("duckdb", tmp_path)
    sinks = table_sinks([place_of(place.url("release"))])
    with transaction(Stages(Progress()), sinks, Papers()) as drafted:
        drafted.publish([Rows.all_of(pa.table({"x": [1]}))], len)
        assert not (tmp_path / "people.duckdb").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["people.duckdb"]
    assert place.names() == ["release"]
