"""The matrix VT of Samarati 2001, section 5: published entries, bounds, and counting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import PlanError
from indistinct.methods import METHODS
from indistinct.methods.full_domain import distance_vectors
from indistinct.methods.full_domain.distance_vectors import DistanceMatrix
from tests import oracle
from tests import oracle_requirements as brute
from tests.build import problem_of
from tests.examples import CHAPTER, FIGURE_6, FIGURE_8
from tests.methods.full_domain import tasks

# Ciriani et al. 2007, Figure 9: the first rows of t1/t2, t3, t4/t5, t6, t7, t8/t9, t10.
FIRST_ROWS = [0, 2, 3, 5, 6, 7, 9]
FIGURE_9 = [
    ["000", "021", "121", "110", "211", "211", "220"],
    ["021", "000", "100", "121", "220", "220", "201"],
    ["121", "100", "000", "021", "220", "220", "201"],
    ["110", "121", "021", "000", "201", "211", "220"],
    ["211", "220", "220", "201", "000", "110", "121"],
    ["211", "220", "220", "211", "110", "000", "021"],
    ["220", "201", "201", "220", "121", "021", "000"],
]


def entry(problem, matrix, one, other):
    """VT of two rows of the table, by their numbers."""
    x, y = problem.table.frequency_set.inverse[[one, other]]
    [row] = (matrix.outliers == x).nonzero()[0]
    return tuple(matrix.distances[:, row, y].tolist())


@pytest.mark.parametrize(
    ("pair", "distance"),
    [
        ((1, 2), (0, 1, 0, 0, 0)),
        ((1, 7), (1, 1, 0, 2, 1)),
        ((9, 11), (0, 2, 1, 2, 2)),
        ((7, 11), (1, 3, 0, 1, 1)),
        ((3, 5), (1, 3, 0, 1, 0)),
    ],
)
def test_entries_of_figure_11(pair, distance):
    problem = tasks.example_problem(FIGURE_6, 2, 0)
    matrix = DistanceMatrix.of(problem)
    one, other = pair
    assert entry(problem, matrix, one - 1, other - 1) == distance
    assert entry(problem, matrix, other - 1, one - 1) == distance


def test_the_chapters_figure_9():
    problem = tasks.example_problem(CHAPTER, 3, 2)
    matrix = DistanceMatrix.of(problem)
    assert matrix.distances.shape == (3, 7, 7)
    for x, row in zip(FIRST_ROWS, FIGURE_9, strict=True):
        for y, told in zip(FIRST_ROWS, row, strict=True):
            assert entry(problem, matrix, x, y) == tuple(map(int, told))


def test_example_5_1():
    problem = tasks.example_problem(FIGURE_6, 2, 0)
    matrix = DistanceMatrix.of(problem)
    assert matrix.lower_bound(0) == 6
    assert matrix.lower_bound(1) == 0
    assert matrix.least_upper_bound == (1, 3, 1, 2, 2)
    assert matrix.admissible == ((0, 1), (0, 1, 2, 3), (0, 1), (0, 1, 2), (0, 1, 2))
    found = METHODS["samarati"](distance_vectors=True).search(problem)
    assert found.levels == (1, 3, 0, 1, 1)
    assert found.search["lower_bound"] == 6
    assert found.search["least_upper_bound"] == [1, 3, 1, 2, 2]
    assert found.search["distance_vectors"][0][0] == [0, 0, 0, 0, 0]


def test_only_outliers_have_a_row():
    problem = tasks.example_problem(FIGURE_8, 2, 1)
    matrix = DistanceMatrix.of(problem)
    assert matrix.distances.shape == (2, 4, 6)
    for vector, suppressed in {(0, 0): 4, (1, 0): 1, (0, 1): 2, (0, 2): 1, (1, 1): 0}.items():
        assert matrix.required_suppression(vector) == suppressed


@given(tasks.row_jobs())
def test_required_suppression_and_distances_are_those_of_counting(job):
    rows, columns, ladders, k, _ = job
    problem = problem_of(*job)
    matrix = DistanceMatrix.of(problem)
    for vector in oracle.vectors(columns, ladders):
        expected = len(oracle.outliers(rows, columns, ladders, vector, k))
        assert matrix.required_suppression(vector) == expected
        assert matrix.required_suppression(matrix.as_admissible(vector)) == expected
    out = oracle.outliers(rows, columns, ladders, (0,) * len(columns), k)
    for one in out:
        for other in range(len(rows)):
            expected = oracle.tuple_distance(columns, ladders, rows[one], rows[other])
            assert entry(problem, matrix, one, other) == expected


@given(tasks.row_jobs())
def test_bounds_hold_for_every_minimal_vector(job):
    rows, columns, ladders, k, limit = job
    matrix = DistanceMatrix.of(problem_of(*job))
    for vector in oracle.minimal(rows, columns, ladders, k, limit):
        assert sum(vector) >= matrix.lower_bound(limit)
        assert all(a <= b for a, b in zip(vector, matrix.least_upper_bound, strict=True))
        assert matrix.as_admissible(vector) == vector


@given(tasks.row_jobs())
def test_the_result_is_the_same_as_without(job):
    problem = problem_of(*job)
    without = METHODS["samarati"]().search(problem)
    found = METHODS["samarati"](distance_vectors=True).search(problem)
    assert found.levels == without.levels
    assert found.kept.tolist() == without.kept.tolist()


def test_a_large_matrix_is_used_but_not_shown(monkeypatch):
    monkeypatch.setattr(distance_vectors, "MOST_SHOWN", 6)
    found = METHODS["samarati"](distance_vectors=True).search(tasks.example_problem(CHAPTER, 3, 2))
    assert found.levels == (1, 1, 0)
    assert "distance_vectors" not in found.search
    assert found.search["admissible_levels"] == [[0, 1, 2], [0, 1, 2], [0, 1]]


def test_too_many_tuples_are_refused(monkeypatch):
    monkeypatch.setattr(distance_vectors, "MOST_TUPLES", 6)
    with pytest.raises(PlanError, match="7 distinct tuples, the matrix takes 6"):
        METHODS["samarati"](distance_vectors=True).search(tasks.example_problem(CHAPTER, 3, 2))


@given(st.data())
def test_other_requirements_are_refused(data):
    job = data.draw(tasks.jobs(["l-diversity distinct"]))
    problem = tasks.job_problem(job)
    if not tasks.impossible(problem):
        with pytest.raises(PlanError, match="for k-anonymity, not for l-diversity"):
            METHODS["samarati"](distance_vectors=True).search(problem)


def test_people_with_several_rows_are_refused():
    rows, columns, ladders = CHAPTER["rows"], CHAPTER["columns"], CHAPTER["ladders"]
    asked, sets = [{"model": "k-anonymity", "k": 2}], [((0, 1, 2), [0, 0, *range(1, 9)])]
    problem = tasks.job_problem(brute.Job(rows, columns, ladders, {}, asked, 0, sets))
    with pytest.raises(PlanError, match="one quasi-identifier"):
        METHODS["samarati"](distance_vectors=True).search(problem)


def chain(levels):
    """A hierarchy in which leaf i joins the first one on level i."""
    return [
        [f"v{i}", *(f"m{level}" if i <= level else f"v{i}" for level in range(1, levels)), "*"]
        for i in range(levels)
    ]


def test_distances_above_255():
    rows = [{"q": f"v{i}"} for i in (0, 299, 299, 280, 270)]
    problem = problem_of(rows, ["q"], {"q": chain(300)}, 2, 1)
    matrix = DistanceMatrix.of(problem)
    assert entry(problem, matrix, 0, 1) == (299,)
    assert entry(problem, matrix, 3, 4) == (280,)
    plain, by_matrix = (
        METHODS["samarati"](distance_vectors=asked).search(problem) for asked in (False, True)
    )
    assert by_matrix.levels == plain.levels == (270,)
    assert (~by_matrix.kept).sum() == (~plain.kept).sum() == 1
