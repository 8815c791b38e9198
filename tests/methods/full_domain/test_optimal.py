"""What `optimal` answers when its time is over before it found anything."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indistinct.errors import CannotMeetError, PlanError
from indistinct.methods.full_domain.optimal import Optimal
from tests.examples import CHAPTER
from tests.methods.full_domain import tasks

NO_TIME = 1e-9


def test_the_top_is_the_answer_if_it_satisfies():
    problem = tasks.example_problem(CHAPTER, 3, 2)
    found = Optimal(time_limit=NO_TIME).search(problem)
    assert found.levels == problem.table.heights
    assert found.kept.all()
    assert found.search["fell_back"].endswith("time ran out before more was found")
    assert not found.search["proven_optimal"]
    assert found.search["lower_bound"] <= Optimal().search(problem).search["loss"]
    assert "fell_back" not in Optimal().search(problem).search


def test_what_the_top_drops_every_vector_does():
    """Of all rows together, two satisfy; so no vector drops fewer than two."""
    for method in (Optimal(time_limit=NO_TIME), Optimal()):
        with pytest.raises(CannotMeetError, match="no level vector satisfies"):
            method.search(tasks.job_problem(tasks.failing_job()))
    problem = tasks.job_problem(replace(tasks.failing_job(), limit=2))
    assert Optimal(time_limit=NO_TIME).search(problem).levels == (1,)
    assert Optimal().search(problem).levels == (0,)


def test_otherwise_it_says_that_time_ran_out_not_that_nothing_satisfies():
    """With two sensitive columns classes go as a whole: all rows fail, two of them satisfy."""
    job = replace(tasks.failing_job(), limit=2)
    rows = [row | {"t": row["s"]} for row in job.rows]
    job = replace(job, rows=rows, sensitive=job.sensitive | {"t": job.sensitive["s"]})
    problem = tasks.job_problem(job)
    with pytest.raises(CannotMeetError, match=r"time ran out after .* whether one does is open"):
        Optimal(time_limit=NO_TIME).search(problem)
    assert Optimal().search(problem).levels == (0,)


def test_so_it_does_where_every_vector_is_counted():
    """t-closeness with much suppression: all rows are as close to all rows as can be."""
    job = tasks.failing_job()
    problem = tasks.job_problem(replace(job, asked=[{"model": "t-closeness", "t": 0.1}], limit=2))
    found = Optimal(time_limit=NO_TIME).search(problem)
    assert found.levels == (1,)
    assert found.kept.all()
    assert "fell_back" in found.search


def test_levels_that_are_given_are_kept_and_the_others_searched():
    problem = tasks.example_problem(CHAPTER, 3, 2)
    free = Optimal().search(problem)
    names = [column.name for column in problem.table.quasi]
    for place, height in enumerate(problem.table.heights):
        for level in range(height + 1):
            fixed = Optimal(levels={names[place]: level})
            try:
                found = fixed.search(problem)
            except CannotMeetError:
                assert level != free.levels[place]
                continue
            assert found.levels[place] == level
            assert found.search["loss"] >= free.search["loss"]
    every = Optimal(levels=dict(zip(names, free.levels, strict=True))).search(problem)
    assert every.levels == free.levels
    assert every.search["vectors"] == 1


def test_levels_that_do_not_exist_are_named_all_at_once():
    problem = tasks.example_problem(CHAPTER, 3, 2)
    names = [column.name for column in problem.table.quasi]
    with pytest.raises(PlanError) as raised:
        Optimal(levels=dict.fromkeys(names, 9)).search(problem)
    assert [fault.place for fault in raised.value.faults] == [f"method.levels.{n}" for n in names]
    with pytest.raises(PlanError, match="no quasi column 'aeg'"):
        Optimal(levels={"aeg": 1}).search(problem)


def test_levels_that_suppress_too_much_are_refused():
    problem = tasks.example_problem(CHAPTER, 3, 0)
    names = [column.name for column in problem.table.quasi]
    with pytest.raises(CannotMeetError, match="no level vector satisfies"):
        Optimal(levels=dict.fromkeys(names, 0)).search(problem)
