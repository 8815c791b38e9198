"""Columns as plain values: what Arrow can hold and cannot work on is undone at the door.

Views, run-end encoding, extension types, half floats, short decimals and dictionaries of lists come
in from frames and Parquet. They leave here as the plain values that they stand for. What nobody can
read, dates outside the years 1 to 9999 among them, is a fault that names column, type and remedy.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FIRST, _LAST = np.datetime64("0001-01-01"), np.datetime64("9999-12-31")
_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY = 86_400
_LONGEST = 64
_TEXTS = (pa.types.is_string, pa.types.is_large_string)
_SHORT_DECIMALS = tuple(
    getattr(pa.types, name) for name in ("is_decimal32", "is_decimal64") if hasattr(pa.types, name)
)
_WIDE_DIGITS = 38
_CONVERT = "Correct it, turn the column into text, or drop it."


def refuse_repeated(names: list[str], place: str) -> None:
    """Raise if a column name stands twice."""
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(
            Fault(place, f"column name {name!r} stands {names.count(name)} times", "Rename them.")
            for name in repeated
        )


def clean(table: pa.Table) -> pa.Table:
    """Return the table with NaN as missing, -0.0 as 0.0, and plain layouts that Arrow works on."""
    refuse_repeated(table.column_names, "data frame")
    for place, field in enumerate(table.schema):
        column = table.column(place)
        plain = _plain_column(column)
        if plain is not column:
            table = table.set_column(place, field.name, plain)
    return table


def in_utc(table: pa.Table) -> pa.Table:
    """Return the table with times of a zone in UTC: the same moments.

    Parquet files hold moments, beside which Arrow alone notes a zone; DuckDB has them in the zone
    of the machine.
    """
    fields = [
        field.with_type(pa.timestamp(field.type.unit, "UTC"))
        if pa.types.is_timestamp(field.type) and field.type.tz not in {None, "UTC"}
        else field
        for field in table.schema
    ]
    schema = pa.schema(fields)
    return table if schema == table.schema else table.cast(schema)


def decoded(table: pa.Table) -> pa.Table:
    """Return the table with dictionary columns written out.

    A dictionary may list values of rows that are not in the table.
    """
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            plain = table.column(place).cast(field.type.value_type)
            table = table.set_column(place, field.name, plain)
    return table


def _plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not _is_layout(column.type):
        views = pa.types.is_nested(column.type) and not _can_be_reordered(column)
        return _without_views(column) if views else _without_nan(column)
    kind = _plain(pa.array([], column.type) if not column.num_chunks else column.chunk(0)).type
    return _plain_column(pa.chunked_array([_plain(chunk) for chunk in column.chunks], type=kind))


def _can_be_reordered(column: pa.ChunkedArray) -> bool:
    """Return whether Arrow can take rows of a column, which it cannot of lists of views."""
    try:
        column.slice(0, 1).take(pa.array([0] if len(column) else [], pa.int64()))
    except pa.ArrowNotImplementedError:
        return False
    return True


def _without_views(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return lists and records of views as those of texts; as they are if Arrow knows no way."""
    try:
        return column.cast(_without_view(column.type))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return column


def _without_view(kind: pa.DataType) -> pa.DataType:
    types = pa.types
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return pa.string() if types.is_string_view(kind) else pa.binary()
    if types.is_struct(kind):
        return pa.struct([field.with_type(_without_view(field.type)) for field in kind])
    if types.is_map(kind):
        return pa.map_(_without_view(kind.key_type), _without_view(kind.item_type))
    if types.is_list(kind):
        return pa.list_(_without_view(kind.value_type))
    return kind


def _is_layout(kind: pa.DataType) -> bool:
    """Return whether a type is but a way of laying out values of another one."""
    types = pa.types
    if types.is_dictionary(kind):
        inner = kind.value_type
        return _is_layout(inner) or types.is_nested(inner) or types.is_dictionary(inner)
    views = types.is_string_view(kind) or types.is_binary_view(kind)
    short = types.is_float16(kind) or any(is_short(kind) for is_short in _SHORT_DECIMALS)
    encoded = types.is_run_end_encoded(kind) or isinstance(kind, pa.BaseExtensionType)
    return bool(views or short or encoded)


def _plain(array: pa.Array) -> pa.Array:
    """Take one layer of layout off an array."""
    types, kind = pa.types, array.type
    if isinstance(kind, pa.BaseExtensionType):
        return _stored(array)
    if types.is_dictionary(kind):
        return _laid_out(array.dictionary).take(array.indices)
    if types.is_run_end_encoded(kind):
        return _run_out(array)
    if types.is_float16(kind):
        return array.cast(pa.float32())
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return array.cast(pa.string() if types.is_string_view(kind) else pa.binary())
    return array.cast(pa.decimal128(_WIDE_DIGITS, kind.scale))


def _laid_out(array: pa.Array) -> pa.Array:
    while _is_layout(array.type):
        array = _plain(array)
    return array


def _stored(array: pa.Array) -> pa.Array:
    """Return what an extension array stores: a truth value or the text of a UUID where it is one.

    >>> one = pa.array([uuid.UUID(int=1).bytes], pa.uuid())
    >>> _stored(one).to_pylist()
    ['00000000-0000-0000-0000-000000000001']
    """
    name = getattr(array.type, "extension_name", "")
    if name == "arrow.bool8":
        return pc.not_equal(array.storage, pa.scalar(0, pa.int8()))
    if name == "arrow.uuid":
        texts = [None if raw is None else str(uuid.UUID(bytes=raw)) for raw in _raw(array.storage)]
        return pa.array(texts, pa.string())
    return array.storage


def _raw(array: pa.Array) -> list[bytes | None]:
    raw: list[bytes | None] = array.to_pylist()
    return raw


def _run_out(array: pa.Array) -> pa.Array:
    """Write out runs, also of values for which Arrow has no way of its own."""
    ends = np.asarray(array.run_ends).astype(np.int64)
    runs = np.searchsorted(ends, np.arange(array.offset, array.offset + len(array)), side="right")
    return _laid_out(array.values).take(pa.array(runs))


def _without_nan(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type) and pa.types.is_floating(column.type.value_type):
        return _without_nan(column.cast(column.type.value_type))
    if not pa.types.is_floating(column.type):
        return column
    missing = pc.is_nan(column)
    column = pc.add(column, pa.scalar(0.0, column.type))  # -0.0 is 0.0
    if not pc.any(missing).as_py():
        return column
    return pc.if_else(missing, pa.scalar(None, column.type), column)


def unreadable(column: pa.ChunkedArray, name: str) -> Fault | None:
    """Return whether a column holds dates that no calendar has, an unknown zone, or broken text."""
    problem = _unreadable(column)
    if problem is None:
        return None
    return Fault(f"column {name!r}", f"its values ({_short(column.type)}) {problem}", _CONVERT)


def _short(kind: pa.DataType) -> str:
    text = str(kind)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _unreadable(column: pa.ChunkedArray) -> str | None:
    """Say why the values of a column cannot be read; None if they can."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _first(pa.chunked_array([chunk.dictionary]) for chunk in column.chunks)
    if pa.types.is_nested(kind) and not _can_be_reordered(column):
        return "cannot be put into another order"
    if pa.types.is_nested(kind):
        return _first(part for chunk in column.chunks for part in _parts(chunk))
    if pa.types.is_temporal(kind):
        return _odd_moment(column)
    if any(is_text(kind) for is_text in _TEXTS) and not _is_text(column):
        return "are not all UTF-8 text"
    return None


def _odd_moment(column: pa.ChunkedArray) -> str | None:
    kind = column.type
    if pa.types.is_timestamp(kind):
        return _odd_zone(kind) or _out_of_calendar(column, _UNITS[kind.unit])
    if pa.types.is_date(kind):
        return _out_of_calendar(column, None if pa.types.is_date32(kind) else _UNITS["ms"])
    if pa.types.is_time(kind) and not _within(column, 0, _DAY * _UNITS[kind.unit] - 1):
        return "hold times outside a day"
    if pa.types.is_duration(kind) and not _within(column, *_lengths(_UNITS[kind.unit])):
        return "hold lengths of time beyond a billion days"
    return None


def _first(parts: Iterable[pa.ChunkedArray]) -> str | None:
    return next(filter(None, map(_unreadable, parts)), None)


def _parts(array: pa.Array) -> Iterator[pa.ChunkedArray]:
    """Name the columns that lists, records, maps or unions are made of."""
    kind = array.type
    if pa.types.is_struct(kind) or pa.types.is_union(kind):
        inner = [array.field(place) for place in range(kind.num_fields)]
    elif pa.types.is_map(kind):
        inner = [array.keys, array.items]
    else:
        inner = [array.values]
    yield from (_plain_column(pa.chunked_array([part])) for part in inner)


def _is_text(column: pa.ChunkedArray) -> bool:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _within(column: pa.ChunkedArray, least: int, most: int) -> bool:
    """Return whether all that is known lies between two whole numbers."""
    if pa.types.is_time32(column.type) or pa.types.is_date32(column.type):
        column = column.cast(pa.int32())
    ends: dict[str, Any] = pc.min_max(column.cast(pa.int64())).as_py()
    return ends["min"] is None or (least <= ends["min"] and ends["max"] <= most)


def _lengths(per_second: int) -> tuple[int, int]:
    longest = min(999_999_999 * _DAY * per_second, 2**63 - 1)
    return -longest, longest


def _odd_zone(kind: pa.DataType) -> str | None:
    if not kind.tz:
        return None
    try:
        pa.array([0], kind).cast(pa.string())
        pa.array([0], kind).to_pylist()
    except (pa.ArrowInvalid, ValueError, KeyError):
        return f"have a time zone that is not known, {kind.tz!r}"
    return None


def _out_of_calendar(column: pa.ChunkedArray, per_second: int | None) -> str | None:
    """Return whether some date lies outside the years 1 to 9999, with a day to spare for zones."""
    each = 1 if per_second is None else _DAY * per_second
    first, last = (int(day.astype(np.int64)) for day in (_FIRST, _LAST))
    zoned = pa.types.is_timestamp(column.type) and column.type.tz
    spare = each if zoned else 0
    least, most = max(first * each, -(2**63)) + spare, min((last + 1) * each, 2**63) - 1 - spare
    return None if _within(column, least, most) else "hold dates outside the years 1 to 9999"
