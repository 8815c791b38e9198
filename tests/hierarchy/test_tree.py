from __future__ import annotations

from tests.hierarchy.sound import build, faults_of

LANDS = {"Europe": ["Italy", "France"], "Asia": {"East": ["Japan"], "South": {"Big": ["India"]}}}


def test_uneven_depths_are_filled_from_below():
    assert build({"tree": LANDS}, ["Japan", "Italy"]).paths() == [
        ("Italy", "Italy", "Italy", "Europe", "*"),
        ("France", "France", "France", "Europe", "*"),
        ("Japan", "Japan", "East", "Asia", "*"),
        ("India", "Big", "South", "Asia", "*"),
    ]


def test_numbers_are_values():
    h = build({"tree": {"low": [1, 2], "high": [10]}}, ["10", "1.0"])
    assert h.leaves == ("1.0", "2", "10")
    assert h.kind == "number"


def test_a_value_under_its_own_name():
    h = build({"tree": {"Luxembourg": ["Luxembourg"], "Asia": ["Japan"]}}, ["Luxembourg"])
    assert h.paths()[0] == ("Luxembourg", "Luxembourg", "*")


def test_values_listed_twice():
    tree = {"Europe": ["Italy", "Turkey"], "Asia": {"West": ["Turkey", "Iran", "Iran"]}}
    assert faults_of({"tree": tree}, ["Italy"]) == [
        (
            "column 'x', tree: 'Turkey' is listed 2 times: under Europe and under Asia > West. A "
            "value has exactly one parent: keep one of them."
        ),
        (
            "column 'x', tree: 'Iran' is listed 2 times: under Asia > West and under Asia > West. "
            "A value has exactly one parent: keep one of them."
        ),
    ]


def test_groups_of_the_same_name():
    tree = {"Asia": {"East": ["Japan"]}, "Africa": {"East": ["Kenya"]}}
    (told,) = faults_of({"tree": tree}, ["Japan"])
    assert "column 'x', tree, level 1: 'East' has 2 parents on level 2: 'Asia' (1 value)" in told
    assert "give the two different names" in told


def test_branches_that_are_no_groups():
    tree = {"a": "b", "c": [], "d": {"e": 5}, "f": [["g"], True, "h"]}
    assert faults_of({"tree": tree}, ["h"]) == [
        (
            "column 'x', tree: group a is neither a list of values nor a table of groups. Write "
            '["b"] for a group of one.'
        ),
        "column 'x', tree: group c is empty. List its values, or leave it out.",
        (
            "column 'x', tree: group d > e is neither a list of values nor a table of groups. "
            "Write [5] for a group of one."
        ),
        (
            "column 'x', tree: group f holds ['g'], which is not a value. List texts or numbers; "
            "for groups within a group use a table."
        ),
        (
            "column 'x', tree: group f holds True, which is not a value. List texts or numbers; "
            "for groups within a group use a table."
        ),
    ]
    assert faults_of({"tree": {}}, ["h"]) == [
        "column 'x', tree: it is empty. List its values, or leave it out."
    ]


def test_a_value_in_no_group():
    (told,) = faults_of({"tree": LANDS}, ["Itlay", "Italy"])
    assert told == (
        "column 'x': value 'Itlay' (1 row) is not in the hierarchy. Add it to a group of the tree, "
        "or correct the data. Closest value there: 'Italy'."
    )
