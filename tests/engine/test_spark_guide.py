"""The guide for clusters, with Spark: the block that other tests leave out.

The session of the tests was started in another folder, so files are named by their whole path.
"""

from __future__ import annotations

import pytest

from tests.docs.blocks import ON_SPARK, ROOT, blocks

pytestmark = pytest.mark.services("java")
GUIDE = ROOT / "docs" / "guides" / "cluster.md"


def test_the_guide_runs_on_spark(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = 0
    for block in blocks("python", "toml", pages=[GUIDE]):
        if block.language == "toml":
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        else:
            here = block.text.replace('"people.parquet"', repr(str(tmp_path / "people.parquet")))
            exec(compile(here, str(block), "exec"), {})  # noqa: S102 - our own page
            ran += block.file == ON_SPARK
    assert ran == 1
    assert spark.range(1).count() == 1, "the guide leaves the session as it was"
