"""Lent arrays are those that were lent, also behind a pointer, and nobody counts who has them."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from numba import njit

from indistinct.kernels.borrowed import lent, pointer_to


class Pair(NamedTuple):
    """Two arrays and what is no array."""

    one: np.ndarray
    other: np.ndarray
    number: int
    nothing: None


@njit
def fill_through(pair):
    """Write through what was lent, taking lines and arrays out of it many times."""
    held = lent(pair)
    total = 0
    for line in range(held.one.shape[0]):
        taken = held.one[line]
        taken[:] = held.number
        held.other[line] += taken.sum()
        total += held.nothing is None
    return total


def test_what_is_lent_is_the_same_memory():
    pair = Pair(np.zeros((3, 2), dtype=np.int32), np.ones(3), 7, None)
    assert fill_through(pair) == 3
    assert pair.one.tolist() == [[7, 7]] * 3
    assert pair.other.tolist() == [15.0] * 3


def test_lending_leaves_no_reference_behind():
    pair = Pair(np.zeros((50, 2), dtype=np.int32), np.ones(50), 7, None)
    fill_through(pair)
    before = [sys.getrefcount(array) for array in pair[:2]]
    fill_through(pair)
    assert [sys.getrefcount(array) for array in pair[:2]] == before


class Nest(NamedTuple):
    """A tuple in a tuple."""

    inner: Pair
    line: np.ndarray


@njit
def add_to(nest, number):
    """Change arrays behind a pointer."""
    nest.line[:] += number
    nest.inner.one[0] += nest.inner.number


@njit
def fill_behind(nest):
    """Hand a pointer to another function, many times."""
    there = pointer_to(nest)
    for number in range(3):
        add_to(there, number)
    return there.inner.other.sum()


def test_what_is_behind_a_pointer_is_the_same_memory():
    pair = Pair(np.zeros((3, 2), dtype=np.int32), np.ones(3), 7, None)
    nest = Nest(pair, np.zeros(4))
    assert fill_behind(nest) == 3.0
    assert nest.line.tolist() == [3.0] * 4
    assert pair.one.tolist() == [[21, 21], [0, 0], [0, 0]]


def test_a_pointer_leaves_no_reference_behind():
    nest = Nest(Pair(np.zeros((3, 2), dtype=np.int32), np.ones(3), 7, None), np.zeros(4))
    arrays = (nest.inner.one, nest.inner.other, nest.line)
    fill_behind(nest)
    before = [sys.getrefcount(array) for array in arrays]
    fill_behind(nest)
    assert [sys.getrefcount(array) for array in arrays] == before


def test_pointers_to_tuples_of_the_same_name_have_their_own_parts():
    class Nest(NamedTuple):
        """Like the other one, with its parts named the other way round."""

        line: Pair
        inner: np.ndarray

    @njit
    def first_of(nest):
        return pointer_to(nest).inner[0]

    pair = Pair(np.zeros((3, 2), dtype=np.int32), np.ones(3), 7, None)
    fill_behind(globals()["Nest"](pair, np.zeros(4)))
    assert first_of(Nest(pair, np.full(4, 9.0))) == 9.0
