"""What rows come from and go to: the protocols of sources, sinks and file formats.

A file format is one class in one file, and one line in `registry.py`. A database is a source and a
sink of its own: what reads and publishes knows nothing else of either.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.disk.drafts import Drafted

Content = TypeVar("Content", contravariant=True)  # noqa: PLC0105 - the plain word reads better
ReadBack = TypeVar("ReadBack", covariant=True)  # noqa: PLC0105


class Source(Protocol):
    """What a table is read from: a file, a data frame, or a table of a database."""

    @property
    def place(self) -> str:
        """How messages name it."""

    @property
    def options(self) -> frozenset[str]:
        """Which settings of a plan's `[input]` apply to it; others mean nothing here."""

    @property
    def back(self) -> Callable[[pa.Table], Any]:
        """How rows become the kind of thing that was read from, once it was read."""

    def column_names(self) -> list[str]:
        """Name the columns, without reading the rows where that can be."""

    def read(self, columns: list[str] | None = None) -> pa.Table:
        """Read all rows: all columns, or some in this order."""


class Sink(Protocol[Content, ReadBack]):
    """Where something is published: drafted, read back, and only then put in its place.

    A sink is a file beside its place, a folder of tables, or a table of a database that is renamed
    when all is well. `disk.transaction` takes several through these steps together.
    """

    @property
    def parts(self) -> Sequence[Drafted]:
        """What begins, is secured, takes its place or is discarded: a file, or each of several."""

    def write(self, content: Content) -> None:
        """Write the draft, from its beginning."""

    def read_back(self) -> ReadBack:
        """Read what stands in the draft, as anybody would who gets it."""


@dataclass(frozen=True)
class Rows:
    """Rows to be written.

    Attributes
    ----------
    columns
        A table that holds them, and maybe others.
    order
        The rows to write, by number, in this order.
    checked
        The columns that the check reads back; None for all.
    """

    columns: pa.Table
    order: NDArray[np.intp]
    checked: list[str] | None = None

    @classmethod
    def all_of(cls, table: pa.Table) -> Rows:
        """Return all rows of a table, as they stand."""
        return cls(table, np.arange(table.num_rows, dtype=np.intp))

    @property
    def named(self) -> list[str] | None:
        """The columns that the check reads back of these."""
        if self.checked is None:
            return None
        return [name for name in self.checked if name in self.columns.column_names]


@dataclass(frozen=True)
class Dialect:
    """How a table lies in a file of some format; each format looks at its own part of it.

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
    line_breaks
        Whether fields hold line breaks, which is known of a file that we wrote: then its quotation
        marks are not doubted.
    """

    delimiter: str = ","
    encoding: str = "utf-8"
    missing: tuple[str, ...] | None = None
    sheet: str | None = None
    ours: bool = False
    guarded: bool = False
    line_breaks: bool | None = None


class Format(ABC):
    """A file format that is read.

    Attributes
    ----------
    name
        What it is called in certificates.
    called
        What people call it, or the programs that write it.
    endings
        How the names of its files end.
    options
        The settings of a plan's `[input]` that apply to it.
    packs
        Whether its files may be packed (`.csv.gz`).
    without_rows
        What is wrong with a file without rows; None if such a file is read.
    """

    name: ClassVar[str]
    called: ClassVar[tuple[str, ...]]
    endings: ClassVar[frozenset[str]]
    options: ClassVar[frozenset[str]] = frozenset({"missing"})
    packs: ClassVar[bool] = False
    without_rows: ClassVar[str | None] = "it has no rows"

    def dialect(self, path: Path, **given: Any) -> Dialect:  # noqa: ARG002 - some look at the file
        """Return how the table lies in a file, as is given or by a look."""
        return Dialect(**given)

    @abstractmethod
    def column_names(self, path: Path, dialect: Dialect) -> list[str]:
        """Name the columns of a file; raise if two have the same name."""

    @abstractmethod
    def read(self, path: Path, dialect: Dialect, columns: list[str] | None = None) -> pa.Table:
        """Read a table, or some columns of it in this order."""


class WrittenFormat(Format):
    """A file format that is written too.

    Attributes
    ----------
    advised
        Endings to advise to those who name a file that cannot be written.
    """

    advised: ClassVar[tuple[str, ...]]

    def dialect_to_write(self, path: Path, like: Dialect, *, guard: bool) -> Dialect:  # noqa: ARG002
        """Choose how to write a file: by its name, and in the manner of what was read."""
        return Dialect()

    @abstractmethod
    def write(self, rows: Rows, path: Path, dialect: Dialect) -> Dialect:
        """Write rows; return the dialect by which they are read back."""
