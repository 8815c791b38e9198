"""delta-disclosure on classes made by hand, through every method, and what a plan may not ask."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from indistinct import Plan
from indistinct.errors import PlanError
from tests.oracle_requirements import Sensitive
from tests.requirements.strategies import column_of, published_classes, requirement_of
from tests.requirements.through_methods import failing_classes, keeping, released, table

TABLE = Sensitive(("a", "b", "c"), Counter(a=8, b=2), [["a", "*"], ["b", "*"], ["c", "*"]])


def measured(histogram, delta):
    requirement = requirement_of({"model": "delta-disclosure", "delta": delta})
    return requirement.measure(published_classes([Counter(histogram)], TABLE))


@pytest.mark.parametrize(
    ("histogram", "delta", "holds", "value"),
    [
        ({"a": 4, "b": 1}, 0.01, True, 0.0),
        ({"a": 3, "b": 2}, math.log(2), False, math.log(2)),  # strictly less
        ({"a": 3, "b": 2}, math.log(2) + 0.001, True, math.log(2)),
        ({"a": 9, "b": 1}, 0.7, True, math.log(2)),  # b has fallen to half its share
        ({"a": 9, "b": 1}, 0.6, False, math.log(2)),
        ({"a": 5}, 100.0, False, math.inf),  # every class holds every value of the table
    ],
)
def test_definition(histogram, delta, holds, value):
    """Nobody has c, which a hierarchy lists: no class needs it."""
    found = measured(histogram, delta)
    assert (found.holds, found.value) == (holds, pytest.approx(value))


@pytest.mark.parametrize("method", keeping("delta-disclosure"))
def test_every_method_keeps_it(method):
    for seed, delta in enumerate([0.7, 1.5]):
        asked = {"model": "delta-disclosure", "delta": delta}
        data = table(seed)
        release = released(data, asked, method, suppression=0.2 * seed)
        assert failing_classes(data, release, asked) == []
        assert release.evidence[0].holds


@pytest.mark.parametrize("wrong", [{}, {"delta": 0}, {"delta": -1.0}, {"delta": math.nan}])
def test_bad_parameters(wrong):
    columns = {"zip": {"role": "quasi", "hierarchy": "flat"}, "ill": {"role": "sensitive"}}
    with pytest.raises(PlanError, match="delta"):
        Plan.load({"columns": columns, "require": [{"model": "delta-disclosure", **wrong}]})


def test_what_suppressed_rows_leave_open():
    requirement = requirement_of({"model": "delta-disclosure", "delta": 1.0})
    assert requirement.decided_without_table(math.inf, 0.2) is False
    assert requirement.decided_without_table(0.0, 0.2) is None


def test_a_class_needs_every_value_that_occurs():
    rule = requirement_of({"model": "delta-disclosure", "delta": 9.0}).rule(column_of(TABLE))
    assert rule.least_values == 2
