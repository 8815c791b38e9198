"""Writing CSV: quotes only where a field needs them, part by part, on both cores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from indistinct.io.encoding import encode
from indistinct.io.formulas import guarded
from indistinct.io.packing import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

AT_ONCE = 1 << 16
BYTES_AT_ONCE = 1 << 26
LINE_END = "\n"
MOST_TOGETHER = 1 << 14


def write_csv(
    columns: pa.Table, order: NDArray[np.intp], path: Path, delimiter: str, *, guard: bool = False
) -> bool:
    """Write the rows of a table in an order; return whether a field may hold a line break.

    A missing value is an empty field, an empty text a pair of quotes. With `guard`, no field begins
    as a formula of a spreadsheet does.
    """
    fused = _fused(columns, delimiter, guard=guard)
    with write_bytes(path) as handle:
        names = (guarded(name) if guard else name for name in columns.column_names)
        header = delimiter.join(quoted(name, delimiter) for name in names)
        handle.write((header + LINE_END).encode())
        for part in _parts(fused, order):
            handle.write(part.data)
    texts = (text[:-1] for _, written in fused for text in written)
    return any(b"\n" in text or b"\r" in text for text in (header.encode(), *texts))


def quoted(field: str, delimiter: str) -> str:
    """Put a field in quotes if it would be misread without them.

    >>> quoted("plain", ","), quoted("a,b", ","), quoted('6" pipe', ",")
    ('plain', '"a,b"', '"6"" pipe"')
    """
    marks = (delimiter, '"', "\n", "\r")
    if any(mark in field for mark in marks) or field != field.strip():
        return '"' + field.replace('"', '""') + '"'
    return field


def _parts(
    fused: list[tuple[NDArray[np.int32], list[bytes]]], order: NDArray[np.intp]
) -> Iterator[NDArray[np.uint8]]:
    from indistinct.io.csv_writing_kernel import render

    labels = np.empty((fused[0][0].size, len(fused)), dtype=np.int32)
    fields: list[bytes] = []
    for place, (codes, texts) in enumerate(fused):
        np.add(codes, len(fields), out=labels[:, place], casting="unsafe")
        fields += texts
    widest = sum(max(map(len, texts), default=0) for _, texts in fused)
    starts = np.cumsum([0, *map(len, fields)], dtype=np.int64)
    text = np.frombuffer(bytearray(b"".join(fields)), dtype=np.uint8)
    rows = order.astype(np.int64)
    step = max(1, min(AT_ONCE, BYTES_AT_ONCE // max(1, widest)))
    with ThreadPoolExecutor(max_workers=2) as pool:
        yield from pool.map(
            lambda first: render(rows[first : first + step], labels, starts, text, widest),
            range(0, rows.size, step),
        )


def _fused(
    columns: pa.Table, delimiter: str, *, guard: bool
) -> list[tuple[NDArray[np.int32], list[bytes]]]:
    """Write out every field a column can hold; join neighbouring columns that have few together.

    A released row is a few long pieces rather than many short ones.
    """
    fused: list[tuple[NDArray[np.int32], list[bytes]]] = []
    for place, name in enumerate(columns.column_names):
        encoded = encode(columns.column(name), name)
        follows = (LINE_END if place == columns.num_columns - 1 else delimiter).encode()
        values = encoded.domain.values
        if guard:
            values = tuple(None if value is None else guarded(value) for value in values)
        texts = [_field(value, delimiter) + follows for value in values]
        if fused and len(fused[-1][1]) * len(texts) <= MOST_TOGETHER:
            codes, before = fused.pop()
            together = [left + right for left in before for right in texts]
            fused.append((codes * np.int32(len(texts)) + encoded.codes, together))
        else:
            fused.append((encoded.codes, texts))
    return fused


def _field(value: str | None, delimiter: str) -> bytes:
    return b"" if value is None else quoted(value, delimiter).encode() or b'""'
