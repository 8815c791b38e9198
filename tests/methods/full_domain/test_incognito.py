"""Incognito: the chapter's Example 3.3, and every satisfying vector against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from indistinct.errors import PlanError
from indistinct.methods import METHODS
from indistinct.methods.full_domain import frequencies, incognito
from indistinct.methods.full_domain.incognito import satisfying_lattice, surviving
from tests import oracle
from tests.build import problem_of
from tests.examples import CHAPTER, FIGURE_4
from tests.methods.full_domain import tasks
from tests.profiles import examples

MORE = examples(50)

# Example 3.3, with k = 3 and MaxSup = 2; Z is zip, M marital, S sex.
SURVIVING = {
    ("zip",): {"0", "1", "2"},
    ("marital",): {"1", "2"},
    ("sex",): {"0", "1"},
    ("zip", "marital"): {"02", "11", "12", "21", "22"},
    ("zip", "sex"): {"01", "10", "11", "20", "21"},
    ("marital", "sex"): {"10", "11", "20", "21"},
    ("zip", "marital", "sex"): {
        "110", "111", "120", "121", "210", "211", "220", "221", "021",
    },
}  # fmt: skip


def test_example_3_3():
    found = surviving(tasks.example_problem(CHAPTER, 3, 2))
    told = {
        subset: {"".join(map(str, vertex)) for vertex in vertices}
        for subset, vertices in found.items()
    }
    assert told == SURVIVING


def test_all_vectors_are_listed_if_asked_for():
    problem = tasks.example_problem(CHAPTER, 3, 2)
    found = METHODS["incognito"](list_all=True).search(problem)
    assert found.search["minimal"] == [[0, 2, 1], [1, 1, 0]]
    assert found.search["satisfying"] == len(SURVIVING["zip", "marital", "sex"])
    assert {"".join(map(str, v)) for v in found.search["all"]} == SURVIVING["zip", "marital", "sex"]
    assert "all" not in METHODS["incognito"]().search(problem).search
    assert found.levels == (1, 1, 0)
    assert np.flatnonzero(~found.kept).tolist() == [9]


def test_another_preference():
    found = METHODS["incognito"](preference="highest-absolute-peak").search(
        tasks.example_problem(CHAPTER, 3, 2)
    )
    assert found.search["preferred"] == [[0, 2, 1]]


def check(job):
    problem = tasks.job_problem(job)
    expected = tasks.satisfying(job)
    found = satisfying_lattice(problem)
    assert set(map(tuple, np.argwhere(found.satisfying).tolist())) == set(expected)
    assert [c.vector for c in found.minimal] == tasks.minimal(expected)
    for candidate in found.minimal:
        assert candidate.suppressed == job.size - len(expected[candidate.vector])
    if not expected or tasks.impossible(problem):
        return
    released = METHODS["incognito"]().search(problem)
    assert released.levels == min(tasks.minimal(expected), key=lambda v: (sum(v), v))
    assert tasks.stand(job, released, expected[released.levels])


@MORE
@given(tasks.any_jobs())
def test_all_satisfying_vectors_are_those_of_brute_force(job):
    check(job)


@given(tasks.any_jobs())
def test_keys_of_several_words(job):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frequencies, "WORD", 3)
        check(job)


@given(tasks.any_jobs())
def test_nothing_held_from_the_height_below(job):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(incognito, "MOST_HELD", 0)
        check(job)


@MORE
@given(tasks.row_jobs())
def test_survivors_of_every_subset_are_those_that_satisfy_on_it(job):
    rows, columns, ladders, k, limit = job
    found = surviving(problem_of(*job))
    subsets = [s for size in range(1, len(columns) + 1) for s in combinations(columns, size)]
    assert list(found) == subsets
    for subset in subsets:
        assert found[subset] == set(oracle.satisfying(rows, list(subset), ladders, k, limit))


def test_vertices_above_a_satisfying_one_are_not_counted():
    problem = tasks.example_problem(FIGURE_4, 2, 0)
    assert satisfying_lattice(problem).counted == 2 + 3  # (0), (0); then (0,0), (0,1), (1,0)


def test_lattices_too_large_are_refused(monkeypatch):
    monkeypatch.setattr(incognito, "MOST_VERTICES", 47)
    with pytest.raises(PlanError, match="48 vertices of lattices"):
        METHODS["incognito"]().search(tasks.example_problem(CHAPTER, 3, 2))


def test_numbers_of_vertices_that_nobody_counts_are_told_by_their_power(monkeypatch):
    monkeypatch.setattr(incognito, "_COUNTABLE", 47)
    monkeypatch.setattr(incognito, "MOST_VERTICES", 40)
    with pytest.raises(PlanError, match=r"about 10\^2 vertices of lattices, more than 40"):
        METHODS["incognito"]().search(tasks.example_problem(CHAPTER, 3, 2))
