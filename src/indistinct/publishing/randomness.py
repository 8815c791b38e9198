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

    Streams of the same seed for different purposes, or for different data, are independent of each
    other: releases of a table as it grows must not be put side by side row by row.
    """

    def __init__(self, seed: int | None, purpose: str, *data: bytes | memoryview) -> None:
        self._stream = None
        if seed is not None:
            self._stream = hashlib.shake_256(f"indistinct:{purpose}:{seed}".encode())
            for part in data:
                self._stream.update(hashlib.sha256(part).digest())

    def bytes(self, size: int) -> bytes:
        """Return so many bytes."""
        return os.urandom(size) if self._stream is None else self._stream.digest(size)

    def order(self, size: int) -> NDArray[np.intp]:
        """Return a random order of so many places."""
        keys = np.frombuffer(self.bytes(8 * size), dtype="<u8")
        return np.argsort(keys)

    def tokens(self, count: int) -> list[str]:
        """Return so many tokens, each of 128 random bits as 32 hexadecimal digits.

        >>> tokens = Randomness(1, "doctest").tokens(3)
        >>> len(set(tokens)), len(tokens[0])
        (3, 32)
        """
        raw = self.bytes(16 * count).hex()
        return [raw[32 * place : 32 * (place + 1)] for place in range(count)]
