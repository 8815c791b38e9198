from __future__ import annotations

import numpy as np
import pytest

from indistinct.errors import HierarchyError
from indistinct.hierarchy import Hierarchy
from indistinct.hierarchy.order import positions
from tests.hierarchy.sound import assert_same, assert_sound


def faults(paths):
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_paths(paths, place="race")
    return [str(fault) for fault in caught.value.faults]


def test_numbers_stand_by_number_and_categories_by_an_in_order_walk():
    numbers = Hierarchy.from_paths([["10", "b", "*"], ["9.5", "b", "*"], ["2", "a", "*"]])
    assert numbers.leaves == ("2", "9.5", "10")
    assert numbers.kind == "number"
    assert numbers.position.tolist() == [2, 9.5, 10]
    words = Hierarchy.from_paths([["r", "x", "*"], ["p", "y", "*"], ["q", "x", "*"]])
    assert words.leaves == ("r", "q", "p")
    assert words.kind == "category"


def test_numbers_grouped_out_of_order_keep_their_kind_in_an_in_order_walk():
    h = Hierarchy.from_paths([["1", "odd", "*"], ["2", "even", "*"], ["3", "odd", "*"]])
    assert h.leaves == ("1", "3", "2")
    assert h.kind == "number"
    assert h.position.tolist() == [1, 3, 2]
    assert_sound(h)


def test_labels_may_come_again_on_other_levels():
    h = Hierarchy.from_paths([["0", "2", "1", "0"], ["1", "2", "1", "0"], ["2", "0", "1", "0"]])
    assert [len(labels) for labels in h.labels] == [3, 2, 1, 1]
    assert_sound(h)


def test_paths_is_the_inverse_of_from_paths():
    paths = [("b", "x", "*"), ("a", "y", "*")]
    assert Hierarchy.from_paths(paths).paths() == paths


def test_the_missing_value_stays_apart_below_the_top():
    h = Hierarchy.from_paths([["a", "x", "*"], ["b", "x", "*"]]).with_missing()
    assert h.paths()[-1] == (None, None, "*")
    assert h.with_missing() is h
    assert_sound(h)


def test_the_missing_value_beside_a_value_without_levels():
    h = Hierarchy.from_paths([["a"]]).with_missing()
    assert h.paths() == [("a", "*"), (None, "*")]
    assert_sound(h)


def test_the_missing_value_alone():
    h = Hierarchy.from_columns([[], [], []]).with_missing()
    assert h.paths() == [(None, None, "*")]
    assert_sound(h)


def test_the_missing_value_may_have_a_group_of_its_own_choice():
    h = Hierarchy.from_paths([["a", "rest", "*"], ["b", "b", "*"], [None, "rest", "*"]])
    assert h.leaves == ("a", None, "b")
    assert_same(h, h.with_missing())
    assert_sound(h)


def test_two_parents():
    told = faults([["a", "x", "*"], ["a", "y", "*"], ["b", "x", "*"]])
    assert told == [
        (
            "race, level 0: 'a' has 2 parents on level 1: 'x' (1 value), 'y' (1 value); a value "
            "has exactly one parent. Give all its lines the same parent, or give the two "
            "different names."
        )
    ]


def test_levels_that_do_not_nest():
    (told,) = faults([["a", "x", "p", "*"], ["b", "x", "q", "*"], ["c", "x", "q", "*"]])
    assert "race, level 1: 'x' has 2 parents on level 2: 'q' (2 values), 'p' (1 value)" in told
    assert "levels must nest" in told


def test_several_tops():
    (told,) = faults([["a", "x"], ["b", "x"], ["c", "y"]])
    assert "race, top level: it has 2 values where one is needed" in told
    assert "'x' (2 values), 'y' (1 value)" in told
    assert "Add a last column that holds * on every line" in told


def test_all_faults_are_told_at_once():
    told = faults(
        [
            ["a", "x", "*"],
            ["a", "y", "*"],
            ["b", None, "*"],
            ["c", "x", "all"],
            ["d", "*"],
        ]
    )
    assert [line.split(":")[0] for line in told] == [
        "race",
        "race",
        "race, level 0",
        "race, level 1",
        "race, top level",
    ]
    assert "value 'd' has 1 level where others have 2" in told[0]
    assert "value 'b' has nothing on level 1" in told[1]


def test_nothing_and_no_levels():
    assert faults([]) == ["race: it is empty. Give one line per value: value;level 1;...;*"]
    assert faults([["a"], ["b"]]) == [
        "race: it has no level above the values. Add a last column with * on each."
    ]


@pytest.mark.parametrize(
    ("leaves", "kind"),
    [
        (["1", "-2.5", "1e3", None], "number"),
        (["2020-01-01", "2020-01-01 10:00:00", None], "date"),
        (["2020-01-01", "2020-01-01x"], "category"),
        (["1_000", "2"], "category"),
        (["nan", "1"], "category"),
        (["inf", "1"], "category"),
        (["007", "8"], "category"),
        (["0", "0.5", "10"], "number"),
        ([None], "category"),
        ([], "category"),
    ],
)
def test_kinds(leaves, kind):
    assert positions(leaves)[0] == kind


def test_times_of_day_are_parts_of_a_day():
    _, days = positions(["1970-01-03T06:00:00+02:00", None])
    assert days[0] == 2.25
    assert np.isnan(days[1])
