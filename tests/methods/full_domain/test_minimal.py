"""All k-minimal vectors: the papers' sets, and brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_np

from indistinct.methods import METHODS
from indistinct.methods.full_domain.minimal import (
    minimal_vectors,
    non_dominated,
    satisfying_vectors,
)
from tests import oracle
from tests import oracle_requirements as brute
from tests.examples import CHAPTER, FIGURE_4, FIGURE_6, FIGURE_8
from tests.methods.full_domain import tasks

PUBLISHED = [
    (FIGURE_4, 2, 0, {(1, 0), (0, 1)}),
    (FIGURE_4, 3, 0, {(1, 0), (0, 2)}),
    (FIGURE_8, 2, 0, {(1, 1)}),
    (FIGURE_8, 2, 1, {(1, 0), (0, 2)}),
    (FIGURE_8, 2, 2, {(1, 0), (0, 1)}),
    (FIGURE_8, 2, 3, {(1, 0), (0, 1)}),
    (FIGURE_8, 2, 4, {(0, 0)}),
    (FIGURE_6, 2, 0, {(0, 2, 1, 2, 2), (1, 3, 0, 1, 1)}),
    (FIGURE_6, 2, 1, {(0, 1, 0, 0, 0)}),
    (CHAPTER, 3, 0, {(1, 2, 1), (2, 1, 1), (2, 2, 0)}),
    (CHAPTER, 3, 1, {(1, 1, 0), (0, 2, 1)}),
    (CHAPTER, 3, 2, {(1, 1, 0), (0, 2, 1)}),
    (CHAPTER, 2, 0, {(1, 2, 1), (2, 0, 1), (2, 2, 0)}),
]


@pytest.mark.parametrize(("example", "k", "limit", "published"), PUBLISHED)
def test_the_published_sets(example, k, limit, published):
    found = minimal_vectors(tasks.example_problem(example, k, limit))
    assert [candidate.vector for candidate in found] == sorted(published)


@given(tasks.any_jobs())
def test_the_sets_are_those_of_brute_force(job):
    problem = tasks.job_problem(job)
    expected = tasks.satisfying(job)
    found = {candidate.vector: candidate for candidate in satisfying_vectors(problem)}
    assert sorted(found) == sorted(expected)
    least = minimal_vectors(problem)
    assert [candidate.vector for candidate in least] == tasks.minimal(expected)
    joined = any(asked.get("joined") for asked in job.asked)
    for candidate in [*found.values(), *least]:
        left = expected[candidate.vector]
        assert candidate.suppressed == job.size - len(left)
        if not joined:
            assert candidate.classes == oracle.released_classes(
                job.rows, job.columns, job.ladders, candidate.vector, left
            )


def test_what_satisfies_together_satisfies_as_one_whatever_was_suppressed():
    """At level 0 the class of b goes; at level 1, where a joins it, only as many rows."""
    rows = [{"c": c, "s": s} for c, s in zip("aaabbccc", "xyyyyxxy", strict=True)]
    ladders = {"c": [["a", "d", "*"], ["b", "d", "*"], ["c", "e", "*"]]}
    column = brute.Sensitive(("x", "y"), Counter(row["s"] for row in rows))
    asked = [{"model": "l-diversity", "kind": "frequency", "l": 1.5}]
    job = brute.Job(rows, ["c"], ladders, {"s": column}, asked, 2, [((0,), None)])
    problem = tasks.job_problem(job)
    assert sorted(c.vector for c in satisfying_vectors(problem)) == [(0,), (1,), (2,)]
    assert [c.vector for c in minimal_vectors(problem)] == [(0,)]


def test_without_suppression_people_with_several_rows_may_break_what_lies_above():
    """Half of each class has x; but Bob is in both, so of the three people in all, two have x."""
    rows = [{"c": c, "s": s} for c, s in zip("aabb", "xyyx", strict=True)]
    people = ["Ann", "Bob", "Bob", "Cid"]
    ladders = {"c": [["a", "d", "e", "*"], ["b", "d", "e", "*"]]}
    column = brute.Sensitive(("x", "y"), Counter(row["s"] for row in rows))
    asked = [{"model": "alpha-k", "alpha": 0.5, "k": 2}]
    job = brute.Job(rows, ["c"], ladders, {"s": column}, asked, 0, [((0,), people)])
    problem = tasks.job_problem(job)
    assert list(tasks.satisfying(job)) == [(0,)]
    assert [c.vector for c in minimal_vectors(problem)] == [(0,)]
    for method in ("samarati", "incognito", "mingen", "datafly"):
        assert METHODS[method]().search(problem).levels == (0,)


@given(
    st_np.arrays(np.int64, st.tuples(st.integers(0, 60), st.just(3)), elements=st.integers(0, 5))
)
def test_non_dominated(vectors):
    rows = list(map(tuple, vectors.tolist()))
    expected = [not any(oracle.below(other, row) for other in rows) for row in rows]
    assert non_dominated(vectors).tolist() == expected


def test_non_dominated_of_very_many():
    """Two heights of a lattice of eight columns: tens of thousands, none of the higher stays."""
    cube = np.array(list(np.ndindex(*(4,) * 8)), dtype=np.int64)
    heights = cube.sum(axis=1)
    both = cube[(heights == 10) | (heights == 11)]
    assert len(both) > 10_000
    kept = both[non_dominated(both)]
    assert (kept.sum(axis=1) == 10).all()
    assert len(kept) == np.count_nonzero(heights == 10)
