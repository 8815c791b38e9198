"""The lower bound, against brute force over all rows and all partitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.measures.bound import lower_bound
from tests.build import problem_of
from tests.profiles import examples
from tests.properties.strategies import tables


def pair_ncp(ladder, one, two):
    """NCP of the lowest common ancestor of two values, by leaves."""
    if one == two:
        return Fraction(0)
    paths = {path[0]: path for path in ladder}
    level = next(i for i, (a, b) in enumerate(zip(paths[one], paths[two], strict=True)) if a == b)
    under = sum(path[level] == paths[one][level] for path in ladder)
    return Fraction(under, len(ladder))


@examples(30)
@given(tables(most_rows=10), st.integers(2, 9))
def test_it_is_the_mean_cost_to_the_nearest_others(job, k):
    rows, columns, ladders = job
    if len(rows) < k:
        return
    total = Fraction(0)
    for row in rows:
        costs = sorted(
            sum(pair_ncp(ladders[c], row[c], other[c]) for c in columns) for other in rows
        )
        total += costs[k - 1]
    problem = problem_of(rows, columns, ladders, k, 0)
    found = lower_bound(problem.table, problem.spans, k)
    assert found.exact
    assert found.loss == pytest.approx(float(total / len(rows) / len(columns)))


def test_a_sample_says_so_and_holds_the_exact_value():
    ladder = [[str(i), str(i // 8), "*"] for i in range(64)]
    random = np.random.default_rng(2)
    rows = [{"c": str(c), "d": str(d)} for c, d in random.integers(0, 64, (600, 2))]
    problem = problem_of(rows, ["c", "d"], {"c": ladder, "d": ladder}, 5, 0)
    exact = lower_bound(problem.table, problem.spans, 5)
    sampled = lower_bound(problem.table, problem.spans, 5, pairs=30_000, seed=1)
    assert exact.exact
    assert not sampled.exact
    assert sampled.low <= exact.loss <= sampled.high
