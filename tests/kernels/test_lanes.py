"""Sixteen columns at once agree with one column after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from indistinct.methods.freeform import lanes_kernel as lanes
from indistinct.methods.freeform.lanes_kernel import ENDS, LANES

WIDTH = 2 * LANES


@njit
def found_outside(low, high, codes, row):
    """Bits of each sixteen columns."""
    return [
        lanes.outside(low, at, high, at, codes, row * codes.shape[1] + at)
        for at in range(0, low.size, LANES)
    ]


@njit
def found_different(codes, one, two):
    """Bits of each sixteen columns."""
    width = codes.shape[1]
    return [
        lanes.different(codes, one * width + at, codes, two * width + at)
        for at in range(0, width, LANES)
    ]


@njit
def ends_of(codes, rows, ends, box):
    """Fill in the ends of a box."""
    width = codes.shape[1]
    for at in range(0, width, LANES):
        first = box * ENDS * width + at
        lanes.begin_ends(ends, first, width, codes, rows[0] * width + at)
        for row in rows[1:]:
            lanes.widen_ends(ends, first, width, codes, row * width + at)


@njit
def found_changing(codes, ends, box, gone, new):
    """Bits of each sixteen columns."""
    width = codes.shape[1]
    return [
        lanes.changing(
            ends, box * ENDS * width + at, width, codes, gone * width + at, new * width + at
        )
        for at in range(0, width, LANES)
    ]


@njit
def take_out(codes, ends, box, row, span):
    """Fill in what a box spans without a row."""
    width, (low, high) = codes.shape[1], span
    for at in range(0, width, LANES):
        first = box * ENDS * width + at
        lanes.span_without(ends, first, width, codes, row * width + at, low, at, high, at)


@njit
def widen(codes, spans, row):
    """Write a wider span behind a span."""
    width = codes.shape[1]
    for at in range(0, width, LANES):
        lanes.widen(spans, at, 2 * width + at, width, codes, row * width + at)


@njit
def first_lane(bits):
    """Return the lowest bit."""
    return lanes.first_lane(bits)


def expected(columns):
    """Bits of each sixteen of some columns that are true or not."""
    return [
        sum(1 << lane for lane in range(LANES) if columns[at + lane])
        for at in range(0, columns.size, LANES)
    ]


@st.composite
def tables(draw):
    """Few rows of codes up to the largest number there is, small ones most often."""
    dtype = draw(st.sampled_from([np.uint8, np.uint16]))
    most = draw(st.sampled_from([2, 5, np.iinfo(dtype).max]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return random.integers(most, size=(6, WIDTH), endpoint=True).astype(dtype)


@given(tables())
def test_what_is_outside_or_different(codes):
    low, high = np.sort(codes[:2], axis=0)
    beyond = (codes[2] < low) | (codes[2] > high)
    assert found_outside(low.copy(), high.copy(), codes, 2) == expected(beyond)
    assert found_different(codes, 0, 1) == expected(codes[0] != codes[1])


@given(tables())
def test_the_ends_of_a_box_and_what_changes_them(codes):
    rows, (gone, new), box = np.array([0, 2, 3, 4]), (2, 5), 1
    ends = np.full((3, ENDS, WIDTH), 7, dtype=codes.dtype)
    ends_of(codes, rows, ends, box)
    in_order = np.sort(codes[rows], axis=0)
    assert (ends[box] == in_order[[0, -1, 1, -2]]).all()
    assert (ends[[0, 2]] == 7).all()
    low, high = np.empty((2, WIDTH), dtype=codes.dtype)
    take_out(codes, ends, box, gone, (low, high))
    stay = codes[rows[rows != gone]]
    assert (low == stay.min(axis=0)).all()
    assert (high == stay.max(axis=0)).all()
    after = np.vstack([stay, codes[new]])
    changed = (after.min(axis=0) != in_order[0]) | (after.max(axis=0) != in_order[-1])
    told = found_changing(codes, ends, box, gone, new)
    assert all(bits & ~more == 0 for bits, more in zip(expected(changed), told, strict=True))
    same = codes[gone] == codes[new]
    assert all(bits & more == 0 for bits, more in zip(expected(same), told, strict=True))


@given(tables())
def test_a_wider_span(codes):
    spans = np.zeros((2, 2, WIDTH), dtype=codes.dtype)
    spans[0] = np.sort(codes[:2], axis=0)
    before = spans[0].copy()
    widen(codes, spans, 2)
    assert (spans[0] == before).all()
    assert (spans[1] == [codes[:3].min(axis=0), codes[:3].max(axis=0)]).all()


@pytest.mark.parametrize("bits", [1, 2, 6, 1 << 15, 1 << 63])
def test_the_first_lane(bits):
    assert first_lane(np.uint64(bits)) == (bits & -bits).bit_length() - 1
