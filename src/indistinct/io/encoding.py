"""From a column to integers: its distinct values as text, their counts, and a code per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault
from indistinct.hierarchy import Domain
from indistinct.io.arrow import dictionary_of, numbers_of
from indistinct.io.plain import unreadable
from indistinct.io.texts import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_BYTES = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)


@dataclass(frozen=True, eq=False)
class Encoded:
    """A column as a code per row into its distinct values, with the missing value last."""

    domain: Domain
    codes: NDArray[np.int32]


def encode(column: pa.ChunkedArray, name: str, weights: NDArray[np.int64] | None = None) -> Encoded:
    """Number the distinct values of a column, and count the rows of each.

    Text comes out as it is, whole floats as whole numbers, dates in ISO form; a null is a value of
    its own. `weights` says how many rows each entry of the column stands for.
    """
    if not comparable(column.type):
        raise DataError(_not_values(column.type, name))
    try:
        indices, values = _numbered(column)
        if fault := unreadable(pa.chunked_array([values]), name):
            raise DataError(fault)
        texts = as_text(values)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, UnicodeDecodeError):
        raise DataError(_not_values(column.type, name)) from None
    if indices.null_count:
        codes = numbers_of(pc.fill_null(indices, pa.scalar(len(texts), pa.int32())))
        texts = [*texts, None]
    else:
        codes = numbers_of(indices)
    codes = np.ascontiguousarray(codes, dtype=np.int32)
    texts, codes = _joined_texts(texts, codes)
    counts = np.bincount(codes, weights, minlength=len(texts)).astype(np.int64)
    return _only_present(texts, codes, counts)


def comparable(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds values, not lists, records or bytes."""
    return not (pa.types.is_nested(kind) or any(is_bytes(kind) for is_bytes in _BYTES))


def refuse_incomparable(schema: pa.Schema, names: Sequence[str]) -> None:
    """Raise if columns hold no values that could be counted."""
    kinds = {name: schema.field(name).type for name in names}
    if faults := [_not_values(kind, n) for n, kind in kinds.items() if not comparable(kind)]:
        raise DataError(faults)


def _not_values(kind: pa.DataType, name: str) -> Fault:
    return Fault(
        f"column {name!r}",
        f"values of type {kind} cannot be generalized or compared",
        "Turn the column into text, numbers or dates first, or drop it.",
    )


def _numbered(column: pa.ChunkedArray) -> tuple[pa.Array, pa.Array]:
    column = dictionary_of(column)
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    return array.indices.cast(pa.int32()), array.dictionary


def _joined_texts(
    texts: list[str | None], codes: NDArray[np.int32]
) -> tuple[list[str | None], NDArray[np.int32]]:
    """Give values that read the same one code."""
    seen: dict[str | None, int] = {}
    places = np.array([seen.setdefault(text, len(seen)) for text in texts], dtype=np.int32)
    if len(seen) == len(texts):
        return texts, codes
    return list(seen), places[codes]


def _only_present(
    texts: list[str | None], codes: NDArray[np.int32], counts: NDArray[np.int64]
) -> Encoded:
    present = counts > 0
    if present.all():
        return Encoded(Domain(tuple(texts), counts), codes)
    place = (np.cumsum(present) - 1).astype(np.int32)
    kept = tuple(text for text, here in zip(texts, present, strict=True) if here)
    return Encoded(Domain(kept, counts[present]), place[codes])
