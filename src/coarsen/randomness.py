"""Randomness that privacy rests on: the system's generator, or SHAKE-256 of a secret seed."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Randomness:
    """A stream of unpredictable bytes for one purpose, repeatable where a seed is given.

    Streams of the same seed for different purposes are independent of each other.
    """

    def __init__(self, seed: int | None, purpose: str) -> None:
        self._seed = seed
        self._purpose = purpose

    def bytes(self, size: int) -> bytes:
        """Return so many bytes."""
        if self._seed is None:
            return os.urandom(size)
        return hashlib.shake_256(f"coarsen:{self._purpose}:{self._seed}".encode()).digest(size)

    def order(self, size: int) -> NDArray[np.intp]:
        """Return a random order of so many places."""
        keys = np.frombuffer(self.bytes(8 * size), dtype="<u8")
        return np.argsort(keys)

    def tokens(self, count: int) -> list[str]:
        """Return so many distinct tokens of 16 hexadecimal digits or more.

        >>> tokens = Randomness(1, "doctest").tokens(3)
        >>> len(set(tokens)), len(tokens[0])
        (3, 32)
        """
        raw = self.bytes(16 * count).hex()
        return [raw[32 * place : 32 * (place + 1)] for place in range(count)]
