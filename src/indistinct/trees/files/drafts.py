"""Drafts of a release, by format: written and read back before they are put in their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.files import format_of, keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.plan import TreePlan

    Counted = tuple[Forest, NDArray[np.int64]]


@dataclass(frozen=True)
class _FileDraft:
    """A draft of one file, and what that will be called."""

    path: Path
    plan: TreePlan
    name: str

    @property
    def files(self) -> dict[str, Path]:
        """Where what will have a name lies as yet."""
        return {self.name: self.path}


class JsonDraft(_FileDraft):
    """A draft in JSON Lines."""

    def write(self, forest: Forest) -> None:
        """Write records."""
        from indistinct.trees.files import jsonl

        jsonl.write_draft(forest, self.path)

    def read(self) -> Counted:
        """Read the different records back, and how often each stands."""
        from indistinct.trees.files import jsonl

        return jsonl.read_distinct(self.path, self.plan.tree.classes, keys_of(self.plan))


class XmlDraft(_FileDraft):
    """A draft in XML."""

    def write(self, forest: Forest) -> None:
        """Write records."""
        from indistinct.trees.files import xml

        xml.write_draft(forest, self.path)

    def read(self) -> Counted:
        """Read the records back, each once."""
        from indistinct.trees.files import xml

        return _each_once(xml.read(self.path, self.plan.tree.classes))


@dataclass(frozen=True)
class TablesDraft:
    """A draft of several tables."""

    paths: dict[str, Path]
    plan: TreePlan
    folder: Path

    @property
    def files(self) -> dict[str, Path]:
        """Where what will have a name lies as yet."""
        tables = self.plan.tree.tables
        return {tables[name].file_name: path for name, path in self.paths.items()}

    def write(self, forest: Forest) -> None:
        """Write records."""
        from indistinct.trees.files import tables_writing

        tables_writing.write_drafts(forest, self.plan.tree.tables, self.paths)

    def read(self) -> Counted:
        """Read the records back, each once."""
        from indistinct.trees.files import tables

        tree = self.plan.tree
        specs = {
            name: spec.model_copy(update={"file": str(self.paths[name].resolve())})
            for name, spec in tree.tables.items()
        }
        return _each_once(tables.read(specs, tree.classes, self.folder))


Draft = JsonDraft | XmlDraft | TablesDraft


def _each_once(forest: Forest) -> Counted:
    return forest, np.ones(forest.size, dtype=np.int64)


def draft_of(path: Path, plan: TreePlan, drafts: Mapping[Path, Path]) -> Draft:
    """Return the draft of a release, of whose files the drafts are given."""
    kind = format_of(path, plan)
    if kind != "tables":
        return (XmlDraft if kind == "xml" else JsonDraft)(drafts[path], plan, path.name)
    from indistinct.trees.files import tables_writing

    targets = tables_writing.targets(plan.tree.tables, plan.tree.classes, path)
    return TablesDraft({name: drafts[to] for name, to in targets.items()}, plan, path)
