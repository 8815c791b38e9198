"""Tree records in files: JSON Lines, XML, and tables joined by keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, Fault
from indistinct.io.packing import inner_suffix, telling_broken
from indistinct.io.places import require_readable

if TYPE_CHECKING:
    from indistinct.trees.files.jsonl import Keys
    from indistinct.trees.forest import Forest
    from indistinct.trees.plan import TreePlan

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".xml": "xml"}

Records = Iterable[Mapping[str, Any]] | Mapping[str, Any] | str | Path


def opened(records: Records, plan: TreePlan, *, published: bool = False) -> Forest:
    """Read what a verb is given: nested mappings, data frames by name, or a file or folder.

    Parameters
    ----------
    published
        Whether it is a release, which holds nothing that its plan does not publish.

    Raises
    ------
    DoesNotHoldError
        If it is a release and holds something else: a key, element, attribute or column.
    DataError
        If it cannot be read, has no node of any class, or has root classes elsewhere.
    """
    if isinstance(records, str | Path):
        forest, place = read(Path(records), plan, published=published), str(records)
    else:
        forest, place = _given(records, plan, published=published), "records"
    if not forest.nodes:
        problem = "none of its records has a node of any class"
        remedy = f"Check the names of the plan's classes: {', '.join(plan.tree.classes)}."
        raise DataError(Fault(place, problem, remedy))
    if plan.tree.root:
        from indistinct.trees.files.at_root import refuse_elsewhere

        refuse_elsewhere(forest, plan, place)
    return forest


def _given(records: Any, plan: TreePlan, *, published: bool) -> Forest:
    """Read nested mappings, or data frames by name."""
    _refuse_other_kinds(records, plan)
    if plan.tree.format == "tables":
        from indistinct.trees.files import in_memory, tables

        frames = in_memory.as_arrow(records, plan.tree.tables)
        return tables.read(plan.tree.tables, plan.tree.classes, frames, published=published)
    if plan.tree.map:
        from indistinct.trees.files import mapped

        return mapped.read(records, plan.tree, "records")
    return _read_records(records, plan, published=published)


def _refuse_other_kinds(records: Any, plan: TreePlan) -> None:
    of_tables = plan.tree.format == "tables"
    fits = isinstance(records, Mapping) if of_tables else isinstance(records, Iterable)
    if not fits:
        what = "a mapping of data frames" if of_tables else "a list of mappings"
        problem = f"cannot read a {type(records).__name__}"
        raise DataError(Fault("records", problem, f"Give {what}, or the path of a file."))


def _read_records(records: Iterable[Any], plan: TreePlan, *, published: bool) -> Forest:
    from indistinct.trees.files.jsonl import Reader
    from indistinct.trees.files.leaks import fault_of, refuse
    from indistinct.trees.forest import NotATreeError

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
                Fault(str(path), "it is not a folder", "Give the folder that holds the tables.")
            )
        return tables.read(plan.tree.tables, plan.tree.classes, path, published=published)
    with telling_broken(path):
        if kind == "xml":
            from indistinct.trees.files import xml

            return xml.read(path, plan.tree.classes, plan.tree.entities, published=published)
        if plan.tree.map:
            from indistinct.trees.files import mapped

            require_readable(path, "Give a JSON file.")
            return mapped.read(path, plan.tree, str(path))
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
        frozenset(plan.tree.entities),
        plan.tree.records,
        published,
    )


def format_of(path: Path, plan: TreePlan) -> str:
    """Return the format of a file of records by its name, or else by the plan."""
    return FORMATS.get(inner_suffix(path), plan.tree.format)
