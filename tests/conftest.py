from __future__ import annotations

import os
import secrets
from functools import cache

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import typer.main
import typer.testing
from hypothesis import HealthCheck, settings

from tests import processor_time
from tests.profiles import QUICK
from tests.services import shared

settings.register_profile(
    "quick", max_examples=QUICK, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", parent=settings.get_profile("quick"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}
LAZY = {
    "lazy polars": pl.LazyFrame,
    "duckdb": lambda columns: duckdb.from_arrow(pa.table(columns)),
}


@pytest.fixture(params=FRAMES)
def make_frame(request):
    """Each test that uses it runs on every kind of frame."""
    return FRAMES[request.param]


@pytest.fixture(scope="session", autouse=True)
def one_command():
    """Build the command from its functions once: that takes longer than most runs of it."""
    built = cache(typer.main.get_command)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(typer.main, "get_command", built)
        patched.setattr(typer.testing, "_get_command", built, raising=False)
        yield


def pytest_configure(config):
    """Let all processes of this run share what services they start."""
    if not hasattr(config, "workerinput"):
        if os.environ.get(shared.WANTED) == "all" and (absent := shared.absent()):
            raise pytest.UsageError(f"not installed: {', '.join(absent)}; see .ci/services")
        shared.prepare()


def pytest_unconfigure(config):
    """Stop the services of this run."""
    if not hasattr(config, "workerinput") and shared.FOLDER in os.environ:
        shared.end()


def pytest_collection_modifyitems(config, items):
    """Leave out the tests of services that are not installed; the summary says so."""
    absent = set(shared.absent())
    marks = {item: item.get_closest_marker("services") for item in items}
    left_out = [item for item, mark in marks.items() if mark and absent.intersection(mark.args)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


BUDGET = processor_time.Budget()
BEGAN = pytest.StashKey[float]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Note what was spent before a test and its fixtures."""
    item.stash[BEGAN] = processor_time.spent()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Let the last report of a test say what it took."""
    if call.when == "teardown":
        took = processor_time.spent() - item.stash[BEGAN]
        item.user_properties.append((processor_time.KEY, (processor_time.kind_of(item), took)))
    return (yield)


def pytest_runtest_logreport(report):
    """Add up what tests took."""
    if report.when == "teardown":
        BUDGET.add(report)


def pytest_terminal_summary(terminalreporter):
    """Say in a line what the tests took, and in one which of them were left out."""
    terminalreporter.write_line(str(BUDGET))
    if absent := shared.absent():
        names = ", ".join(shared.SERVICES[name][0] for name in absent)
        terminalreporter.write_line(f"left out, because it is not installed: tests of {names}")


@pytest.fixture(scope="session")
def server():
    """The PostgreSQL server of this run."""
    return shared.postgres_server()


@pytest.fixture
def schema(server):
    """A schema of the server for one test."""
    name = f"test_{secrets.token_hex(8)}"
    server.run(f"CREATE SCHEMA {name}")
    yield name
    server.run(f"DROP SCHEMA {name} CASCADE")
