"""The statements by which DuckDB hashes rows, whatever their order (`io/content.py`).

Rows are counted, hashed and sorted where they are, on disk if need be; hashes come from there one
after the other, never a row.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.engine.statements import literal, quoted
from indistinct.io.content import LEAF, MISSING, buckets, in_order, root
from indistinct.io.texts import published_texts, written_alike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indistinct.io.content import Leaves

AT_ONCE = 1 << 18


def content_of(connection: Any, scan: str) -> str:
    """Return the hash of the rows that are read so."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()
    kinds = {name: str(kind) for name, kind, *_ in described}
    names = in_order(list(kinds))
    columns = ", ".join(f"{quoted(name)} AS x{place}" for place, name in enumerate(names))
    distinct = f"SELECT {columns}, count(*) AS rows FROM {scan} GROUP BY ALL"
    with _texts(connection, scan, [(name, kinds[name]) for name in names]) as texts:
        written = ", ".join(f"{text} AS t{place}" for place, text in enumerate(texts))
        cells = " || ".join(_cell(f"t{place}") for place in range(len(names)))
        leaves = connection.sql(
            f"SELECT sha256(rows || ';' || {cells}) AS leaf "
            f"FROM (SELECT {written}, rows FROM ({distinct})) ORDER BY leaf"
        )
        return root(names, buckets(map(_leaves, leaves.to_arrow_reader(AT_ONCE))))


def _cell(text: str) -> str:
    return f"coalesce(strlen({text}) || ':' || {text} || ',', {literal(MISSING)})"


@contextmanager
def _texts(connection: Any, scan: str, columns: list[tuple[str, str]]) -> Iterator[list[str]]:
    """Say how the texts of columns are written; DuckDB is lent a function where it writes others.

    What is lent is taken back, or else Python complains at its end.
    """
    schema = connection.sql(f"SELECT * FROM {scan} LIMIT 0").to_arrow_table().schema
    texts, lent = [], []
    try:
        for place, (name, kind) in enumerate(columns):
            if written_alike(schema.field(name).type):
                texts.append(f"CAST(x{place} AS VARCHAR)")
                continue
            texts.append(f"text_of{place}(x{place})")
            lent.append(f"text_of{place}")
            connection.create_function(lent[-1], _published, [kind], "VARCHAR", type="arrow")
        yield texts
    finally:
        for function in lent:
            connection.remove_function(function)


def _published(values: Any) -> pa.Array:
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return published_texts(array).cast(pa.string())


def _leaves(batch: pa.RecordBatch) -> Leaves:
    leaves = batch.column(0)
    if not len(leaves):
        return np.zeros(0, LEAF)
    size = np.dtype(LEAF).itemsize
    data = leaves.buffers()[2]
    return np.frombuffer(data, LEAF, len(leaves), leaves.offset * size)
