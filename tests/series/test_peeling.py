"""Who is suppressed first of a cohort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indistinct.encode.table import encode_table
from indistinct.model.spans import Spans
from indistinct.plan import Plan
from indistinct.series.peeling import peeled
from tests.series.growing import plan_of, table_of


def spans_of(people):
    plan = Plan.load(plan_of(2))
    table = encode_table(table_of(dict(enumerate(people))), plan)
    codes = np.stack([column.codes for column in table.quasi], axis=1)
    return codes, Spans(table.quasi, plan.forms(table))


def cost_of(codes, spans):
    """What a row costs that spans all of these."""
    ends = zip(codes.min(axis=0), codes.max(axis=0), strict=True)
    return sum(
        float(spans.cost(column, np.array([low]), np.array([high]))[0])
        for column, (low, high) in enumerate(ends)
    )


@given(
    st.lists(st.tuples(st.integers(20, 60), st.sampled_from("fm"), st.just("flu")), min_size=1),
    st.randoms(use_true_random=False),
)
def test_costs_are_those_of_who_is_left_by_brute_force(people, draw):
    codes, spans = spans_of(people)
    drawn = np.array(draw.sample(range(len(people)), len(people)))
    ends = peeled(codes, spans, drawn)
    assert sorted(ends.order.tolist()) == list(range(len(people)))
    for gone, cost in enumerate(ends.cost.tolist()):
        assert cost >= cost_of(codes[ends.order[gone:]], spans) - 1e-9
    assert ends.cost[0] == np.float64(cost_of(codes, spans))


def test_who_stands_apart_goes_first():
    people = [(30 + n % 3, "f", "flu") for n in range(12)]
    codes, spans = spans_of([*people, (80, "f", "flu"), (31, "m", "flu")])
    ends = peeled(codes, spans, np.arange(14))
    assert set(ends.order[:2].tolist()) == {12, 13}
    assert ends.cost[2] < ends.cost[1] < ends.cost[0]
