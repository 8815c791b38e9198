"""Python gives mappings or frames, and gets the same kind back."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from indistinct.datasets import hospital, hospital_hierarchies, hospital_layout
from indistinct.datasets.hospital import CLASSES
from indistinct.errors import DataError
from indistinct.trees import anonymize, assess, verify

K2 = [{"model": "k-m-n-anonymity", "k": 2, "m": 1}]
PLAN = {
    "tree": {
        "format": "tables",
        "classes": list(CLASSES),
        "tables": hospital_layout(),
        "hierarchies": hospital_hierarchies(),
    },
    "require": K2,
    "seed": 1,
}
KINDS = {
    "pandas": (lambda table: table.to_pandas(), pd.DataFrame),
    "polars": (pl.from_arrow, pl.DataFrame),
    "arrow": (lambda table: table, pa.Table),
}


@pytest.mark.parametrize("kind", KINDS)
def test_frames_by_name_come_back_as_frames_of_their_kind(kind):
    make, wanted = KINDS[kind]
    frames = {name: make(table) for name, table in hospital(15).items()}
    assert assess(frames, PLAN).records == 15
    released = anonymize(frames, PLAN).data
    assert set(released) == set(frames)
    assert all(isinstance(frame, wanted) for frame in released.values())
    assert verify(released, PLAN).records == 15


def test_frames_of_all_kinds_give_the_same_release():
    tables = hospital(15)
    released = [
        anonymize({name: make(table) for name, table in tables.items()}, PLAN).data
        for make, _ in KINDS.values()
    ]
    texts = [
        {name: pl.DataFrame(frame).cast(pl.String).rows() for name, frame in frames.items()}
        for frames in released
    ]
    assert texts[0] == texts[1] == texts[2]


def _sorted(record):
    """Write a record so that the order of siblings does not matter."""
    if isinstance(record, dict):
        return str(sorted((key, _sorted(inner)) for key, inner in record.items()))
    return str(sorted(map(_sorted, record))) if isinstance(record, list) else record


def test_mappings_come_back_as_mappings():
    people = [
        {"town": ["Rome"], "ill": [{"value": "flu", "cure": ["tea", "sleep"]}]},
        {"town": ["Pisa"], "ill": ["flu", "cold"]},
    ] * 2
    plan = {"tree": {"classes": ["town", "ill", "cure"]}, "require": K2}
    released = anonymize(people, plan).data
    assert sorted(map(_sorted, released)) == sorted(map(_sorted, people))
    assert verify(released, plan).records == 4


def test_keys_that_are_released_come_back_too():
    plan = {"tree": {"classes": ["town"], "keys": {"year": "other"}}, "require": K2}
    people = [{"town": [town], "year": 7} for town in ("Rome", "Rome", "Pisa", "Pisa")]
    released = anonymize(people, plan).data
    assert sorted(r["town"] for r in released) == [["Pisa"], ["Pisa"], ["Rome"], ["Rome"]]
    assert all(record["year"] == 7 for record in released)


def test_what_is_no_table_or_missing_is_told():
    frames = hospital(10)
    with pytest.raises(DataError, match="there is no table 'visit'"):
        assess({name: frames[name] for name in ("patient", "diagnosis", "prescription")}, PLAN)
    with pytest.raises(DataError, match="table 'visit', data: cannot read a "):
        assess({**frames, "visit": 5}, PLAN)
    with pytest.raises(DataError, match="Give a mapping of data frames"):
        assess([frames], PLAN)


def test_a_table_without_a_file_is_called_like_it(tmp_path):
    (tmp_path / "people.csv").write_text("town\nRome\nRome\n")
    plan = {
        "tree": {
            "format": "tables",
            "classes": ["town"],
            "tables": {"people": {"columns": ["town"]}},
        },
        "require": K2,
    }
    assert assess(tmp_path, plan).records == 2
