from __future__ import annotations

import os
from functools import cache

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import typer.main
import typer.testing
from hypothesis import HealthCheck, settings

from tests.profiles import ORDINARY

settings.register_profile(
    "quick", max_examples=ORDINARY, deadline=None, suppress_health_check=[HealthCheck.too_slow]
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
