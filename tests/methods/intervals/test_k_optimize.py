"""k-Optimize against brute force, whatever is switched off, and at any time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.methods.common.deadline import Deadline
from indistinct.methods.intervals.cut_tree import CutTree, Use
from indistinct.methods.intervals.domains import domains_of
from indistinct.methods.intervals.indexes import indexes_of
from indistinct.methods.intervals.k_optimize import KOptimize
from tests import oracle_intervals as brute
from tests.methods.intervals.jobs import jobs, random_table

NEVER = Deadline(None)
SWITCHES = ["bounds", "stronger_bounds", "useless_values", "rearrange"]


def options(cost):
    return {"cost": cost, "label": "label" if cost == "cm" else None}


def least(job, cost, allowed=None):
    return brute.cheapest(
        cost,
        job.rows,
        job.columns,
        k=job.k,
        limit=job.limit,
        allowed=allowed,
        labels=job.labels,
        paths=job.ladders,
    )


def paid(job, cost, found):
    """What the returned cuts cost by the definition, and that they are what they say."""
    hierarchies = [column.hierarchy for column in job.table.quasi]
    cuts = set(indexes_of(hierarchies, found.starts))
    assert found.search["index_set"] == "{" + ", ".join(map(str, sorted(cuts))) + "}"
    left_out = brute.suppressed(job.rows, job.columns, cuts, job.k)
    assert set(np.flatnonzero(~found.kept).tolist()) == left_out
    assert len(left_out) <= job.limit
    return brute.COSTS[cost](
        job.rows, job.columns, cuts, job.k, labels=job.labels, paths=job.ladders
    )


@pytest.mark.parametrize("cost", brute.COSTS)
@given(jobs())
def test_it_is_the_cheapest_of_all_sets(cost, job):
    found = KOptimize(**options(cost)).search(job.problem)
    assert paid(job, cost, found) == pytest.approx(float(least(job, cost)), abs=1e-9)
    assert found.search["proven_optimal"] is True
    assert found.search["cost"] == pytest.approx(float(paid(job, cost, found)), abs=1e-9)
    assert found.search["gap"] == 0


@pytest.mark.parametrize("cost", brute.COSTS)
@given(jobs(most_cuts=6), st.sets(st.sampled_from(SWITCHES)), st.data())
def test_nothing_that_prunes_or_orders_changes_the_cost(cost, job, off, data):
    names = [column.name for column in job.table.quasi]
    order = data.draw(st.permutations(names))[: data.draw(st.integers(0, len(names)))]
    switched = dict.fromkeys(off, False)
    method = KOptimize(**options(cost), **switched, order=order)
    tree = method._tree(job.problem, domains_of(job.problem, cost, {}, method.label))
    while not tree.done:  # from no cuts at all: nothing but the tree finds the answer
        tree.step(NEVER)
    found = method.search(job.problem)
    assert float(paid(job, cost, found)) == pytest.approx(float(least(job, cost)), abs=1e-9)
    scale = len(job.rows) * len(names) if cost == "gcp" else 1
    assert tree.cost / scale == pytest.approx(found.search["cost"], abs=1e-9)


@pytest.mark.parametrize("cost", brute.COSTS)
@given(jobs())
def test_answers_only_improve_and_bounds_only_rise(cost, job):
    domains = domains_of(job.problem, cost, {}, options(cost)["label"])
    lowest = float(least(job, cost)) * (len(job.rows) * len(job.columns) if cost == "gcp" else 1)
    slack = 1e-7 if cost == "gcp" else 0.5
    tree = CutTree(domains.task, domains.places(range(len(job.columns))), Use(), slack)
    before = (tree.cost, tree.bound)
    while not tree.done:
        tree.step(NEVER)
        assert tree.cost <= before[0]
        assert tree.bound >= before[1] - 1e-9
        assert tree.bound - 1e-6 <= lowest <= tree.cost + 1e-6
        before = (tree.cost, tree.bound)
    assert tree.cost == pytest.approx(lowest, abs=1e-6)


@given(jobs(), st.integers(2, 6))
def test_strides_allow_cuts_at_multiples_only(job, stride):
    found = KOptimize(strides={"c0": stride}).search(job.problem)
    allowed, index = set(), 1
    for place, values in enumerate(job.columns):
        for number, value in enumerate(values):
            step = [int(v) // stride for v in values] if job.numbers[place] else None
            before = [v for v in values[:number] if v in {row[place] for row in job.rows}]
            if place > 0:
                allowed.add(index)
            elif before and value in {row[place] for row in job.rows}:
                last = values.index(before[-1])
                apart = step[last] != step[number] if step else last // stride != number // stride
                allowed |= {index} if apart else set()
            index += 1
    assert paid(job, "dm", found) == least(job, "dm", allowed)


def test_a_time_limit_gives_the_best_so_far_and_its_gap():
    table = random_table(rows=400, values=[12, 10, 9, 8], seed=3)
    quick = KOptimize(time_limit=0.05).search(table)
    assert quick.search["proven_optimal"] is False
    assert 0 < quick.search["gap"] <= 1
    assert quick.search["lower_bound"] < quick.search["cost"]
    longer = KOptimize(time_limit=0.3).search(table)
    assert longer.search["cost"] <= quick.search["cost"]


def test_without_time_nothing_is_climbed_and_every_node_stays_open():
    domains = domains_of(random_table(rows=60, values=[4] * 4, seed=1), "dm", {}, None)
    tree = CutTree(domains.task, domains.places(range(4)))
    before = (tree.cost, tree.bound)
    tree.climb(np.random.default_rng(0), 1000, Deadline(0.0), afresh=True)
    tree.step(Deadline(0.0))
    assert (tree.cost, tree.bound, tree.nodes) == (*before, 0)
    tree.climb(np.random.default_rng(0), 1000, NEVER, afresh=True)
    assert tree.cost < before[0]
    while not tree.done:
        tree.step(NEVER)
    whole = KOptimize().search(random_table(rows=60, values=[4] * 4, seed=1))
    assert round(tree.cost) == whole.search["cost"]


def test_rows_of_equal_keys_are_compared():
    """Where keys of 63 bits are not enough they may clash; here all rows have the same."""
    problem = random_table(rows=60, values=[4] * 4, seed=1)
    domains = domains_of(problem, "dm", {}, None)
    task = domains.task
    clashing = task._replace(mix=np.ones_like(task.mix), exact=False)
    trees = []
    for each in (task, clashing):
        tree = CutTree(each, domains.places(range(4)))
        while not tree.done:
            tree.step(NEVER)
        trees.append(tree)
    assert trees[0].cost == trees[1].cost
    assert trees[0].nodes == trees[1].nodes


def test_wide_tables_have_random_keys():
    problem = random_table(rows=30, values=[5] * 30, seed=1)
    assert not domains_of(problem, "dm", {}, None).task.exact
    found = KOptimize(time_limit=0.3).search(problem)
    assert found.kept.any()
