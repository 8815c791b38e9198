"""Tree records that Python holds: nested mappings, or data frames by the names of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, Fault
from indistinct.io.frames import to_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from indistinct.trees.files.layout import TableSpec
    from indistinct.trees.forest import Forest, Node


def as_arrow(frames: Mapping[str, Any], tables: Mapping[str, TableSpec]) -> dict[str, pa.Table]:
    """Turn the data frames of a plan's tables into Arrow tables; all faults at once."""
    turned: dict[str, pa.Table] = {}
    faults: list[Fault] = []
    for name in tables.keys() & frames.keys():
        try:
            turned[name] = to_arrow(frames[name])[0]
        except DataError as error:
            faults += [
                Fault(f"table {name!r}, {fault.place}", fault.problem, fault.remedy)
                for fault in error.faults
            ]
    if faults:
        raise DataError(faults)
    return turned


def ways_back(frames: Mapping[str, Any]) -> dict[str, Callable[[Any], Any]]:
    """Return for each data frame the way from an Arrow table to a frame of its kind."""
    return {name: to_arrow(frame)[1] for name, frame in frames.items()}


def frames_of(
    forest: Forest, tables: Mapping[str, TableSpec], back: Mapping[str, Callable[[Any], Any]]
) -> dict[str, Any]:
    """Return records as tables, each as the kind of frame that the way back leads to."""
    from indistinct.trees.files.layout import layout_of
    from indistinct.trees.files.tables_writing import as_tables

    written = as_tables(forest.with_copies(), layout_of(tables, forest.classes))
    return {name: back[name](table) if name in back else table for name, table in written.items()}


def rows_of(forest: Forest, tables: Mapping[str, TableSpec]) -> dict[str, int]:
    """Count the rows of each table that records are published as."""
    frames: dict[str, pa.Table] = frames_of(forest, tables, {})
    return {name: table.num_rows for name, table in frames.items()}


def records_of(forest: Forest) -> list[dict[str, Any]]:
    """Return records as nested mappings, as JSON has them.

    >>> from indistinct.trees.forest import ForestBuilder
    >>> builder = ForestBuilder(("hospital", "disease"))
    >>> builder.add([("hospital", "H1", [("disease", "Flu", [])])])
    >>> records_of(builder.build())
    [{'hospital': [{'value': 'H1', 'disease': ['Flu']}]}]
    """
    forest = forest.with_copies()
    if forest.extras is not None:
        import json

        from indistinct.trees.files.jsonl_writing import lines

        return [json.loads(line) for line in lines(forest)]
    return [_members(nodes) for nodes in forest.records()]


def _members(nodes: Sequence[Node]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value, below in nodes:
        one = {"value": value, **_members(below)} if below else value
        members.setdefault(name, []).append(one)
    return members
