"""Packed files: unpacked as they are read, in memory, and packed as they are written."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.errors import DataError, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKINGS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
OTHER_PACKINGS = {".lz4", ".br", ".xz", ".zip", ".7z"}


def packing_of(path: Path) -> str | None:
    """Name how a file is packed, by its name; None if it is not."""
    return PACKINGS.get(path.suffix.lower())


def inner_suffix(path: Path) -> str:
    """Return how the name of a file ends, packing aside.

    >>> from pathlib import Path
    >>> inner_suffix(Path("people.CSV.gz")), inner_suffix(Path("people.tsv"))
    ('.csv', '.tsv')
    """
    return (path.with_suffix("") if packing_of(path) else path).suffix.lower()


def ending(path: Path) -> str:
    """Return all that the name of a file says of its format.

    >>> from pathlib import Path
    >>> ending(Path("a.b.tsv.gz")), ending(Path("a.b.tsv"))
    ('.tsv.gz', '.tsv')
    """
    return "".join(path.suffixes[-2:]) if packing_of(path) else path.suffix


def for_arrow(path: Path) -> Any:
    """Return what Arrow reads a file from: its path, or a stream that unpacks it."""
    packing = packing_of(path)
    return path if packing is None else pa.input_stream(path, compression=packing)


def read_bytes(path: Path) -> Any:
    """Open a file to read what is in it, unpacked."""
    return io.BufferedReader(for_arrow(path)) if packing_of(path) else path.open("rb")


@contextmanager
def write_bytes(path: Path) -> Iterator[Any]:
    """Open a file to write to, packed if its name says so; the same bytes for the same content."""
    packing = packing_of(path)
    if packing is None:
        with path.open("wb") as handle:
            yield handle
        return
    try:
        with io.BufferedWriter(pa.output_stream(path, compression=packing)) as handle:
            yield handle
    except pa.ArrowException as error:  # a packer that is closed after a failure fails once more
        if isinstance(first := error.__context__, OSError):
            raise first from None
        raise OSError(str(error)) from None


@contextmanager
def telling_broken(path: Path) -> Iterator[None]:
    """Say that a file cannot be read, or if it is packed, that it cannot be unpacked."""
    try:
        yield
    except (OSError, pa.ArrowInvalid) as error:
        if packing_of(path) is None:
            if isinstance(error, pa.ArrowInvalid):
                raise
            reason = f"it cannot be read: {(error.strerror or str(error)).lower()}"
            raise DataError(Fault(str(path), reason, "Give a file that can be read.")) from None
        problem = f"it cannot be unpacked: it is not a {packing_of(path)} file, or not all of one"
        raise DataError(Fault(str(path), problem, "Get it again, or unpack it first.")) from None
