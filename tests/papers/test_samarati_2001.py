"""Worked examples of Samarati 2001 and of the chapter by Ciriani et al."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.methods import METHODS
from tests import oracle
from tests.build import problem_of
from tests.examples import CHAPTER, FIGURE_4, FIGURE_6, FIGURE_8


def search(method, example, k, limit):
    problem = problem_of(example["rows"], example["columns"], example["ladders"], k, limit)
    return METHODS[method]().search(problem)


@pytest.mark.parametrize(
    ("example", "k", "limit", "minimal"),
    [
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
    ],
)
def test_samarati_finds_a_published_minimal_vector_of_lowest_height(example, k, limit, minimal):
    rows, columns, ladders = example["rows"], example["columns"], example["ladders"]
    assert oracle.minimal(rows, columns, ladders, k, limit) == minimal
    found = search("samarati", example, k, limit)
    assert found.levels in minimal
    assert sum(found.levels) == min(map(sum, minimal))


def test_the_chapters_release_suppresses_row_ten():
    found = search("samarati", CHAPTER, k=3, limit=2)
    assert found.levels == (1, 1, 0)
    assert np.flatnonzero(~found.kept).tolist() == [9]


def test_suppression_alone():
    found = search("samarati", CHAPTER, k=2, limit=4)
    assert found.levels == (0, 0, 0)
    assert np.flatnonzero(~found.kept).tolist() == [2, 5, 6, 9]


@pytest.mark.parametrize(
    ("vector", "suppressed"),
    [((0, 0), 4), ((1, 0), 1), ((0, 1), 2), ((0, 2), 1), ((1, 1), 0), ((1, 2), 0)],
)
def test_required_suppression_of_figure_8(vector, suppressed):
    from indistinct.methods.full_domain.walk import walk

    problem = problem_of(FIGURE_8["rows"], FIGURE_8["columns"], FIGURE_8["ladders"], 2, 8)
    way = walk(problem, range(2))
    step = way.root()
    for level in vector:
        step = way.child(step, level)
    assert step.dropped == suppressed


@pytest.mark.parametrize(
    ("vector", "k"), [((0, 0), 1), ((0, 1), 2), ((1, 0), 3), ((0, 2), 4), ((1, 1), 6), ((1, 2), 12)]
)
def test_largest_k_of_figure_4(vector, k):
    rows, columns, ladders = FIGURE_4["rows"], FIGURE_4["columns"], FIGURE_4["ladders"]
    assert not oracle.outliers(rows, columns, ladders, vector, k)
    assert len(oracle.outliers(rows, columns, ladders, vector, k + 1)) == len(rows)
    for method in ("optimal", "samarati", "incognito"):
        assert sum(search(method, FIGURE_4, max(k, 2), 0).levels) <= max(sum(vector), 1)
