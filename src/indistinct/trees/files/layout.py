"""The layout of relational records: which tables there are and how their rows make a tree.

A row of a table is a chain of nodes, one for each of its columns in order; the rows that point to
it hang below the chain's end. Columns in a list of their own stand side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from indistinct._parts import Part
from indistinct.errors import Fault, PlanError, closest
from indistinct.trees.files.families import Orphans, family_faults, parents_first

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RECORD = "indistinct_record"
"""The column of a released root table that names the person, where the plan names none."""

ENTITY = "indistinct_entity"
"""The column of a released table that says which rows are nodes that only group."""

Name = Annotated[str, Field(min_length=1)]
Beside = Annotated[tuple[Name, ...], Field(min_length=1)]
Key = Name | Beside


class TableSpec(Part):
    """One table of ``[tree.tables]``.

    Attributes
    ----------
    file
        A CSV or Parquet file, beside the plan or by its whole path.
    columns
        The columns that hold values. Names in order make a chain, each below the one before; a list
        of names in the last place holds columns that stand side by side below the chain. An empty
        cell makes no node, and what would be below it hangs one node higher.
    entity
        The class of a node for each row, above its columns, that has no value and only groups.
    key
        The column that rows of other tables point to, or several; each value at most once.
    parent, foreign_key
        The table whose rows these rows hang below, and what points to its key. The one table
        without a parent is the root: its rows are the people.
    orphans
        What becomes of a row that points to none: it is a fault, it is dropped, or it hangs at the
        root, directly below its `person`.
    person
        What points to the key of the root table.
    record
        Of the root table: the column that names the person, if a person has several rows.
    classes
        What class the values of a column are of, where it is not called like the column.
    """

    file: Name
    columns: Annotated[tuple[Name | Beside, ...], Field()] = ()
    entity: Name | None = None
    key: Key | None = None
    parent: Name | None = None
    foreign_key: Key | None = None
    orphans: Orphans = "error"
    person: Key | None = None
    record: Name | None = None
    classes: dict[str, Name] = Field(default_factory=dict)

    @property
    def chain(self) -> tuple[str, ...]:
        """The columns that stand below each other; that of the entity is not in private files."""
        own = (ENTITY,) if self.entity else ()
        return (*own, *(column for column in self.columns if isinstance(column, str)))

    @property
    def beside(self) -> tuple[str, ...]:
        """The columns that stand side by side below the chain."""
        return tuple(name for group in self.columns if not isinstance(group, str) for name in group)

    @property
    def file_name(self) -> str:
        """What the file is called in the folder of a release."""
        return self.file.replace("\\", "/").rsplit("/", maxsplit=1)[-1]

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that hold no values but tie rows together."""
        keys = (self.record, self.key, self.foreign_key, self.person)
        return tuple(dict.fromkeys(name for key in keys for name in columns_of(key)))

    @property
    def used(self) -> tuple[str, ...]:
        """All columns that are read, each once."""
        named = dict.fromkeys((*self.keys, *self.chain, *self.beside))
        return tuple(name for name in named if name != ENTITY)

    def class_of(self, column: str) -> str:
        """Name the class of a column's values."""
        if self.entity and column == ENTITY:
            return self.entity
        return self.classes.get(column, column)


def columns_of(key: Key | None) -> tuple[str, ...]:
    """Name the columns of a key: none, one or several."""
    if key is None:
        return ()
    return (key,) if isinstance(key, str) else key


def shown_key(key: Key | None) -> str:
    """Name a key in messages."""
    return " and ".join(map(repr, columns_of(key)))


@dataclass(frozen=True)
class Layout:
    """Tables that fit together, the root first and each after its parent."""

    tables: dict[str, TableSpec]

    @property
    def root(self) -> str:
        """The name of the table whose rows are the people."""
        return next(iter(self.tables))

    @cached_property
    def children(self) -> dict[str, list[str]]:
        """The tables that point to each table."""
        children: dict[str, list[str]] = {name: [] for name in self.tables}
        for name, spec in self.tables.items():
            if spec.parent:
                children[spec.parent].append(name)
        return children


def layout_of(tables: Mapping[str, TableSpec], classes: Sequence[str]) -> Layout:
    """Put tables in order, or raise with everything that does not fit.

    Parameters
    ----------
    tables
        The plan's ``[tree.tables]``.
    classes
        The plan's classes; on a path they follow this order.

    Raises
    ------
    PlanError
        If there is not one root, a parent is missing, tables point at each other in a circle, or
        the classes of the columns are not those of the plan in their order.
    """
    faults = [fault for name, spec in tables.items() for fault in _own_faults(name, spec, tables)]
    faults += key_faults(tables)
    faults += family_faults(tables, "tree.tables", "table")
    faults += _class_faults(tables, classes)
    if faults:
        raise PlanError(faults)
    layout = Layout(parents_first(tables))
    faults = [f for name in layout.tables for f in _order_faults(name, layout, list(classes))]
    if faults:
        raise PlanError(faults)
    return layout


def _place(name: str, key: str) -> str:
    return f"tree.tables.{name}.{key}"


def _own_faults(name: str, spec: TableSpec, tables: Mapping[str, TableSpec]) -> list[Fault]:
    faults = []
    groups = [place for place, column in enumerate(spec.columns) if not isinstance(column, str)]
    if groups and groups != [len(spec.columns) - 1]:
        problem = "a list of columns side by side comes before other columns"
        faults.append(Fault(_place(name, "columns"), problem, "Put it last, in one list."))
    if (spec.parent is None) != (spec.foreign_key is None):
        problem = "parent and foreign_key go together, and only one of them is given"
        faults.append(Fault(_place(name, "parent"), problem, "Give both, or none for the root."))
    if spec.parent and spec.record:
        problem = "only the root table names the person"
        faults.append(Fault(_place(name, "record"), problem, "Leave it out here."))
    parent = tables.get(spec.parent) if spec.parent else None
    if parent and not parent.key:
        problem = f"table {name!r} points to it, and it has no key"
        faults.append(Fault(_place(str(spec.parent), "key"), problem, "Name its key column."))
    if spec.parent is None and (spec.person or spec.orphans != "error"):
        problem = "rows of the root table point to none"
        faults.append(Fault(_place(name, "orphans"), problem, "Leave orphans and person out."))
    unknown = set(spec.classes) - {*spec.chain, *spec.beside}
    faults += [
        Fault(_place(name, "classes"), f"{column!r} is not one of its columns", "Omit it.")
        for column in sorted(unknown)
    ]
    return faults


def key_faults(tables: Mapping[str, TableSpec]) -> list[Fault]:
    """Return which keys cannot lead where they shall."""
    faults: list[Fault] = []
    root = next((spec for spec in tables.values() if not spec.parent), None)
    pointed_to = {spec.parent for spec in tables.values()}
    for name, spec in tables.items():
        above = tables.get(spec.parent) if spec.parent else None
        for key, target in (("foreign_key", above), ("person", root)):
            wide = len(columns_of(getattr(spec, key)))
            if target and target.key and wide not in (0, len(columns_of(target.key))):
                problem = f"{wide} columns point to a key of {len(columns_of(target.key))}"
                faults.append(Fault(_place(name, key), problem, "Name as many, in its order."))
        if spec.orphans == "root" and not spec.person:
            problem = 'orphans = "root" needs to know whose row it is'
            faults.append(Fault(_place(name, "orphans"), problem, "Name the columns as person."))
        if (
            name in pointed_to
            and spec.key
            and set(columns_of(spec.key)) <= set(columns_of(spec.foreign_key))
        ):
            problem = "a release needs new keys, and this one is made of the foreign key alone"
            faults.append(Fault(_place(name, "key"), problem, "Add a column that counts the rows."))
    return faults


def _class_faults(tables: Mapping[str, TableSpec], classes: Sequence[str]) -> list[Fault]:
    faults = []
    seen: set[str] = set()
    for name, spec in tables.items():
        for column in (*spec.chain, *spec.beside):
            kind, place = spec.class_of(column), _place(name, "columns")
            if column in spec.keys:
                problem = f"column {column!r} is a key, and keys are not published"
                faults.append(Fault(place, problem, "Leave it out of the columns."))
            if kind not in classes:
                faults.append(Fault(place, f"there is no class {kind!r}", closest(kind, classes)))
            seen.add(kind)
    faults += [
        Fault("tree.classes", f"no table has a column of class {kind!r}", "Omit it.")
        for kind in classes
        if kind not in seen
    ]
    return faults


def _order_faults(name: str, layout: Layout, classes: list[str]) -> list[Fault]:
    """Check that every column's class comes after those above it."""
    spec = layout.tables[name]
    last = _last_above(name, layout)
    faults = []
    for column in (*spec.chain, *spec.beside):
        kind = spec.class_of(column)
        if last and classes.index(kind) <= classes.index(last):
            order = f"On a path classes follow the plan's order: {', '.join(classes)}."
            twice = kind == last
            problem = f"class {kind!r} stands below {last!r}"
            problem += ", and a path has each class once" if twice else ", which comes after it"
            remedy = "Give it a class of its own, or put it beside." if twice else order
            faults.append(Fault(_place(name, "columns"), problem, remedy))
        elif column in spec.chain:
            last = kind
    return faults


def _last_above(name: str, layout: Layout) -> str | None:
    above = layout.tables[name].parent
    while above and not layout.tables[above].chain:
        above = layout.tables[above].parent
    if not above:
        return None
    spec = layout.tables[above]
    return spec.class_of(spec.chain[-1])
