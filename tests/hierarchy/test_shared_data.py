"""The hierarchies that come with the development data, where that data is at hand."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from indistinct.hierarchy import read_csv, write_csv
from tests.hierarchy.sound import assert_same, assert_sound, build

SHARED = Path("/work/shared/data")
FILES = sorted(SHARED.glob("*/*_hierarchy_*.csv"))


@pytest.fixture(params=[None, *FILES], ids=lambda file: file.stem if file else "made-here")
def file(request, tmp_path):
    """Each file there is, and one that always is."""
    if request.param is not None:
        return request.param
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "made.csv").write_text("age;name\n30;x\n40;y\n")
    hierarchy = folder / "made_hierarchy_age.csv"
    hierarchy.write_text("30;1;0\n31;1;0\n40;3;0\n")
    return hierarchy


@cache
def columns_of(data):
    with data.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter=";"))
    return dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))


def test_it_is_sound_covers_its_data_and_survives_a_round_trip(file, tmp_path):
    h = read_csv(file)
    assert_sound(h)
    name, _, column = file.stem.partition("_hierarchy_")
    data = columns_of(file.with_name(f"{name}.csv"))
    build({"csv": file.name}, data[column], base=file.parent)
    write_csv(h, tmp_path / "again.csv")
    assert_same(read_csv(tmp_path / "again.csv"), h)
