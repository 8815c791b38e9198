"""Whatever a frame or a file holds: a release, or faults; never an error of a library."""

from __future__ import annotations

import os

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

from indistinct import IndistinctError, anonymize, anonymize_file
from tests.build import accepted
from tests.io.odd import GROUPS, arrow_columns, frames

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
PSEUDONYM = {"role": "identifier", "pseudonym": {}}
ROLES = [
    {"role": "quasi"},
    {"role": "sensitive"},
    {"role": "other"},
    {"role": "identifier"},
    {"role": "respondent"},
    {"role": "drop"},
    PSEUDONYM,
]
COLUMNS = arrow_columns()
FRAMES = frames()


def as_relation(table):
    return duckdb.from_arrow(table)


def as_arrow_types(table):
    return table.to_pandas(types_mapper=pd.ArrowDtype)


DOORS = [pl.from_arrow, pa.Table.to_pandas, as_arrow_types, as_relation]


def plan(column, **more):
    return {
        "columns": {"q": {"role": "quasi", "hierarchy": "flat"}, "x": column},
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "datafly"},
        "unlisted": "other",
        **more,
    }


def chosen(cases, place, count):
    """Take some of the cases, other ones at each place; all if there is time."""
    return cases if THOROUGH else [cases[(place + step * 3) % len(cases)] for step in range(count)]


def fails_well(run):
    """Run it; let nothing pass but a result or faults that name a place and say what to do."""
    failed = None
    try:
        run()
    except IndistinctError as error:
        failed = error
    if failed is not None:
        assert failed.exit_code in {1, 2}
        assert all(fault.place and fault.problem for fault in failed.faults)


def built(door, table):
    """Return the table as another kind of frame, or None if that library cannot have it."""
    try:
        return door(table)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


@pytest.mark.parametrize("place", range(len(COLUMNS)), ids=list(COLUMNS))
@pytest.mark.filterwarnings("ignore")  # of libraries that build the frames
def test_every_arrow_type_in_every_role(place):
    table = pa.table({"q": GROUPS, "x": list(COLUMNS.values())[place]})
    for role in chosen(ROLES, place, 3):
        fails_well(lambda role=role: anonymize(table, plan(role)).frame)
        for door in chosen(DOORS, place, 1):
            frame = built(door, table)
            if frame is not None:
                fails_well(lambda role=role, frame=frame: anonymize(frame, plan(role)).frame)
    blanks = {"suppressed": "blank", "limits": {"suppression": 0.1}}
    lonely = table.set_column(0, "q", pa.array(["b", *["a"] * (len(GROUPS) - 1)]))
    fails_well(lambda: anonymize(lonely, plan({"role": "other"}, **blanks)).frame)


@pytest.mark.parametrize("place", range(len(COLUMNS)), ids=list(COLUMNS))
def test_every_arrow_type_as_a_file(place, tmp_path):
    source = tmp_path / "in.parquet"
    table = pa.table({"q": GROUPS, "x": list(COLUMNS.values())[place]})
    if built(lambda table: pq.write_table(table, source), table) is None and not source.exists():
        source = tmp_path / "in.arrow"  # which has all types
        with ipc.new_file(source, table.schema) as writer:
            writer.write_table(table)
    papers = {"report_json": tmp_path / "r.json"} if THOROUGH or place % 8 == 0 else {}
    for role in chosen(ROLES, place, 1):
        for out in chosen(["out.parquet", "out.csv", "out.arrow"], place, 1):
            fails_well(
                lambda role=role, out=out: anonymize_file(
                    source, plan(role), tmp_path / out, **papers
                )
            )


@pytest.mark.parametrize("name", FRAMES)
def test_every_kind_of_frame(name):
    place = list(FRAMES).index(name)
    frame = FRAMES[name]() if callable(FRAMES[name]) else FRAMES[name]
    for role in chosen(ROLES, place, 2):
        fails_well(lambda role=role: anonymize(frame, plan(role)).frame)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("date32 far", "dates outside the years 1 to 9999"),
        ("timestamp[us] far", "dates outside the years 1 to 9999"),
        ("timestamp[us, tz=No/Where]", "a time zone that is not known, 'No/Where'"),
        ("list of far dates", "dates outside the years 1 to 9999"),
        ("broken text", "not all UTF-8 text"),
    ],
)
def test_what_nobody_can_read_is_a_fault_in_columns_that_are_used(name, problem):
    table = pa.table({"q": GROUPS, "x": COLUMNS[name]})
    with pytest.raises(IndistinctError) as caught:
        anonymize(table, plan({"role": "other"}))
    assert caught.value.faults[0].place == "column 'x'"
    assert str(COLUMNS[name].type)[:20] in caught.value.faults[0].problem
    assert problem in caught.value.faults[0].problem
    assert anonymize(table, plan({"role": "drop"})).frame.num_rows == len(GROUPS)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("decimal32", {"1.50", "-2.25", ""}),
        ("string_view", {"a", "b", ""}),
        ("dictionary of views", {"a", "b", ""}),
        ("runs of views", {"a", "b"}),
        ("bool8", {"False", "True", ""}),
        ("json", {'{"a": 1}', ""}),
        ("own type", {"a", "b", ""}),
        (
            "uuid",
            {
                "00000000-0000-0000-0000-000000000001",
                "00000000-0000-0000-0000-000000000002",
                "",
            },
        ),
    ],
)
def test_odd_layouts_are_released_as_the_values_that_they_are(name, values):
    table = pa.table({"q": GROUPS, "x": COLUMNS[name]})
    for role in ("sensitive", "other"):
        asked = plan({"role": role}, accept=accepted("x"))
        released = anonymize(table, asked).frame.column("x").to_pylist()
        assert {"" if value is None else str(value) for value in released} == values
