"""Tree records in files: JSON Lines, XML, and tables joined by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coarsen.errors import DataError, Fault, OutputError

if TYPE_CHECKING:
    from pathlib import Path

    from coarsen.trees.forest import Forest
    from coarsen.trees.plan import TreePlan

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".xml": "xml"}


def read(path: Path, plan: TreePlan) -> Forest:
    """Read the records of a plan: a file, or the folder of its tables.

    Raises
    ------
    DataError
        With the line or row of everything that is broken.
    """
    if plan.tree.format == "tables":
        from coarsen.trees.files import tables

        if not path.is_dir():
            raise DataError(
                Fault(str(path), "it is no folder", "Give the folder that holds the tables.")
            )
        return tables.read(plan.tree.tables, plan.tree.classes, path)
    if plan.tree.format == "xml":
        from coarsen.trees.files import xml

        return xml.read(path, plan.tree.classes)
    from coarsen.trees.files import jsonl

    return jsonl.read(path, plan.tree.classes, unlisted=plan.tree.unlisted)


def format_to_write(path: Path, plan: TreePlan) -> str:
    """Choose how to write: by the name of the output, or as the records came."""
    return FORMATS.get(path.suffix.lower(), plan.tree.format)


def write(forest: Forest, path: Path, plan: TreePlan) -> list[Path]:
    """Write records, all or nothing; return the files that were written."""
    kind = format_to_write(path, plan)
    if kind == "tables":
        from coarsen.trees.files import tables_writing

        if not path.is_dir():
            raise OutputError(
                Fault(str(path), "it is no folder", "Create a folder for the tables.")
            )
        return tables_writing.write(forest, plan.tree.tables, path)
    if kind == "xml":
        from coarsen.trees.files import xml

        xml.write(forest, path)
    else:
        from coarsen.trees.files import jsonl

        jsonl.write(forest, path)
    return [path]
