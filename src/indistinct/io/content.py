"""A hash of the rows of a table, whatever their order, and whatever they lie in.

The same rows in the same columns have the same hash in a CSV file, in Parquet files, in a table of
a database and on every engine. It is the root of a tree of SHA-256:

1. A row is written as the number of its copies, a semicolon, and its cells, the columns in the
   order of their names. A cell is the text that is published, as a netstring (its length in bytes,
   a colon, the text, a comma), so that no two cells run together; a missing value is `-`.
2. The hash of each distinct row, in hexadecimal digits, is a leaf.
3. Leaves of the same first digits are a bucket: its hash is that of its leaves, in ascending order.
4. The root is the hash of the names of the columns and of the hashes of the buckets, in order.

Two tables of different rows have the same root only if SHA-256 has a collision. A sum of hashes
would not do: numbers of 256 bits that add up to a given one are found in seconds among many
(Wagner 2002). Buckets let a cluster hash its leaves where they are.
"""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.io.arrow import dictionary_of, number_array, numbers_of
from indistinct.io.texts import published_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Leaves = NDArray[np.bytes_]

PREFIX = 3
"""By how many of their first digits leaves are put into buckets, of which there are 4096."""
LEAF = "S64"
MISSING = "-"
AT_ONCE = 1 << 16
LARGEST = 2**62


def content_hash(table: pa.Table, counts: NDArray[np.int64] | None = None) -> str:
    """Return the hash of rows, each of which stands for one row or for so many, or for none.

    >>> one = pa.table({"a": [1, 2, 2], "b": ["x", None, None]})
    >>> other = pa.table({"b": [None, "x"], "a": ["2", "1"]})
    >>> content_hash(one) == content_hash(other, np.array([2, 1]))
    True
    >>> content_hash(one) == content_hash(one.slice(1))
    False
    """
    names = in_order(table.column_names)
    written = [_written(table.column(name)) for name in names]
    hashed = "".join(_leaves(written, counts, table.num_rows))
    leaves = np.sort(np.frombuffer(hashed.encode(), dtype=LEAF))
    return root(names, buckets([leaves]))


def in_order(names: Sequence[str]) -> list[str]:
    """Put the names of columns in the order in which their cells are hashed."""
    return sorted(names, key=str.encode)


def buckets(leaves: Iterable[Leaves]) -> Iterator[tuple[str, str]]:
    """Hash leaves, which come in ascending order: name each bucket, and its hash."""
    name, digest = b"", hashlib.sha256()
    for some in leaves:
        prefix = some.astype(f"S{PREFIX}")
        starts = np.flatnonzero(prefix[1:] != prefix[:-1]) + 1
        for start, end in pairwise([0, *starts.tolist(), some.size]):
            if start < end and prefix[start] != name:
                if name:
                    yield name.decode(), digest.hexdigest()
                name, digest = bytes(prefix[start]), hashlib.sha256()
            digest.update(some[start:end].tobytes())
    if name:
        yield name.decode(), digest.hexdigest()


def root(names: Sequence[str], hashed: Iterable[tuple[str, str]]) -> str:
    """Return the hash of the names of columns and of the hashes of buckets, which come in order."""
    digest = hashlib.sha256(f"{json.dumps(list(names))}\n".encode())
    for name, bucket in hashed:
        digest.update(f"{name} {bucket}\n".encode())
    return digest.hexdigest()


def _written(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int32]]:
    """Write each value of a column as a cell; return also which of them each row has."""
    codes, values = _numbered(column)
    cells = [*map(_cell, published_texts(values).to_pylist()), MISSING.encode()]
    codes = np.where(codes < 0, len(cells) - 1, codes).astype(np.int32)
    place: dict[bytes, int] = {}
    same = np.array([place.setdefault(cell, len(place)) for cell in cells], dtype=np.int32)
    return _bytes_array(list(place)), same[codes]


def _bytes_array(parts: list[bytes]) -> pa.Array:
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return _of_buffers(offsets, b"".join(parts))


def _repeated(part: bytes, times: int) -> pa.Array:
    return _of_buffers(np.arange(times + 1, dtype=np.int64) * len(part), part * times)


def _of_buffers(offsets: NDArray[np.int64], content: bytes) -> pa.Array:
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.large_binary(), offsets.size - 1, buffers)


def _numbered(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], pa.Array]:
    """Number the values of a column, a missing one by -1."""
    if pa.types.is_nested(column.type):  # Arrow does not say which are equal
        values = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
        missing = _truths(values.is_null())
        return np.where(missing, -1, np.arange(len(values))).astype(np.int32), values
    encoded = dictionary_of(column)
    chunks = encoded.chunks or [pa.array([], encoded.type)]
    codes = []
    for chunk in chunks:
        numbers = numbers_of(chunk.indices.cast(pa.int32()))
        if chunk.indices.null_count:
            numbers = np.where(_truths(chunk.indices.is_null()), np.int32(-1), numbers)
        codes.append(numbers)
    return np.concatenate(codes).astype(np.int32), chunks[0].dictionary


def _truths(array: pa.BooleanArray) -> NDArray[np.bool_]:
    """Return truth values as numpy has them; Arrow's own way loads pandas."""
    bits = np.unpackbits(np.frombuffer(array.buffers()[1], np.uint8), bitorder="little")
    return bits[array.offset : array.offset + len(array)].astype(bool)


def _cell(text: bytes | None) -> bytes:
    """Write a text as a netstring.

    >>> _cell(b"flu"), _cell(b""), _cell(None)
    (b'3:flu,', b'0:,', b'-')
    """
    return MISSING.encode() if text is None else b"%d:%b," % (len(text), text)


def _leaves(
    written: Sequence[tuple[pa.Array, NDArray[np.int32]]],
    counts: NDArray[np.int64] | None,
    rows: int,
) -> Iterator[str]:
    """Hash each distinct row with the number of its copies."""
    times = np.ones(rows, dtype=np.int64) if counts is None else counts
    places, copies = _distinct([(codes, len(texts)) for texts, codes in written], times)
    for first in range(0, places.size, AT_ONCE):
        some = places[first : first + AT_ONCE]
        number = number_array(copies[first : first + AT_ONCE]).cast(pa.string())
        cells = [pc.take(texts, number_array(codes[some])) for texts, codes in written]
        # a scalar would have Arrow load pandas
        apart, nothing = (_repeated(sign, some.size) for sign in (b";", b""))
        lines = pc.binary_join_element_wise(number.cast(pa.large_binary()), apart, *cells, nothing)
        yield "".join([hashlib.sha256(line).hexdigest() for line in lines.to_pylist()])


def _distinct(
    columns: Sequence[tuple[NDArray[np.int32], int]], times: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Find each distinct row once, and how many it stands for; columns are codes below a size."""
    keys, space = np.zeros(times.size, dtype=np.int64), 1
    for codes, size in columns:
        if space > LARGEST // size:
            _, keys = np.unique(keys, return_inverse=True)
            space = times.size
        keys = keys * size + codes
        space *= size
    _, places, rows = np.unique(keys, return_index=True, return_inverse=True)
    copies = np.bincount(rows, times, minlength=places.size).astype(np.int64)
    return places[copies > 0], copies[copies > 0]
