"""From a column to integers: its distinct values as text, their counts, and a code per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from coarsen.errors import DataError, Fault
from coarsen.hierarchy import Domain

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Encoded:
    """A column as a code per row into its distinct values, with the missing value last."""

    domain: Domain
    codes: NDArray[np.int32]


def encode(column: pa.ChunkedArray, name: str) -> Encoded:
    """Number the distinct values of a column.

    Text comes out as it is, whole floats as whole numbers, dates in ISO form; a null is a value of
    its own.
    """
    _refuse_nested(column.type, name)
    indices, values = _numbered(column)
    texts = as_text(values)
    if indices.null_count:
        codes = pc.fill_null(indices, len(texts)).to_numpy(zero_copy_only=False)
        texts = [*texts, None]
    else:
        codes = indices.to_numpy()
    codes = np.ascontiguousarray(codes, dtype=np.int32)
    texts, codes = _joined_texts(texts, codes)
    counts = np.bincount(codes, minlength=len(texts)).astype(np.int64)
    return _only_present(texts, codes, counts)


def as_text(values: pa.Array) -> list[str | None]:
    """Write distinct values as text."""
    texts: list[str | None] = pc.cast(values, pa.string()).to_pylist()
    if pa.types.is_timestamp(values.type):
        return [None if text is None else _short_time(text) for text in texts]
    return texts


def _short_time(text: str) -> str:
    """Leave out of a time what is zero: fractions of seconds, and midnight."""
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.removesuffix(" 00:00:00")


def _refuse_nested(kind: pa.DataType, name: str) -> None:
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise DataError(
            Fault(
                f"column {name!r}",
                f"values of type {kind} cannot be coarsened or compared",
                "Turn the column into text, numbers or dates first, or drop it.",
            )
        )


def _numbered(column: pa.ChunkedArray) -> tuple[pa.Array, pa.Array]:
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    else:
        column = column.dictionary_encode()
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    return array.indices, array.dictionary


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
