"""Buckets as two files: a table of quasi values and one of sensitive values, joined by group."""

from __future__ import annotations

from collections import Counter

import pyarrow.csv
import pytest

from indistinct import anonymize_file, verify
from indistinct.datasets import medical
from indistinct.errors import DataError, DoesNotHoldError, PlanError

PLAN = {
    "columns": {
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "marital": {"role": "quasi", "hierarchy": "flat"},
        "sex": {"role": "quasi", "hierarchy": "flat"},
        "disease": {"role": "sensitive"},
    },
    "require": [{"model": "l-diversity", "l": 2}],
    "method": {"name": "anatomy"},
    "seed": 5,
}


@pytest.fixture
def files(tmp_path):
    pyarrow.csv.write_csv(medical(), tmp_path / "private.csv")
    return tmp_path


def published(files, **more):
    paths = {"sensitive_out": files / "st.csv", "certificate": files / "c.json"}
    anonymize_file(files / "private.csv", PLAN, files / "qit.csv", **{**paths, **more})
    return [pyarrow.csv.read_csv(files / name) for name in ("qit.csv", "st.csv")]


def test_two_tables_joined_by_group(files):
    quasi, sensitive = published(files)
    assert quasi.column_names == ["zip", "marital", "sex", "group"]
    assert sensitive.column_names == ["group", "disease"]
    assert Counter(quasi["group"].to_pylist()) == Counter(sensitive["group"].to_pylist())
    private = medical()
    assert Counter(sensitive["disease"].to_pylist()) == Counter(private["disease"].to_pylist())
    of_group = {}
    for row in sensitive.to_pylist():
        of_group.setdefault(row["group"], set()).add(row["disease"])
    assert min(map(len, of_group.values())) >= 2


def test_the_second_table_has_an_order_of_its_own(files):
    quasi, sensitive = published(files)
    assert quasi["group"].to_pylist() != sensitive["group"].to_pylist()


def test_both_files_are_verified(files):
    published(files)
    paths = files / "qit.csv", files / "st.csv"
    assert verify(paths[0], PLAN, sensitive_table=paths[1]).holds
    assert verify(paths[0], certificate=files / "c.json", sensitive_table=paths[1]).holds
    with pytest.raises(DataError, match=r"certifies 2 file\(s\), and 1 are given"):
        verify(paths[0], certificate=files / "c.json")
    lines = paths[1].read_text().splitlines()
    paths[1].write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(DoesNotHoldError, match="other groups"):
        verify(paths[0], PLAN, sensitive_table=paths[1])
    with pytest.raises(DoesNotHoldError, match="SHA-256"):
        verify(paths[0], certificate=files / "c.json", sensitive_table=paths[1])


def test_only_buckets_make_two_files(files):
    asked = {**PLAN, "method": {"name": "mondrian"}}
    with pytest.raises(PlanError, match="only buckets are published as two files"):
        anonymize_file(
            files / "private.csv", asked, files / "qit.csv", sensitive_out=files / "st.csv"
        )
    assert {path.name for path in files.iterdir()} == {"private.csv"}
