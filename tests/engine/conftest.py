"""Engines over small tables, and one Spark session for all tests of a process."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from indistinct.engine.choosing import engine_for
from indistinct.engine.spark.session import Session
from indistinct.plan import Plan
from indistinct.plan.engine import Engine as Settings

HERE = "local[2]"
ENGINES = ["duckdb", pytest.param("spark", marks=pytest.mark.services("java"))]


def any_plan(engine, **more):
    """A plan of which the engine reads its own part and how to read the source."""
    columns = {"a": {"role": "quasi"}}
    asked = [{"model": "k-anonymity", "k": 2}]
    return Plan.load({"columns": columns, "require": asked, "engine": {"name": engine}, **more})


@pytest.fixture(scope="session")
def spark():
    """The Spark session of this process, as indistinct starts one."""
    session = Session.of(Settings(name="spark", master=HERE))
    yield session.spark
    session.close()


@pytest.fixture(params=ENGINES)
def engines(request, tmp_path):
    """One engine after the other: how it is called, how it is opened, where it writes."""
    if request.param == "spark":
        request.getfixturevalue("spark")
    opened = []

    def of_path(path, **more):
        opened.append(engine_for(path, any_plan(request.param, **more)))
        return opened[-1]

    def of_table(table, **more):
        path = tmp_path / "source.parquet"
        pq.write_table(table, path)
        return of_path(path, **more)

    def draft():
        place = tmp_path / "draft.parquet"
        if request.param == "spark":
            place.mkdir()
        return place

    yield SimpleNamespace(name=request.param, of_table=of_table, of_path=of_path, draft=draft)
    for engine in opened:
        engine.close()
