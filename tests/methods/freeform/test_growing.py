"""Boxes that grow by auctions: the assignments, and the graphs that come of them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coarsen._kernels.auction import assign
from coarsen._kernels.covering import nearest
from coarsen._kernels.growing import detour
from coarsen._kernels.matching import perfect
from coarsen.methods.deadline import Deadline
from coarsen.methods.freeform.growing import grown
from tests import oracle_freeform as brute

STEP = 0.25


def sold(costs, step=STEP, dearest=1e6, most_bids=100_000):
    """Auction all goods among all buyers, who consider those that have a finite cost."""
    goods = np.argsort(costs, axis=1, kind="stable").astype(np.int32)
    sorted_costs = np.take_along_axis(costs, goods, axis=1).astype(np.float32)
    goods[np.isinf(sorted_costs)] = -1
    return assign(goods, sorted_costs, np.float32(step), np.float32(dearest), most_bids)


@st.composite
def cost_tables(draw, values):
    size = draw(st.integers(1, 6))
    row = st.lists(values, min_size=size, max_size=size)
    return np.array(draw(st.lists(row, min_size=size, max_size=size)), dtype=float)


@settings(max_examples=60)
@given(cost_tables(st.integers(0, 9)))
def test_an_auction_is_within_a_step_for_each_buyer_of_the_least(costs):
    buyers = range(len(costs))
    bought = sold(costs)
    assert sorted(bought) == list(buyers)
    least = min(sum(costs[b, good] for b, good in zip(buyers, p)) for p in permutations(buyers))  # noqa: B905
    assert costs[buyers, bought].sum() <= least + STEP * len(costs)


@settings(max_examples=60)
@given(cost_tables(st.sampled_from([0, 1, 2, np.inf])), st.integers(0, 20))
def test_nobody_gets_what_it_does_not_consider_or_another_has(costs, most_bids):
    bought = sold(costs, dearest=5.0, most_bids=most_bids)
    happy = np.flatnonzero(bought >= 0)
    assert len(set(bought[happy])) == happy.size <= most_bids
    assert np.isfinite(costs[happy, bought[happy]]).all()


@st.composite
def tables(draw):
    """Rows of one or two columns of numbers, and k."""
    count, columns = draw(st.integers(3, 30)), draw(st.integers(1, 2))
    row = st.lists(st.integers(0, 7), min_size=columns, max_size=columns)
    rows = draw(st.lists(row, min_size=count, max_size=count))
    return np.array(rows, dtype=np.uint16), draw(st.integers(2, min(count, 5)))


def graph_of(codes, k, seconds=None):
    """Let boxes grow; the cost of a span is its width."""
    rows, columns = codes.shape
    width = np.abs(np.subtract.outer(np.arange(8), np.arange(8))).ravel().astype(np.float32)
    first, size = np.arange(columns) * 64, np.full(columns, 8)
    costs = (np.tile(width, columns), first.astype(np.uint32), size.astype(np.uint32))
    order = np.lexsort(codes.T[::-1]).astype(np.uint32)[None]
    near = np.empty((rows, 12), dtype=np.uint32)
    nearest(*costs, codes, order, np.argsort(order).astype(np.int32), 8, 0, near)
    return grown(costs, codes, near, k, scale=1.0, deadline=Deadline(seconds))


@settings(max_examples=40)
@given(tables())
def test_what_grows_is_regular(table):
    codes, k = table
    covered = graph_of(codes, k)
    assert covered is None or brute.regular(covered.tolist(), k)


@pytest.mark.parametrize("box", range(6))
def test_a_box_that_has_the_last_row_already_takes_one_from_another_box(box):
    codes = np.arange(6, dtype=np.uint16)[:, None]
    covered, span = np.arange(6, dtype=np.uint32)[:, None], codes.copy()
    width = np.abs(np.subtract.outer(np.arange(6), np.arange(6))).astype(np.float32)
    costs = (width.ravel(), np.zeros(1, dtype=np.uint32), np.full(1, 6, dtype=np.uint32))
    others = np.delete(np.arange(6), box)
    added = np.full(6, -1, dtype=np.int32)
    added[others] = np.roll(others, 1)
    found = detour(*costs, codes, covered, 1, span, span, added, box, box)

    def spent(other):
        gap = abs(other - box) + abs(added[other] - box)
        return gap - abs(added[other] - other) if other != box else np.inf

    assert spent(found) == min(map(spent, range(6)))


def test_where_every_box_covers_the_last_row_there_is_no_detour():
    codes = np.arange(3, dtype=np.uint16)[:, None]
    covered = np.array([[0, 1], [1, 0], [2, 0]], dtype=np.uint32)
    low, high = codes[covered.astype(int)].min(axis=1), codes[covered.astype(int)].max(axis=1)
    width = np.abs(np.subtract.outer(np.arange(3), np.arange(3))).astype(np.float32)
    costs = (width.ravel(), np.zeros(1, dtype=np.uint32), np.full(1, 3, dtype=np.uint32))
    added = np.array([-1, 2, 1], dtype=np.int32)
    assert detour(*costs, codes, covered, 2, low, high, added, 0, 0) == -1


def test_twins_find_each_other_and_those_who_are_late_get_nothing():
    codes = np.repeat(np.arange(8, dtype=np.uint16), 3)[:, None]
    covered = graph_of(codes, 3)
    assert brute.regular(covered.tolist(), 3)
    assert all(len(set(codes[box, 0])) == 1 for box in covered)
    assert graph_of(codes, 3, seconds=1e-9) is None


@pytest.mark.parametrize("degree", [1, 3, 7])
def test_random_walks_find_a_perfect_matching(degree):
    random = np.random.default_rng(degree)
    size = 500
    shifts = random.permutation(size)[:degree]
    names = random.permutation(size)
    covered = names[(np.arange(size)[:, None] + shifts) % size].astype(np.int32)
    found = perfect(covered)
    assert sorted(found) == list(range(size))
    assert (covered == found[:, None]).any(axis=1).all()
