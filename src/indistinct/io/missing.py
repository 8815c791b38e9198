"""Texts that mean a missing value, in tables that have types: spreadsheets, Parquet, frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from indistinct.io.arrow import dictionary_of
from indistinct.io.encoding import comparable
from indistinct.io.texts import as_text

if TYPE_CHECKING:
    from collections.abc import Collection


def without_markers(table: pa.Table, missing: Collection[str]) -> pa.Table:
    """Return the table with values that read as one of these texts made missing.

    >>> people = pa.table({"job": ["baker", "k.A."], "age": [31, -9]})
    >>> without_markers(people, ["k.A.", "-9"]).to_pydict()
    {'job': ['baker', None], 'age': [31, None]}
    """
    if not missing:
        return table
    for place, field in enumerate(table.schema):
        column = _without(table.column(place), set(missing))
        if column is not None:
            table = table.set_column(place, field.name, column)
    return table


def _without(column: pa.ChunkedArray, missing: set[str]) -> pa.ChunkedArray | None:
    """Return the column with these values missing; None if it holds none of them."""
    if not comparable(column.type):
        return None
    try:
        coded = dictionary_of(column)
        values = coded.chunk(0).dictionary if coded.num_chunks else pa.array([])
        marked = [place for place, text in enumerate(as_text(values)) if text in missing]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError):
        return None
    if not marked:
        return None
    gone = set(marked)
    kept = [None if place in gone else place for place in range(len(values))]
    renumbered = pa.array(kept, pa.int32())
    chunks = [values.take(renumbered.take(chunk.indices)) for chunk in coded.chunks]
    plain = pa.chunked_array(chunks, type=values.type)
    return plain.dictionary_encode() if pa.types.is_dictionary(column.type) else plain
