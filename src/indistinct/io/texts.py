"""The texts that values are published as: what a CSV file shows, and what is hashed of a release.

Workers of a cluster are sent what is here, and need not have it: it is built on Arrow alone.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BYTES = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
_TEXTS = (pa.types.is_string, pa.types.is_large_string)
_ALIKE = (*_TEXTS, pa.types.is_integer, pa.types.is_boolean, pa.types.is_date32)
_FRACTION = re.compile(r"(?:(\.\d*[1-9])|\.)0*(Z|[+-]\d{4}|$)")


def as_text(values: pa.Array) -> list[str | None]:
    """Write distinct values as text."""
    texts: list[str | None] = pc.cast(values, pa.string()).to_pylist()
    if pa.types.is_timestamp(values.type) or pa.types.is_time(values.type):
        return [None if text is None else short_time(text) for text in texts]
    return texts


def short_time(text: str) -> str:
    """Leave out of a time what is zero: fractions of seconds, and midnight.

    >>> short_time("2020-01-31 12:30:00.500"), short_time("2020-01-31 00:00:00.000")
    ('2020-01-31 12:30:00.5', '2020-01-31')
    >>> short_time("2020-01-31 12:30:00.000Z"), short_time("2020-01-31 12:30:00.250+0100")
    ('2020-01-31 12:30:00Z', '2020-01-31 12:30:00.25+0100')
    """
    return _FRACTION.sub(r"\1\2", text, count=1).removesuffix(" 00:00:00")


def written_alike(kind: pa.DataType) -> bool:
    """Return whether every engine casts values of this type to the texts that we publish."""
    return any(is_of(kind) for is_of in _ALIKE)


def published_texts(values: pa.Array) -> pa.Array:
    """Return the texts of values as bytes; what CSV files do not hold is written here alone.

    Times with a zone are those of UTC, bytes are hexadecimal digits, lists and records are JSON.

    >>> published_texts(pa.array([0.5, 2.0, None])).to_pylist()
    [b'0.5', b'2', None]
    """
    kind = values.type
    if any(is_text(kind) for is_text in _TEXTS):
        return values.cast(pa.large_binary())
    if any(is_bytes(kind) for is_bytes in _BYTES):
        texts = [None if value is None else value.hex() for value in values.to_pylist()]
    elif pa.types.is_nested(kind):
        texts = [None if v is None else json.dumps(v, default=str) for v in values.to_pylist()]
    elif not (pa.types.is_timestamp(kind) or pa.types.is_time(kind)) and _castable(kind):
        return pc.cast(values, pa.string()).cast(pa.large_binary())
    else:
        in_utc = pa.types.is_timestamp(kind) and kind.tz is not None
        texts = _tried(values.cast(pa.timestamp(kind.unit, "UTC")) if in_utc else values)
    return pa.array(texts, pa.string()).cast(pa.large_binary())


def _castable(kind: pa.DataType) -> bool:
    return any((pa.types.is_primitive(kind), pa.types.is_decimal(kind), pa.types.is_null(kind)))


def _tried(values: pa.Array) -> list[str | None]:
    """Write values as text; those of a type that has none as Python does."""
    try:
        return as_text(values)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return [None if value is None else str(value) for value in values.to_pylist()]


def writer(
    places: frozenset[int],
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what writes some columns of batches as text, by their places."""

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            columns = [
                published_texts(column).cast(pa.string()) if place in places else column
                for place, column in enumerate(batch.columns)
            ]
            yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)

    return write
