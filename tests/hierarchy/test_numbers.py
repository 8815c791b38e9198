"""Intervals of equal width, and cuts of one's own."""

from __future__ import annotations

import pytest

from tests.hierarchy.sound import assert_true, build, faults_of, levels


def test_intervals():
    assert levels({"intervals": [5, 10, 20]}, ["39", "20", "24", "25", "7"]) == [
        ["[5-9]", "[20-24]", "[25-29]", "[35-39]"],
        ["[0-9]", "[20-29]", "[30-39]"],
        ["[0-19]", "[20-39]"],
        ["*"],
    ]


def test_intervals_of_numbers_that_are_not_whole():
    assert levels({"intervals": [5]}, ["20", "24.5"])[0] == ["[20, 25)"]
    assert levels({"intervals": [2.5, 5]}, ["20", "24"])[:2] == [
        ["[20, 22.5)", "[22.5, 25)"],
        ["[20, 25)"],
    ]


def test_whole_numbers_written_as_floats_are_whole():
    h = build({"intervals": [5]}, ["39.0", "40.0", None])
    assert h.labels[1] == ("[35-39]", "[40-44]", None)
    assert h.leaves == ("39.0", "40.0", None)


def test_negative_numbers_are_written_half_open():
    assert levels({"intervals": [5]}, ["-3", "4"])[0] == ["[-5, 0)", "[0, 5)"]


def test_an_interval_of_one_number_is_that_number():
    assert levels({"intervals": [1, 2]}, ["3", "4"])[:2] == [["3", "4"], ["[2-3]", "[4-5]"]]


def test_bottom_and_top_coding():
    column = ["3", "17", "18", "19", "20", "89", "90", "117"]
    assert levels({"intervals": [5, 20], "bottom": 18, "top": 90}, column)[:2] == [
        ["<18", "[18-19]", "[20-24]", "[85-89]", ">=90"],
        ["<18", "[18-19]", "[20-39]", "[80-89]", ">=90"],
    ]


def test_origin():
    assert levels({"intervals": [10], "origin": 18}, ["18", "27", "28"])[0] == [
        "[18-27]",
        "[28-37]",
    ]
    assert levels({"intervals": [10, 20], "origin": 18}, ["17", "18"])[:2] == [
        ["[8, 18)", "[18, 28)"],
        ["[-2, 18)", "[18, 38)"],
    ]


def test_decimals_fall_where_they_are_written():
    column = [f"{n / 10:.1f}" for n in range(30)]
    h = build({"intervals": [0.1, 0.3]}, column)
    for path in h.paths():
        assert path[1] == f"[{float(path[0]):g}, {round(float(path[0]) + 0.1, 1):g})"
        assert_true(path[2], path[0])


def test_numbers_stand_in_order_with_their_positions():
    h = build({"intervals": [10]}, ["100", "20", "3.0", "3"])
    assert h.leaves == ("3", "3.0", "20", "100")
    assert h.position.tolist() == [3, 3, 20, 100]
    assert h.kind == "number"


def test_only_missing_values():
    h = build({"intervals": [5, 10]}, [None, None])
    assert h.paths() == [(None, None, None, "*")]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            {"intervals": [5, 12]},
            (
                "column 'x': width 12 does not nest with the width 5 before it. Each width must be "
                "a multiple of the one before; use 10 or 15."
            ),
        ),
        (
            {"intervals": [0.2, 0.5]},
            (
                "column 'x': width 0.5 does not nest with the width 0.2 before it. Each width must "
                "be a multiple of the one before; use 0.4 or 0.6."
            ),
        ),
        (
            {"intervals": [10, 5]},
            (
                "column 'x': width 5 does not nest with the width 10 before it. Each width must be "
                "a multiple of the one before; use 20."
            ),
        ),
        (
            {"intervals": [0, 5]},
            "column 'x': width 0 is not above 0. Give widths above 0.",
        ),
        (
            {"intervals": []},
            "column 'x': there are no widths. Give at least one, such as [5, 10, 20].",
        ),
        (
            {"intervals": [5], "bottom": 90, "top": 18},
            "column 'x': bottom 90 is not below top 18. Set bottom below top, or leave one out.",
        ),
        (
            {"intervals": [0.3333333333333333], "origin": 10},
            (
                "column 'x': 0.3333333333333333, 10: together they have too many digits to be "
                "placed exactly. Round them, or use cuts."
            ),
        ),
    ],
)
def test_intervals_that_cannot_be(table, told):
    assert faults_of(table, ["20"]) == [told]


def test_values_that_are_no_numbers():
    told = faults_of({"intervals": [5]}, ["20", "unknown", "unknown", "nan", "1_000", None])
    assert told[0] == (
        "column 'x': value 'unknown' (2 rows) is not a number. Correct it or make it missing; for "
        "text use csv, tree, mask, ordinal or flat."
    )
    assert "value '1_000' (1 row) is not a number" in told[1]
    assert "value 'nan' (1 row) is not a number" in told[2]
    assert len(told) == 3
    assert len(faults_of({"cuts": [18]}, ["a", "b", "3"])) == 2


def test_numbers_too_large_for_exact_intervals():
    (told,) = faults_of({"intervals": [5]}, ["20", "1e20"])
    assert told == (
        "column 'x': value '1e20' (1 row) is too large to be placed exactly. Correct it, or use "
        "cuts."
    )
    assert levels({"cuts": [18]}, ["20", "1e20"])[0] == [">=18"]


def test_cuts():
    column = ["17", "18", "29", "30", "44", "45", "64", "65"]
    assert levels({"cuts": [[18, 30, 45, 65], [18, 65]]}, column) == [
        ["<18", "[18-29]", "[30-44]", "[45-64]", ">=65"],
        ["<18", "[18-64]", ">=65"],
        ["*"],
    ]


def test_one_list_of_cuts_is_one_level():
    assert levels({"cuts": [18, 65]}, ["17", "20.5", "70"]) == [["<18", "[18, 65)", ">=65"], ["*"]]


def test_cuts_that_are_not_whole_or_negative():
    assert levels({"cuts": [0.5, 1]}, ["0", "1"])[0] == ["<0.5", ">=1"]
    assert levels({"cuts": [-5, 0, 5]}, ["-4", "1"])[0] == ["[-5, 0)", "[0, 5)"]


def test_cuts_that_cannot_be():
    assert faults_of({"cuts": [[18, 30], [18, 40, 65]]}, ["1"]) == [
        (
            "column 'x': 40, 65 on level 2 is not a cut point of level 1 (18, 30). Levels must "
            "nest, the finest first: take cut points away from level to level."
        )
    ]
    assert faults_of({"cuts": [[30, 18, 18], []]}, ["1"]) == [
        (
            "column 'x': cut points on level 1 do not rise: 18 after 30. List each cut point once, "
            "the smallest first."
        ),
        (
            "column 'x': cut points on level 1 do not rise: 18 after 18. List each cut point once, "
            "the smallest first."
        ),
        (
            "column 'x': level 2 has no cut points. Leave the level out; the level where all "
            "values are one is added by itself."
        ),
    ]
    assert faults_of({"cuts": []}, ["1"]) == [
        (
            "column 'x': level 1 has no cut points. Leave the level out; the level where all "
            "values are one is added by itself."
        )
    ]
