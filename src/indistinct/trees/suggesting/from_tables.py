"""A first plan for tables: foreign keys are columns whose values are all keys of another table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault
from indistinct.io.encoding import comparable, encode
from indistinct.io.plain import decoded
from indistinct.plan.naming import spread
from indistinct.trees.suggesting.leaves import Leaf, name_all, why_not
from indistinct.trees.suggesting.shapes import grown, placed_below
from indistinct.trees.suggesting.writing import Section, SuggestedTreePlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from indistinct.trees.suggesting.shapes import Entity, Steps

NEARLY_ALL = 0.9


@dataclass(frozen=True)
class _Table:
    """A table, and those of its columns that could be its key."""

    name: str
    rows: pa.Table
    file: str | None

    @property
    def keys(self) -> list[str]:
        """Columns with a value of its own in every row."""
        return [name for name in self.rows.column_names if _is_key(self.rows[name])]


def _is_key(column: pa.ChunkedArray) -> bool:
    if not (pa.types.is_integer(column.type) or pa.types.is_string(column.type)):
        return False
    distinct: int = pc.count_distinct(column).as_py()
    return column.null_count == 0 and distinct == len(column) > 0


def suggested(tables: Mapping[str, pa.Table], files: Mapping[str, str]) -> SuggestedTreePlan:
    """Suggest a plan for tables by name; `files` has what their files are called.

    Raises
    ------
    DataError
        If there are none, or none points to another.
    """
    if not tables:
        remedy = "Name the folder that holds them: CSV, Parquet, Excel, ..."
        raise DataError(Fault("data", "there are no tables", remedy))
    known = {n: _Table(n, decoded(rows), files.get(n)) for n, rows in tables.items()}
    links = _one_way(_links(known))
    points: dict[str, dict[str, int]] = {name: {} for name in known}
    for table, target in links:
        points[table][target] = known[table].rows.num_rows
    parents = placed_below(points)
    if len(parents) < min(2, len(known)):
        problem = "no column of a table holds the keys of another"
        raise DataError(Fault("data", problem, "Give tables that point to each other."))
    ties = _ties(parents, links)
    leaves = list(_leaves(known, parents, ties))
    own = [leaf for leaf in leaves if not leaf.left_out]
    roots: dict[Steps, Steps | None] = {
        (name,): None if above is None else (above,) for name, above in parents.items()
    }
    root = grown(own, roots, lambda steps: steps[:1])
    sections = [Section("", {"format": "tables"})]
    sections += _sections(root, known, parents, links)
    unplaced = [name for name in known if name not in parents]
    look_at = [f"these tables belong below no person, and are left out: {n}" for n in unplaced]
    people = known[next(iter(parents))].rows.num_rows
    return SuggestedTreePlan(people, root, leaves, sections, tuple(look_at))


@dataclass(frozen=True)
class _Link:
    """A column that points to the key of another table."""

    table: str
    column: str
    target: str
    key: str
    whole: bool


def _links(known: Mapping[str, _Table]) -> Iterator[_Link]:
    """Find the columns whose values are keys of other tables, and whose names say so too."""
    for table in known.values():
        for target in known.values():
            if table.name == target.name:
                continue
            ways = [
                _Link(table.name, column, target.name, key, share == 1)
                for key in target.keys
                for column in table.rows.column_names
                if _related(column, key, target.name)
                for share in [_share(table.rows[column], target.rows[key])]
                if share >= NEARLY_ALL
            ]
            if ways:
                yield max(ways, key=lambda link: (link.whole, link.column == link.key))


def _one_way(links: Iterable[_Link]) -> dict[tuple[str, str], _Link]:
    """Of two tables with the same keys, let the one point whose own name the keys do not bear."""
    both = {(link.table, link.target): link for link in links}
    for table, target in list(both):
        back = both.get((target, table))
        if back is not None and (table, target) in both:
            own = spread(table).removesuffix("s") in spread(back.key)
            del both[(table, target) if own else (target, table)]
    return both


def _related(column: str, key: str, table: str) -> bool:
    """Return whether names say that a column is about a table: numbers are in many domains."""
    own, words = (
        set(spread(column).split("_")),
        {*spread(key).split("_"), *spread(table).split("_")},
    )
    vague = {"id", "no", "nr", "key", "code", "number"}
    singular = {word.removesuffix("s") for word in words - vague}
    return column == key or bool({word.removesuffix("s") for word in own - vague} & singular)


def _share(column: pa.ChunkedArray, key: pa.ChunkedArray) -> float:
    """Return the share of values that are among the keys."""
    if not comparable(column.type) or len(column) == column.null_count:
        return 0.0
    texts = [part.cast(pa.string()).combine_chunks() for part in (column.drop_null(), key)]
    return float(pc.mean(pc.is_in(texts[0], value_set=texts[1])).as_py())


def _ties(
    parents: Mapping[str, str | None], links: Mapping[tuple[str, str], _Link]
) -> dict[str, set[str]]:
    """Return for each table the columns that tie it to others, which are no values."""
    ties: dict[str, set[str]] = {name: set() for name in parents}
    for link in links.values():
        if link.table in ties and link.target in ties:
            ties[link.table].add(link.column)
            ties[link.target].add(link.key)
    return ties


def _leaves(
    known: Mapping[str, _Table], parents: Mapping[str, str | None], ties: Mapping[str, set[str]]
) -> Iterator[Leaf]:
    leaves = [
        Leaf((name, column))
        for name in parents
        for column in known[name].rows.column_names
        if column not in ties[name] and comparable(known[name].rows[column].type)
    ]
    for leaf in leaves:
        name, column = map(str, leaf.steps)
        domain = encode(known[name].rows[column], column).domain
        leaf.counts.update({text: n for text, n in domain.rows_of.items() if text is not None})
    name_all(leaves)
    for leaf in leaves:
        leaf.left_out = why_not(leaf) if leaf.counts else "it has no values"
        yield leaf


def _sections(
    entity: Entity,
    known: Mapping[str, _Table],
    parents: Mapping[str, str | None],
    links: Mapping[tuple[str, str], _Link],
) -> Iterator[Section]:
    [name] = map(str, entity.steps)
    keys: dict[str, Any] = {}
    if known[name].file not in (None, f"{name}.csv"):
        keys["file"] = known[name].file
    note, above = "Each row is a person, and makes a record.", parents[name]
    below = [links[other, name] for other, parent in parents.items() if parent == name]
    if below:
        keys["key"] = below[0].key
    if above is not None:
        link = links[name, above]
        keys |= {"parent": above, "foreign_key": link.column}
        note = "" if link.whole else f"Rows that point to no row of {above} are left out."
        keys |= {} if link.whole else {"orphans": "drop"}
    beside = [str(leaf.steps[-1]) for leaf in entity.others]
    chain = [] if entity.head is None else [str(entity.head.steps[-1])]
    keys["columns"] = [*chain, *([beside] if beside else [])]
    renamed = {str(leaf.steps[-1]): leaf.name for leaf in entity.leaves}
    renamed = {column: own for column, own in renamed.items() if column != own}
    if renamed:
        keys["classes"] = renamed
    yield Section(f"tree.tables.{name}", keys, note)
    for inner in entity.inner:
        yield from _sections(inner, known, parents, links)
