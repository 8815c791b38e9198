"""Relational records: several tables joined by keys, read to a forest without a loop over rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault, no_columns
from indistinct.io.encoding import encode
from indistinct.io.files import FileSource
from indistinct.trees.files.layout import RECORD, layout_of
from indistinct.trees.files.leaks import REMEDY, UNKNOWN, Leak, refuse
from indistinct.trees.forest import Forest, Labels
from indistinct.trees.planting import plant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indistinct.trees.files.layout import Layout, TableSpec

    Ints = NDArray[np.int64]

SHOWN = 5


def read(
    tables: Mapping[str, TableSpec],
    classes: Sequence[str],
    folder: Path,
    *,
    keep_ids: bool = False,
    published: bool = False,
) -> Forest:
    """Read the tables of a plan as trees.

    Parameters
    ----------
    tables
        The plan's ``[tree.tables]``.
    classes
        The plan's classes, in order.
    folder
        Where the files are whose paths are not whole.
    keep_ids
        Whether the forest remembers the people's keys.
    published
        Whether they are of a release, which has the columns of the plan and no others.

    Raises
    ------
    PlanError
        If the tables do not fit together.
    DoesNotHoldError
        If a release has columns that the plan does not know.
    DataError
        If a file or column is missing, a key is repeated or empty, or a row points to no row; all
        such faults at once, each with the rows, never with a key.
    """
    layout = layout_of(tables, classes)
    loaded = _load(layout, folder, published=published)
    nodes = _Nodes(tuple(classes))
    rows: dict[str, _Rows] = {}
    faults: list[Fault] = []
    for name, spec in layout.tables.items():
        faults += _key_faults(spec, loaded[name])
        rows_or_faults = (
            _hung(name, layout, loaded, rows) if spec.parent else _people(spec, loaded[name])
        )
        if isinstance(rows_or_faults, list):
            faults += rows_or_faults
        else:
            rows[name] = nodes.add(spec, loaded[name].table, rows_or_faults)
    if faults:
        raise DataError(faults)
    people = rows[layout.root].record
    size = int(people.max()) + 1 if people.size else 0
    ids = _ids(layout.tables[layout.root], loaded[layout.root].table) if keep_ids else None
    return nodes.forest(size, ids)


@dataclass(frozen=True)
class _Loaded:
    """One table, and what its file is called in messages."""

    place: str
    table: pa.Table


@dataclass(frozen=True)
class _Rows:
    """For each row its record and the node that rows pointing to it hang below (-1: the record)."""

    record: Ints
    anchor: Ints


def _load(layout: Layout, folder: Path, *, published: bool) -> dict[str, _Loaded]:
    loaded: dict[str, _Loaded] = {}
    faults: list[Fault] = []
    for name, spec in layout.tables.items():
        path = folder / spec.file
        try:
            table = FileSource.of(path).read(may_be_empty=True)  # nobody need have an order
        except DataError as error:
            faults += error.faults
            continue
        faults += no_columns(spec.file, spec.used, table.column_names)
        own = [RECORD] if not spec.parent and RECORD in table.column_names else []
        if published:
            known = {*spec.used, *own}
            faults += [
                Leak(spec.file, f"it holds a column {column!r}, {UNKNOWN}", REMEDY)
                for column in table.column_names
                if column not in known
            ]
        if not faults:
            loaded[name] = _Loaded(spec.file, table.select([*spec.used, *own]))
    refuse(faults)
    return loaded


def _people(spec: TableSpec, loaded: _Loaded) -> _Rows | list[Fault]:
    """Number the people in the order of their first rows."""
    none = np.full(loaded.table.num_rows, -1, dtype=np.int64)
    column = _person(spec, loaded.table)
    if not column:
        return _Rows(np.arange(loaded.table.num_rows), none)
    people = _keys(loaded.table, column)
    if people.null_count:
        problem = f"column {column!r} does not say whose row it is"
        return [
            _at_rows(loaded.place, _empty(people), problem, "Fill it in, or leave the row out.")
        ]
    return _Rows(people.dictionary_encode().indices.to_numpy().astype(np.int64), none)


def _person(spec: TableSpec, table: pa.Table) -> str | None:
    return spec.record or (RECORD if RECORD in table.column_names else None)


def _hung(
    name: str, layout: Layout, loaded: Mapping[str, _Loaded], rows: Mapping[str, _Rows]
) -> _Rows | list[Fault]:
    """Find for each row the row it points to; keep silent if that table has faults itself."""
    spec = layout.tables[name]
    parent, foreign_key = str(spec.parent), str(spec.foreign_key)
    if parent not in rows:
        return []
    here, above = loaded[name], loaded[parent]
    keys = _keys(above.table, str(layout.tables[parent].key))
    at = pc.index_in(_keys(here.table, foreign_key), keys, skip_nulls=True)
    if at.null_count:
        problem = f"{foreign_key!r} points to no row of {above.place}"
        remedy = "Add the row it points to, or leave the orphan out."
        return [_at_rows(here.place, _empty(at), problem, remedy)]
    place = at.to_numpy()
    return _Rows(rows[parent].record[place], rows[parent].anchor[place])


def _key_faults(spec: TableSpec, loaded: _Loaded) -> list[Fault]:
    if not spec.key:
        return []
    key = _keys(loaded.table, spec.key)
    if key.null_count:
        problem = f"the key {spec.key!r} is empty"
        return [_at_rows(loaded.place, _empty(key), problem, "Give every row a key.")]
    codes = key.dictionary_encode().indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    again = np.sort(order[1:][codes[order][1:] == codes[order][:-1]])
    if again.size:
        problem = f"the key {spec.key!r} is that of an earlier row"
        return [_at_rows(loaded.place, again, problem, "Keep one row for each key.")]
    return []


def _keys(table: pa.Table, column: str) -> pa.Array:
    """Return a column of keys as text: 7 in one file and "7" in the other are the same key."""
    values = table[column]
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return pa.concat_arrays(values.cast(pa.string()).chunks or [pa.array([], pa.string())])


def _empty(values: pa.Array) -> Ints:
    empty: Ints = np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))
    return empty


def _at_rows(place: str, rows: Ints, problem: str, remedy: str) -> Fault:
    """Report a fault of some rows; rows are counted from 1, below the header."""
    listed = ", ".join(str(row + 1) for row in rows[:SHOWN].tolist())
    more = f" and {rows.size - SHOWN} more" if rows.size > SHOWN else ""
    word = "row" if rows.size == 1 else "rows"
    return Fault(f"{place}, {word} {listed}{more}", problem, remedy)


def _ids(spec: TableSpec, table: pa.Table) -> tuple[str, ...] | None:
    column = _person(spec, table) or spec.key
    return tuple(_keys(table, column).unique().to_pylist()) if column else None


@dataclass
class _Nodes:
    """The nodes found so far, not yet merged."""

    classes: tuple[str, ...]
    values: dict[str, list[str]] = field(default_factory=dict)
    record: list[Ints] = field(default_factory=list)
    parent: list[Ints] = field(default_factory=list)
    label: list[tuple[str, NDArray[np.int32]]] = field(default_factory=list)
    size: int = 0

    def add(self, spec: TableSpec, table: pa.Table, rows: _Rows) -> _Rows:
        """Add the nodes of a table; return where rows that point to its rows hang."""
        anchor = rows.anchor.copy()
        for column in spec.chain:
            present, here = self._column(spec.class_of(column), table[column], rows.record, anchor)
            anchor[present] = here
        for column in spec.beside:
            self._column(spec.class_of(column), table[column], rows.record, anchor)
        return _Rows(rows.record, anchor)

    def _column(
        self, kind: str, column: pa.ChunkedArray, record: Ints, anchor: Ints
    ) -> tuple[Ints, Ints]:
        encoded = encode(column, kind)
        texts = encoded.domain.values
        empty = np.array([text is None for text in texts], dtype=bool)
        present = np.flatnonzero(~empty[encoded.codes])
        self.values[kind] = [str(text) for text in texts if text is not None]
        rank = (np.cumsum(~empty) - 1).astype(np.int32)
        self.label.append((kind, rank[encoded.codes[present]]))
        self.record.append(record[present])
        self.parent.append(anchor[present])
        here = np.arange(self.size, self.size + present.size)
        self.size += present.size
        return present, here

    def forest(self, size: int, ids: tuple[str, ...] | None) -> Forest:
        """Number the labels by class and text, and merge what is equal."""
        values: list[str] = []
        of_class: list[int] = []
        code: dict[str, NDArray[np.int32]] = {}
        for place, kind in enumerate(self.classes):
            own = np.array(self.values[kind], dtype=object)
            order = np.argsort(own, kind="stable")
            code[kind] = (np.argsort(order) + len(values)).astype(np.int32)
            values += own[order].tolist()
            of_class += [place] * own.size
        return plant(
            self.classes,
            Labels(values, np.array(of_class, dtype=np.int32)),
            size=size,
            record=np.concatenate(self.record),
            parent=np.concatenate(self.parent),
            label=np.concatenate([code[kind][ranks] for kind, ranks in self.label]),
            ids=ids,
        )
