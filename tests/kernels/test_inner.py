"""What only kernels call: Python is refused, before and after a kernel has called it."""

from __future__ import annotations

import pytest
from numba import njit

from indistinct.kernels.compiled import inner


@inner
def twice(number):
    return 2 * number


@inner(inline="always")
def thrice(number):
    return 3 * number


@njit
def five_times(number):
    return twice(number) + thrice(number)


@pytest.mark.parametrize("part", [twice, thrice])
def test_python_cannot_call_an_inner_function(part):
    with pytest.raises(TypeError, match="only kernels can call it"):
        part(3)
    assert five_times(3) == 15
    with pytest.raises(TypeError, match="only kernels can call it"):
        part(3)
    with pytest.raises(TypeError, match="only kernels can call it"):
        part(number=3.0)
    assert five_times(1.5) == 7.5
