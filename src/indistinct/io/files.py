"""Files: tables in and out, with faults told by line, and nothing half-written."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from indistinct.drafts import sweep
from indistinct.errors import DataError, Fault, OutputError
from indistinct.io.csv_reading import read_csv, sniff_delimiter, sniff_encoding
from indistinct.io.csv_writing import write_csv
from indistinct.io.formulas import guarded, without_guards
from indistinct.io.missing import without_markers
from indistinct.io.packing import (
    OTHER_PACKINGS,
    ending,
    inner_suffix,
    packing_of,
    telling_broken,
)
from indistinct.io.plain import clean, decoded, refuse_repeated
from indistinct.io.spreadsheets import SHEETS, read_spreadsheet
from indistinct.io.statistical import READERS, read_statistical

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

READ = "Give a file with a header: CSV, Parquet, Excel, SPSS, Stata or SAS."
PARQUET = {".parquet", ".pq"}
OTHER_KINDS = {".json", ".jsonl", ".xml", ".html", ".feather", ".arrow"}
OTHER_KINDS |= {".orc", ".rds", ".db", ".sqlite"}
RECORDS = {".json", ".jsonl", ".xml"}


@dataclass(frozen=True)
class FileFormat:
    """How a table lies in a file.

    Attributes
    ----------
    missing
        Texts that mean a missing value; None for the empty field of a text file, and no text
        elsewhere.
    ours
        Whether it is a CSV file as we write them: an empty field is missing, a pair of quotes is an
        empty text.
    guarded
        Whether an apostrophe stands before what a spreadsheet would take for a formula.
    """

    kind: str
    delimiter: str = ","
    encoding: str = "utf-8"
    missing: tuple[str, ...] | None = None
    sheet: str | None = None
    ours: bool = False
    guarded: bool = False


def format_of(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: tuple[str, ...] | None = None,
    sheet: str | None = None,
) -> FileFormat:
    """Tell the format of an existing file by its name, its delimiter and encoding by a look."""
    require_readable(path)
    if path.suffix.lower() in PARQUET:
        return FileFormat("parquet", missing=missing)
    if path.suffix.lower() in READERS:
        return FileFormat("statistical", missing=missing)
    if path.suffix.lower() in SHEETS:
        return FileFormat("spreadsheet", missing=missing, sheet=sheet)
    _refuse_other_kinds(path)
    with telling_broken(path):
        chosen = encoding or sniff_encoding(path)
        between = delimiter or sniff_delimiter(path, chosen)
        return FileFormat("csv", between, chosen, missing)


def require_readable(path: Path, remedy: str = READ) -> None:
    """Raise if the file is not there, is none, is empty, packed otherwise, or may not be read."""
    try:
        problem, remedy = _unreadable(path, remedy)
    except (OSError, ValueError) as error:
        problem, remedy = no_path(error), "Check the path."
    if problem:
        raise DataError(Fault(str(path), problem, remedy))


def _unreadable(path: Path, remedy: str) -> tuple[str | None, str]:
    problem = None
    if str(path) == "-":
        problem, remedy = "nothing is read from standard input", "Save it as a file first."
    elif not path.exists():
        problem = "there is no such file"
    elif path.is_dir():
        problem = "it is a folder, not a file"
    elif not path.is_file():
        problem, remedy = "it is a device or a pipe, not a file", "Save it as a file first."
    elif path.stat().st_size == 0:
        problem = "the file is empty"
    elif path.suffix.lower() in OTHER_PACKINGS:
        problem = "it is compressed, and has to be unpacked first"
    elif not os.access(path, os.R_OK):
        problem = "you may not read it"
    return problem, remedy


def _refuse_other_kinds(path: Path) -> None:
    suffix = inner_suffix(path)
    if suffix in {*OTHER_KINDS, *PARQUET, *READERS, *SHEETS}:
        trees = " Records that are trees have verbs of their own: indistinct tree."
        remedy = f"Save it as CSV or Parquet.{trees if suffix in RECORDS else ''}"
        packed = "packed " if packing_of(path) else ""
        raise DataError(Fault(str(path), f"no {packed}{suffix} files are read", remedy))


def read_file(
    path: Path,
    form: FileFormat,
    columns: list[str] | None = None,
    *,
    line_breaks: bool | None = None,
) -> pa.Table:
    """Read a table, or some columns of it.

    Columns of a CSV file come as text, so that nothing is changed by reading. Of a file that we
    wrote we know whether fields hold `line_breaks`, and do not doubt its quotation marks.
    """
    if form.kind == "parquet":
        return without_markers(_read_parquet(path, columns), form.missing or ())
    if form.kind == "statistical":
        return without_markers(read_statistical(path, columns), form.missing or ())
    if form.kind == "spreadsheet":
        return read_spreadsheet(path, columns, form.sheet, form.missing or ())
    named = [guarded(name) for name in columns] if columns and form.guarded else columns
    with telling_broken(path):
        table = read_csv(
            path,
            form.delimiter,
            form.encoding,
            ("",) if form.missing is None else form.missing,
            columns=named,
            line_breaks=line_breaks,
            quoted_missing=not form.ours,
        )
    return without_guards(table) if form.guarded else table


def _read_parquet(path: Path, columns: list[str] | None) -> pa.Table:
    import pyarrow.parquet as pq

    try:
        refuse_repeated(pq.read_schema(path).names, str(path))
        return clean(pq.read_table(path, columns=columns).replace_schema_metadata(None))
    except (pa.ArrowInvalid, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise DataError(
            Fault(str(path), f"it cannot be read as Parquet: {reason}", "Write the file anew.")
        ) from None


def write_rows(columns: pa.Table, order: NDArray[np.intp], path: Path, form: FileFormat) -> bool:
    """Write the rows of a table in an order; tell whether a field may hold a line break."""
    if form.kind == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(decoded(columns.take(pa.array(order))), path)
        return False
    return write_csv(columns, order, path, form.delimiter, guard=form.guarded)


def output_format(path: Path, source: FileFormat | None, *, guard: bool = False) -> FileFormat:
    """Choose how to write: by the name of the file, and in the manner of the source."""
    if path.suffix.lower() in PARQUET:
        return FileFormat("parquet")
    delimiter = source.delimiter if source and source.kind == "csv" else ","
    if inner_suffix(path) == ".tsv":
        delimiter = "\t"
    return FileFormat("csv", delimiter, ours=True, guarded=guard)


def refuse_unwritable(
    outputs: list[Path],
    inputs: list[Path],
    *,
    tables: Sequence[Path] = (),
    packable: Sequence[Path] = (),
) -> None:
    """Raise before any work if an output cannot be written, repeats, or would replace an input.

    Those of the outputs that are `tables` must not be named like something else, and only those
    that are `packable` like something packed. Drafts that killed runs left in the folders of the
    outputs are removed.
    """
    faults = [
        Fault(str(path), f"no {told} files are written", "Name a .csv, .csv.gz or .parquet file.")
        for path in tables
        if (told := _other_table(path))
    ]
    faults += [
        Fault(str(path), "it is not written packed", f"Leave out {path.suffix}.")
        for path in outputs
        if packing_of(path) and path not in packable
    ]
    read = {_whole(source) for source in inputs} - {None}
    for place, path in enumerate(outputs):
        if (whole := _whole(path)) in read:
            faults.append(Fault(str(path), "the output is an input", "Choose another name."))
        elif whole and whole in {_whole(other) for other in outputs[:place]}:
            faults.append(Fault(str(path), "two outputs have this name", "Choose another name."))
        elif found := _unfit(path):
            faults.append(Fault(str(path), *found))
    if faults:
        raise OutputError(faults)
    sweep(path.parent for path in outputs)


def _other_table(path: Path) -> str | None:
    """Tell how the name of a table ends that we cannot write; None if we can."""
    inner = inner_suffix(path)
    if inner in {*OTHER_KINDS, *READERS, *SHEETS} or (packing_of(path) and inner in PARQUET):
        return ending(path)
    return path.suffix if path.suffix.lower() in OTHER_PACKINGS else None


def _whole(path: Path) -> Path | None:
    """Return the path without links; None if there can be no such path."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return None


def _unfit(path: Path) -> tuple[str, str] | None:
    """Say why no file can take this place, and what to do; None if one can."""
    try:
        return _unfit_place(path)
    except (OSError, ValueError, RuntimeError) as error:
        return no_path(error), "Choose another name."


def no_path(error: Exception) -> str:
    """Say why there can be no such path: a name that is too long, or no name at all."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def _unfit_place(path: Path) -> tuple[str, str] | None:
    folder = path.resolve().parent
    linked = "it is a link, which the output would replace"
    checks = (
        (str(path) == "-", "nothing is written to standard output", "Name a file."),
        (path.is_dir(), "it is a folder", "Name a file in it."),
        (path.exists() and not path.is_file(), "it is a device or a pipe", "Name a file."),
        (path.is_symlink(), linked, "Name the file itself."),
        (not folder.is_dir(), f"there is no folder {folder}", "Create it first."),
        (not os.access(folder, os.W_OK), "its folder is not writable", "Choose another place."),
    )
    return next(((problem, remedy) for wrong, problem, remedy in checks if wrong), None)


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
