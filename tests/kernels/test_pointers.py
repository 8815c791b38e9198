"""Functions called by their addresses: compiled once with their parts, errors and types kept."""

from __future__ import annotations

from types import FunctionType

import numba
import numpy as np
import pytest

from indistinct.kernels import pointers
from indistinct.kernels.pointers import address_of, caller, signature_of
from indistinct.requirements import MODELS, histograms, rules

SIGNATURE = signature_of(0, np.zeros(1), 0)
call = caller(SIGNATURE)


def _twice(number):
    return 2 * number


def longer(numbers, more):
    if more < 0:
        raise ValueError("fewer than none")
    return _twice(numbers.size) + more


for function in (_twice, longer):
    function.__module__ = pointers.__name__  # only functions of the package are compiled along


@numba.njit
def ask(address, numbers, more):
    return call(address, (numbers, more))


@numba.njit
def ask_wrongly(address, numbers):
    return call(address, (numbers, 1.5))


def test_a_function_is_compiled_with_what_it_calls_and_once():
    address = address_of(longer, SIGNATURE)
    assert ask(address, np.zeros(3), 4) == 10
    assert address_of(longer, SIGNATURE) == address


def test_what_it_raises_is_raised():
    with pytest.raises(ValueError, match="fewer than none"):
        ask(address_of(longer, SIGNATURE), np.zeros(3), -1)


def test_other_arguments_are_refused_when_the_kernel_is_compiled():
    with pytest.raises(numba.TypingError, match="are not"):
        ask_wrongly(address_of(longer, SIGNATURE), np.zeros(3))


def test_rules_are_plain_functions_until_a_search_asks():
    for capacity in (rules.no_part, rules.all_but_one, histograms.largest_within_shares):
        assert isinstance(capacity, FunctionType)
    assert {"beta-likeness", "delta-disclosure"} <= set(MODELS)
