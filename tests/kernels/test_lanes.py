"""Sixteen columns at once agree with one column after the other."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from indistinct.methods.freeform import lanes_kernel as lanes
from indistinct.methods.freeform import plain_lanes
from indistinct.methods.freeform.lanes_kernel import ENDS, LANES

WIDTH = 2 * LANES


def callable_from_python(piece):
    """Compile a call of a piece that only kernels can call."""

    @njit
    def call(*args):
        return piece(*args)

    return call


NAMES = ("width_of", "outside", "different", "changing", "begin_ends", "widen_ends")
NAMES += ("span_without", "widen", "first_lane")
COMPILED = SimpleNamespace(**{name: callable_from_python(getattr(lanes, name)) for name in NAMES})
both = pytest.mark.parametrize("pieces", [COMPILED, plain_lanes], ids=["compiled", "plain"])


def in_lanes(tell, *lines):
    """Bits of each sixteen columns."""
    return [int(tell(*lines, lane)) for lane in range(0, WIDTH, LANES)]


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


def as_wide_as_bytes_are(codes):
    """Lines of bytes have sixteen columns; only those of larger numbers may have more."""
    return codes[:, :LANES].copy() if codes.dtype == np.uint8 else codes


@both
@given(tables())
def test_what_is_outside_or_different(pieces, codes):
    low, high = np.sort(codes[:2], axis=0)
    beyond = (codes[2] < low) | (codes[2] > high)
    assert in_lanes(pieces.outside, low, high, codes[2]) == expected(beyond)
    assert in_lanes(pieces.different, codes[0], codes[1]) == expected(codes[0] != codes[1])


@both
@given(tables())
def test_the_ends_of_a_box_and_what_changes_them(pieces, codes):
    codes = as_wide_as_bytes_are(codes)
    width, rows, (gone, new) = codes.shape[1], [0, 2, 3, 4], (2, 5)
    assert pieces.width_of(codes) == width
    ends = np.full((3, ENDS, width), 7, dtype=codes.dtype)
    low, high = np.empty((2, width), dtype=codes.dtype)
    changed = []
    for lane in range(0, width, LANES):
        pieces.begin_ends(ends[1], codes[rows[0]], lane)
        for row in rows[1:]:
            pieces.widen_ends(ends[1], codes[row], lane)
        pieces.span_without(ends[1], codes[gone], low, high, lane)
        changed.append(int(pieces.changing(ends[1], codes[gone], codes[new], lane)))
    in_order = np.sort(codes[rows], axis=0)
    assert (ends[1] == in_order[[0, -1, 1, -2]]).all()
    assert (ends[[0, 2]] == 7).all()
    stay = codes[[0, 3, 4]]
    assert (low == stay.min(axis=0)).all()
    assert (high == stay.max(axis=0)).all()
    least, most, same = in_order[0], in_order[-1], codes[gone] == codes[new]
    an_end = (codes[gone] == least) | (codes[gone] == most)
    assert changed == expected(~same & (an_end | (codes[new] < least) | (codes[new] > most)))
    after = np.vstack([stay, codes[new]])
    other = (after.min(axis=0) != least) | (after.max(axis=0) != most)
    assert all(bits & ~more == 0 for bits, more in zip(expected(other), changed, strict=True))


@both
@given(tables())
def test_a_wider_span(pieces, codes):
    codes = as_wide_as_bytes_are(codes)
    spans = np.zeros((2, 2, codes.shape[1]), dtype=codes.dtype)
    spans[0] = np.sort(codes[:2], axis=0)
    before = spans[0].copy()
    for lane in range(0, codes.shape[1], LANES):
        pieces.widen(spans[0], spans[1], codes[2], lane)
    assert (spans[0] == before).all()
    assert (spans[1] == [codes[:3].min(axis=0), codes[:3].max(axis=0)]).all()


@both
@pytest.mark.parametrize("bits", [1, 2, 6, 1 << 15, 1 << 63])
def test_the_first_lane(pieces, bits):
    assert pieces.first_lane(np.uint64(bits)) == (bits & -bits).bit_length() - 1
