"""Relational records: several tables joined by keys, read to a forest without a loop over rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault, closest, counted, no_columns
from indistinct.io.encoding import encode
from indistinct.io.files import FileSource
from indistinct.trees.files.families import numbered
from indistinct.trees.files.layout import ENTITY, RECORD, columns_of, layout_of, shown_key
from indistinct.trees.files.leaks import REMEDY, UNKNOWN, Leak, refuse
from indistinct.trees.forest import Forest, Labels
from indistinct.trees.planting import plant

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indistinct.trees.files.layout import Key, Layout, TableSpec

    Ints = NDArray[np.int64]

OUR_KEYS = "those count rows from 1, and reveal nothing"


def read(
    tables: Mapping[str, TableSpec],
    classes: Sequence[str],
    source: Path | Mapping[str, pa.Table],
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
    source
        Where the files are whose paths are not whole; or the tables themselves, by name.
    keep_ids
        Whether the forest remembers the people's keys.
    published
        Whether they are of a release, which has the columns of the plan and no others.

    Raises
    ------
    PlanError
        If the tables do not fit together.
    DoesNotHoldError
        If a release has columns that the plan does not know, or keys that are not new.
    DataError
        If a file or column is missing, a key is repeated or empty, or a row points to no row; all
        such faults at once, each with the rows, never with a key.
    """
    layout = layout_of(tables, classes)
    loaded = _load(layout, source, published=published)
    given = {name: one.table.num_rows for name, one in loaded.items()}
    nodes = _Nodes(tuple(classes))
    rows: dict[str, _Rows] = {}
    faults: list[Fault] = []
    notes: list[str] = []
    so_far = _SoFar(layout, loaded, rows)
    for name, spec in layout.tables.items():
        faults += _key_faults(spec, loaded[name])
        if spec.parent and not {spec.parent, layout.root} <= rows.keys():
            continue  # the table above has faults itself
        try:
            hung = so_far.hung(name) if spec.parent else _people(spec, loaded[name])
        except DataError as error:
            faults += error.faults
            continue
        kept = np.flatnonzero(hung.record >= 0)
        if kept.size < hung.record.size:
            notes.append(_left_out(loaded[name], spec, hung.record.size - kept.size))
            loaded[name] = _Loaded(loaded[name].place, loaded[name].table.take(pa.array(kept)))
            hung = _Rows(hung.record[kept], hung.anchor[kept])
        rows[name] = nodes.add(spec, loaded[name].table, hung)
    if faults:
        raise DataError(faults)
    people = rows[layout.root].record
    size = int(people.max()) + 1 if people.size else 0
    ids = _ids(layout.tables[layout.root], loaded[layout.root].table) if keep_ids else None
    return replace(nodes.forest(size, ids), notes=tuple(notes), rows=given)


def _left_out(loaded: _Loaded, spec: TableSpec, rows: int) -> str:
    why = f"{shown_key(spec.foreign_key)} points to no row of {spec.parent!r}"
    return f"{counted(rows, 'row')} of {loaded.place} left out: {why}"


@dataclass(frozen=True)
class _Loaded:
    """One table, and what its file is called in messages."""

    place: str
    table: pa.Table


class _Rows(NamedTuple):
    """For each row its record and the node that rows pointing to it hang below (-1: the record)."""

    record: Ints
    anchor: Ints


def _load(
    layout: Layout, source: Path | Mapping[str, pa.Table], *, published: bool
) -> dict[str, _Loaded]:
    loaded: dict[str, _Loaded] = {}
    faults: list[Fault] = []
    for name, spec in layout.tables.items():
        try:
            place, table = _table(name, spec, source)
        except DataError as error:
            faults += error.faults
            continue
        faults += no_columns(place, spec.used, table.column_names)
        ours = [ENTITY] if spec.parent else [RECORD, ENTITY]
        own = [column for column in ours if column in table.column_names]
        if published:
            known = {*spec.used, *own}
            faults += [
                Leak(place, f"it holds a column {column!r}, {UNKNOWN}", REMEDY)
                for column in table.column_names
                if column not in known
            ]
        if not faults:
            loaded[name] = _Loaded(place, table.select([*spec.used, *own]))
    if published and not faults:
        faults += _key_leaks(layout, loaded)
    refuse(faults)
    return loaded


def _key_leaks(layout: Layout, loaded: Mapping[str, _Loaded]) -> list[Fault]:
    """Find keys in a release that are none of ours: those count rows from 1."""
    most = max(one.table.num_rows for one in loaded.values())
    faults: list[Fault] = []
    for name, spec in layout.tables.items():
        place, table = loaded[name].place, loaded[name].table
        named = [*spec.keys, *([RECORD] if RECORD in table.column_names else [])]
        for column in dict.fromkeys(named):
            rows = np.flatnonzero(~_counts(_key_column(table, column), most))
            if rows.size:
                where = f"{place}, {numbered((rows + 1).tolist(), 'row')}"
                problem = f"column {column!r} holds what is not a key of a release: {OUR_KEYS}"
                faults.append(Leak(where, problem, REMEDY))
    return faults


def _counts(keys: pa.Array, most: int) -> NDArray[np.bool_]:
    """Return which keys are empty, or whole numbers from 1 to as many as there are rows."""
    number = pc.match_substring_regex(keys, r"^[1-9][0-9]{0,17}$").fill_null(False)  # noqa: FBT003
    value = pc.if_else(number, keys, None).cast(pa.int64()).fill_null(0).to_numpy()
    empty = keys.is_null().to_numpy(zero_copy_only=False)
    counts: NDArray[np.bool_] = empty | ((value >= 1) & (value <= most))
    return counts


def _table(
    name: str, spec: TableSpec, source: Path | Mapping[str, pa.Table]
) -> tuple[str, pa.Table]:
    """Read a table; return what it is called in messages, too."""
    if not isinstance(source, Mapping):
        path = source / spec.file
        return spec.file, FileSource.of(path).read(may_be_empty=True)  # nobody need have an order
    if name not in source:
        raise DataError(Fault("records", f"there is no table {name!r}", closest(name, source)))
    return f"table {name!r}", source[name]


def _people(spec: TableSpec, loaded: _Loaded) -> _Rows:
    """Number the people in the order of their first rows."""
    none = np.full(loaded.table.num_rows, -1, dtype=np.int64)
    column = _person(spec, loaded.table)
    if not column:
        return _Rows(np.arange(loaded.table.num_rows), none)
    people = _keys(loaded.table, column)
    if people.null_count:
        problem = f"column {column!r} does not say which person the row is about"
        remedy = "Fill it in, or leave the row out."
        raise DataError(_at_rows(loaded.place, _empty(people), problem, remedy))
    return _Rows(people.dictionary_encode().indices.to_numpy().astype(np.int64), none)


def _person(spec: TableSpec, table: pa.Table) -> str | None:
    return spec.record or (RECORD if RECORD in table.column_names else None)


@dataclass(frozen=True)
class _SoFar:
    """What was read before a table: those that its rows may point to are among them."""

    layout: Layout
    loaded: Mapping[str, _Loaded]
    rows: Mapping[str, _Rows]

    def hung(self, name: str) -> _Rows:
        """Find for each row what it hangs below; the record of one that is left out is -1."""
        spec = self.layout.tables[name]
        hung = self._pointed_at(name, spec.foreign_key, str(spec.parent))
        if spec.orphans == "root":
            lost = hung.record < 0
            at_root = self._pointed_at(name, spec.person, self.layout.root)
            hung = _Rows(
                np.where(lost, at_root.record, hung.record),
                np.where(lost, at_root.anchor, hung.anchor),
            )
        orphans = np.flatnonzero(hung.record < 0)
        if orphans.size and spec.orphans != "drop":
            raise DataError(self._orphan_fault(name, orphans))
        return hung

    def _pointed_at(self, name: str, key: Key | None, target: str) -> _Rows:
        """Return the record and the anchor that each row points to; -1 where it points to none."""
        keys = _keys(self.loaded[target].table, self.layout.tables[target].key)
        at = pc.index_in(_keys(self.loaded[name].table, key), keys, skip_nulls=True)
        place = at.fill_null(-1).to_numpy().astype(np.int64)
        record, anchor = (np.append(part, -1) for part in self.rows[target])
        return _Rows(record[place], anchor[place])

    def _orphan_fault(self, name: str, orphans: Ints) -> Fault:
        spec = self.layout.tables[name]
        above = self.loaded[str(spec.parent)].place
        problem = f"{shown_key(spec.foreign_key)} points to no row of {above}"
        remedy = 'Add the row it points to, or say what becomes of orphans: "drop" or "root".'
        if spec.orphans == "root":
            problem += f", and {shown_key(spec.person)} to nobody"
            remedy = "Add the person, or leave the orphan out."
        return _at_rows(self.loaded[name].place, orphans, problem, remedy)


def _key_faults(spec: TableSpec, loaded: _Loaded) -> list[Fault]:
    if not spec.key:
        return []
    key = _keys(loaded.table, spec.key)
    if key.null_count:
        problem = f"the key {shown_key(spec.key)} is empty"
        return [_at_rows(loaded.place, _empty(key), problem, "Give every row a key.")]
    codes = key.dictionary_encode().indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    again = np.sort(order[1:][codes[order][1:] == codes[order][:-1]])
    if again.size:
        problem = f"the key {shown_key(spec.key)} is that of an earlier row"
        return [_at_rows(loaded.place, again, problem, "Keep one row for each key.")]
    return []


def _keys(table: pa.Table, key: Key | None) -> pa.Array:
    """Return keys as text: 7 in one file and "7" in the other are the same key.

    Of several columns each text goes with its length, so that no two keys become one; a key of
    which a part is empty is empty.
    """
    parts = [_key_column(table, column) for column in columns_of(key)]
    if len(parts) == 1:
        return parts[0]
    lengths = [pc.utf8_length(part).cast(pa.string()) for part in parts]
    pieces = [piece for pair in zip(lengths, parts, strict=True) for piece in pair]
    return pc.binary_join_element_wise(*pieces, ":")


def _key_column(table: pa.Table, column: str) -> pa.Array:
    values = table[column]
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return pa.concat_arrays(values.cast(pa.string()).chunks or [pa.array([], pa.string())])


def _empty(values: pa.Array) -> Ints:
    empty: Ints = np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))
    return empty


def _at_rows(place: str, rows: Ints, problem: str, remedy: str) -> Fault:
    """Report a fault of some rows; rows are counted from 1, below the header."""
    return Fault(f"{place}, {numbered((rows + 1).tolist(), 'row')}", problem, remedy)


def _ids(spec: TableSpec, table: pa.Table) -> tuple[str, ...] | None:
    column = _person(spec, table) or spec.key
    return tuple(_keys(table, column).unique().to_pylist()) if column else None


def _entities(table: pa.Table, spec: TableSpec) -> pa.ChunkedArray:
    """Return which rows are nodes that only group: all, unless a released table says it."""
    if ENTITY in table.column_names:
        return table[ENTITY]
    return pa.chunked_array([pa.array([spec.entity] * table.num_rows, pa.string())])


@dataclass
class _Nodes:
    """The nodes found so far, not yet merged."""

    classes: tuple[str, ...]
    values: dict[str, dict[str, int]] = field(default_factory=dict)
    record: list[Ints] = field(default_factory=list)
    parent: list[Ints] = field(default_factory=list)
    label: list[tuple[str, NDArray[np.int32]]] = field(default_factory=list)
    size: int = 0

    def add(self, spec: TableSpec, table: pa.Table, rows: _Rows) -> _Rows:
        """Add the nodes of a table; return where rows that point to its rows hang."""
        anchor = rows.anchor.copy()
        for column in spec.chain:
            values = _entities(table, spec) if column == ENTITY else table[column]
            present, here = self._column(spec.class_of(column), values, rows.record, anchor)
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
        known = self.values.setdefault(kind, {})
        rank = np.array(
            [-1 if text is None else known.setdefault(str(text), len(known)) for text in texts],
            dtype=np.int32,
        )
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
            own = np.array(list(self.values[kind]), dtype=object)
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
