"""Datafly: the overgeneralization of Samarati 2001, section 7, and its way against brute force."""

from __future__ import annotations

import pytest
from hypothesis import given

from indistinct.errors import CannotMeetError
from indistinct.methods import METHODS
from indistinct.methods.full_domain.minimal import minimal_vectors
from tests import oracle
from tests import oracle_requirements as brute
from tests.examples import FIGURE_4
from tests.methods.full_domain import tasks


def test_it_overgeneralizes_figure_4():
    problem = tasks.example_problem(FIGURE_4, 3, 0)
    found = METHODS["datafly"]().search(problem)
    assert found.search["path"] == [[0, 0], [0, 1], [1, 1]]
    assert found.levels == (1, 1)
    assert (1, 1) not in [candidate.vector for candidate in minimal_vectors(problem)]


@given(tasks.any_jobs())
def test_it_goes_its_way_and_satisfies(job):
    problem = tasks.job_problem(job)
    if tasks.impossible(problem):
        return
    left = brute.kept_by_vector(job)

    def dropped(vector):
        return job.size - len(left[vector])

    path = oracle.datafly(job.columns, job.ladders, job.rows, dropped, job.limit)
    if path is None:
        with pytest.raises(CannotMeetError, match="on its way to the top"):
            METHODS["datafly"]().search(problem)
        return
    found = METHODS["datafly"]().search(problem)
    assert found.search["path"] == list(map(list, path))
    assert found.levels == path[-1]
    assert tasks.stand(job, found, left[found.levels])
    assert (~found.kept).sum() <= job.limit


def test_a_way_that_ends_at_the_top_in_vain_says_who_may_do_better():
    with pytest.raises(CannotMeetError, match="use optimal"):
        METHODS["datafly"]().search(tasks.job_problem(tasks.failing_job()))
