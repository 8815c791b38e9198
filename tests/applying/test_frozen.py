"""Hierarchies that are kept without the values they were built from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from indistinct.applying.frozen import freeze
from indistinct.hierarchy import Domain
from indistinct.hierarchy.spec import FromPaths, HierarchySpec

AGES = [str(age) for age in range(18, 60, 3)]
CODES = ["22030", "22031", "22041", "23030", "10001", "10002"]


def frozen(spec, values):
    built = None if spec is None else TypeAdapter(HierarchySpec).validate_python(spec)
    from indistinct.hierarchy.spec import Suggested

    hierarchy = (built or Suggested()).build(Domain.of(values), place="c", base=Path())
    return hierarchy, freeze(hierarchy, built, np.ones(hierarchy.size, dtype=bool), "c")


MADE_UP = {"00000", "18", "0", "1", "100", "0.5", "100.5", "-1", "-0.5"}  # 18: the plan's origin
BY_RULE = [
    ({"mask": "right"}, CODES, ["22032", "99999"]),
    ({"mask": "left", "char": "#"}, CODES, ["22032"]),
    ({"mask": "right", "steps": [2, 4]}, CODES, ["22032"]),
    ({"intervals": [5, 10]}, AGES, ["19", "70"]),
    ({"intervals": [5, 10], "origin": 18}, AGES, ["19", "70"]),
    ({"intervals": [0.5, 1]}, ["0.25", "1.5"], ["0.75"]),
    ({"intervals": [5]}, ["1.5", "7"], ["8"]),
    ({"intervals": [5]}, ["-3", "7"], ["8"]),
    ({"intervals": [5], "bottom": 20, "top": 50}, AGES, ["19", "70"]),
    ({"cuts": [[18, 30, 45], [30]]}, AGES, ["19", "70"]),
    ({"dates": ["month", "year"]}, ["2020-01-05", "2021-03-01"], ["2022-02-02"]),
    ("flat", ["a", "b"], ["c"]),
    (None, AGES, ["19", "70"]),
    (None, [str(n / 2) for n in range(40)], ["0.25", "70"]),
    (None, CODES, ["22032"]),
    (None, ["m", "f"], ["x"]),
]


@pytest.mark.parametrize(("spec", "values", "new"), BY_RULE, ids=str)
def test_a_rule_holds_no_value_and_gives_the_same_paths(spec, values, new):
    hierarchy, kept = frozen(spec, values)
    assert not kept.of_data
    assert {path[0] for path in kept.pins} <= MADE_UP
    assert not isinstance(kept.spec, FromPaths)
    again, unknown = kept.fit([*values, *new], "c")
    assert not unknown
    paths = {path[0]: path for path in again.paths()}
    assert all(paths[path[0]] == path for path in hierarchy.paths())
    assert again.height == hierarchy.height


@pytest.mark.parametrize(
    ("spec", "values", "new", "unknown"),
    [
        ({"mask": "right"}, CODES, ["220301", "22*", "22032"], ["220301", "22*"]),
        ({"intervals": [5]}, AGES, ["19.5", "old", "20"], ["19.5", "old"]),
        ({"dates": ["year"]}, ["2020-01-05"], ["5.1.2021", "2021-01-05"], ["5.1.2021"]),
        ({"tree": {"x": ["a", "b"], "y": ["c"]}}, ["a"], ["c", "d"], ["d"]),
        ({"ordinal": ["low", "middle", "high"]}, ["low"], ["high", "huge"], ["huge"]),
    ],
    ids=str,
)
def test_values_that_do_not_fit_are_unknown(spec, values, new, unknown):
    _, kept = frozen(spec, values)
    assert kept.fit([*values, *new, None], "c")[1] == set(unknown)
    assert kept.fit(sorted(unknown), "c")[1] == set(unknown)


def test_suggested_ranges_of_dates_list_released_values_only():
    values = [f"2020-01-{day:02}" for day in range(1, 30)]
    from indistinct.hierarchy.spec import Suggested

    hierarchy = Suggested().build(Domain.of(values), place="c", base=Path())
    released = np.ones(hierarchy.size, dtype=bool)
    released[hierarchy.code_of["2020-01-07"]] = False
    kept = freeze(hierarchy, None, released, "c")
    assert kept.of_data
    assert {path[0] for path in kept.spec.paths} == set(values) - {"2020-01-07"}


@given(st.lists(st.integers(0, 99), min_size=1, max_size=30, unique=True), st.data())
def test_suggested_ranges_are_kept_by_their_cuts(numbers, data):
    values = [str(n) for n in numbers]
    hierarchy, kept = frozen(None, values)
    new = data.draw(st.lists(st.integers(0, 120).map(str), max_size=5, unique=True))
    again, unknown = kept.fit(list(dict.fromkeys([*values, *new])), "c")
    assert kept.of_data or not unknown
    paths = {path[0]: path for path in again.paths()}
    assert all(paths[path[0]] == path for path in hierarchy.paths())
