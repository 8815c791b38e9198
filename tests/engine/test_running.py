"""Engines at work: how far they are, that they can be interrupted, and what a full disk does."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.engine.duckdb import DuckDb
from indistinct.engine.work import EngineWork
from indistinct.running import background
from indistinct.running.progress import Progress
from tests.engine.conftest import any_plan

ENDLESS = "(SELECT range % 1000003 AS a FROM range(1000000000000))"


class Heard:
    """Notes what is said of progress."""

    def __init__(self):
        self.shares = []

    def stage(self, name):
        pass

    def advance(self, done):
        self.shares.append(done)


def ended_by(engine, begun):
    """Begin to count without end, interrupt it once it is begun; return what it ended with."""
    ended = []

    def count():
        try:
            engine.grouped(["a"])
        except BaseException as error:  # noqa: BLE001
            ended.append(type(error))

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    for _ in range(1000):
        thread.join(0.05)
        if begun() or ended:
            break
    engine.interrupt()
    thread.join(30)
    return ended


def test_duckdb_tells_how_far_it_is_and_ends_when_interrupted():
    engine = DuckDb(ENDLESS, "endless")
    told = []

    def begun():
        told.append(engine.progress())
        return told[-1] is not None

    try:
        assert ended_by(engine, begun) == [KeyboardInterrupt]
        assert 0 <= told[-1] < 1
        assert engine.progress() is None
    finally:
        engine.close()


@pytest.mark.services("java")
def test_spark_tells_how_far_it_is(spark):
    from pyspark.sql import functions as F  # noqa: N812

    from indistinct.engine.spark import Spark

    endless = spark.range(10**12).select((F.col("id") % 7).alias("a"))
    engine = Spark.of_frame(endless, any_plan("spark"))
    told = []

    def begun():
        told.append(engine.progress())
        return told[-1] is not None

    assert ended_by(engine, begun) == [KeyboardInterrupt]
    assert 0 <= told[-1] <= 1


def test_what_an_engine_tells_is_passed_on(monkeypatch):
    monkeypatch.setattr(background, "OFTEN", 0.001)
    heard, said = Heard(), iter([None, 0.25, 0.5])
    over = threading.Event()

    class Engine:
        def progress(self):
            done = next(said, None)
            if done == 0.5:
                over.set()
            return done

    work = EngineWork(Engine(), any_plan("duckdb"), Progress(heard))
    assert work.on_engine(over.wait, 60)
    assert heard.shares == [0.25, 0.5]


CONFINED = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
MOUNTED = 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"'


def mounted(folder, size):
    """Return how to run a command that finds a disk of a few bytes in a folder; [] if one may not.

    Then files are limited instead, which anybody may, but in every folder.
    """
    tiny = [*CONFINED, MOUNTED, "sh", str(size), str(folder)]
    return (
        [] if subprocess.run([*tiny, "true"], check=False, capture_output=True).returncode else tiny
    )


def on_tiny_disk(folder, size, *command):
    """Run the command where a folder has little room, and list what it leaves there."""
    tiny = mounted(folder, size)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    left = ["sh", "-c", '"$@"; code=$?; ls -A "$0" >&2; exit $code', str(folder)]
    given = [*tiny, *left, sys.executable, "-m", "indistinct", *map(str, command)]
    before = None if tiny else limit
    return subprocess.run(given, check=False, capture_output=True, text=True, preexec_fn=before)


@pytest.fixture
def workshop(tmp_path):
    random = np.random.default_rng(1)
    ages, codes = (random.integers(0, 10**6, 100_000) for _ in range(2))
    pq.write_table(pa.table({"age": ages, "zip": codes.astype(str)}), tmp_path / "people.parquet")
    (tmp_path / "tiny").mkdir()
    (tmp_path / "large").mkdir()
    return tmp_path


def anonymized(workshop, size, *, spill, out):
    plan = {
        "columns": {"age": {"role": "quasi"}, "zip": {"role": "quasi"}},
        "require": [{"model": "k-anonymity", "k": 5}],
        "method": {"name": "mondrian"},
        "engine": {"name": "duckdb", "folder": str(workshop / spill), "memory_limit": "100MB"},
    }
    (workshop / "plan.json").write_text(json.dumps(plan))
    source, rules = workshop / "people.parquet", workshop / "plan.json"
    place = workshop / out / "release.parquet"
    command = ("anonymize", source, "--plan", rules, "--out", place)
    ran = on_tiny_disk(workshop / "tiny", size, *command)
    assert sorted(path.name for path in workshop.rglob("*")) == sorted(
        ["large", "people.parquet", "plan.json", "tiny"]
    )
    return ran.returncode, ran.stderr.splitlines()


@pytest.mark.parametrize("size", [4096, 1 << 20, 3 << 20])
def test_a_full_disk_to_spill_to_is_one_fault_and_leaves_nothing(workshop, size):
    code, said = anonymized(workshop, size, spill="tiny", out="large")
    fault = f"engine: the disk of {workshop / 'tiny'} is full. Free some space, or name another"
    assert code == 2
    assert [line.startswith(f"indistinct: {fault}") for line in said] == [True]


def test_a_full_disk_of_the_release_is_one_fault_and_leaves_nothing(workshop):
    code, said = anonymized(workshop, 1 << 14, spill="large", out="tiny")
    full = f"{workshop / 'tiny'}: its disk is full. Choose another place."
    if not mounted(workshop / "tiny", 1 << 14):
        full = f"engine: the disk of {workshop / 'large'} is full. Free some space, or name another"
    assert code == 2
    assert [line.startswith(f"indistinct: {full}") for line in said] == [True]
