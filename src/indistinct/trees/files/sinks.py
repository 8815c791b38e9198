"""Where releases of tree records go, by format: drafted and read back before they are published."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from indistinct.disk.drafts import FileDraft, telling_unwritable
from indistinct.io.files import FileSink
from indistinct.trees.files import (
    format_of,
    jsonl,
    jsonl_writing,
    keys_of,
    tables,
    tables_writing,
    xml,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.plan import TreePlan

    Counted = tuple[Forest, NDArray[np.int64]]


class RecordSink(ABC):
    """A file or a folder that records are published in.

    Attributes
    ----------
    parts
        The draft of each file.
    rows
        Of tables, how many rows were written to each.
    """

    parts: Sequence[FileDraft]
    rows: dict[str, int] | None = None

    @property
    def files(self) -> dict[str, Path]:
        """Where what will have a name lies as yet."""
        return {part.path.name: part.draft for part in self.parts}

    @abstractmethod
    def write(self, content: Forest) -> None:
        """Write the draft of all records."""

    @abstractmethod
    def read_back(self) -> Counted:
        """Read the records, and how often each stands."""


class JsonSink(RecordSink):
    """A file of JSON Lines."""

    def __init__(self, path: Path, plan: TreePlan) -> None:
        self._plan = plan
        self._draft = FileDraft(path)
        self.parts = (self._draft,)

    def write(self, content: Forest) -> None:
        """Write the draft of all records."""
        with telling_unwritable(self._draft.path):
            jsonl_writing.write_draft(content.with_copies(), self._draft.draft)

    def read_back(self) -> Counted:
        """Read the different records, and how often each stands."""
        return jsonl.read_distinct(self._draft.draft, self._plan.tree.classes, keys_of(self._plan))


class XmlSink(RecordSink):
    """A file of XML."""

    def __init__(self, path: Path, plan: TreePlan) -> None:
        self._tree = plan.tree
        self._draft = FileDraft(path)
        self.parts = (self._draft,)

    def write(self, content: Forest) -> None:
        """Write the draft of all records."""
        with telling_unwritable(self._draft.path):
            xml.write_draft(content.with_copies(), self._draft.draft)

    def read_back(self) -> Counted:
        """Read the records, each once."""
        return _each_once(xml.read(self._draft.draft, self._tree.classes, self._tree.entities))


class TablesSink(RecordSink):
    """A folder of tables joined by keys, each a file as any table is."""

    def __init__(self, path: Path, plan: TreePlan) -> None:
        self._folder = path
        self._tree = plan.tree
        targets = tables_writing.targets(plan.tree.tables, plan.tree.classes, path)
        self._sinks = {name: FileSink(target) for name, target in targets.items()}
        self.parts = [sink.draft for sink in self._sinks.values()]

    def write(self, content: Forest) -> None:
        """Write the draft of each table."""
        self.rows = tables_writing.write_drafts(
            content.with_copies(), self._tree.tables, self._sinks
        )

    def read_back(self) -> Counted:
        """Read the records, each once."""
        specs = {
            name: spec.model_copy(update={"file": str(self._sinks[name].draft.draft.resolve())})
            for name, spec in self._tree.tables.items()
        }
        return _each_once(tables.read(specs, self._tree.classes, self._folder))


SINKS: dict[str, Callable[[Path, TreePlan], RecordSink]] = {
    "jsonl": JsonSink,
    "xml": XmlSink,
    "tables": TablesSink,
}


def sink_of(path: Path, plan: TreePlan) -> RecordSink:
    """Return where a release goes, by the name of the file or as the plan says."""
    return SINKS[format_of(path, plan)](path, plan)


def _each_once(forest: Forest) -> Counted:
    return forest, np.ones(forest.size, dtype=np.int64)
