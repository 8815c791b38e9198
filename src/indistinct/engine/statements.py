"""What the statements of all engines have in common: names, texts, and keys of codes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LARGEST_WORD = 2**62
BLOCK = 64
"""How many bytes SHA-256 takes at a time, which a key is made as long as."""


def quoted(name: str) -> str:
    """Write the name of a column so that it is nothing but a name.

    >>> print(quoted("age"))
    "age"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Write a text so that it is nothing but a text.

    >>> literal("o'clock")
    "'o''clock'"
    """
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of a counted column, by their codes.

    Attributes
    ----------
    place
        Which of the counted columns it is.
    values
        Its values, the missing one among them, in the order of their codes.
    """

    place: int
    column: str
    values: pa.Array

    def column_of(self, codes: pa.ChunkedArray | NDArray[np.int32]) -> pa.DictionaryArray:
        """Return the values of some codes; the missing value is a null again."""
        given = codes if isinstance(codes, np.ndarray) else codes.to_numpy()
        numbers = np.asarray(given, dtype=np.int32)
        missing = self.values.is_null().to_numpy(zero_copy_only=False)
        known = self.values.filter(pa.array(~missing))
        place = (np.cumsum(~missing) - 1).astype(np.int32)
        indices = pa.array(place[numbers], mask=missing[numbers])
        return pa.DictionaryArray.from_arrays(indices, known)


def digits(sizes: Sequence[int]) -> list[list[tuple[int, int]]]:
    """Say of which codes the numbers consist that a row goes by, and times what.

    Codes are the digits of a number; where the next digit would not fit, another number begins.

    >>> digits([10, 3, 2**62])
    [[(0, 1), (1, 10)], [(2, 1)]]
    """
    words: list[list[tuple[int, int]]] = [[]]
    space = 1
    for place, size in enumerate(sizes):
        if space > LARGEST_WORD // max(size, 1):
            words.append([])
            space = 1
        words[-1].append((place, space))
        space *= max(size, 1)
    return words


def key_words(domains: Sequence[Domain], code: str = "d{place}.code") -> list[str]:
    """Write the codes of a row as few numbers: equal for equal rows, different for others.

    Parameters
    ----------
    code
        Where the code of a column stands.

    Examples
    --------
    >>> import pyarrow as pa
    >>> key_words([Domain(0, "age", pa.array([1, 2])), Domain(1, "sex", pa.array(["f", "m"]))])
    ['CAST(d0.code AS BIGINT) * 1 + CAST(d1.code AS BIGINT) * 2']
    """
    return [
        " + ".join(
            f"CAST({code.format(place=domains[d].place)} AS BIGINT) * {space}" for d, space in word
        )
        for word in digits([len(domain.values) for domain in domains])
    ]


def inner_and_outer(name: str, key: bytes) -> tuple[bytes, bytes]:
    """Return what stands before the text, and before its hash, in a pseudonym made by a key.

    A pseudonym is HMAC-SHA256 (RFC 2104) of the column's name and the value, as
    `publishing/pseudonyms.py` has it: the hash of the second, and of the hash of the first and the
    value.
    """
    short = key if len(key) <= BLOCK else hashlib.sha256(key).digest()
    padded = short.ljust(BLOCK, b"\0")
    inner = bytes(byte ^ 0x36 for byte in padded)
    return inner + f"{name}\x00".encode(), bytes(byte ^ 0x5C for byte in padded)
