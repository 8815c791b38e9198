"""Changes of boxes: the graph stays regular, and what is known of each box stays true."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.methods.freeform import cycles_kernel as cycling
from indistinct.methods.freeform import narrowing_kernel as narrowing
from indistinct.methods.freeform.boxes_kernel import Graph, choose_near, measure
from indistinct.methods.freeform.exchanges_kernel import Heat, anneal
from indistinct.methods.freeform.lanes_kernel import ENDS, LANES
from indistinct.methods.freeform.prices_kernel import Prices, set_prices
from indistinct.methods.freeform.regular import rings
from indistinct.methods.freeform.regular_kernel import holders
from indistinct.methods.freeform.scratch import (
    scratch_for_steps,
    scratch_to_deal,
    scratch_to_narrow,
)
from indistinct.methods.freeform.two_boxes_kernel import deal_anew
from tests import oracle_freeform as brute
from tests.profiles import examples

WIDEST = 8
TRIES = 20


def graph_of(codes, covered, near, dtype=np.uint8):
    """Rows of numbers below 8 and boxes that cost an eighth of what they span."""
    rows, columns = codes.shape
    lines = np.zeros((rows, -(-columns // LANES) * LANES), dtype=dtype)
    lines[:, :columns] = codes
    table = np.abs(np.subtract.outer(np.arange(WIDEST), np.arange(WIDEST))).ravel() / 8
    graph = Graph(
        table=np.tile(table, columns).astype(np.float32),
        first=(np.arange(columns) * WIDEST**2).astype(np.uint32),
        size=np.full(columns, WIDEST, dtype=np.uint32),
        codes=lines,
        near=near.astype(np.uint32),
        covered=covered.astype(np.uint32),
        held=holders(covered.astype(np.uint32)),
        ends=np.empty((rows, ENDS, lines.shape[1]), dtype=dtype),
        cost=np.zeros(rows, dtype=np.float32),
        side=np.zeros(rows, dtype=np.uint8),
    )
    measure(graph)
    return graph


def by_chance(kernel, scratch):
    """Let a kernel change boxes in random turns, with some heat."""

    def change(graph, heat, random):
        rows = graph.cost.size
        state = random.integers(1, 2**60, size=1).astype(np.uint64)
        turns = random.permutation(rows).astype(np.uint32)
        how = Heat(heat, np.ones(rows, dtype=np.float32), state)
        kernel(graph, turns, np.full(rows, TRIES), how, scratch(graph))

    return change


WORTH = np.float32(1e-3)


def priced(graph):
    """Prices of rows, and the graph with the dearest near rows first."""
    prices = Prices(*np.zeros((3, graph.cost.size), dtype=np.float32))
    set_prices(graph, prices, 5)
    near = np.empty_like(graph.near)
    apart, worth = np.zeros(near.shape, dtype=np.float32), np.empty(near.shape[1], np.float32)
    choose_near(graph.near, apart, prices.price, 0, near, worth)
    return graph._replace(near=near), prices


def in_cycles(graph, heat, random, looks=50):
    """Go round cycles, which know no heat."""
    rows = graph.cost.size
    turns = random.permutation(rows).astype(np.uint32)
    graph, prices = priced(graph)
    steps = scratch_for_steps(graph, 0, cycles=1, looks=looks)
    cycling.cycle(cycling.Search(graph, prices, steps, np.full(rows, looks), WORTH), turns)


def narrower(graph, heat, random, looks=50):
    """Make boxes narrower."""
    rows, k = graph.covered.shape
    turns = random.permutation(rows).astype(np.uint32)
    state = random.integers(1, 2**60, size=1).astype(np.uint64)
    graph, prices = priced(graph)
    steps = scratch_for_steps(graph, 0, cycles=k, looks=looks)
    search = cycling.Search(graph, prices, steps, np.full(rows, looks), WORTH)
    how = Heat(heat, np.ones(rows, dtype=np.float32), state)
    narrowing.narrow(search, turns, how, 3, scratch_to_narrow(graph, k - 1))


CHANGES = {
    "exchanges": by_chance(
        anneal, lambda graph: np.empty(graph.covered.shape[1], dtype=np.float32)
    ),
    "partings": by_chance(deal_anew, scratch_to_deal),
    "cycles": in_cycles,
    "narrower": narrower,
}


def assert_true(graph):
    """What is known of boxes agrees with what they cover."""
    covered, codes = graph.covered, graph.codes.astype(int)
    assert brute.regular(covered.tolist(), covered.shape[1])
    assert (np.sort(graph.held) == np.sort(holders(covered))).all()
    spans = [codes[box].max(axis=0) - codes[box].min(axis=0) for box in covered]
    assert graph.cost.tolist() == [float(span.sum()) / 8 for span in spans]
    ordered = np.sort(codes[covered], axis=1)
    assert (graph.ends == ordered[:, [0, -1, 1, -2]]).all()


@st.composite
def graphs(draw):
    """Rings in groups of rows of few or many columns, and any rows near each other."""
    columns, dtype = draw(st.sampled_from([(2, np.uint8), (18, np.uint16)]))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 7)] * columns), min_size=6, max_size=40))
    k, random = draw(st.integers(2, 5)), np.random.default_rng(draw(st.integers(1, 99)))
    covered = rings(np.arange(len(rows)) // k % max(len(rows) // k, 1), k)
    near = random.integers(len(rows), size=(len(rows), 4))
    return graph_of(np.array(rows), covered, near, dtype), random


@pytest.mark.parametrize("name", CHANGES)
@examples(20)
@given(graphs(), st.sampled_from([0.0, 0.3]))
def test_what_is_known_of_boxes_stays_true(name, drawn, heat):
    graph, random = drawn
    before = graph.cost.sum()
    CHANGES[name](graph, heat, random)
    assert_true(graph)
    if heat == 0.0 or name == "cycles":
        assert graph.cost.sum() <= before


@pytest.mark.parametrize("name", CHANGES)
@examples(20)
@given(graphs(), st.data())
def test_boxes_of_another_side_are_left_alone(name, drawn, data):
    graph, random = drawn
    boxes = range(graph.cost.size)
    other = data.draw(st.lists(st.sampled_from(boxes), unique=True))
    graph.side[other] = 1
    turns = random.permutation(np.flatnonzero(graph.side == 0)).astype(np.uint32)
    before = graph.covered[other].copy()

    class Turns:
        def permutation(self, _):
            return turns

        def integers(self, *args, **kwargs):
            return random.integers(*args, **kwargs)

    CHANGES[name](graph, 0.3, Turns())
    assert (graph.covered[other] == before).all()
    assert_true(graph)


@examples(20)
@given(graphs(), st.integers(0, 8))
def test_prices_never_exceed_what_a_box_costs(drawn, sweeps):
    graph, _ = drawn
    prices = Prices(*np.zeros((3, graph.cost.size), dtype=np.float32))
    set_prices(graph, prices, sweeps)
    beyond = graph.cost - prices.price[graph.covered].sum(axis=1)
    assert np.allclose(prices.excess, beyond, atol=1e-5)
    assert prices.excess.min() >= -1e-5
    assert sweeps == 0 or prices.price.max() > 0 or graph.cost.min() == 0


def test_cycles_are_found_where_no_two_boxes_gain_by_an_exchange():
    found = []
    for seed in range(5):
        random = np.random.default_rng(seed)
        codes = random.integers(WIDEST, size=(24, 3))
        near = np.tile(np.arange(24), (24, 1))
        graph = graph_of(codes, rings(np.arange(24) // 3, 3), near)
        while any(gains(codes, graph.covered, pair) for pair in combinations(range(24), 2)):
            CHANGES["exchanges"](graph, 0.0, random)
        before = graph.cost.sum()
        in_cycles(graph, 0.0, random)
        assert_true(graph)
        found.append(graph.cost.sum() < before)
    assert any(found)


@examples(20)
@given(graphs())
def test_no_box_would_save_more_than_is_known(drawn):
    graph, _ = drawn
    codes, (_, prices) = graph.codes.astype(int), priced(graph)
    for box, rows in enumerate(graph.covered):
        spans = [np.ptp(codes[np.delete(rows, slot)], axis=0).sum() for slot in range(rows.size)]
        assert graph.cost[box] - min(spans) / 8 <= prices.saving[box] + 1e-6


def test_boxes_become_narrower_where_neither_exchanges_nor_cycles_gain():
    """Four boxes are half of one kind and half of another; parting with one row does not help."""
    codes = np.array([[0]] * 4 + [[7]] * 4)
    boxes = [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 4, 5], [2, 3, 6, 7]]
    graph = graph_of(codes, np.array(boxes * 2), np.tile(np.arange(8), (8, 1)))
    random = np.random.default_rng(1)
    in_cycles(graph, 0.0, random)
    assert not any(gains(codes, graph.covered, pair) for pair in combinations(range(8), 2))
    assert graph.cost.sum() == 4 * 7 / 8
    narrower(graph, 0.0, random)
    assert_true(graph)
    assert graph.cost.sum() == 0.0


def gains(codes, covered, pair):
    """Whether exchanging one row each makes two boxes cost less together."""
    one, two = (covered[box].tolist() for box in pair)

    def spent(*boxes):
        return sum((codes[box].max(axis=0) - codes[box].min(axis=0)).sum() for box in boxes)

    for out in set(one) - set(two):
        for new in set(two) - set(one):
            changed = [[new, *(r for r in one if r != out)], [out, *(r for r in two if r != new)]]
            if spent(*changed) < spent(one, two):
                return True
    return False
