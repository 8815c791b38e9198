"""Changes of boxes: the graph stays regular, and what is known of each box stays true."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coarsen._kernels.exchanging import anneal, measure
from coarsen._kernels.matching import holders
from coarsen._kernels.parting import part
from coarsen.methods.freeform.regular import rings
from tests import oracle_freeform as brute

WIDEST = 8


@pytest.mark.parametrize("change", [anneal, part])
@settings(max_examples=40)
@given(
    rows=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=6, max_size=40),
    k=st.integers(2, 5),
    heat=st.sampled_from([0.0, 0.3]),
    seed=st.integers(1, 99),
)
def test_what_is_known_of_boxes_stays_true(change, rows, k, heat, seed):
    codes = np.array(rows, dtype=np.int16)
    random = np.random.default_rng(seed)
    covered = rings(np.arange(len(rows)) // k % max(len(rows) // k, 1), k)
    table = np.abs(np.subtract.outer(np.arange(WIDEST), np.arange(WIDEST))).ravel() / 8
    costs = (np.tile(table, 2).astype(np.float32), np.array([0, WIDEST**2]), np.full(2, WIDEST))
    cost, ends = np.zeros(len(rows), dtype=np.float32), np.empty((*codes.shape, 4), dtype=np.int16)
    measure(*costs, codes, covered, ends, cost)
    before = cost.sum()
    held = holders(covered)
    near = random.integers(len(rows), size=(len(rows), 4)).astype(np.int32)
    turns = (random.permutation(len(rows)), np.full(len(rows), 20))
    warmth, state = np.ones(len(rows), dtype=np.float32), np.array([seed], dtype=np.uint64)
    change(*costs, codes, covered, held, ends, cost, near, *turns, heat, warmth, state)
    assert brute.regular(covered.tolist(), k)
    assert (np.sort(held) == np.sort(holders(covered))).all()
    spans = [codes[box].max(axis=0) - codes[box].min(axis=0) for box in covered]
    assert cost.tolist() == [float(span.sum()) / 8 for span in spans]
    lowest = np.sort(codes[covered], axis=1)
    assert (ends == lowest[:, [0, 1, -2, -1]].transpose(0, 2, 1)).all()
    assert heat > 0 or cost.sum() <= before
