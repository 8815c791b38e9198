"""beta-likeness on classes made by hand, through every method, and what a plan may not ask."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from indistinct import Plan
from indistinct.errors import PlanError
from tests.oracle_requirements import Sensitive
from tests.requirements.strategies import column_of, published_classes, requirement_of
from tests.requirements.through_methods import failing_classes, keeping, released, table

TABLE = Sensitive(("a", "b"), Counter(a=80, b=20), [["a", "*"], ["b", "*"]])


def measured(histogram, **asked):
    requirement = requirement_of({"model": "beta-likeness", **asked})
    return requirement.measure(published_classes([Counter(histogram)], TABLE))


@pytest.mark.parametrize(
    ("histogram", "beta", "holds", "gain"),
    [
        ({"a": 8, "b": 2}, 0.1, True, 0.0),
        ({"a": 6, "b": 4}, 1.0, True, 1.0),  # b from 0.2 to 0.4: as much again
        ({"a": 6, "b": 4}, 0.99, False, 1.0),
        ({"a": 1}, 0.25, True, 0.25),  # a from 0.8 to 1; that b falls does not matter
    ],
)
def test_basic(histogram, beta, holds, gain):
    found = measured(histogram, kind="basic", beta=beta)
    assert (found.holds, found.value) == (holds, pytest.approx(gain))


def test_enhanced_bounds_frequent_values_however_large_beta_is():
    """Of a, 80 % in the table, -ln p is 0.223: no class may have a alone, which gains 0.25."""
    assert measured({"a": 1}, kind="basic", beta=1000.0).holds
    found = measured({"a": 1}, beta=1000.0)
    assert not found.holds
    assert found.value == math.inf
    nearly = measured({"a": 97, "b": 3}, beta=0.22)
    assert nearly.holds
    assert nearly.value == pytest.approx(0.2125)
    assert not measured({"a": 99, "b": 1}, beta=1000.0).holds


def test_enhanced_is_what_a_plan_gets_if_it_does_not_say():
    assert requirement_of({"model": "beta-likeness", "beta": 1.0}).kind == "enhanced"


@pytest.mark.parametrize("method", keeping("beta-likeness"))
@pytest.mark.parametrize("kind", ["basic", "enhanced"])
def test_every_method_keeps_it(method, kind):
    for seed, beta in enumerate([0.4, 1.5]):
        asked = {"model": "beta-likeness", "kind": kind, "beta": beta}
        data = table(seed)
        release = released(data, asked, method, suppression=0.2 * seed)
        assert failing_classes(data, release, asked) == []
        assert release.evidence[0].holds


@pytest.mark.parametrize(
    "wrong", [{}, {"beta": 0}, {"beta": -1.0}, {"beta": math.inf}, {"beta": 1.0, "kind": "other"}]
)
def test_bad_parameters(wrong):
    columns = {"zip": {"role": "quasi", "hierarchy": "flat"}, "ill": {"role": "sensitive"}}
    with pytest.raises(PlanError, match=r"beta|kind"):
        Plan.load({"columns": columns, "require": [{"model": "beta-likeness", **wrong}]})


def test_what_suppressed_rows_leave_open():
    """Of a table of which a fifth may be missing, shares are at least 4/5 of those released."""
    basic = requirement_of({"model": "beta-likeness", "kind": "basic", "beta": 1.0})
    assert basic.decided_without_table(0.6, 0.2) is True
    assert basic.decided_without_table(0.61, 0.2) is None
    assert basic.decided_without_table(5.0, 0.2) is None
    enhanced = requirement_of({"model": "beta-likeness", "beta": 1.0})
    assert enhanced.decided_without_table(0.1, 0.2) is None


@pytest.mark.parametrize(("beta", "needed"), [(0.1, 2), (0.24, 2), (0.25, 1), (3.0, 1)])
def test_how_many_values_a_class_needs(beta, needed):
    basic = requirement_of({"model": "beta-likeness", "kind": "basic", "beta": beta})
    assert basic.rule(column_of(TABLE)).least_values == needed
