"""The lower bound, against brute force over all rows and all partitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.encode.table import encode_table
from indistinct.measures.bound import lower_bound
from indistinct.methods.posing import pose_problem
from indistinct.plan import Plan
from indistinct.requirements import KAnonymity
from tests import oracle
from tests import oracle_requirements as brute
from tests.build import problem_of
from tests.profiles import examples
from tests.properties.strategies import tables
from tests.properties.test_requirements import data_of, plan_of
from tests.requirements.jobs import jobs
from tests.requirements.strategies import FORMS


def pair_ncp(ladder, one, two):
    """NCP of the lowest common ancestor of two values, by leaves."""
    if one == two:
        return Fraction(0)
    paths = {path[0]: path for path in ladder}
    level = next(i for i, (a, b) in enumerate(zip(paths[one], paths[two], strict=True)) if a == b)
    under = sum(path[level] == paths[one][level] for path in ladder)
    return Fraction(under, len(ladder))


@examples(30)
@given(tables(most_rows=10), st.integers(2, 9))
def test_it_is_the_mean_cost_to_the_nearest_others(job, k):
    rows, columns, ladders = job
    if len(rows) < k:
        return
    total = Fraction(0)
    for row in rows:
        costs = sorted(
            sum(pair_ncp(ladders[c], row[c], other[c]) for c in columns) for other in rows
        )
        total += costs[k - 1]
    problem = problem_of(rows, columns, ladders, k, 0)
    found = lower_bound(problem.table, problem.spans, [KAnonymity(k=k)])
    assert found.exact
    assert found.loss == pytest.approx(float(total / len(rows) / len(columns)))


def test_a_sample_says_so_and_holds_the_exact_value():
    ladder = [[str(i), str(i // 8), "*"] for i in range(64)]
    random = np.random.default_rng(2)
    rows = [{"c": str(c), "d": str(d)} for c, d in random.integers(0, 64, (600, 2))]
    problem = problem_of(rows, ["c", "d"], {"c": ladder, "d": ladder}, 5, 0)
    exact = lower_bound(problem.table, problem.spans, [KAnonymity(k=5)])
    sampled = lower_bound(problem.table, problem.spans, [KAnonymity(k=5)], pairs=30_000, seed=1)
    assert exact.exact
    assert not sampled.exact
    assert sampled.low <= exact.loss <= sampled.high


def partitions(rows):
    """All ways to put rows into groups."""
    if not rows:
        yield []
        return
    first, *rest = rows
    for groups in partitions(rest):
        yield [[first], *groups]
        for place, group in enumerate(groups):
            yield [*groups[:place], [first, *group], *groups[place + 1 :]]


def lowest_common(job, column, group):
    """The lowest level on which the rows of a group have one node in a column."""
    paths = {path[0]: path for path in job.ladders[column]}
    levels = range(len(job.ladders[column][0]))
    return next(i for i in levels if len({paths[job.rows[r][column]][i] for r in group}) == 1)


def loss_of(job, groups):
    """What a partition loses, per cell, rows of failing classes left out."""
    level = {
        row: [lowest_common(job, column, group) for column in job.columns]
        for group in groups
        for row in group
    }
    paths = {c: {path[0]: path for path in job.ladders[c]} for c in job.columns}
    published = [
        [
            (column, level[r][place], paths[column][row[column]][level[r][place]])
            for place, column in enumerate(job.columns)
        ]
        for r, row in enumerate(job.rows)
    ]
    left = set(range(job.size))
    while out := brute.failing(job, published, left, job.asked):
        left -= out
    lost = sum(
        oracle.node_ncp(job.ladders, column, row[column], level[r][place]) if r in left else 1
        for r, row in enumerate(job.rows)
        for place, column in enumerate(job.columns)
    )
    return float(lost / job.size / len(job.columns))


@pytest.mark.parametrize("form", FORMS)
@examples(6)
@given(data=st.data())
def test_no_partition_that_meets_the_requirement_loses_less(form, data):
    job = data.draw(jobs([form], sets=data.draw(st.booleans()), most_rows=6))
    plan = Plan.load(plan_of(job, "optimal"))
    problem = pose_problem(encode_table(data_of(job), plan), plan)
    bound = lower_bound(problem.table, problem.spans, problem.requirements)
    least = min(loss_of(job, groups) for groups in partitions(list(range(job.size))))
    assert bound.exact
    assert bound.loss <= least + 1e-9
