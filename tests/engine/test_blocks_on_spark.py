"""Blocks on Spark: cut and searched there, and the same as those of DuckDB."""

from __future__ import annotations

import pytest

from indistinct.engine.spark import Spark
from indistinct.errors import CannotMeetError, Fault
from indistinct.running.progress import Progress
from indistinct.verbs.anonymize import anonymize
from tests.engine.conftest import any_plan
from tests.engine.test_blocks import classes_of, hold_to_truth, people, plan_of, released

pytestmark = pytest.mark.services("java")


def on_spark(plan):
    return plan | {"engine": plan["engine"] | {"name": "spark"}}


def facts(release):
    return release.class_sizes.tolist(), release.measures, release.recoding.search


def test_spark_makes_the_blocks_that_duckdb_makes(spark, tmp_path, monkeypatch):
    """The codes of a row fill more than one number, and shares are those of the whole table."""
    monkeypatch.setattr("indistinct.engine.statements.LARGEST_WORD", 100)
    private = people(300, 3)
    plan = plan_of(90, more=[{"model": "t-closeness", "t": 0.5}], suppression=0.02)
    here, one = released(tmp_path, private, plan)
    (tmp_path / "out.parquet").unlink()
    there, other = released(tmp_path, private, on_spark(plan))
    assert there.recoding.search["blocks"] > 1
    assert facts(there) == facts(here)
    assert other.sort_by("number").to_pylist() == one.sort_by("number").to_pylist()
    hold_to_truth(private, other)


def test_rows_of_blocks_stay_with_spark(spark, monkeypatch):
    """What comes here are counts of cells, values of columns, and what is published."""
    fetched = []
    came = Spark._fetched
    monkeypatch.setattr(Spark, "_fetched", lambda *a: fetched.append(came(*a)) or fetched[-1])
    private = people(400, 5, missing=0.0)
    frame = spark.createDataFrame(private)
    release = anonymize(frame, plan_of(150) | {"engine": {"name": "spark", "max_distinct": 150}})
    assert release.recoding.search["blocks"] > 1
    *before, _ = fetched  # the last is what was read back of the release
    of_rows = [table for table in before if set(table.column_names) >= {"x0", "x1", "x2"}]
    assert all(table.num_rows == 0 for table in of_rows)  # the schema alone
    shown = release.frame.toArrow()
    assert min(map(len, classes_of(shown).values())) >= 3
    hold_to_truth(private, shown)


def test_what_fails_on_a_machine_of_the_cluster_is_said_here(spark):
    class Search:
        """No block of which can be recoded."""

        def recoded(self, fetched):
            raise CannotMeetError(
                Fault("require", f"{fetched.counts.sum()} rows", "Relax the requirements.")
            )

    engine = Spark.of_frame(spark.createDataFrame(people(50, 3)), any_plan("spark"))
    engine.group(["age", "sex"])
    with pytest.raises(CannotMeetError) as refused:
        list(engine.recoded([0], Search(), Progress()))
    engine.close()
    assert refused.value.faults == (Fault("require", "50 rows", "Relax the requirements."),)
