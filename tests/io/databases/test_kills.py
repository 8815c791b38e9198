"""Killed at any step, a run leaves the old release whole, and its draft to nobody."""

from __future__ import annotations

import signal
import subprocess
import sys

import pyarrow as pa
import pytest

from indistinct.io.databases.address import place_of
from indistinct.io.places import refuse_unwritable
from tests.io.databases.test_tables import published

KILLED = """
import os, signal, sys
import pyarrow as pa
from indistinct.io.base import Rows
from indistinct.io.databases import tables
from indistinct.io.databases.address import place_of
from indistinct.running.progress import Progress, Stages
from indistinct.disk.transaction import Papers, transaction

url, step = sys.argv[1:]
real = getattr(tables.TableSink, step)

def then_die(sink, *given):
    real(sink, *given)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(tables.TableSink, step, then_die)
sinks = tables.table_sinks([place_of(url)])
with transaction(Stages(Progress()), sinks, Papers()) as drafted:
    drafted.publish([Rows.all_of(pa.table({"x": [1] * 1000}))], len)
"""


@pytest.mark.parametrize("step", ["begin", "write", "read_back", "secure", "commit"])
def test_killed_after_a_step(place, step):
    published(place, "release", pa.table({"x": [7, 7]}))
    command = [sys.executable, "-c", KILLED, place.url("release"), step]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    old, new = [(2, 7)], [(1000, 1)]
    assert place.run("SELECT count(*), max(x) FROM release") == (new if step == "commit" else old)
    published(place, "release", pa.table({"x": [9]}))
    assert place.run("SELECT x FROM release") == [(9,)]
    assert place.names() == ["release"]


@pytest.mark.parametrize("ending", ["db", "duckdb"])
def test_killed_while_it_makes_a_new_file(tmp_path, ending):
    url = f"{tmp_path}/new.{ending}?table=release"
    command = [sys.executable, "-c", KILLED, url, "write"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not (tmp_path / f"new.{ending}").exists()
    refuse_unwritable([place_of(url)], [])
    assert list(tmp_path.iterdir()) == []
