"""Values on their way in and out: what a database calls otherwise than Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault
from indistinct.io.plain import decoded
from indistinct.io.texts import as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_MOST_DIGITS = 38
_WIDER = {
    pa.uint8(): pa.int16(),
    pa.int8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.large_string(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.date64(): pa.date32(),
    pa.null(): pa.string(),
}
_REMEDY = "Turn the column into text, or leave it out."


def numbers_from_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return decimal numbers that came as text as such, or as text if Arrow cannot hold them.

    >>> numbers_from_text(pa.chunked_array([["12.5", "3", None]])).to_pylist()
    [Decimal('12.5'), Decimal('3.0'), None]
    >>> numbers_from_text(pa.chunked_array([["Infinity"]])).to_pylist()
    ['Infinity']
    """
    point = pc.find_substring(column, ".")
    lengths = pc.utf8_length(column)
    behind = pc.if_else(pc.less(point, 0), 0, pc.subtract(pc.subtract(lengths, point), 1))
    scale = pc.max(behind).as_py() or 0
    if scale > _MOST_DIGITS:
        return column
    try:
        return column.cast(pa.decimal128(_MOST_DIGITS, scale))
    except pa.ArrowInvalid:
        return column


def plain_types(rows: pa.Table) -> pa.Table:
    """Return rows in the few types that databases have; raise where one has none for a column."""
    rows, faults = decoded(rows), []
    for place, field in enumerate(rows.schema):
        try:
            kind = _plain(field.type)
            column = rows.column(place)
            rows = rows.set_column(
                place, field.name, column if kind == field.type else column.cast(kind)
            )
        except (pa.ArrowInvalid, TypeError):
            problem = f"no database column can hold its values of type {field.type}"
            faults.append(Fault(f"column {field.name!r}", problem, _REMEDY))
    if faults:
        raise DataError(faults)
    return rows.replace_schema_metadata(None)


def _plain(kind: pa.DataType) -> pa.DataType:
    types = pa.types
    if kind in _WIDER:
        return _WIDER[kind]
    if types.is_timestamp(kind):
        return pa.timestamp("us", "UTC" if kind.tz else None)
    if types.is_time(kind):
        return pa.time64("us")
    if types.is_fixed_size_binary(kind):
        return pa.binary()
    if types.is_nested(kind) or types.is_duration(kind) or types.is_interval(kind):
        raise TypeError(str(kind))
    return kind


def as_texts(rows: pa.Table, but: Collection[Callable[[pa.DataType], bool]]) -> pa.Table:
    """Return rows with every column as text, in the way a CSV file says it, but some types."""
    for place, field in enumerate(rows.schema):
        if not any(is_kind(field.type) for is_kind in but):
            texts = [pa.array(as_text(chunk), pa.string()) for chunk in rows.column(place).chunks]
            rows = rows.set_column(place, field.name, pa.chunked_array(texts, type=pa.string()))
    return rows
