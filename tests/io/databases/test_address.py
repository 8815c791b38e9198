"""Addresses: which table of which database; and no password in any that is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from indistinct.errors import DataError
from indistinct.io.databases.address import Address, TableName, place_of

SECRET = "hunter2"


def test_a_table_on_a_server():
    address = place_of("postgresql://ann@host:5433/db?sslmode=require&table=health.visits")
    assert isinstance(address, Address)
    assert address.table == TableName("visits", "health")
    assert address.url == "postgresql://ann@host:5433/db?sslmode=require"
    assert (address.name, address.path) == ("health.visits", None)
    assert str(address) == "postgresql://ann@host:5433/db?sslmode=require&table=health.visits"


@pytest.mark.parametrize(
    ("text", "scheme", "path"),
    [
        ("sqlite:///people.db?table=t", "sqlite", "people.db"),
        ("sqlite:////data/people.db?table=t", "sqlite", "/data/people.db"),
        ("sqlite:///a%20b.db?table=t", "sqlite", "a b.db"),
        ("duckdb:///people.duckdb?table=t", "duckdb", "people.duckdb"),
        ("people.duckdb?table=t", "duckdb", "people.duckdb"),
        ("data/people.SQLITE?table=t", "sqlite", "data/people.SQLITE"),
        (Path("data/people.db?table=t"), "sqlite", "data/people.db"),
    ],
)
def test_a_table_in_a_file(text, scheme, path):
    address = place_of(text)
    assert (address.scheme, address.path, address.table) == (scheme, Path(path), TableName("t"))


@pytest.mark.parametrize("text", ["people.csv", "a?b.csv", "c:/people.csv", "env.csv", "x.parquet"])
def test_other_texts_are_paths(text):
    assert place_of(text) == Path(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("visits", TableName("visits")),
        ("Health.Visits", TableName("Visits", "Health")),
        ('"a.b"', TableName("a.b")),
        ('"a.b"."say ""hi"""', TableName('say "hi"', "a.b")),
        ("a.b.c", None),
        ("a.", None),
        (".a", None),
        ('"a', None),
        ("", None),
    ],
)
def test_names_of_tables(text, name):
    assert TableName.parsed(text) == name


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("postgresql://host/db", "it names no table. Add [?]table=NAME"),
        ("postgresql://host/db?table=a.b.c", "'a.b.c' is not the name of a table"),
        ("people.db", "it names no table"),
        ("people.db?table=t&mode=ro", "a file has no setting mode"),
        ("sqlite:people.db?table=t", "it names no table|no such"),
        ("sqlite://people.db?table=t", "named after three slashes. Write sqlite:///path"),
        ("sqlite:///?table=t", "it names no file"),
        (
            Path("postgresql://host/db?table=t"),
            "as a Path, an address loses its slashes. Give it as text",
        ),
        ("env:NOT_SET_ANYWHERE", "no environment variable NOT_SET_ANYWHERE is set"),
    ],
)
def test_faults(text, problem):
    if str(text).startswith("sqlite:p"):
        assert place_of(text).path == Path("sqlite:people.db")  # a file may be called so
        return
    with pytest.raises(DataError, match=problem):
        place_of(text)


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://ann:{SECRET}@host/db?table=t",
        f"postgresql://ann:{SECRET}@@host/db?table=t",
        f"postgresql://ann:pre/{SECRET}@host/db?table=t",
        f"postgresql://ann:pre?{SECRET}@host/db?table=t",
        f"postgresql://ann:pre#{SECRET}@host/db?table=t",
        f"postgresql://:{SECRET}@host/db?table=t",
        f"postgresql://host/db?table=t&password={SECRET}",
        f"postgresql://host/db?sslpassword={SECRET}&table=t",
        f"mysql+pymysql://ann:{SECRET}@host/db?table=t",
        f"mssql://host/db?table=t&PWD={SECRET}",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_shown(text):
    with pytest.raises(DataError, match=r"the address contains a password. Leave it out") as told:
        place_of(text)
    assert SECRET not in str(told.value)
    assert "pre" not in str(told.value).replace("present", "")


def test_an_address_in_the_environment_may_hold_one_that_nobody_sees(monkeypatch):
    monkeypatch.setenv("RELEASE", f"postgresql://ann:{SECRET}@host/db?sslmode=require")
    address = place_of("env:RELEASE?table=t")
    assert address.url == f"postgresql://ann:{SECRET}@host/db?sslmode=require"
    assert (str(address), address.table) == ("env:RELEASE?table=t", TableName("t"))
    assert SECRET not in repr(address)
    monkeypatch.setenv("RELEASE", f"postgresql://ann:{SECRET}@host/db?table=u")
    assert place_of("env:RELEASE").table == TableName("u")
    monkeypatch.setenv("RELEASE", SECRET)
    with pytest.raises(DataError, match="what RELEASE holds is not an address") as told:
        place_of("env:RELEASE")
    assert SECRET not in str(told.value)
