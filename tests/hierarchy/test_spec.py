"""Hierarchies as fields of a plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from indistinct._parts import Part
from indistinct.hierarchy import Domain, HierarchySpec
from indistinct.hierarchy.spec import Cuts, Flat, Intervals, Mask, Ordinal


class Column(Part):
    hierarchy: HierarchySpec | None = None


TABLES = [
    {"csv": "age.csv", "delimiter": ";", "encoding": "utf-8"},
    {"tree": {"a": ["b"]}},
    {"paths": [["a", "*"], [None, "*"]]},
    {"mask": "left", "char": "#", "keep": 1, "steps": [1, 2]},
    {"intervals": [5, 10.5], "origin": 1, "bottom": 0, "top": 90},
    {"cuts": [[18, 65], [18]]},
    {"dates": ["month"], "format": "%d/%m/%Y"},
    {"ordinal": ["a", "b"], "widths": [2], "groups": None},
    {"flat": True},
    {"suggest": True},
]


def errors(hierarchy):
    with pytest.raises(ValidationError) as caught:
        Column(hierarchy=hierarchy)
    return [(error["loc"], error["msg"]) for error in caught.value.errors()]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: next(iter(table)))
def test_a_table_is_told_by_its_key_and_written_back_as_it_was(table):
    column = Column(hierarchy=table)
    assert column.model_dump()["hierarchy"] == table
    assert Column.model_validate_json(column.model_dump_json()) == column


def test_short_forms():
    assert Column(hierarchy="flat").hierarchy == Flat()
    assert Column(hierarchy=Mask(mask="right")).hierarchy == Mask(mask="right")
    assert Column(hierarchy={"cuts": [18, 65]}).hierarchy == Cuts(cuts=[[18, 65]])
    one_level = {"ordinal": [1, 2], "groups": [[1], [2]]}
    assert Column(hierarchy=one_level).hierarchy == Ordinal(
        ordinal=["1", "2"], groups=[[["1"], ["2"]]]
    )
    assert Column().hierarchy is None


def test_errors_are_about_the_kind_that_was_meant():
    assert errors({"intervals": [5], "orign": 3}) == [
        (("hierarchy", "Intervals", "orign"), "Extra inputs are not permitted")
    ]
    assert errors({"intervals": [5, "wide"]}) == [
        (("hierarchy", "Intervals", "intervals", 1), "Value error, 'wide' is not a finite number")
    ]
    assert errors({"cuts": [[18, float("inf")]]})[0][0] == ("hierarchy", "Cuts", "cuts", 0, 1)
    assert errors({"intervals": [True]})[0][1] == "Value error, True is not a finite number"
    assert errors({"mask": "right", "char": "##"})[0][0] == ("hierarchy", "Mask", "char")


def test_tables_of_no_known_kind():
    known = "Known: csv, tree, paths, mask, intervals, cuts, dates, ordinal, flat, suggest."
    assert errors({"interval": [5]}) == [
        (
            ("hierarchy",),
            f"Value error, 'interval' makes no hierarchy. Closest: 'intervals'. {known}",
        )
    ]
    assert errors("flatt") == [
        (
            ("hierarchy",),
            "Value error, there is no hierarchy 'flatt'. Closest: 'flat'. Known: flat, suggest.",
        )
    ]
    assert 'Write { csv = "ages.csv" }' in errors("ages.csv")[0][1]
    assert "'mask' needs settings. Write { mask = ... }" in errors("mask")[0][1]
    for nothing in ({}, 3):
        assert "a hierarchy is a table with one of csv, tree," in errors(nothing)[0][1]


def test_faults_of_a_table_are_known_before_the_data():
    (fault,) = Intervals(intervals=[5, 12]).faults(place="column 'age'")
    assert fault.place == "column 'age'"
    assert Flat().faults(place="column 'age'") == []


@pytest.mark.parametrize(
    "table",
    ["flat", "suggest", {"mask": "right"}, {"intervals": [5]}, {"cuts": [18]}, {"dates": ["year"]}],
    ids=str,
)
def test_a_column_of_no_rows_and_one_of_no_values(table):
    spec = Column(hierarchy=table).hierarchy
    assert spec.build(Domain.of([]), place="x", base=Path()).size == 0
    alone = spec.build(Domain.of([None]), place="x", base=Path())
    assert alone.leaves == (None,)
    assert alone.labels[-1] == ("*",)


def test_the_field_has_a_schema():
    assert TypeAdapter(HierarchySpec).json_schema()["oneOf"]
