"""Random numbers for searches that repeat themselves: the state is an array of one word.

xorshift64* of Vigna (2016): from a state that is not 0 it comes to every other one but 0. Not for
what an attacker must not foresee (see `indistinct.publishing.randomness`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray


@inner
def word(state: NDArray[np.uint64]) -> np.uint64:
    """Draw 64 bits (xorshift64*)."""
    drawn: np.uint64 = state[0]
    drawn ^= drawn >> np.uint64(12)
    drawn ^= drawn << np.uint64(25)
    drawn ^= drawn >> np.uint64(27)
    state[0] = drawn
    return drawn * np.uint64(2685821657736338717)


@inner
def share(state: NDArray[np.uint64]) -> float:
    """Draw a number between 0 and 1."""
    return float(word(state) >> np.uint64(11)) / 9007199254740992.0


@inner
def below(drawn: np.uint64, shift: np.uint64, limit: int) -> np.int64:
    """Take 16 bits of a word as a number below a limit; nearly even, and without a division."""
    bits = np.int64((drawn >> shift) & np.uint64(0xFFFF))
    return (bits * limit) >> 16
