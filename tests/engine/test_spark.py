"""What is special to Spark: sessions, faults, frames, and what may not leave it."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.engine.base import Assignment, Layout
from indistinct.engine.spark import Spark, rewriting
from indistinct.engine.spark.faults import fault_of
from indistinct.engine.spark.session import Session
from indistinct.errors import DataError, OutputError, PlanError
from indistinct.plan.engine import Engine as Settings
from indistinct.verbs.anonymize import anonymize, anonymize_file
from indistinct.verbs.verify import verify
from tests.engine.conftest import HERE, any_plan
from tests.services.cluster import Cluster

pytestmark = pytest.mark.services("java")
PLAN = {
    "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
    "require": [{"model": "k-anonymity", "k": 5}],
    "limits": {"suppression": 0.1},
    "unlisted": "drop",
    "seed": 3,
}


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def people(rows):
    ages = np.random.default_rng(1).integers(20, 40, rows)
    return pa.table({"age": ages, "ill": [f"i{n % 3}" for n in range(rows)], "n": range(rows)})


def test_a_frame_comes_back_as_a_frame_and_rows_stay_with_spark(spark, monkeypatch):
    table = people(500).select(["age", "ill"])
    fetched = []
    came = Spark._fetched
    monkeypatch.setattr(Spark, "_fetched", lambda *a: fetched.append(came(*a)) or fetched[-1])
    release = anonymize(spark.createDataFrame(table), PLAN)
    here = anonymize(table, PLAN)
    assert release.levels == here.levels
    shown = release.frame.toArrow()
    assert shown.column_names == ["age", "ill"]
    rows = sorted(map(str, shown.to_pylist()))
    assert rows == sorted(map(str, here.rows.to_pylist()))
    distinct = len({(row["age"], row["ill"]) for row in table.to_pylist()})
    assert max(part.num_rows for part in fetched) <= distinct < 0.2 * table.num_rows


def test_a_frame_keeps_no_order_and_takes_no_loss(spark):
    with pytest.raises(PlanError) as refused:
        anonymize(spark.createDataFrame(people(9)), PLAN, keep_order=True, loss=lambda *_: 0)
    assert len(refused.value.faults) == 2


def test_collations_and_private_notes_of_columns_stay_behind(spark, tmp_path):
    from pyspark.sql import functions as F  # noqa: N812

    frame = spark.createDataFrame(pa.table({"a": ["x", "X"], "b": [1, 2]})).select(
        F.collate("a", "UTF8_LCASE").alias("a"), F.col("b").alias("b", metadata={"ml": ["Ann"]})
    )
    engine = Spark.of_frame(frame, any_plan("spark"))
    grouped = engine.grouped(["a"])
    assert grouped.rows.to_pylist() == [{"a": "X"}, {"a": "x"}]
    units = pa.table({"a": ["*"]})
    assigned = Assignment(np.arange(2), np.zeros(2, np.int32), grouped.counts, units)
    engine.write(tmp_path, assigned, Layout(("a", "b"), frozenset("a")))
    assert b"Ann" not in (tmp_path / "part-00000.parquet").read_bytes()


def test_parts_are_of_whole_units_and_named_in_order(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(rewriting, "ROWS_OF_PART", 10)
    engine = Spark.of_frame(spark.createDataFrame(people(200)), any_plan("spark"))
    grouped = engine.grouped(["age"])
    size = grouped.counts.size
    units = pa.table({"age": [f"{n:02}" for n in range(size)]})
    assigned = Assignment(np.arange(size), np.arange(size, dtype=np.int32), grouped.counts, units)
    engine.write(tmp_path, assigned, Layout(("age", "n"), frozenset({"age"})))
    part = (np.cumsum(grouped.counts) - grouped.counts) // 10
    expected = [int(grouped.counts[part == one].sum()) for one in np.unique(part)]
    names = names_in(tmp_path)
    assert names == [f"part-{number:05}.parquet" for number in range(len(expected))]
    assert [pq.read_metadata(tmp_path / name).num_rows for name in names] == expected
    rows = [row for name in names for row in pq.read_table(tmp_path / name).to_pylist()]
    assert rows == sorted(rows, key=lambda row: (row["age"], row["n"]))


def test_keys_stand_in_no_statement(spark):
    engine = Spark.of_frame(spark.createDataFrame(people(9)), any_plan("spark"))
    grouped = engine.grouped(["age"])
    size = grouped.counts.size
    units = pa.table({"age": ["*"]})
    assigned = Assignment(np.arange(size), np.zeros(size, np.int32), grouped.counts, units)
    layout = Layout(("age", "n"), frozenset({"age"}), {"n": b"a key that is secret"})
    plan = engine._released(assigned, layout)._jdf.queryExecution().toString()
    assert "inner0" in plan
    inner = b"n\x00".hex()
    assert inner not in plan.lower()
    assert "6e 00" not in plan.lower()


def test_pseudonyms_are_made_of_texts_and_whole_numbers_only(spark):
    frame = spark.createDataFrame(pa.table({"a": [1, 1], "n": [0.5, 1.0]}))
    engine = Spark.of_frame(frame, any_plan("spark"))
    grouped = engine.grouped(["a"])
    assigned = Assignment(np.arange(1), np.zeros(1, np.int32), grouped.counts, grouped.rows)
    with pytest.raises(DataError, match="column 'n': pseudonyms of values of type double"):
        engine.frame(assigned, Layout(("a", "n"), frozenset("a"), {"n": b"k" * 16}))


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "there is no such file or folder"), (b"PAR1 is not enough", "Spark cannot read it")],
)
def test_what_cannot_be_read_is_one_fault(spark, tmp_path, content, problem):
    source = tmp_path / "visits.parquet"
    if content is not None:
        source.write_bytes(content)
    with pytest.raises(DataError) as refused:
        Spark.of_path(str(source), any_plan("spark")).count()
    (fault,) = refused.value.faults
    assert (fault.place, fault.problem) == (str(source), problem)


def test_a_broken_text_file_is_one_fault_without_its_text(spark, tmp_path):
    source = tmp_path / "visits.csv"
    source.write_text("a,b\n1,2\nsecret\n")
    with pytest.raises(DataError) as refused:
        Spark.of_path(str(source), any_plan("spark")).grouped(["a", "b"])
    assert "Spark cannot read it" in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("said", "kind", "problem"),
    [
        ("Job aborted: ExecutorLostFailure (executor 1 exited)", DataError, "was lost"),
        ("java.lang.OutOfMemoryError: Java heap space of Ann", DataError, "out of memory"),
        ("java.io.IOException: No space left on device", OutputError, "is full"),
        ("org.apache.hadoop.security.AccessControlException: Ann", DataError, "no permission"),
        ("ModuleNotFoundError: No module named 'indistinct'", DataError, "package is missing"),
        (
            "Total size of results is bigger than spark.driver.maxResultSize",
            DataError,
            "session allows",
        ),
        ("something about Ann", DataError, "Spark cannot do this (RuntimeError)"),
    ],
)
def test_faults_say_what_to_do_and_show_no_value(said, kind, problem):
    error = fault_of(RuntimeError(said), "visits")
    assert type(error) is kind
    assert problem in str(error)
    assert "Ann" not in str(error)


def test_a_session_is_not_started_beside_another_at_another_place(spark):
    with pytest.raises(PlanError, match="a Spark session is already running"):
        Session.of(Settings(name="spark", master="local[7]"))


def bytes_to_driver(spark):
    """Return how many bytes the tasks of a session have sent to the driver as their results."""
    context = spark._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    no_quantiles = spark._sc._gateway.new_array(spark._jvm.double, 0)
    stages = context.statusStore().stageList(None, False, False, no_quantiles, None)
    return sum(stages.apply(place).resultSize() for place in range(stages.size()))


def test_what_comes_to_the_driver_does_not_grow_with_the_rows(spark, tmp_path):
    """Whatever is called, Spark itself says how many bytes its tasks sent here."""
    sent = {}
    for rows in (2_000, 200_000):
        source, out = tmp_path / f"{rows}.parquet", tmp_path / f"out{rows}"
        pq.write_table(people(rows).select(["age", "ill"]), source)
        before = bytes_to_driver(spark)
        plan = PLAN | {"engine": {"name": "spark", "master": HERE}}
        anonymize_file(source, plan, out, certificate=tmp_path / "c.json")
        sent[rows] = bytes_to_driver(spark) - before
    assert 0 < sent[200_000] < 1.5 * sent[2_000]
    before = bytes_to_driver(spark)
    spark.read.parquet(str(source)).toArrow()
    assert bytes_to_driver(spark) - before > sent[200_000]  # it would be seen


QUIET = """
import sys
from indistinct.errors import IndistinctError
from indistinct.verbs.anonymize import anonymize_file
from indistinct.plan.engine import Engine
from indistinct.engine.spark.session import Session
try:
    Session.of(Engine(master="spark://127.0.0.1:9"))
except IndistinctError as error:
    print(error)
anonymize_file(sys.argv[1], sys.argv[2], sys.argv[3])
"""


def test_a_cluster_of_two_workers_makes_the_release_that_is_made_in_memory(tmp_path):
    """A master and two workers; a session of ours is quiet and leaves nothing behind."""
    pq.write_table(people(5_000), tmp_path / "people.parquet")
    spill = tmp_path / "spill"
    spill.mkdir()
    plan = tmp_path / "plan.json"
    out = tmp_path / "out.parquet"
    with Cluster.started(tmp_path / "cluster", workers=2) as cluster:
        engine = {"name": "spark", "master": cluster.address, "folder": str(spill)}
        plan.write_text(json.dumps(PLAN | {"engine": engine}))
        ran = subprocess.run(
            [sys.executable, "-c", QUIET, tmp_path / "people.parquet", plan, out],
            check=False,
            capture_output=True,
            text=True,
        )
        assert cluster.executors() >= 2
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "spark://127.0.0.1:9: no cluster answers there" in ran.stdout
    here = anonymize(people(5_000), PLAN)
    rows = sorted(map(str, pq.read_table(out).to_pylist()))
    assert rows == sorted(map(str, here.rows.to_pylist()))
    assert names_in(spill) == []


RUN = """
import sys
from indistinct.errors import IndistinctError
from indistinct.verbs.anonymize import anonymize_file
try:
    anonymize_file(*sys.argv[1:4], certificate=sys.argv[4])
except IndistinctError as error:
    sys.exit(f"refused: {error}")
"""


def started(tmp_path, master):
    """Begin a release of some people on Spark, in a process of its own."""
    pq.write_table(people(20_000), tmp_path / "people.parquet")
    (tmp_path / "spill").mkdir()
    engine = {"name": "spark", "master": master, "folder": str(tmp_path / "spill")}
    (tmp_path / "plan.json").write_text(json.dumps(PLAN | {"engine": engine}))
    given = [tmp_path / name for name in ("people.parquet", "plan.json", "out", "c.json")]
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", RUN, *given], stderr=subprocess.PIPE, text=True
    )


def is_right(tmp_path):
    here = anonymize(people(20_000), PLAN)
    rows = sorted(map(str, pq.read_table(tmp_path / "out").to_pylist()))
    verified = verify(tmp_path / "out", certificate=tmp_path / "c.json")
    return rows == sorted(map(str, here.rows.to_pylist())) and verified.holds


@pytest.mark.parametrize("moment", ["at its start", "as it writes"])
def test_an_executor_that_is_lost_leaves_a_whole_release_or_none(tmp_path, moment):
    with Cluster.started(tmp_path / "cluster", workers=2) as cluster:
        process = started(tmp_path, cluster.address)
        killed = False
        while process.poll() is None:
            begun = moment == "at its start" or any(tmp_path.glob(".out.*"))
            killed = killed or (begun and cluster.kill_executor())
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
        _, said = process.communicate()
    assert killed
    if process.returncode:
        assert said.startswith("refused: ")
        assert not (tmp_path / "out").exists()
    else:
        assert is_right(tmp_path)
    assert not list(tmp_path.glob(".*"))
    assert names_in(tmp_path / "spill") == []


def test_a_server_is_spoken_to_by_spark_connect(tmp_path):
    with Cluster.connected(tmp_path / "server") as server:
        _, said = started(tmp_path, server.address).communicate()
    assert said == ""
    assert is_right(tmp_path)
