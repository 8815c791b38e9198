from __future__ import annotations

from tests.hierarchy.sound import build, faults_of, levels

SCHOOLS = ["none", "primary", "secondary", "bachelor", "master"]


def test_widths():
    assert levels({"ordinal": SCHOOLS, "widths": [2, 4]}, ["master"]) == [
        ["none..primary", "secondary..bachelor", "master"],
        ["none..bachelor", "master"],
        ["*"],
    ]


def test_groups_of_one_level():
    groups = [["primary", "none"], ["secondary", "bachelor", "master"]]
    assert levels({"ordinal": SCHOOLS, "groups": groups}, ["none"]) == [
        ["none..primary", "secondary..master"],
        ["*"],
    ]


def test_groups_of_several_levels():
    fine = [["none"], ["primary", "secondary"], ["bachelor", "master"]]
    coarse = [["none", "primary", "secondary"], ["bachelor", "master"]]
    assert levels({"ordinal": SCHOOLS, "groups": [fine, coarse]}, ["none"]) == [
        ["none", "primary..secondary", "bachelor..master"],
        ["none..secondary", "bachelor..master"],
        ["*"],
    ]


def test_without_either_neighbours_pair_up():
    assert levels({"ordinal": SCHOOLS}, ["none"]) == [
        ["none..primary", "secondary..bachelor", "master"],
        ["none..bachelor", "master"],
        ["*"],
    ]
    assert levels({"ordinal": ["a", "b"]}, ["a"]) == [["*"]]


def test_the_order_is_the_one_given():
    h = build({"ordinal": [3, 2, 1]}, ["1", "2", None])
    assert h.leaves == ("3", "2", "1", None)
    assert h.kind == "category"


def test_a_value_that_reads_like_a_group():
    assert levels({"ordinal": ["a", "b", "a..b"]}, ["a"])[0] == ["a .. b", "a..b"]


def test_widths_that_do_not_nest():
    (told,) = faults_of({"ordinal": SCHOOLS, "widths": [2, 3]}, ["none"])
    assert "width 3 does not nest with the width 2 before it" in told
    assert "use 4" in told


def test_all_that_is_wrong_with_groups():
    groups = [["none", "secondary"], ["bachelr", "master"], ["none"], []]
    told = faults_of({"ordinal": SCHOOLS, "groups": groups}, ["none"])
    assert told == [
        "column 'x', level 1: 'none' is listed 2 times. List each value once.",
        (
            "column 'x', level 1: 'bachelr' is not among the ordinal values. Closest: 'bachelor'. "
            "Known: none, primary, secondary, bachelor, master."
        ),
        (
            "column 'x', level 1: 'primary' is in no group. Put every value in a group, alone if "
            "need be."
        ),
        (
            "column 'x', level 1: 'bachelor' is in no group. Put every value in a group, alone if "
            "need be."
        ),
        "column 'x', level 1: a group is empty. List its values, or leave it out.",
        (
            "column 'x', level 1: the group none, secondary leaves out primary in between. A group "
            "consists of neighbours: add them, or split the group."
        ),
    ]


def test_groups_that_do_not_nest():
    fine = [["none", "primary"], ["secondary", "bachelor"], ["master"]]
    coarse = [["none", "primary", "secondary"], ["bachelor", "master"]]
    assert faults_of({"ordinal": SCHOOLS, "groups": [fine, coarse]}, ["none"]) == [
        (
            "column 'x', level 2: the group secondary, bachelor of level 1 is split. Levels must "
            "nest, the finest first: join whole groups."
        )
    ]


def test_values_twice_both_ways_and_none_at_all():
    table = {"ordinal": ["a", "b", "a"], "widths": [2], "groups": [["a", "b"]]}
    assert faults_of(table, ["a"]) == [
        "column 'x': 'a' is listed 2 times. List each value once.",
        "column 'x': it has both widths and groups. Leave one of them out.",
    ]
    assert faults_of({"ordinal": []}, ["a"]) == [
        "column 'x': there are no values. List all values in their order."
    ]


def test_a_value_outside_the_order():
    (told,) = faults_of({"ordinal": SCHOOLS}, ["doctor"] * 3)
    assert told == (
        "column 'x': value 'doctor' (3 rows) is not in the hierarchy. Add it to the ordinal values "
        "in its place, or correct the data."
    )
