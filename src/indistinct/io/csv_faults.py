"""What is wrong with a CSV file: a slow second look that names the line, never what is in it."""

from __future__ import annotations

import codecs
import csv
import io
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import Fault
from indistinct.io.charsets import looks_like
from indistinct.io.packing import packing_of, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

LISTED = 100
_QUOTE = ord('"')


def look_again(path: Path, delimiter: str, encoding: str, expected: int) -> list[Fault]:
    """Find lines with a wrong number of fields, and a quoted field that does not end."""
    readable = "utf-8-sig" if encoding.lower().replace("_", "-") in {"utf-8", "utf8"} else encoding
    with (
        read_bytes(path) as raw,
        io.TextIOWrapper(raw, encoding=readable, newline="") as handle,
        _fields_of_any_length(),
    ):
        try:
            return _faults(path, csv.reader(handle, delimiter=delimiter, strict=True), expected)
        except UnicodeError:
            return [wrong_byte(path, encoding)]


def _faults(path: Path, reader: Any, expected: int) -> list[Fault]:
    faults: list[Fault] = []
    more, begins = 0, 1
    try:
        for fields in reader:
            if fields and len(fields) != expected:
                more += len(faults) >= LISTED
                if len(faults) < LISTED:
                    faults.append(_ragged(path, begins, len(fields), expected))
            begins = reader.line_num + 1
    except csv.Error:
        faults.append(_broken_quotes(path, begins))
    if more:
        faults.append(Fault(str(path), f"{more:,} more lines have a wrong number of fields"))
    return faults


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    usual = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _ragged(path: Path, line: int, actual: int, expected: int) -> Fault:
    fields = "1 field" if actual == 1 else f"{actual} fields"
    return Fault(
        f"{path}, line {line}",
        f"it has {fields} where the header has {expected}",
        "Correct the line; a field with the delimiter in it needs quotes.",
    )


def _broken_quotes(path: Path, line: int) -> Fault:
    return Fault(
        f"{path}, line {line}",
        "a quoted field that begins in this row does not end where a field should",
        'Close every quotation mark; write a " within a quoted field twice.',
    )


def quotes_pair_up(path: Path, delimiter: str) -> bool:
    """Return whether every quotation mark surely begins a field, ends one, or is doubled.

    A field that is never closed would swallow the rows after it without a word.
    """
    from indistinct.io.csv_faults_kernel import quotes_close

    data = _bytes_of(path)
    starts = len(codecs.BOM_UTF8) if data[:3].tobytes() == codecs.BOM_UTF8 else 0
    edge = np.zeros(256, dtype=bool)
    edge[[_QUOTE, *b"\r\n", *delimiter.encode()]] = True
    return bool(quotes_close(data[starts:], edge))


def _bytes_of(path: Path) -> NDArray[np.uint8]:
    if packing_of(path) is None:
        return np.memmap(path, dtype=np.uint8, mode="r")
    with read_bytes(path) as handle:
        return np.frombuffer(handle.read(), dtype=np.uint8)


def wrong_byte(path: Path, encoding: str) -> Fault:
    """Return where a byte does not fit the encoding, and which encoding the file is likely in."""
    if "\n".encode(encoding) != b"\n":
        return Fault(str(path), f"it is not {encoding} text", _say(looks_like(path), encoding))
    with read_bytes(path) as handle:
        for number, line in enumerate(handle, start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as wrong:
                return Fault(
                    f"{path}, line {number}",
                    f"byte {wrong.start + 1} (0x{line[wrong.start]:02x}) is not {encoding}",
                    _say(looks_like(path, line), encoding),
                )
    return Fault(str(path), f"it is not {encoding} text", _say(looks_like(path), encoding))


def _say(likely: str, encoding: str) -> str:
    if codecs.lookup(likely) == codecs.lookup(encoding):
        return "It may be damaged, or in another encoding: say which, such as --encoding cp1252."
    return (
        f"It looks like {likely}: say --encoding {likely}, or encoding = {likely!r} under [input]; "
        "then look whether its letters are right."
    )
