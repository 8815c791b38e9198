"""Hierarchies as files: `leaf;level 1;...;*`, one line per leaf, no header."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.disk.documents import UnreadableError, content_of
from indistinct.disk.drafts import write_text
from indistinct.errors import Fault, HierarchyError, OutputError
from indistinct.hierarchy.check import check_paths
from indistinct.hierarchy.core import Hierarchy
from indistinct.hierarchy.names import refuse_ambiguous

if TYPE_CHECKING:
    from collections.abc import Iterable

_DELIMITERS = ";,\t|"
_SNIFFED = 200


def read_csv(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    place: str | None = None,
) -> Hierarchy:
    """Read a hierarchy from a file.

    Blank lines and repeated lines do not matter. An empty first field is the missing value.

    Parameters
    ----------
    path
        The file.
    delimiter
        What separates the levels; otherwise whichever of `;`, `,`, tab and `|` fits best.
    encoding
        How the text is encoded; UTF-8 with or without a byte order mark otherwise.
    place
        What the hierarchy is for, to begin the faults with, such as "column 'age'".

    Raises
    ------
    HierarchyError
        With every fault of the file: where it cannot be read, lines of differing length, values
        with two parents, levels that do not nest, several tops.
    """
    file = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() fails on odd paths
    source = f"{place}, file {file}" if place else f"file {file}"
    text = _decoded(_bytes(file, source), encoding or "utf-8", source)
    lines, rows = _parsed(text, delimiter or _sniffed(text), source)
    paths = check_paths(rows, place=source, lines=lines)
    return refuse_ambiguous(Hierarchy.from_columns(list(zip(*paths, strict=True))), place=source)


def write_csv(
    hierarchy: Hierarchy,
    path: str | Path,
    *,
    delimiter: str = ";",
    private: bool = False,
    new: bool = False,
) -> None:
    """Write a hierarchy to a file that `read_csv` reads back as the same.

    The file appears whole or not at all: it is written beside its place and then renamed. One that
    is `private` can be read by its owner alone; one that must be `new` replaces none.

    Raises
    ------
    OutputError
        If the file cannot be written, or a label is empty text, which a file cannot tell from
        the missing value.
    """
    file = Path(path)
    paths = hierarchy.paths()
    if any("" in row for row in paths):
        problem = "a label of the hierarchy is empty text, which would be read as missing"
        raise OutputError(Fault(str(file), problem, "Give the value a name in the data."))
    try:
        write_text(file, _as_csv(paths, delimiter), private=private, new=new)
    except (OutputError, UnicodeError) as error:
        reason = error.faults[0].problem if isinstance(error, OutputError) else str(error)
        remedy = "Name a folder that exists and that you may write to."
        raise OutputError(Fault(str(file), reason, remedy)) from error


def _as_csv(paths: Iterable[tuple[str | None, ...]], delimiter: str) -> str:
    """Quote everything where a label holds what a reader could take for a delimiter."""
    rows = list(paths)
    marks = set(_DELIMITERS + delimiter + '\r\n"\ufeff')
    risky = any(not marks.isdisjoint(label) for row in rows for label in row if label)
    out = io.StringIO()
    writer = csv.writer(
        out,
        delimiter=delimiter,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if risky else csv.QUOTE_MINIMAL,
    )
    writer.writerows(rows)
    return out.getvalue()


def _bytes(file: Path, source: str) -> bytes:
    try:
        return content_of(file)
    except UnreadableError as error:
        if error.missing:
            raise HierarchyError(Fault(source, "there is no such file", _neighbour(file))) from None
        remedy = "Name a file that you may read."
        raise HierarchyError(Fault(source, f"it cannot be read: {error}", remedy)) from None


def _neighbour(file: Path) -> str:
    remedy = "Paths in a plan start from the plan's folder."
    try:
        names = sorted(entry.name for entry in file.parent.iterdir())
    except OSError:
        return f"{remedy} There is no folder {file.parent} either."
    near = get_close_matches(file.name, names, n=1, cutoff=0.6)
    return f"{remedy} Closest there: {near[0]!r}." if near else remedy


def _decoded(raw: bytes, encoding: str, source: str) -> str:
    try:
        return raw.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        remedy = 'Use one such as "utf-8", "latin-1" or "cp1252".'
        raise HierarchyError(Fault(source, f"no encoding {encoding!r}", remedy)) from None
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        guess = "utf-16" if raw[:2] in {b"\xff\xfe", b"\xfe\xff"} else "cp1252"
        problem = f"byte 0x{raw[error.start]:02x} is not {encoding.upper()} text"
        remedy = f'Save it as UTF-8, or say what it is, such as encoding = "{guess}".'
        raise HierarchyError(Fault(f"{source}, line {line}", problem, remedy)) from None


def _parsed(
    text: str, delimiter: str, source: str
) -> tuple[list[int], list[tuple[str | None, ...]]]:
    lines, rows = [], []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for fields in reader:
            if any(fields):
                lines.append(reader.line_num)
                rows.append(tuple(field or None for field in fields))
    except csv.Error as error:
        remedy = 'Close every quotation mark; write a " within a quoted field twice.'
        fault = Fault(f"{source}, line {reader.line_num}", f"it cannot be read: {error}", remedy)
        raise HierarchyError(fault) from None
    return lines, rows


def _sniffed(text: str) -> str:
    """Choose the delimiter that splits most lines alike, and best so that all end alike."""
    return max(_DELIMITERS, key=lambda delimiter: _fitness(text, delimiter))


def _fitness(text: str, delimiter: str) -> tuple[float, bool]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [fields for fields in islice(reader, _SNIFFED) if any(fields)]
    except csv.Error:
        return 0.0, False
    if not rows:
        return 0.0, False
    length, count = Counter(map(len, rows)).most_common(1)[0]
    one_top = len({fields[-1] for fields in rows}) == 1
    return (count / len(rows), one_top) if length > 1 else (0.0, False)
