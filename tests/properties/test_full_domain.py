"""Both methods against brute force, on random small tables with random hierarchies."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.methods import METHODS
from tests import oracle
from tests.build import problem_of
from tests.properties.strategies import tables


@st.composite
def jobs(draw):
    rows, columns, ladders = draw(tables())
    k = draw(st.integers(2, len(rows)))
    limit = draw(st.integers(0, len(rows)))
    return rows, columns, ladders, k, limit


@given(jobs())
def test_optimal_is_the_optimum(job):
    rows, columns, ladders, k, limit = job
    found = METHODS["optimal"]().search(problem_of(*job))
    assert found.levels == oracle.best(rows, columns, ladders, k, limit)
    left_out = oracle.outliers(rows, columns, ladders, found.levels, k)
    assert set(np.flatnonzero(~found.kept)) == left_out


@given(jobs())
def test_samarati_is_the_first_vector_of_the_lowest_height(job):
    rows, columns, ladders, k, limit = job
    found = METHODS["samarati"]().search(problem_of(*job))
    satisfying = oracle.satisfying(rows, columns, ladders, k, limit)
    lowest = min(map(sum, satisfying))
    assert found.levels == min(v for v in satisfying if sum(v) == lowest)
    assert found.levels in oracle.minimal(rows, columns, ladders, k, limit)
    assert set(np.flatnonzero(~found.kept)) == oracle.outliers(
        rows, columns, ladders, found.levels, k
    )


@pytest.mark.parametrize("method", ["optimal", "samarati"])
@given(jobs(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(method, job, random):
    rows, columns, ladders, k, limit = job
    shuffled = random.sample(rows, len(rows))
    one = METHODS[method]().search(problem_of(*job))
    two = METHODS[method]().search(problem_of(shuffled, columns, ladders, k, limit))
    assert one.levels == two.levels
    assert one.kept.sum() == two.kept.sum()


@given(jobs())
def test_the_measured_loss_is_the_definitions(job):
    from indistinct.measures.loss import measure_loss

    rows, columns, ladders, k, _ = job
    problem = problem_of(*job)
    found = METHODS["optimal"]().search(problem)
    published = oracle.generalize(rows, columns, ladders, found.levels)
    left = [row for row, kept in zip(published, found.kept, strict=True) if kept]
    sizes = np.array([left.count(row) for row in set(left)], dtype=np.int64)
    measured = measure_loss(problem.table, found, sizes)
    exact = oracle.gcp(rows, columns, ladders, found.levels, k)
    assert Fraction(measured.gcp).limit_denominator(10**9) == exact
    by_row = sum(left.count(row) for row in left) + int((~found.kept).sum()) * len(rows)
    assert measured.discernibility == by_row
