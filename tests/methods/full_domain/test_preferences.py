"""Preference policies of Samarati 2001, section 6: the published ones, ties, weights, functions."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import Plan
from indistinct.errors import CannotMeetError, PlanError
from indistinct.methods import METHODS
from indistinct.methods.full_domain.preferences import POLICIES, Candidate, preferred, weighted
from tests import oracle
from tests.build import plan_of
from tests.examples import FIGURE_8
from tests.methods.full_domain import tasks

PUBLISHED = [
    (1, "absolute-distance", [(1, 0)]),
    (1, "relative-distance", [(0, 2), (1, 0)]),
    (1, "distribution", [(0, 2), (1, 0)]),
    (1, "suppression", [(0, 2), (1, 0)]),
    (2, "absolute-distance", [(0, 1), (1, 0)]),
    (2, "relative-distance", [(0, 1)]),
    (2, "distribution", [(0, 1)]),
    (2, "suppression", [(1, 0)]),
]


def searched(example, k, limit, method="samarati", **options):
    return METHODS[method](**options).search(tasks.example_problem(example, k, limit))


@pytest.mark.parametrize(("limit", "policy", "published"), PUBLISHED)
def test_example_6_1(limit, policy, published):
    found = searched(FIGURE_8, 2, limit, preference=policy)
    assert found.search["preferred"] == list(map(list, published))
    assert found.levels == published[0]
    minimal = oracle.minimal(FIGURE_8["rows"], FIGURE_8["columns"], FIGURE_8["ladders"], 2, limit)
    assert found.search["minimal"] == sorted(map(list, minimal))


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("highest-relative-peak", [(0, 2), (1, 0)]),
        ("highest-absolute-peak", [(0, 2)]),
        ("fewest-columns", [(0, 2), (1, 0)]),
        ("most-columns", [(0, 2), (1, 0)]),
        (lambda candidate: candidate.levels["race"], [(0, 2)]),
        (lambda candidate: -candidate.relative["race"] - candidate.suppressed, [(1, 0)]),
    ],
)
def test_further_policies(policy, expected):
    found = searched(FIGURE_8, 2, 1, preference=policy)
    assert found.search["preferred"] == list(map(list, expected))


@pytest.mark.parametrize(
    ("weights", "expected"),
    [({"race": 3}, [(0, 2)]), ({"race": 2}, [(0, 2), (1, 0)]), ({"zip": 0.1, "race": 0}, [(1, 0)])],
)
def test_weights(weights, expected):
    found = searched(FIGURE_8, 2, 1, preference="weights", weights=weights)
    assert found.search["preferred"] == list(map(list, expected))


def candidate(vector, heights=(3, 3, 3), suppressed=0, classes=1):
    names = "abc"[: len(vector)]
    levels, tops = zip(names, vector, strict=True), zip(names, heights, strict=True)
    return Candidate(dict(levels), dict(tops), suppressed, classes)


def test_thirds_that_add_up_to_one_tie():
    """1/3 + 2/3 and three times 1/3 differ from 1 in floating point or not, by chance."""
    spread = [candidate(v) for v in [(1, 1, 1), (1, 2, 0), (0, 0, 3), (3, 0, 1)]]
    ties = preferred(spread, "relative-distance")
    assert [c.vector for c in ties] == [(0, 0, 3), (1, 1, 1), (1, 2, 0)]


def test_a_column_without_levels_has_no_distance():
    assert candidate((0, 1), heights=(0, 2)).relative == {"a": 0, "b": 0.5}


vectors = st.lists(
    st.builds(
        candidate,
        st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 2)),
        st.just((3, 1, 2)),
        st.integers(0, 3),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=12,
)

EXACT = {
    "absolute-distance": lambda v, *_: sum(v),
    "relative-distance": lambda v, *_: sum(map(Fraction, v, (3, 1, 2))),
    "distribution": lambda *of: -of[2],
    "suppression": lambda *of: of[1],
    "highest-relative-peak": lambda v, *_: -max(map(Fraction, v, (3, 1, 2))),
    "highest-absolute-peak": lambda v, *_: -max(v),
    "fewest-columns": lambda v, *_: sum(level > 0 for level in v),
    "most-columns": lambda v, *_: -sum(level > 0 for level in v),
}


@pytest.mark.parametrize("policy", POLICIES)
@given(candidates=vectors)
def test_policies_by_their_definitions(policy, candidates):
    numbers = [EXACT[policy](c.vector, c.suppressed, c.classes) for c in candidates]
    best = [c for c, n in zip(candidates, numbers, strict=True) if n == min(numbers)]
    assert preferred(candidates, policy) == sorted(best, key=lambda c: c.vector)


def test_every_policy_is_defined_here():
    assert list(EXACT) == list(POLICIES)


def test_weighted_policies_work_from_python():
    chosen = preferred([candidate((1, 0, 0)), candidate((0, 0, 2))], weighted({"a": 5}))
    assert [c.vector for c in chosen] == [(0, 0, 2)]


def plan(**method):
    return plan_of(FIGURE_8["columns"], FIGURE_8["ladders"], 2) | {"method": method}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"preference": "absolut-distance"}, "Closest: 'absolute-distance'"),
        ({"preference": 3}, "there is no preference 3"),
        ({"preference": "weights"}, "weights go with"),
        ({"weights": {"zip": 2}}, "weights go with"),
        ({"preference": "weights", "weights": {"zip": -1}}, "method.weights.zip"),
        ({"preference": "suppression", "distance_vectors": True}, "leave out the preference"),
    ],
)
def test_faulty_options_are_faults_of_the_plan(options, told):
    with pytest.raises(PlanError, match=told) as raised:
        Plan.load(plan(name="samarati", **options))
    assert "method" in raised.value.faults[0].place


@pytest.mark.parametrize("method", ["samarati", "incognito", "mingen"])
def test_weights_of_unknown_columns_are_named(method):
    with pytest.raises(PlanError, match=r"no quasi column 'zipcode'\. Closest: 'zip'"):
        searched(FIGURE_8, 2, 1, method, preference="weights", weights={"zipcode": 2})


def test_a_plan_with_a_function_can_be_told_and_read_but_not_run():
    def by_zip(candidate):
        return candidate.levels["zip"]

    told = Plan.load(plan(name="samarati", preference=by_zip)).public()
    assert told["method"]["preference"] == "function by_zip"
    again = Plan.load(json.loads(json.dumps(told)))
    with pytest.raises(PlanError, match="Python code"):
        again.method.search(tasks.example_problem(FIGURE_8, 2, 1))


@pytest.mark.parametrize("method", ["samarati", "incognito", "mingen"])
def test_nothing_to_prefer(method):
    """All rows together fail, and no part of them may be kept."""
    job = tasks.failing_job()
    with pytest.raises(CannotMeetError, match="no level vector satisfies"):
        METHODS[method](preference="suppression").search(tasks.job_problem(job))


@given(tasks.any_jobs(), st.sampled_from(sorted(POLICIES)))
def test_samarati_releases_the_first_preferred_of_all_minimal_vectors(job, policy):
    problem = tasks.job_problem(job)
    found = tasks.satisfying(job)
    if not found or tasks.impossible(problem):
        return
    released = METHODS["samarati"](preference=policy).search(problem)
    assert released.search["minimal"] == list(map(list, tasks.minimal(found)))
    assert released.search["preferred"][0] == list(released.levels)
    assert tasks.stand(job, released, found[released.levels])
