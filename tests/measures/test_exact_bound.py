"""The bound by prices, against brute force over all classes and all partitions."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from indistinct import anonymize
from indistinct.datasets import medical, medical_plan
from indistinct.encode.table import encode_table
from indistinct.measures.bound import lower_bound
from indistinct.measures.exact_bound import exact_bound
from indistinct.methods.common.deadline import Deadline
from indistinct.methods.posing import pose_problem
from indistinct.plan import Plan
from indistinct.requirements import KAnonymity
from tests.build import plan_of as full_plan
from tests.build import problem_of
from tests.measures.test_bound import loss_of, pair_ncp, partitions
from tests.profiles import examples
from tests.properties.strategies import tables
from tests.properties.test_requirements import data_of, plan_of
from tests.requirements.jobs import jobs
from tests.requirements.strategies import FORMS

NEAR = 1e-3


def bound_of(problem, seconds=30.0, suppressed=None):
    return exact_bound(
        problem.table,
        problem.spans,
        problem.requirements,
        max_suppressed=problem.max_suppressed if suppressed is None else suppressed,
        deadline=Deadline(seconds),
    )


def class_cost(rows, columns, ladders, members):
    """What each row of a class costs: in each column the pair that is farthest apart."""
    return sum(
        max(
            pair_ncp(ladders[c], rows[i][c], rows[j][c])
            for i, j in chain(combinations(members, 2), [(members[0], members[0])])
        )
        for c in columns
    )


def program(rows, columns, ladders, k, limit):
    """The least loss where rows are put in fractions into classes of any k rows or more."""
    size = len(rows)
    sets = [s for n in range(k, size + 1) for s in combinations(range(size), n)]
    costs = [float(class_cost(rows, columns, ladders, s)) * len(s) for s in sets]
    inside = np.array([[float(i in s) for s in sets] for i in range(size)])
    alone = np.eye(size)
    budget = np.concatenate([np.zeros(len(sets)), np.ones(size)])[None, :]
    solved = linprog(
        np.concatenate([costs, np.full(size, float(len(columns)))]),
        A_eq=np.hstack([inside, alone]),
        b_eq=np.ones(size),
        A_ub=budget,
        b_ub=[limit],
    )
    return solved.fun / size / len(columns)


@examples(30)
@given(tables(most_rows=8), st.integers(2, 4), st.integers(0, 3))
def test_it_is_the_least_that_classes_in_fractions_cost(job, k, limit):
    rows, columns, ladders = job
    if len(rows) < k:
        return
    bound = bound_of(problem_of(rows, columns, ladders, k, limit))
    least = program(rows, columns, ladders, k, limit)
    assert bound.loss <= least + 1e-9
    assert bound.loss >= least * (1 - NEAR) - 1e-6
    assert bound.at_most == pytest.approx(least, rel=NEAR, abs=1e-6)


@pytest.mark.parametrize("form", FORMS)
@examples(8)
@given(data=st.data())
def test_no_partition_that_meets_the_requirement_loses_less(form, data):
    drawn = {name: data.draw(st.booleans()) for name in ("sets", "people")}
    job = data.draw(jobs([form], columns=data.draw(st.integers(1, 2)), most_rows=6, **drawn))
    plan = Plan.load(plan_of(job, "optimal"))
    problem = pose_problem(encode_table(data_of(job), plan), plan)
    bound = bound_of(problem, suppressed=job.size)
    least = min(loss_of(job, groups) for groups in partitions(list(range(job.size))))
    assert bound.loss <= least + 1e-9


@examples(10)
@given(tables(most_rows=10), st.integers(2, 5))
def test_it_holds_whenever_time_is_over(job, k):
    rows, columns, ladders = job
    if len(rows) < k:
        return
    problem = problem_of(rows, columns, ladders, k, 0)
    nearest = lower_bound(problem.table, problem.spans, [KAnonymity(k=k)])
    at_once, later = bound_of(problem, 0.0), bound_of(problem)
    assert at_once.loss == pytest.approx(nearest.loss)
    assert at_once.loss <= later.loss + 1e-9


def far_apart(rows):
    random = np.random.default_rng(5)
    ladder = [[str(i), f"e{i // 8}", "*"] for i in range(64)]
    drawn = [{"c": str(c), "d": str(d)} for c, d in random.integers(0, 64, (rows, 2))]
    return drawn, ["c", "d"], {"c": ladder, "d": ladder}


def test_prices_come_far_above_the_nearest_rows():
    problem = problem_of(*far_apart(120), 5, 0)
    nearest = lower_bound(problem.table, problem.spans, [KAnonymity(k=5)])
    assert bound_of(problem).loss > 1.05 * nearest.loss


@pytest.mark.parametrize("require", [[], [{"model": "l-diversity", "kind": "frequency", "l": 2}]])
def test_a_release_says_how_far_from_the_best_it_is(require):
    asked = [{"model": "k-anonymity", "k": 3}, *require]
    release = anonymize(medical(), medical_plan(require=asked, method={"name": "best"}))
    nearest, exact = release.bound(), release.bound(exact=True)
    assert nearest.loss <= exact.loss <= release.measures.gcp
    assert nearest.at_most is None
    assert exact.at_most == pytest.approx(exact.loss, rel=NEAR)
    assert exact.as_json()["at_most"] == exact.at_most


def test_matchings_lose_no_less():
    rows, columns, ladders = far_apart(40)
    plan = full_plan(columns, ladders, 3, method="freeform")
    release = anonymize(pa.Table.from_pylist(rows), plan)
    assert release.bound(exact=True).loss <= release.measures.gcp + 1e-9


def test_buckets_lose_nothing():
    asked = [{"model": "l-diversity", "kind": "frequency", "l": 2}]
    plan = medical_plan(require=asked, method={"name": "anatomy"})
    assert anonymize(medical(), plan).bound(exact=True).loss == 0
