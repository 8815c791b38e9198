"""One-dimensional grouping: optimal among all partitions of one column, and every mapping sound."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.datasets.census import census, census_ladders
from indistinct.errors import CannotMeetError, PlanError
from indistinct.methods.common.orders import _hilbert, mapped
from indistinct.methods.partition.one_dimension import Hilbert, IDistance, OneDimension
from indistinct.requirements import KAnonymity
from tests.methods.partition.small import cost, fine, members, problem_of, problems

ONLY_K = [(KAnonymity(k=2),), (KAnonymity(k=3),)]
METHODS = [
    OneDimension(),
    OneDimension(fast=True),
    OneDimension(mapping="hilbert"),
    OneDimension(mapping=lambda codes: np.lexsort(codes.T)),
    Hilbert(),
    Hilbert(fast=True),
    IDistance(centres=3),
    IDistance(fast=True),
]


def runs(order, k):
    """Every way to cut an order into runs of at least k rows."""
    size = len(order)
    for count in range(size // k):
        for cuts in combinations(range(1, size), count):
            ends = (0, *cuts, size)
            if all(b - a >= k for a, b in pairwise(ends)):
                yield [order[a:b] for a, b in pairwise(ends)]


def partitions(rows, k):
    """Every partition into groups of at least k rows."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for count in range(k - 1, len(rest) + 1):
        for others in combinations(rest, count):
            left = [row for row in rest if row not in others]
            for more in partitions(left, k):
                yield [[first, *others], *more]


@given(problems(most_rows=11, requirements=ONLY_K))
def test_best_among_all_runs_of_the_order(problem):
    k = problem.requirements[0].k
    assume(problem.table.rows >= k)
    order = mapped(problem, "lexicographic").order
    least = min(cost(problem, groups) for groups in runs(order, k))
    found = members(OneDimension().search(problem))
    assert cost(problem, found) == pytest.approx(least)
    assert all(k <= len(group) < 2 * k for group in found)


@given(problems(most_rows=8, requirements=ONLY_K, columns=(1, 1)))
def test_runs_of_one_column_suffice_where_extents_are_summed_up(problem):
    """Section 3 of Ghinita et al. 2009, for its loss: overlapping groups can be undone."""
    k = problem.requirements[0].k
    assume(problem.table.rows >= k)
    held = problem.codes[:, 0]

    def extent(groups):
        return sum(int(held[group].max() - held[group].min()) for group in groups)

    everything = list(range(problem.table.rows))
    order = mapped(problem, "hilbert").order
    for count in range(1, problem.table.rows // k + 1):
        of_all = [extent(p) for p in partitions(everything, k) if len(p) == count]
        of_runs = [extent(p) for p in runs(order, k) if len(p) == count]
        assert min(of_runs) == min(of_all)


def test_runs_of_one_column_do_not_suffice_for_gcp():
    """Where each row is charged, a wide group of few rows around a narrow one can lose less."""
    problem = problem_of([[0], [1], [1], [1], [3]], [4], ONLY_K[0], form="set")
    nested = cost(problem, [[0, 4], [1, 2, 3]])
    assert nested == pytest.approx(2)
    assert min(cost(problem, p) for p in partitions(list(range(5)), 2)) == pytest.approx(nested)
    assert cost(problem, members(OneDimension().search(problem))) == pytest.approx(7 / 3)


@pytest.mark.parametrize("method", METHODS)
@given(problem=problems(respondents=True))
def test_every_requirement_holds(method, problem):
    everything = list(range(problem.table.rows))
    if not fine(problem, everything):
        with pytest.raises(CannotMeetError):
            method.search(problem)
        return
    found = method.search(problem)
    assert all(fine(problem, group) for group in members(found))
    assert np.array_equal(found.groups, method.search(problem).groups)


@given(st.integers(1, 4), st.integers(1, 3))
def test_a_hilbert_curve_visits_neighbours(dimensions, bits):
    axes = [np.arange(1 << bits)] * dimensions
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, dimensions)
    words = _hilbert(points.astype(np.uint32))
    assert len(np.unique(words[0])) == len(points)
    steps = np.abs(np.diff(points[np.argsort(words[0])], axis=0)).sum(axis=1)
    assert (steps == 1).all()


def test_a_hilbert_curve_of_more_than_64_bits():
    """The first columns of a curve in few dimensions come first in one of many bits, too."""
    random = np.random.default_rng(1)
    points = random.integers(0, 1 << 16, size=(50, 6)).astype(np.uint32)
    points[0] = (1 << 16) - 1
    words = _hilbert(points)
    assert words.shape == (2, 50)
    coarse = _hilbert(np.concatenate([points >> 8, np.full((1, 6), 255, dtype=np.uint32)]))[0, :50]
    assert (np.diff(coarse[np.lexsort(words[::-1])].astype(object)) >= 0).all()


@given(problems(columns=(2, 3)))
def test_a_reflected_order_goes_to_and_fro(problem):
    order = mapped(problem, "lexicographic").order
    sizes = [np.unique(problem.codes[:, c]).size for c in range(problem.codes.shape[1])]
    few_first = problem.codes[order][:, np.argsort(sizes, kind="stable")]
    distinct = few_first[np.append(True, (np.diff(few_first, axis=0) != 0).any(axis=1))]
    assert len(np.unique(distinct, axis=0)) == len(distinct)
    rising = None
    for run in np.split(
        distinct[:, -1], 1 + np.flatnonzero((np.diff(distinct[:, :-1], axis=0) != 0).any(axis=1))
    ):
        steps = np.diff(run)
        assert (steps > 0).all() or (steps < 0).all()
        if rising is not None and steps.size:
            assert (steps > 0).all() == (not rising)
        rising = (steps > 0).all() if steps.size else (None if rising is None else not rising)


def test_a_mapping_must_be_an_order():
    with pytest.raises(PlanError, match="row numbers once"):
        anonymize(
            census(rows=50, seed=1).select(["age"]),
            {
                "columns": {"age": {"role": "quasi", "hierarchy": "flat"}},
                "require": [{"model": "k-anonymity", "k": 2}],
                "method": {"name": "one-dimension", "mapping": lambda codes: codes[:, 0] * 0},
            },
        )


@pytest.mark.parametrize("options", [{"name": "hilbert"}, {"name": "idistance", "centres": 20}])
def test_a_census(options):
    columns = {
        name: {"role": "quasi", "hierarchy": {"paths": paths}}
        for name, paths in census_ladders().items()
    }
    plan = {
        "columns": columns | {"occupation": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 10}, {"model": "t-closeness", "t": 0.5}],
        "method": options,
        "unlisted": "drop",
    }
    release = anonymize(census(rows=3_000, seed=3), plan)
    assert all(found.holds for found in release.evidence)
    assert release.recoding.count > 10
