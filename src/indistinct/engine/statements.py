"""What the statements of all engines have in common: names, texts, and keys of codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_WORD = 2**62


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

    def column_of(self, codes: pa.ChunkedArray) -> pa.DictionaryArray:
        """Return the values of some codes; the missing value is a null again."""
        numbers = np.asarray(codes.to_numpy(), dtype=np.int32)
        missing = self.values.is_null().to_numpy(zero_copy_only=False)
        known = self.values.filter(pa.array(~missing))
        place = (np.cumsum(~missing) - 1).astype(np.int32)
        indices = pa.array(place[numbers], mask=missing[numbers])
        return pa.DictionaryArray.from_arrays(indices, known)


def key_words(domains: Sequence[Domain]) -> list[str]:
    """Write the codes of a row as few numbers: equal for equal rows, different for others.

    Codes are the digits of a number; where the next digit would not fit, another number begins.

    >>> import pyarrow as pa
    >>> key_words([Domain(0, "age", pa.array([1, 2])), Domain(1, "sex", pa.array(["f", "m"]))])
    ['CAST(d0.code AS BIGINT) * 1 + CAST(d1.code AS BIGINT) * 2']
    """
    words: list[list[str]] = [[]]
    space = 1
    for domain in domains:
        size = max(len(domain.values), 1)
        if space > LARGEST_WORD // size:
            words.append([])
            space = 1
        words[-1].append(f"CAST(d{domain.place}.code AS BIGINT) * {space}")
        space *= size
    return [" + ".join(word) for word in words]
