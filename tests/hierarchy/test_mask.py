from __future__ import annotations

import pytest

from tests.hierarchy.sound import build, faults_of, levels

ZIPS = ["22030", "22031", "22041", "22130", "23030", "33030"]


def paths(table, column):
    return {path[0]: path[1:] for path in build(table, column).paths()}


def test_from_the_right():
    h = paths({"mask": "right"}, ZIPS)
    assert h["22030"] == ("2203*", "220**", "22***", "2****", "*")


def test_from_the_left():
    h = paths({"mask": "left"}, ["12345", "92345", "19345", "19945", "19995"])
    assert h["12345"] == ("*2345", "**345", "***45", "****5", "*")


def test_levels_that_change_nothing_are_left_out():
    assert levels({"mask": "right"}, ["22030", "22031", "22040", "22047"]) == [
        ["2203*", "2204*"],
        ["220**"],
        ["*"],
    ]
    assert levels({"mask": "right"}, ["1a", "2b"]) == [["*"]]


def test_steps_that_are_asked_for_are_kept():
    assert paths({"mask": "right", "steps": [1, 2, 4, 5]}, ["22030"]) == {
        "22030": ("2203*", "220**", "2****", "*")
    }


def test_what_is_kept():
    h = paths({"mask": "right", "keep": 2}, ZIPS)
    assert h["22030"] == ("2203*", "220**", "22***", "*")
    assert paths({"mask": "right", "keep": 9}, ZIPS)["22030"] == ("*",)


def test_shorter_values_join_the_group_they_begin():
    h = paths({"mask": "right"}, ["E", "E11", "E11.8", "E11.9", "E12.1"])
    assert h["E11.9"] == ("E11.*", "E11**", "E1***", "E****", "*")
    assert h["E11"] == ("E11", "E11**", "E1***", "E****", "*")
    assert h["E"] == ("E", "E", "E", "E****", "*")


def test_shorter_values_from_the_left():
    h = paths({"mask": "left", "steps": [1, 2]}, ["5", "15", "25", "115"])
    assert h == {
        "115": ("*15", "**5", "*"),
        "15": ("*15", "**5", "*"),
        "25": ("*25", "**5", "*"),
        "5": ("5", "**5", "*"),
    }


def test_another_character():
    assert paths({"mask": "right", "char": "#", "steps": [1]}, ["a*b"])["a*b"] == ("a*#", "*")


def test_codes_of_digits_behind_a_zero_are_categories():
    assert build({"mask": "right"}, ["02139", "02140"]).kind == "category"
    assert build({"mask": "right"}, ["22139", "22140"]).kind == "number"


def test_values_that_hold_the_character():
    assert faults_of({"mask": "right"}, ["2203*", "2203*", "#****", "22031"]) == [
        (
            "column 'x': value '2203*' (2 rows) holds the mask character '*'. Mask with another "
            'one: char = "_".'
        ),
        (
            "column 'x': value '#****' (1 row) holds the mask character '*'. Mask with another "
            'one: char = "_".'
        ),
    ]


@pytest.mark.parametrize("steps", [[], [0, 1], [-1]])
def test_steps_begin_at_one(steps):
    assert faults_of({"mask": "right", "steps": steps}, ZIPS) == [
        "column 'x': steps must begin at 1 or more. Give some, such as [1, 2, 4]."
    ]


def test_steps_rise():
    assert faults_of({"mask": "right", "steps": [1, 3, 3, 2]}, ZIPS) == [
        "column 'x': steps do not rise: 3 after 3. Mask more characters on each level.",
        "column 'x': steps do not rise: 2 after 3. Mask more characters on each level.",
    ]


def test_steps_against_what_is_to_be_kept():
    assert faults_of({"mask": "right", "steps": [1, 4], "keep": 2}, ZIPS) == [
        (
            "column 'x': step 4 would mask 4 of 5 characters where 2 are to be kept. Leave it out, "
            "or set keep = 1."
        )
    ]
