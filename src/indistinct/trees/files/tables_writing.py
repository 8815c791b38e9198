"""Writing a forest as the tables of a layout, so that reading them gives the forest back.

A row says that its cells belong together, so cells share a row only where the forest says so: a
chain of nodes, and the columns beside it if each has at most one node there. A node that a
disassociation moved up hangs on a row whose other cells are empty. All keys are new.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.disk.drafts import together
from indistinct.errors import Fault, OutputError
from indistinct.io.base import Rows
from indistinct.io.files import FileSink
from indistinct.trees.files.layout import RECORD, columns_of, layout_of
from indistinct.trees.files.places import columns_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.trees.files.layout import Layout, TableSpec
    from indistinct.trees.forest import Forest

    Ints = NDArray[np.int64]


def write(forest: Forest, tables: Mapping[str, TableSpec], folder: Path) -> list[Path]:
    """Write a forest as tables with the file names of the plan; all of them or none.

    Parameters
    ----------
    forest
        The records, in the order in which they shall be published.
    tables
        The plan's ``[tree.tables]``.
    folder
        Where to write.

    Returns
    -------
    list of pathlib.Path
        The files, the root table first.
    """
    paths = targets(tables, forest.classes, folder)
    sinks = {name: FileSink(path) for name, path in paths.items()}
    with together([sink.draft for sink in sinks.values()]):
        write_drafts(forest, tables, sinks)
    return list(paths.values())


def targets(
    tables: Mapping[str, TableSpec], classes: Sequence[str], folder: Path
) -> dict[str, Path]:
    """Name the file of each table, the root first; refuse those that cannot be written.

    Raises
    ------
    OutputError
        If the folder is none, a file is an input, or two have the same name.
    """
    if not folder.is_dir():
        raise OutputError(
            Fault(str(folder), "it is not a folder", "Create a folder for the tables.")
        )
    layout = layout_of(tables, classes)
    paths = {name: folder / spec.file_name for name, spec in layout.tables.items()}
    _refuse_wrong_targets(paths, layout)
    return paths


def write_drafts(
    forest: Forest, tables: Mapping[str, TableSpec], sinks: Mapping[str, FileSink]
) -> dict[str, int]:
    """Write the tables of a forest to drafts; return how many rows each has."""
    parts = as_tables(forest, layout_of(tables, forest.classes))
    for name, sink in sinks.items():
        sink.write(Rows.all_of(parts[name]))
    return {name: part.num_rows for name, part in parts.items()}


def _refuse_wrong_targets(paths: Mapping[str, Path], layout: Layout) -> None:
    targets = [path.resolve() for path in paths.values()]
    sources = {Path(spec.file).resolve() for spec in layout.tables.values() if _whole(spec.file)}
    faults = [
        Fault(str(path), "the output is an input", "Choose another folder.")
        for path in targets
        if path in sources
    ]
    if len(set(targets)) < len(targets):
        problem = "two tables have the same file name"
        faults.append(Fault(str(targets[0].parent), problem, "Give the files names that differ."))
    if faults:
        raise OutputError(faults)


def _whole(file: str) -> bool:
    return Path(file).is_absolute()


def as_tables(forest: Forest, layout: Layout) -> dict[str, pa.Table]:
    """Return the tables of a forest, with new keys that count from 1."""
    places = _places(forest, layout)
    points = _points(places, layout, forest.size)
    rows: dict[str, _Rows] = {}
    tables: dict[str, pa.Table] = {}
    for name, spec in layout.tables.items():
        above = rows[spec.parent] if spec.parent else None
        rows[name] = _rows(name, places, points[name], above)
        keys = _new_keys(spec, layout, rows[name], tables)
        tables[name] = pa.table({**keys, **_values(name, forest, places, spec, rows[name])})
    return tables


@dataclass(frozen=True)
class _Places:
    """Where each node of the forest belongs among the tables.

    Attributes
    ----------
    table
        The place of its table in the layout.
    column
        The place of its column in the table: chain first, then what stands beside.
    in_chain
        Whether its column is part of the chain.
    above
        The node above, or -1 - r directly below record r.
    joined
        Whether the node above is in the same table.
    crowded
        Whether it stands beside a chain where some column has more than one node: a row cannot
        hold them all.
    """

    names: tuple[str, ...]
    table: Ints
    column: Ints
    in_chain: NDArray[np.bool_]
    above: Ints
    joined: NDArray[np.bool_]
    crowded: NDArray[np.bool_]

    def record(self, points: Ints) -> Ints:
        """Return the record of nodes, or of points that are records (-1 - r)."""
        while (points >= 0).any():
            points = np.where(points >= 0, self.above[np.maximum(points, 0)], points)
        return -1 - points


def _places(forest: Forest, layout: Layout) -> _Places:
    record = np.repeat(np.arange(forest.size), np.diff(forest.starts))
    above = np.where(forest.parent >= 0, forest.parent, -1 - record)
    table, column, in_chain = columns_for(forest, layout, above)
    joined = (above >= 0) & (table[np.maximum(above, 0)] == table)
    crowded = _crowded(above, table, column, ~in_chain)
    return _Places(tuple(layout.tables), table, column, in_chain, above, joined, crowded)


def _crowded(above: Ints, table: Ints, column: Ints, beside_chain: NDArray[np.bool_]) -> Any:
    sides = np.flatnonzero(beside_chain)
    spots = np.unique(np.stack([above[sides], table[sides]]), axis=1, return_inverse=True)[1]
    spots = spots.reshape(-1)
    width = int(column.max(initial=0)) + 1
    _, inverse, counts = np.unique(
        spots * width + column[sides], return_inverse=True, return_counts=True
    )
    full = np.zeros(int(spots.max(initial=-1)) + 1, dtype=bool)
    full[spots[counts[inverse] > 1]] = True
    crowded = np.zeros(above.size, dtype=bool)
    crowded[sides] = full[spots]
    return crowded


def _points(places: _Places, layout: Layout, records: int) -> dict[str, Ints]:
    """Find for each table the points outside it at which it has a row with an empty chain.

    Such a row carries nodes of columns beside the chain, or what hangs deeper in the layout.
    """
    parts_of: dict[str, list[Ints]] = {name: [] for name in layout.tables}
    for number in range(len(places.names) - 1, -1, -1):
        name = places.names[number]
        own = (places.table == number) & ~places.joined
        loose = places.above[own & ~places.in_chain & ~places.crowded]
        parts_of[name] = [np.unique(np.concatenate([loose, *parts_of[name]]))]
        parent = layout.tables[name].parent
        if parent:
            hung = np.concatenate([places.above[own], *parts_of[name]])
            inside = (hung >= 0) & (places.table[np.maximum(hung, 0)] == places.names.index(parent))
            parts_of[parent].append(np.unique(hung[~inside]))
    points = {name: np.unique(np.concatenate(parts)) for name, parts in parts_of.items()}
    points[layout.root] = _with_bare_records(places, points[layout.root], records)
    return points


@dataclass(frozen=True)
class _Rows:
    """The rows of a table.

    Attributes
    ----------
    point
        The lowest node of the chain, or the point outside the table where the chain is empty.
    side
        A node beside the chain that has a row of its own; -1 if the row takes all there are.
    above
        The row it points to; the record for the root table.
    number
        For points outside the table, sorted, and for nodes: the row that others point to.
    """

    point: Ints
    empty: NDArray[np.bool_]
    side: Ints
    above: Ints
    outside: Ints
    outside_row: Ints
    node_row: Ints

    def at(self, points: Ints) -> Ints:
        """Return the row that stands for nodes of the table, or for points outside it."""
        own = np.where(points >= 0, self.node_row[np.maximum(points, 0)], -1)
        if not self.outside.size:
            return own
        place = np.minimum(np.searchsorted(self.outside, points), self.outside.size - 1)
        return np.where(own >= 0, own, self.outside_row[place])


def _rows(name: str, places: _Places, outside: Ints, parents: _Rows | None) -> _Rows:
    number = places.names.index(name)
    nodes = _ends_of_chains(places, number)
    point = np.concatenate([outside, nodes])
    empty = np.arange(point.size) < outside.size
    crowded = np.flatnonzero((places.table == number) & places.crowded)
    side = np.concatenate([np.full(point.size, -1), crowded])
    below = places.above[crowded]
    point = np.concatenate([point, below])
    empty = np.concatenate([empty, ~places.joined[crowded]])
    order = np.lexsort((side, point, places.record(point)))
    point, empty, side = point[order], empty[order], side[order]
    first = np.flatnonzero(side < 0)
    node_row = np.full(places.table.size, -1)
    inner = first[~empty[first]]
    node_row[point[inner]] = inner
    outer = first[empty[first]]
    outer = outer[np.argsort(point[outer])]
    top = _tops(places, point, empty)
    above = -1 - top if parents is None else parents.at(top)
    return _Rows(point, empty, side, above, point[outer], outer, node_row)


def _ends_of_chains(places: _Places, number: int) -> Ints:
    """Find the chain nodes with a row: all but those that are only a part of other rows."""
    chain = (places.table == number) & places.in_chain
    part = np.zeros(places.table.size, dtype=bool)
    laden = np.zeros(places.table.size, dtype=bool)
    others = (chain & places.joined) | (places.crowded & (places.table == number))
    part[places.above[others & places.joined]] = True
    laden[places.above[~others & (places.above >= 0)]] = True
    return np.flatnonzero(chain & (laden | ~part))


def _with_bare_records(places: _Places, outside: Ints, records: int) -> Ints:
    """Give every person a row in the root table, also those of whom nothing is left."""
    in_root = places.table == 0
    seen = places.record(np.concatenate([outside, np.flatnonzero(in_root)]))
    return np.union1d(outside, -1 - np.setdiff1d(np.arange(records), seen))


def _tops(places: _Places, point: Ints, empty: NDArray[np.bool_]) -> Ints:
    """Walk up from each row's point to the first one outside its table."""
    top, inside = point.copy(), ~empty
    while inside.any():
        here = top[inside]
        top[inside] = places.above[here]
        inside[inside] = places.joined[here]
    return top


def _values(
    name: str, forest: Forest, places: _Places, spec: TableSpec, rows: _Rows
) -> dict[str, pa.Array]:
    """Return the columns that hold values."""
    cells = _cells(name, forest, places, rows, len(spec.chain) + len(spec.beside))
    texts = pa.array(forest.labels.values, pa.string())
    named = zip((*spec.chain, *spec.beside), cells, strict=True)
    return {column: texts.take(pa.array(codes, mask=codes < 0)) for column, codes in named}


def _new_keys(
    spec: TableSpec, layout: Layout, rows: _Rows, tables: Mapping[str, pa.Table]
) -> dict[str, pa.Array]:
    """Return the columns that tie rows together: what is no foreign key counts from 1."""
    columns: dict[str, pa.Array] = {}
    if not spec.parent:
        several = spec.record or np.unique(rows.above).size < rows.above.size
        if several:
            columns[spec.record or RECORD] = pa.array(rows.above + 1)
    for column in columns_of(spec.key):
        columns[column] = pa.array(np.arange(1, rows.point.size + 1))
    if spec.parent:
        keys = columns_of(layout.tables[spec.parent].key)
        for own, key in zip(columns_of(spec.foreign_key), keys, strict=True):
            columns[own] = tables[spec.parent][key].take(pa.array(rows.above))
    for column in columns_of(spec.person):
        if column not in columns:  # every row has its parent: nobody is looked for by it
            columns[column] = pa.nulls(rows.point.size, pa.string())
    return columns


def _cells(
    name: str, forest: Forest, places: _Places, rows: _Rows, width: int
) -> list[NDArray[np.int32]]:
    """Return for each column the label of each row, -1 where the cell is empty."""
    cells = np.full((width, rows.point.size), -1, dtype=np.int32)
    here = np.flatnonzero(~rows.empty)
    node = rows.point[here]
    while here.size:
        cells[places.column[node], here] = forest.label[node]
        up = places.joined[node]
        here, node = here[up], places.above[node[up]]
    number = places.names.index(name)
    sides = np.flatnonzero((places.table == number) & ~places.in_chain)
    alone = np.setdiff1d(sides, rows.side)
    cells[places.column[alone], rows.at(places.above[alone])] = forest.label[alone]
    own = np.flatnonzero(rows.side >= 0)
    cells[places.column[rows.side[own]], own] = forest.label[rows.side[own]]
    return list(cells)
