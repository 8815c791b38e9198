"""Other databases, by SQLAlchemy: read by batches; drivers that are missing; kinds unknown."""

from __future__ import annotations

import sqlite3

import pyarrow as pa
import pytest

import indistinct
from indistinct.errors import DataError, OutputError
from indistinct.io.databases import any_sql
from indistinct.io.databases.address import place_of
from indistinct.io.databases.tables import TableSource
from tests.io.databases.conftest import PEOPLE, PLAN


@pytest.fixture
def url(tmp_path):
    """A SQLite file as SQLAlchemy reaches it."""
    with sqlite3.connect(tmp_path / "people.db") as connection:
        connection.execute("CREATE TABLE people (name text, zip text, age int, ill text)")
        rows = [tuple(row.values()) for row in PEOPLE.to_pylist()]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
    connection.close()
    return f"sqlite+pysqlite:///{tmp_path}/people.db?table=people"


def test_rows_are_read_by_batches(url, monkeypatch):
    monkeypatch.setattr(any_sql, "BATCH", 2)
    rows = TableSource(place_of(url)).read()
    assert rows.to_pydict() == PEOPLE.to_pydict()
    assert rows.column("age").num_chunks == 3


def test_what_cannot_hide_a_draft_is_not_written_to(url):
    with pytest.raises(OutputError, match="a draft in sqlite could not be hidden until"):
        indistinct.anonymize_file(url, PLAN, url.replace("=people", "=release"))


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("http://host/people?table=t", "no kind of database is called 'http'. Give postgresql://"),
        ("postgresq://host/db?table=t", "no kind of database is called 'postgresq'"),
        ("mysql+pymysql://host/db?table=t", "reached by pymysql, which is not installed. Run: pip"),
        ("sqlite+pysqlite:////no/where/x.db?table=t", "there is no connection to it"),
        ("postgresql+psycopg://host:odd/db?table=t", "it is not an address that SQLAlchemy reads"),
    ],
)
def test_faults(address, problem):
    with pytest.raises(DataError, match=problem):
        indistinct.assess(address)


@pytest.mark.parametrize(
    ("address", "package"),
    [
        ("postgresql://host/db?table=t", "adbc-driver-postgresql"),
        ("x.duckdb?table=t", "duckdb"),
        ("x.db?table=t", "adbc-driver-sqlite"),
        ("mysql://host/db?table=t", "sqlalchemy"),
    ],
)
def test_a_driver_that_is_not_installed(tmp_path, monkeypatch, address, package):
    def missing(name):
        raise ImportError(name)

    monkeypatch.chdir(tmp_path)
    for name in ("x.db", "x.duckdb"):
        (tmp_path / name).touch()
    monkeypatch.setattr("indistinct.io.foreign.import_module", missing)
    with pytest.raises(DataError, match=f"which is not installed. Run: pip install {package}"):
        indistinct.assess(address)


def test_values_of_several_types_in_one_column_come_as_text():
    ages = any_sql._joined([pa.array([1, 2]), pa.array(["none"])])
    assert ages.to_pylist() == ["1", "2", "none"]
    assert any_sql._joined([pa.array([1]), pa.array([0.5])]).to_pylist() == [1.0, 0.5]
    assert any_sql._array([{"a": 1}, None]).to_pylist() == ['{"a": 1}', None]
    assert any_sql._array([1, "x"]).to_pylist() == ["1", "x"]
