"""Reading CSV: every column as text, every fault with its line and without the row's content."""

from __future__ import annotations

import codecs
import csv as text_csv
import io
import mmap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import csv

from indistinct.errors import DataError, Fault
from indistinct.io.charsets import looks_like, marked_encoding, refuse_unknown
from indistinct.io.csv_faults import look_again, quotes_pair_up, wrong_byte
from indistinct.io.packing import for_arrow, packing_of, read_bytes
from indistinct.io.plain import refuse_repeated

if TYPE_CHECKING:
    from pathlib import Path

DELIMITERS = ",;\t|"
SAMPLE = 1 << 20
BLOCK = 1 << 23
TEXT = pa.dictionary(pa.int32(), pa.string())


def sniff_encoding(path: Path) -> str:
    """Return the encoding by the byte-order mark; UTF-8 where there is none."""
    with read_bytes(path) as handle:
        return marked_encoding(handle.read(4)) or "utf-8"


def sniff_delimiter(path: Path, encoding: str) -> str:
    """Find the delimiter that splits the header, outside quotes, into most fields.

    Where none does, there is one column: then one that splits no row of the sample either.
    """
    sample = _sample(path, encoding)
    best = max(DELIMITERS, key=lambda mark: len(_header(sample, mark)))
    if len(_header(sample, best)) > 1:
        return best
    return next((mark for mark in DELIMITERS if not _splits(sample, mark)), best)


def _splits(sample: str, delimiter: str) -> bool:
    """Return whether a delimiter splits a row of a sample, whose last line may be cut off."""
    records = text_csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        return any(len(fields) > 1 for fields in records)
    except text_csv.Error:
        return True


def _sample(path: Path, encoding: str) -> str:
    refuse_unknown(encoding, path)
    with read_bytes(path) as handle:
        raw = handle.read(SAMPLE).removeprefix(codecs.BOM_UTF8)
    try:
        return codecs.getincrementaldecoder(encoding)(errors="replace").decode(raw)
    except (UnicodeError, LookupError):
        raise DataError(wrong_byte(path, encoding)) from None


def _header(sample: str, delimiter: str) -> list[str]:
    """Return the fields of the first line that is not blank; one of them may hold a line end."""
    records = text_csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        return next((fields for fields in records if fields), [])
    except text_csv.Error:
        return []


def read_header(path: Path, delimiter: str, encoding: str) -> list[str]:
    """Return the names of the columns; raise if they cannot be made out, or two are equal."""
    names = _header(_sample(path, encoding), delimiter)
    _refuse_binary(path, names)
    _refuse_wrong_delimiter(path, names, delimiter)
    refuse_repeated(names, str(path))
    refuse_unnamed(path, names)
    return names


def read_csv(
    path: Path,
    delimiter: str,
    encoding: str,
    missing: tuple[str, ...],
    *,
    columns: list[str] | None = None,
    line_breaks: bool | None = None,
    quoted_missing: bool = True,
) -> pa.Table:
    """Read a CSV file, or some columns of it, as dictionary-encoded text.

    Fields in quotes are missing values too, if they say so and `quoted_missing`.
    """
    names = read_header(path, delimiter, encoding)
    how = _Parsing(path, delimiter, encoding, missing, columns, line_breaks, quoted_missing)
    return how.read(names)


@dataclass(frozen=True)
class _Parsing:
    """How to parse one file."""

    path: Path
    delimiter: str
    encoding: str
    missing: tuple[str, ...]
    columns: list[str] | None
    line_breaks: bool | None
    quoted_missing: bool

    def read(self, names: list[str]) -> pa.Table:
        """Return the table; raise with all rows that have a wrong number of fields."""
        quotes = _has_quotes(self.path)
        parse = csv.ParseOptions(
            delimiter=self.delimiter,
            newlines_in_values=quotes if self.line_breaks is None else self.line_breaks,
            ignore_empty_lines=len(names) > 1,
        )
        read = csv.ReadOptions(encoding=self.encoding, block_size=BLOCK)
        try:
            table = csv.read_csv(for_arrow(self.path), read, parse, self._as_text(names))
            as_expected = table.column_names == (self.columns or names)
        except (pa.ArrowInvalid, pa.ArrowKeyError, UnicodeError) as error:
            faults = look_again(self.path, self.delimiter, self.encoding, len(names))
            if not faults and "Empty CSV" in str(error):
                return pa.table({name: pa.array([], TEXT) for name in self.columns or names})
            raise DataError(faults or _unreadable(self.path, self.encoding, error)) from None
        if quotes:
            self._refuse_open_quotes(len(names))
        if not as_expected:
            place = f"{self.path}, header"
            raise DataError(Fault(place, "it cannot be parsed", "Check its quotes."))
        return table

    def _refuse_open_quotes(self, expected: int) -> None:
        if self.line_breaks is not None or quotes_pair_up(self.path, self.delimiter):
            return
        faults = look_again(self.path, self.delimiter, self.encoding, expected)
        if faults:
            raise DataError(faults)

    def _as_text(self, names: list[str]) -> csv.ConvertOptions:
        return csv.ConvertOptions(
            column_types=dict.fromkeys(names, TEXT),
            include_columns=self.columns,
            null_values=list(self.missing),
            strings_can_be_null=True,
            quoted_strings_can_be_null=self.quoted_missing,
        )


def _has_quotes(path: Path) -> bool:
    if packing_of(path):
        with read_bytes(path) as handle:
            return any(b'"' in part for part in iter(lambda: handle.read(SAMPLE), b""))
    with path.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(b'"') >= 0


def _refuse_binary(path: Path, names: list[str]) -> None:
    if any("\0" in name for name in names):
        raise DataError(
            Fault(
                str(path),
                "it is not text",
                f"Give a CSV or Parquet file; if it is text, try --encoding {looks_like(path)}.",
            )
        )


def _refuse_wrong_delimiter(path: Path, names: list[str], delimiter: str) -> None:
    if len(names) != 1:
        return
    for other in DELIMITERS:
        if other != delimiter and len(_header(names[0], other)) > 1:
            raise DataError(
                Fault(
                    str(path),
                    f"with delimiter {delimiter!r} the header is a single field; "
                    f"it looks separated by {other!r}",
                    f"Set delimiter = {other!r}, or omit it to have it detected.",
                )
            )


def refuse_unnamed(path: Path, names: list[str]) -> None:
    """Raise if there is no header, or a column in it has no name."""
    if not names:
        raise DataError(Fault(str(path), "it has no header", "Begin it with the column names."))
    unnamed = [place + 1 for place, name in enumerate(names) if not name.strip()]
    if unnamed:
        raise DataError(
            Fault(f"{path}, header", f"field {place} has no name", "Name every column.")
            for place in unnamed
        )


def _unreadable(path: Path, encoding: str, error: Exception) -> Fault:
    """Report what is wrong, and where; never show the row."""
    if isinstance(error, UnicodeError) or "UTF8" in str(error):
        return wrong_byte(path, encoding)
    kind = "a field that never ends" if "straddling" in str(error) else "it is not a CSV table"
    return Fault(str(path), f"{kind}, as far as the parser can tell", "Check its quotes.")
