"""MinGen: the preferred of all satisfying vectors, against brute force."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given

from indistinct.methods import METHODS
from tests.examples import CHAPTER, FIGURE_4, FIGURE_8
from tests.methods.full_domain import tasks


def searched(example, k, limit, **options):
    return METHODS["mingen"](**options).search(tasks.example_problem(example, k, limit))


def test_precision_is_the_default():
    found = searched(FIGURE_8, 2, 2)
    assert (found.levels, found.search["preferred"]) == ((0, 1), [[0, 1]])
    tied = searched(FIGURE_4, 3, 0)
    assert (tied.levels, tied.search["preferred"]) == ((0, 2), [[0, 2], [1, 0]])


def test_it_looks_beyond_minimal_vectors():
    """(1, 1, 0) is minimal and drops row 10; a coarser vector drops nothing."""
    found = searched(CHAPTER, 3, 2, preference="suppression")
    assert found.kept.all()
    assert found.search["preferred"] == [[1, 2, 1], [2, 1, 1], [2, 2, 0], [2, 2, 1]]


@given(tasks.any_jobs())
def test_it_is_optimal_by_its_policy(job):
    problem = tasks.job_problem(job)
    expected = tasks.satisfying(job)
    if not expected or tasks.impossible(problem):
        return
    heights = [len(job.ladders[column][0]) - 1 for column in job.columns]

    def distance(vector):
        return sum(Fraction(level, max(top, 1)) for level, top in zip(vector, heights, strict=True))

    found = METHODS["mingen"]().search(problem)
    least = min(map(distance, expected))
    ties = sorted(v for v in expected if distance(v) == least)
    assert found.search["preferred"] == list(map(list, ties))
    assert found.search["satisfying"] == len(expected)
    assert found.levels == ties[0]
    assert tasks.stand(job, found, expected[found.levels])
