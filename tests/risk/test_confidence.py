"""Intervals by their definitions."""

from __future__ import annotations

from math import comb, isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.risk import clopper_pearson, wilson

COUNTS = st.integers(1, 60).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@given(COUNTS)
def test_wilson_solves_its_equation(counts):
    hits, of = counts
    rate = wilson(hits, of)
    assert 0 <= rate.low <= rate.share <= rate.high <= 1
    for end in (rate.low, rate.high):
        if 0 < end < 1:
            z = abs(rate.share - end) / sqrt(end * (1 - end) / of)
            assert z == pytest.approx(1.959964, rel=1e-4)


@given(COUNTS)
def test_clopper_pearson_leaves_a_fortieth_in_each_tail(counts):
    hits, of = counts
    rate = clopper_pearson(hits, of)
    at_least = sum(
        comb(of, i) * rate.low**i * (1 - rate.low) ** (of - i) for i in range(hits, of + 1)
    )
    at_most = sum(comb(of, i) * rate.high**i * (1 - rate.high) ** (of - i) for i in range(hits + 1))
    assert isclose(at_least, 0.025, rel_tol=1e-6) if hits else rate.low == 0
    assert isclose(at_most, 0.025, rel_tol=1e-6) if hits < of else rate.high == 1


def test_nothing_tried_says_nothing():
    rate = wilson(0, 0)
    assert (rate.share, rate.low, rate.high) == (0, 0, 1)
