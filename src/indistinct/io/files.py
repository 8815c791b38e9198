"""Files: tables in and out, and nothing half-written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from indistinct.disk.drafts import FileDraft, telling_unwritable
from indistinct.errors import DataError, Fault
from indistinct.io.base import Dialect
from indistinct.io.content import content_hash
from indistinct.io.packing import telling_broken
from indistinct.io.places import require_readable
from indistinct.io.registry import format_of, format_to_write
from indistinct.running.background import in_background

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from indistinct.io.base import Format, Rows


@dataclass(frozen=True)
class FileSource:
    """A file that holds a table, in a format and a dialect of it."""

    path: Path
    format: Format
    dialect: Dialect

    @classmethod
    def of(cls, path: Path, **given: Any) -> FileSource:
        """Return how the table lies in an existing file, by its name, what is given, and a look.

        Of the settings `delimiter`, `encoding`, `missing` and `sheet` those are heeded that apply
        to the format.
        """
        require_readable(path)
        form = format_of(path)
        applying = {name: value for name, value in given.items() if name in form.options}
        with telling_broken(path):
            return cls(path, form, form.dialect(path, **applying))

    @classmethod
    def of_release(cls, path: Path, *, guarded: bool) -> FileSource:
        """Return how rows lie in a file that we wrote."""
        source = cls.of(path)
        return replace(source, dialect=replace(source.dialect, ours=True, guarded=guarded))

    @property
    def place(self) -> str:
        """How messages name it."""
        return str(self.path)

    @property
    def name(self) -> str:
        """What papers call it, which do not say where it lies."""
        return self.path.name

    @property
    def form(self) -> dict[str, str]:
        """How certificates call its form."""
        return {"format": self.format.name, "delimiter": self.dialect.delimiter}

    def hashed(self, rows: pa.Table) -> Callable[[], str]:  # noqa: ARG002 - the file has them too
        """Begin to hash the file; return what waits for it."""
        return in_background(hash_of, self.path).result

    @property
    def options(self) -> frozenset[str]:
        """Which settings of a plan's `[input]` apply to it."""
        return self.format.options

    def column_names(self) -> list[str]:
        """Name the columns."""
        with telling_broken(self.path):
            return self.format.column_names(self.path, self.dialect)

    def read(self, columns: list[str] | None = None, *, may_be_empty: bool = False) -> pa.Table:
        """Read all rows: all columns, or some in this order."""
        with telling_broken(self.path):
            table = self.format.read(self.path, self.dialect, columns)
        if not (table.num_rows or may_be_empty) and self.format.without_rows:
            raise DataError(Fault(self.place, self.format.without_rows, "Give a file with data."))
        return table

    @property
    def back(self) -> Callable[[pa.Table], Any]:
        """No way back: who gives a file gets an Arrow table."""
        return lambda rows: rows


class FileSink:
    """A file that a table is published in.

    Parameters
    ----------
    path
        Its place, whose name says the format.
    like
        A dialect to follow where the name says nothing: that of the private file.
    guard
        Whether to guard what a spreadsheet would take for a formula.
    private
        Whether only its owner may read it.
    """

    def __init__(
        self,
        path: Path,
        like: Dialect | None = None,
        *,
        guard: bool = False,
        private: bool = False,
    ) -> None:
        self.path = path
        self.format = format_to_write(path)
        self.dialect = self.format.dialect_to_write(path, like or Dialect(), guard=guard)
        self.name = path.name
        self.draft = FileDraft(path, private=private)
        self.parts = (self.draft,)
        self._checked: list[str] | None = None
        self._written: Rows | None = None
        self._content: Callable[[], str] | None = None

    @property
    def form(self) -> dict[str, str]:
        """How certificates call its form."""
        return {"format": self.format.name, "delimiter": self.dialect.delimiter}

    def hashed(self) -> Callable[[], str]:
        """Begin to hash the draft; return what waits for it."""
        return in_background(hash_of, self.draft.draft).result

    def content(self) -> Callable[[], str]:
        """Begin to hash the rows, whatever their order, if not begun; return what waits for it."""
        assert self._written is not None  # noqa: S101 - written before it is described
        if self._content is None:
            rows = self._written
            counts = np.bincount(rows.order, minlength=rows.columns.num_rows)
            self._content = in_background(content_hash, rows.columns, counts).result
        return self._content

    def write(self, content: Rows) -> None:
        """Write the draft."""
        with telling_unwritable(self.path):
            self.dialect = self.format.write(content, self.draft.draft, self.dialect)
        self._checked, self._written = content.named, content

    def read_back(self) -> pa.Table:
        """Read the columns that are checked."""
        return FileSource(self.draft.draft, self.format, self.dialect).read(self._checked)


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of the names and hashes of its files."""
    if path.is_dir():
        listed = (f"{part.name} {hash_of(part)}\n" for part in sorted(path.iterdir()))
        return hashlib.sha256("".join(listed).encode()).hexdigest()
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


class Described(Protocol):
    """What a table is read from or published in, as far as papers describe it."""

    @property
    def name(self) -> str:
        """What they call it."""

    @property
    def form(self) -> Mapping[str, str]:
        """How they call its form."""


@dataclass(frozen=True)
class FileFacts:
    """A file or table by its name, hashes and what it holds; never by its place.

    Attributes
    ----------
    sha256
        Waits for the hash of the file; a table has that of its rows.
    content
        Waits for the hash of the rows (`io/content.py`), where they are published.
    """

    name: str
    sha256: Callable[[], str]
    holds: Mapping[str, Any]
    content: Callable[[], str] | None = None

    @classmethod
    def of(cls, path: Path, name: str, **holds: Any) -> FileFacts:
        """Begin to hash a file, which may still lie elsewhere under another name."""
        return cls(name, in_background(hash_of, path).result, holds)

    @classmethod
    def of_table(
        cls,
        lies: Described,
        sha256: Callable[[], str],
        rows: int,
        content: Callable[[], str] | None = None,
    ) -> FileFacts:
        """Say how a table lies in its file, or that it is one of a database."""
        return cls(lies.name, sha256, {"rows": rows, **lies.form}, content)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        content = {} if self.content is None else {"content": self.content()}
        return {"name": self.name, "sha256": self.sha256(), **content, **self.holds}
