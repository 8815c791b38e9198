"""What an engine does: it counts rows and rewrites them; nothing but counts comes from it.

The search stays here. An engine counts the distinct rows of some columns; a method searches on
these entries; the engine rewrites each row as its entry was recoded, and counts what it wrote. Rows
are never sent to this process, and an engine is asked no more than the few things below.

An entry goes by its number: an engine keeps which values each stands for, and finds the entry of a
row by codes of its values, never by the values themselves, so that a missing value is a value like
any other.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.engine.block import Block, BlockSearch
    from indistinct.running.progress import Progress


@dataclass(frozen=True, eq=False)
class Grouped:
    """The distinct rows of some columns, with how many rows each stands for.

    Attributes
    ----------
    rows
        The distinct rows, in no order that tells anything.
    counts
        How many rows each stands for.
    """

    rows: pa.Table
    counts: NDArray[np.int64]

    @property
    def total(self) -> int:
        """How many rows they stand for together."""
        return int(self.counts.sum())


@dataclass(frozen=True, eq=False)
class Fetched:
    """Some counted entries, by the codes of their values.

    Attributes
    ----------
    entry
        The number of each.
    codes
        For each counted column, the place of the value of each entry among its values.
    counts
        How many rows each stands for.
    """

    entry: NDArray[np.int64]
    codes: tuple[NDArray[np.int32], ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cells:
    """Entries put together by bins of their values: those of the same bins are a cell.

    Attributes
    ----------
    bins
        For each counted column, the bin of each cell.
    entries, rows
        How many entries each cell has, and how many rows these stand for.
    """

    bins: tuple[NDArray[np.int32], ...]
    entries: NDArray[np.int64]
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Assignment:
    """As what each counted entry is published: as one unit, or some of its rows as another.

    Attributes
    ----------
    entry
        The number of the counted entry, in ascending order.
    unit
        What so many of its rows are published as: a row of `units`.
    rows
        How many rows these are. An entry whose rows are not all listed is suppressed in part.
    units
        The published quasi columns, a row for each unit, in the order of the release.
    """

    entry: NDArray[np.int64]
    unit: NDArray[np.int32]
    rows: NDArray[np.int64]
    units: pa.Table

    @property
    def first(self) -> NDArray[np.int64]:
        """Where the rows of each part begin among those of its entry, in their secret order."""
        ends = np.cumsum(self.rows)
        starts = np.flatnonzero(np.diff(self.entry, prepend=-1))
        lengths = np.diff(np.append(starts, self.entry.size))
        return ends - self.rows - np.repeat((ends - self.rows)[starts], lengths)


@dataclass(frozen=True)
class Layout:
    """The columns of a release, in order.

    Attributes
    ----------
    columns
        The name of each published column.
    from_units
        Those that the units have; the others are columns of the source, released as they are.
    pseudonyms
        Columns of the source of which keyed pseudonyms are released, with the key of each.
    secret
        What decides, with the content of rows, which rows of an entry go to which of its units.
    """

    columns: tuple[str, ...]
    from_units: frozenset[str]
    pseudonyms: dict[str, bytes] = field(default_factory=dict, repr=False)
    secret: bytes = field(default_factory=lambda: os.urandom(32), repr=False)

    @property
    def as_they_are(self) -> list[str]:
        """The columns that are released as they are."""
        return [name for name in self.columns if name not in self.from_units | set(self.pseudonyms)]


class Engine(Protocol):
    """Who counts and rewrites the rows of one source."""

    @property
    def name(self) -> str:
        """What plans call it."""

    @property
    def writes_folders(self) -> bool:
        """Whether it writes a release as a folder of files, not as one file."""

    @property
    def place(self) -> str:
        """How messages name the source."""

    def schema(self) -> pa.Schema:
        """Name the columns of the source and their types."""

    def count(self) -> int:
        """Count the rows of the source."""

    def distinct(self, columns: Sequence[str]) -> int:
        """Count the distinct rows of some columns, about."""

    def values(self, column: str, most: int) -> Grouped:
        """Count the rows of each value of a column, of so many values at most."""

    def grouped(self, columns: Sequence[str]) -> Grouped:
        """Count the distinct rows of some columns; the entries of an `Assignment` are these."""

    def write(self, draft: Path, assigned: Assignment, layout: Layout) -> None:
        """Write a draft of the release: each row as its entry is assigned, sorted by what it shows.

        Rows of an entry that is assigned to several units go there in a secret order. Equal
        published rows are equal in all they show, so the order tells no more than the rows do.
        """

    def read_back(self, draft: Path, columns: Sequence[str]) -> Grouped:
        """Count the distinct rows of some columns of a draft, as anybody would who reads it."""

    def progress(self) -> float | None:
        """Return which share is done of what the engine is doing; called from another thread.

        None where it does nothing, or does not tell.
        """

    def content(self, draft: Path | None = None) -> str:
        """Hash the rows of a draft, or of the source, whatever their order (`io/content.py`)."""

    def interrupt(self) -> None:
        """Have what the engine is doing end soon; called from another thread."""

    def close(self) -> None:
        """Let go of the source, and remove whatever was kept of it."""


@runtime_checkable
class BlockEngine(Engine, Protocol):
    """An engine that keeps what it counted, and hands it over block by block.

    Bins are given as an array for each counted column: the bin of each of its values. At first all
    entries are in block 0.
    """

    def group(self, columns: Sequence[str]) -> list[Grouped]:
        """Count the distinct rows of some columns and keep them; return the values of each.

        An entry has a code for each column: the place of its value in what is returned.
        """

    def cells(self, bins: Sequence[NDArray[np.int32]], block: int, most: int) -> Cells | None:
        """Put the entries of a block together by bins; None if that makes more cells than `most`.

        Cells are in the order of their bins.
        """

    def divide(
        self, bins: Sequence[NDArray[np.int32]], block: int, cells: Cells, into: NDArray[np.int32]
    ) -> None:
        """Divide a block: the entries of each of its cells are in another block from now on."""

    def sizes(self, bins: Sequence[NDArray[np.int32]]) -> dict[int, int]:
        """Put all entries together by bins; count the cells by how many rows they have."""

    def coarsen(self, bins: Sequence[NDArray[np.int32]]) -> None:
        """Take the values of a bin for one from now on: its number is their code.

        Entries that are then alike are one, and all are in block 0.
        """

    def recoded(
        self, blocks: Sequence[int], search: BlockSearch, progress: Progress
    ) -> Iterator[Block]:
        """Have each block recoded, in any order.

        The entries of a block are given in the order of their codes, so that where they come from
        decides nothing.
        """
