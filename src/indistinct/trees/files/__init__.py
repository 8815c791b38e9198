"""Tree records in files: JSON Lines, XML, and tables joined by keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, Fault
from indistinct.io.packing import inner_suffix, telling_broken

if TYPE_CHECKING:
    from indistinct.trees.files.jsonl import Keys
    from indistinct.trees.forest import Forest
    from indistinct.trees.plan import TreePlan

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".xml": "xml"}

Records = Iterable[Mapping[str, Any]] | str | Path


def opened(records: Records, plan: TreePlan, *, published: bool = False) -> Forest:
    """Read what a verb is given: nested mappings, or the path of a file or folder.

    Parameters
    ----------
    published
        Whether it is a release, which holds nothing that its plan does not publish.

    Raises
    ------
    DoesNotHoldError
        If it is a release and holds something else: a key, element, attribute or column.
    DataError
        If it cannot be read, or has no node of any class.
    """
    if isinstance(records, str | Path):
        forest, place = read(Path(records), plan, published=published), str(records)
    else:
        forest, place = _given(records, plan, published=published), "records"
    if not forest.nodes:
        problem = "none of its records has a node of any class"
        remedy = f"Check the names of the plan's classes: {', '.join(plan.tree.classes)}."
        raise DataError(Fault(place, problem, remedy))
    return forest


def _given(records: Iterable[Mapping[str, Any]], plan: TreePlan, *, published: bool) -> Forest:
    """Read nested mappings."""
    from indistinct.trees.files.jsonl import Reader
    from indistinct.trees.files.leaks import fault_of, refuse
    from indistinct.trees.forest import NotATreeError

    if not isinstance(records, Iterable):
        problem = f"cannot read a {type(records).__name__}"
        remedy = "Give a list of mappings, or the path of a file."
        raise DataError(Fault("records", problem, remedy))
    reader = Reader(plan.tree.classes, keys_of(plan, published=published))
    faults: list[Fault] = []
    for number, record in enumerate(records, start=1):
        try:
            reader.add(record)
        except NotATreeError as error:
            faults.append(fault_of(error, f"record {number}"))
    refuse(faults)
    forest = reader.builder.build()
    if not forest.size:
        raise DataError(Fault("records", "there are none", "Give at least k of them."))
    return forest


def read(path: Path, plan: TreePlan, *, published: bool = False) -> Forest:
    """Read the records of a plan: a file, whose name may show its format, or a folder of tables.

    Raises
    ------
    DataError
        With the line or row of everything that is broken.
    """
    kind = format_of(path, plan)
    if kind == "tables":
        from indistinct.trees.files import tables

        if not path.is_dir():
            raise DataError(
                Fault(str(path), "it is no folder", "Give the folder that holds the tables.")
            )
        return tables.read(plan.tree.tables, plan.tree.classes, path, published=published)
    with telling_broken(path):
        if kind == "xml":
            from indistinct.trees.files import xml

            return xml.read(path, plan.tree.classes, published=published)
        from indistinct.trees.files import jsonl

        return jsonl.read(path, plan.tree.classes, keys_of(plan, published=published))


def parts(path: Path, plan: TreePlan) -> list[Path]:
    """Name the file that holds the records of a plan, or those of its tables."""
    if plan.tree.format != "tables":
        return [path]
    return [path / spec.file for spec in plan.tree.tables.values()]


def keys_of(plan: TreePlan, *, published: bool = False) -> Keys:
    """Say what becomes of the keys of JSON records that are no classes."""
    from indistinct.trees.files.jsonl import Keys

    return Keys(
        plan.released_keys,
        frozenset(name for name, role in plan.tree.keys.items() if role == "identifier"),
        plan.tree.unlisted == "error",
        published,
    )


def format_of(path: Path, plan: TreePlan) -> str:
    """Return the format of a file of records by its name, or else by the plan."""
    return FORMATS.get(inner_suffix(path), plan.tree.format)
