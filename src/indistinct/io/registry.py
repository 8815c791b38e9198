"""The file formats that are known: a new one is its own file, and a line here."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from indistinct.errors import DataError, Fault
from indistinct.io.base import WrittenFormat
from indistinct.io.csv import CSV
from indistinct.io.feather import Arrow
from indistinct.io.packing import OTHER_PACKINGS, ending, inner_suffix, packing_of
from indistinct.io.parquet import Parquet
from indistinct.io.spreadsheets import Spreadsheet
from indistinct.io.statistical import Statistical

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indistinct.io.base import Format

TEXT = CSV()
"""What a file is read as if its name says nothing else."""

FORMATS: tuple[Format, ...] = (
    TEXT,
    Parquet(),
    Arrow(),
    Spreadsheet(),
    Statistical(),
)

WRITTEN = {form.name: form for form in FORMATS if isinstance(form, WrittenFormat)}
_BY_ENDING = {ending: form for form in FORMATS for ending in form.endings}

RECORDS = frozenset({".json", ".jsonl", ".xml"})
OTHERS = RECORDS | {".html", ".orc", ".rds", ".db", ".sqlite"}
"""Endings of files that are no delimited text, and that we know no more of."""


def listed(names: Sequence[str]) -> str:
    """Put names in a row.

    >>> listed([".csv", ".csv.gz", ".parquet"])
    '.csv, .csv.gz or .parquet'
    """
    return " or ".join([", ".join(names[:-1]), *names[-1:]] if len(names) > 1 else names)


READABLE = listed(list(chain.from_iterable(form.called for form in FORMATS)))
ADVISED = listed(list(chain.from_iterable(form.advised for form in WRITTEN.values())))


def format_of(path: Path) -> Format:
    """Return the format of a file to be read, by its name; raise if such files are not read."""
    suffix = inner_suffix(path)
    form = _BY_ENDING.get(suffix, TEXT)
    if (form is TEXT and suffix in OTHERS) or (packing_of(path) and not form.packs):
        trees = " For tree records use indistinct tree."
        remedy = f"Save it as CSV or Parquet.{trees if suffix in RECORDS else ''}"
        packed = "packed " if packing_of(path) else ""
        raise DataError(Fault(str(path), f"no {packed}{suffix} files are read", remedy))
    return form


def format_to_write(path: Path) -> WrittenFormat:
    """Return the format to write a file in, by its name."""
    form = _BY_ENDING.get(inner_suffix(path))
    return form if isinstance(form, WrittenFormat) else TEXT


def unwritable(path: Path) -> str | None:
    """Return how the name of a table ends that we cannot write; None if we can."""
    suffix = inner_suffix(path)
    form = _BY_ENDING.get(suffix, TEXT)
    if (form is TEXT and suffix in OTHERS) or form.name not in WRITTEN:
        return ending(path)
    if packing_of(path) and not form.packs:
        return ending(path)
    return path.suffix if path.suffix.lower() in OTHER_PACKINGS else None
