"""The arrays in which kernels work on a graph: made anew for each turn and side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from indistinct.methods.freeform.boxes_kernel import Graph
    from indistinct.methods.freeform.cycles_kernel import Steps, Taker
    from indistinct.methods.freeform.narrowing_kernel import Scratch
    from indistinct.methods.freeform.two_boxes_kernel import Pair

STEPS, TARGETS = 1024, 6
ALWAYS_MET = np.uint32(2**32 - 1)


def scratch_to_deal(graph: Graph) -> Pair:
    """Return two boxes whose rows may be dealt anew."""
    from indistinct.methods.freeform.two_boxes_kernel import Pair

    rows, k = graph.covered.shape
    return Pair(
        rows=np.empty((2, k), dtype=np.uint32),
        ends=np.empty((2, *graph.ends.shape[1:]), dtype=graph.ends.dtype),
        pool=np.empty(2 * k, dtype=np.uint32),
        apart=np.empty(2 * k, dtype=np.float32),
        begin=np.empty(graph.first.size, dtype=np.uint32),
        mark=np.zeros(rows, dtype=np.uint32),
        clock=np.zeros(1, dtype=np.uint32),
    )


def scratch_for_steps(graph: Graph, side: int, *, cycles: int, looks: int) -> Steps:
    """Return arrays for one search of cycles after another, and for the trail of some cycles.

    Parameters
    ----------
    side
        Which boxes may change.
    cycles, looks
        How many cycles are remembered, and how many steps each has at most.
    """
    from indistinct.methods.freeform.cycles_kernel import Steps

    size = STEPS + graph.covered.shape[1]
    box, row = np.empty((2, size), dtype=np.uint32)
    spent, growth, promise = np.empty((3, size), dtype=np.float32)
    return Steps(
        box,
        row,
        before=np.empty(size, dtype=np.int32),
        spent=spent,
        growth=growth,
        promise=promise,
        box_met=np.where(graph.side == side, np.uint32(0), ALWAYS_MET),
        row_met=np.zeros(graph.codes.shape[0], dtype=np.uint32),
        clock=np.zeros(2, dtype=np.uint32),
        trail=np.empty((cycles * (looks + 1), 3), dtype=np.uint32),
        taker=_scratch_to_take(graph),
    )


def _scratch_to_take(graph: Graph) -> Taker:
    """Return arrays for a box that may take rows."""
    from indistinct.methods.freeform.cycles_kernel import Taker

    columns, near = graph.codes.shape[1], graph.covered.shape[1] * graph.near.shape[1] + 1
    low, high = np.empty((2, columns), dtype=graph.codes.dtype)
    from_low, from_high, from_start = np.empty((3, columns), dtype=np.uint32)
    return Taker(
        low,
        high,
        from_low,
        from_high,
        now=np.empty(columns, dtype=np.float32),
        rows=np.empty(near, dtype=np.uint32),
        growth=np.empty(near, dtype=np.float32),
        from_start=from_start,
    )


def scratch_to_narrow(graph: Graph, most: int) -> Scratch:
    """Return arrays to make boxes narrower that at most some rows leave."""
    from indistinct.methods.freeform.narrowing_kernel import Scratch, Targets

    columns, k, near = graph.codes.shape[1], graph.covered.shape[1], graph.near.shape[1]
    gain, joining = np.empty((2, TARGETS), dtype=np.float32)
    column, leaving = np.empty((2, TARGETS), dtype=np.int64)
    low, high = np.empty((2, columns), dtype=graph.codes.dtype)
    return Scratch(
        Targets(gain, joining, column, np.empty(TARGETS, dtype=np.bool_), leaving),
        order=np.empty(k, dtype=np.int64),
        spans=np.empty((k, 2, columns), dtype=graph.codes.dtype),
        low=low,
        high=high,
        prices=np.empty(k * near, dtype=np.float32),
        rows=np.empty(k * near, dtype=np.uint32),
        leaving=np.empty(most, dtype=np.uint32),
        ends=np.zeros(most + 1, dtype=np.int64),
    )
