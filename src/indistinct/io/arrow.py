"""Arrow arrays straight from buffers.

`pyarrow.array` imports pandas wherever it is installed, which takes longer than a small release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def text_array(texts: Sequence[str | None]) -> pa.Array:
    """Make a text array; None is a null.

    >>> text_array(["a", None, "bc"]).to_pylist()
    ['a', None, 'bc']
    """
    missing = np.array([text is None for text in texts], dtype=bool)
    filled = [text or "" for text in texts]
    joined = "".join(filled)
    parts = filled if joined.isascii() else [text.encode() for text in filled]
    offsets = np.zeros(len(filled) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)), out=offsets[1:])
    buffers = [_validity(missing), pa.py_buffer(offsets), pa.py_buffer(joined.encode())]
    return pa.Array.from_buffers(pa.large_string(), len(filled), buffers).cast(pa.string())


def number_array(
    numbers: NDArray[np.int32] | NDArray[np.int64], missing: NDArray[np.bool_] | None = None
) -> pa.Array:
    """Make an integer array, with nulls where values are missing.

    >>> number_array(np.array([1, 2], dtype=np.int32), np.array([False, True])).to_pylist()
    [1, None]
    """
    kind = pa.int32() if numbers.dtype == np.int32 else pa.int64()
    buffers = [_validity(missing), pa.py_buffer(np.ascontiguousarray(numbers))]
    return pa.Array.from_buffers(kind, numbers.size, buffers)


def labelled(numbers: NDArray[np.int32], labels: Sequence[str | None]) -> pa.Array:
    """Make a text array of numbered labels; a label None is a null.

    >>> labelled(np.array([1, 0, 1], dtype=np.int32), ["a", None]).to_pylist()
    [None, 'a', None]
    """
    missing = np.array([label is None for label in labels], dtype=bool)
    mask = missing[numbers] if missing.any() else None
    texts = text_array([label or "" for label in labels])
    return pa.DictionaryArray.from_arrays(number_array(numbers, mask), texts)


def _validity(missing: NDArray[np.bool_] | None) -> pa.Buffer | None:
    if missing is None or not missing.any():
        return None
    return pa.py_buffer(np.packbits(~missing, bitorder="little"))


def numbers_of(array: pa.Array) -> NDArray[np.signedinteger[Any]]:
    """Look at an integer array without nulls as numbers.

    >>> numbers_of(number_array(np.array([1, 2, 3], dtype=np.int32)).slice(1))
    array([2, 3], dtype=int32)
    """
    kind = np.dtype(np.int32 if array.type == pa.int32() else np.int64)
    if len(array) == 0:
        return np.zeros(0, dtype=kind)
    numbers: NDArray[np.signedinteger[Any]] = np.frombuffer(array.buffers()[1], dtype=kind)
    return numbers[array.offset : array.offset + len(array)]


def dictionary_of(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Encode a column with one dictionary for all its chunks; missing values are null indices.

    Arrow refuses to unify dictionaries that hold a null themselves.

    >>> nulls = pa.chunked_array([["a", None], ["b", None]]).dictionary_encode("encode")
    >>> [chunk.indices.to_pylist() for chunk in dictionary_of(nulls).chunks]
    [[0, None], [1, None]]
    """
    if not pa.types.is_dictionary(column.type):
        return column.dictionary_encode().unify_dictionaries()
    if any(chunk.dictionary.null_count for chunk in column.chunks):
        return column.cast(column.type.value_type).dictionary_encode().unify_dictionaries()
    return column.unify_dictionaries()
