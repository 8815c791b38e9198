"""How the check reads a column: a number per row, equal values alike, and what they say as text.

It reads for itself: a fault in how private columns become the codes of a search must not make the
check blind for what it did.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault
from indistinct.io.plain import unreadable

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BYTES = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
_MIDNIGHT = " 00:00:00"


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """A column as it reads.

    Attributes
    ----------
    texts
        What its values say, each once, in the order they are met; None for a missing one, last.
    codes
        The place of each row's value among them.
    """

    texts: tuple[str | None, ...]
    codes: NDArray[np.int32]

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows have each value."""
        return self.counts_by(None)

    def counts_by(self, times: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """Return how many rows have each value, given how many each row stands for."""
        return np.bincount(self.codes, times, minlength=len(self.texts)).astype(np.int64)


def read_column(column: pa.ChunkedArray, name: str) -> ReadColumn:
    """Read a column; values that are written alike are one.

    Whole floats read as whole numbers, days and times in ISO form.

    >>> read = read_column(pa.chunked_array([["b", None], ["a", "b"]]), "x")
    >>> read.texts, read.codes.tolist()
    (('b', 'a', None), [0, 2, 1, 0])
    """
    if not can_be_compared(column.type):
        raise DataError(_not_values(column.type, name))
    try:
        numbers, values = _numbered(column)
        if fault := unreadable(pa.chunked_array([values]), name):
            raise DataError(fault)
        texts = _texts(values)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, UnicodeDecodeError):
        raise DataError(_not_values(column.type, name)) from None
    seen: dict[str | None, int] = {}
    present = np.bincount(numbers, minlength=len(texts) + 1) > 0
    places = [
        seen.setdefault(text, len(seen)) if here else -1
        for text, here in zip([*texts, None], present.tolist(), strict=True)
    ]
    as_they_are = np.count_nonzero(present) == len(seen) and present[: len(seen)].all()
    codes = numbers if as_they_are else np.array(places, dtype=np.int32)[numbers]
    return ReadColumn(tuple(seen), codes)


def equal_numbers(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], int]:
    """Number equal values alike, without reading them; return also how many numbers there may be.

    >>> equal_numbers(pa.chunked_array([[0.5, None, 0.5]]))[0].tolist()
    [0, 1, 0]
    """
    numbers, values = _numbered(column)
    return numbers.astype(np.int64), len(values) + 1


def numbered_alike(
    published: pa.ChunkedArray, private: pa.ChunkedArray
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the values of two columns, equal texts alike."""
    one, two = read_column(published, "release"), read_column(private, "private table")
    place = {text: code for code, text in enumerate(one.texts)}
    others = [place.setdefault(text, len(place)) for text in two.texts]
    return one.codes.astype(np.int64), np.array(others, dtype=np.int64)[two.codes]


def can_be_compared(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds values, not lists, records or bytes."""
    return not (pa.types.is_nested(kind) or any(is_bytes(kind) for is_bytes in _BYTES))


def _numbered(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], pa.Array]:
    """Number the values of rows by their place in a list of all; a missing one comes after it."""
    if pa.types.is_dictionary(column.type):
        return _renumbered(column)
    array = column.combine_chunks().dictionary_encode()
    if isinstance(array, pa.ChunkedArray):  # too much text for one
        return _renumbered(array)
    return _integers(array.indices, len(array.dictionary)), array.dictionary


def _renumbered(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], pa.Array]:
    """Number the values of chunks, each with a list of its own, by their place in one list.

    A list may hold values of no row, a value twice, or a null.
    """
    lists = [chunk.dictionary for chunk in column.chunks]
    every = pa.chunked_array(lists, column.type.value_type).unique()
    values = every.drop_null() if every.null_count else every
    numbers = [np.zeros(0, dtype=np.int32)]
    for chunk, listed in zip(column.chunks, lists, strict=True):
        places = _integers(pc.index_in(listed, values), len(values))
        numbers.append(np.append(places, np.int32(len(values)))[_integers(chunk.indices, -1)])
    return np.concatenate(numbers), values


def _integers(array: pa.Array, missing: int) -> NDArray[np.int32]:
    """Return integers, with another number in place of nulls."""
    integers = array.cast(pa.int32())
    filled = integers.fill_null(missing) if integers.null_count else integers
    return np.frombuffer(filled.buffers()[1], np.int32, len(filled), 4 * filled.offset)


def _texts(values: pa.Array) -> list[str]:
    texts: list[str] = values.cast(pa.string()).to_pylist()
    if not (pa.types.is_timestamp(values.type) or pa.types.is_time(values.type)):
        return texts
    return [_without_zeros(text).removesuffix(_MIDNIGHT) for text in texts]


def _without_zeros(time: str) -> str:
    """Leave out zeros at the end of a fraction of seconds, after which a zone may stand."""
    whole, point, rest = time.partition(".")
    fraction = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    shown = fraction.rstrip("0")
    return f"{whole}{point if shown else ''}{shown}{rest[len(fraction) :]}"


def _not_values(kind: pa.DataType, name: str) -> Fault:
    return Fault(
        f"column {name!r}",
        f"values of type {kind} cannot be generalized or compared",
        "Turn the column into text, numbers or dates first, or drop it.",
    )
