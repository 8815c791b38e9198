"""A hash of what a table holds, whatever the order of its rows: databases promise none."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.io.encoding import comparable, encode

if TYPE_CHECKING:
    from numpy.typing import NDArray


def content_hash(table: pa.Table) -> str:
    """Return the SHA-256 of the rows as texts, sorted by all columns.

    >>> one = pa.table({"a": [1, 2, None], "b": ["x", "y", "y"]})
    >>> other = pa.table({"a": ["2", None, "1"], "b": ["y", "y", "x"]})
    >>> content_hash(one) == content_hash(other) != content_hash(one.slice(1))
    True
    """
    columns = [_ranked(table.column(name), name) for name in table.column_names]
    order = np.lexsort([codes for _, codes in reversed(columns)]) if columns else slice(None)
    digest = hashlib.sha256(json.dumps([table.num_rows, table.column_names]).encode())
    for texts, codes in columns:
        digest.update(json.dumps(texts).encode())
        digest.update(codes[order].astype("<i4").tobytes())
    return digest.hexdigest()


def _ranked(column: pa.ChunkedArray, name: str) -> tuple[list[str | None], NDArray[np.int32]]:
    """Number the values of a column in the order of their texts, the missing value last."""
    if not comparable(column.type):
        held = [None if value is None else bytes(value).hex() for value in column.to_pylist()]
        column = pa.chunked_array([pa.array(held, pa.string())])
    encoded = encode(column, name)
    texts = encoded.domain.values
    order = sorted(range(len(texts)), key=lambda place: (texts[place] is None, texts[place] or ""))
    rank = np.empty(len(texts), dtype=np.int32)
    rank[order] = np.arange(len(texts), dtype=np.int32)
    return [texts[place] for place in order], rank[encoded.codes]
