"""What pages show of a private table: a hundred rows, shapes of values, and counts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from indistinct.app.looker import aside
from indistinct.encode.notation import in_notation
from indistinct.errors import Fault, HierarchyError, IndistinctError, PlanError
from indistinct.hierarchy import HierarchySpec
from indistinct.io.encoding import comparable, encode
from indistinct.io.opening import file_source
from indistinct.plan import Input, Plan
from indistinct.verbs.suggest_plan import suggest_plan

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from indistinct.app.project import Project
    from indistinct.hierarchy import Domain, Hierarchy
    from indistinct.plan.suggestion import SuggestedPlan

PAGE = 100
SHAPES = 3
LONGEST_SHAPE, LONGEST_CELL = 24, 60
MOST_NODES = 100


def input_of(settings: Mapping[str, Any]) -> Input:
    """Return how a plan says that the file is read; raise if it cannot be."""
    return Input().with_options(**settings.get("input", {}))


def rows_of(project: Project, options: Input) -> pa.Table:
    """Read the private table; it is kept as long as neither it nor its reading changes."""
    path = project.data
    key = ("rows", options.model_dump_json(exclude_unset=True))
    return project.kept(key, lambda: file_source(path, options).read())


@aside
def suggested(project: Project, options: Input) -> SuggestedPlan:
    """Suggest a plan for the private table."""
    path: Path = project.data
    key = ("suggestion", options.model_dump_json(exclude_unset=True))
    plan: SuggestedPlan = project.kept(
        key,
        lambda: suggest_plan(
            path, delimiter=options.delimiter, encoding=options.encoding, sheet=options.sheet
        ),
    )
    return plan


@dataclass(frozen=True)
class Preview:
    """Some rows of a table, as text."""

    columns: list[str]
    rows: list[list[str | None]]
    first: int
    total: int


@aside
def preview(project: Project, options: Input, page: int = 1) -> Preview:
    """Return one page of rows."""
    table = rows_of(project, options)
    first = max(0, min((page - 1) * PAGE, table.num_rows - 1))
    part = table.slice(first, PAGE)
    columns = [[_cell(value) for value in column.to_pylist()] for column in part.columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Preview(table.column_names, rows, first, table.num_rows)


def _cell(value: Any) -> str | None:
    if value is None:
        return None
    text = str(value)
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…"


@dataclass(frozen=True)
class ColumnFacts:
    """What a column gives away by itself.

    Attributes
    ----------
    distinct, alone, missing
        How many values it has; how many rows hold one that no other row has, or none.
    shapes
        What its values look like, with the share of rows that look so.
    """

    name: str
    rows: int
    distinct: int | None
    alone: int
    missing: int
    shapes: tuple[tuple[str, float], ...]


@aside
def column_facts(project: Project, options: Input) -> list[ColumnFacts]:
    """Look at each column by itself."""
    table = rows_of(project, options)
    key = ("facts", options.model_dump_json(exclude_unset=True))
    facts: list[ColumnFacts] = project.kept(
        key, lambda: [_facts(table, name) for name in table.column_names]
    )
    return facts


def _facts(table: pa.Table, name: str) -> ColumnFacts:
    column, rows = table.column(name), table.num_rows
    if not comparable(column.type):
        return ColumnFacts(name, rows, None, 0, column.null_count, ())
    try:
        domain = encode(column, name).domain
    except IndistinctError:
        return ColumnFacts(name, rows, None, 0, column.null_count, ())
    missing = domain.rows_of.get(None, 0)
    alone = sum(1 for value, count in domain.rows_of.items() if count == 1 and value is not None)
    return ColumnFacts(name, rows, len(domain.known), alone, missing, _shapes(domain, rows))


def _shapes(domain: Domain, rows: int) -> tuple[tuple[str, float], ...]:
    shapes: Counter[str] = Counter()
    for value, count in domain.rows_of.items():
        if value is not None:
            shapes[shape(value)] += count
    return tuple((text, count / rows) for text, count in shapes.most_common(SHAPES))


def shape(value: str) -> str:
    """Say what a value looks like without saying it.

    >>> shape("22030"), shape("Rome"), shape("anna.rossi@example.org"), shape("2001-12-03")
    ('99999', 'Aa…', 'a….a…@a….a…', '9999-99-99')
    """
    text = re.sub(r"\d", "9", value)
    text = re.sub(r"[^\W\d_]+", _letters, text)
    return text if len(text) <= LONGEST_SHAPE else f"{text[:LONGEST_SHAPE]}…"


def _letters(run: re.Match[str]) -> str:
    word = run[0]
    if len(word) == 1:
        return "A" if word.isupper() else "a"
    return "A…" if word.isupper() else "Aa…" if word[0].isupper() else "a…"


@dataclass(frozen=True)
class Level:
    """The nodes of one level of a hierarchy with the rows under each, the first of them."""

    nodes: list[tuple[str | None, int]]
    total: int


def spec_of(content: Any, place: str) -> Any:
    """Return a hierarchy as a plan states it; raise with its faults."""
    try:
        return TypeAdapter(HierarchySpec).validate_python(content)
    except ValidationError as error:
        faults = [
            Fault(place, str(detail["msg"]).removeprefix("Value error, "))
            for detail in error.errors(include_url=False)
        ]
        raise PlanError(faults) from None


def domain_of(project: Project, options: Input, name: str, content: Any) -> Domain:
    """Return the values of a column as its hierarchy reads them."""
    table = rows_of(project, options)
    if name not in table.column_names:
        raise PlanError(Fault(f"column {name!r}", "the file has no such column"))
    alone = Plan.load(
        {
            "columns": {name: {"role": "quasi", "hierarchy": content}},
            "require": [{"model": "k-anonymity", "k": 2}],
            "unlisted": "drop",
            "input": options.model_dump(exclude_unset=True),
        }
    )
    read, _, faults = in_notation(table.select([name]), alone)
    if faults:
        raise HierarchyError(faults)
    return encode(read.column(name), name).domain


def hierarchy_of(project: Project, options: Input, name: str, content: Any) -> Hierarchy:
    """Build the hierarchy of a column for the values it has."""
    place = f"column {name!r}"
    spec = spec_of(content, place)
    domain = domain_of(project, options, name, content)
    built: Hierarchy = spec.build(domain, place=place, base=project.folder)
    return built


@aside
def levels_of(project: Project, options: Input, name: str, content: Any) -> list[Level]:
    """Return each level of a column's hierarchy, with how many rows fall under each node."""
    hierarchy = hierarchy_of(project, options, name, content)
    rows = domain_of(project, options, name, content).rows_of
    whole = hierarchy.raw or hierarchy
    under = [rows.get(leaf, 0) for leaf in whole.leaves]
    levels = []
    for nodes, labels in zip(whole.nodes, whole.labels, strict=True):
        counts = [0] * len(labels)
        for node, count in zip(nodes.tolist(), under, strict=True):
            counts[node] += count
        listed = [(label, count) for label, count in zip(labels, counts, strict=True) if count]
        levels.append(Level(listed[:MOST_NODES], len(listed)))
    return levels


@aside
def paths_of(project: Project, options: Input, name: str, content: Any) -> list[list[str | None]]:
    """Return the hierarchy of a column as a list: each value with its ever coarser forms."""
    hierarchy = hierarchy_of(project, options, name, content)
    whole = hierarchy.raw or hierarchy
    levels = list(zip(whole.nodes, whole.labels, strict=True))
    return [
        [labels[int(nodes[leaf])] for nodes, labels in levels] for leaf in range(len(whole.leaves))
    ]


@aside
def span_of(project: Project, options: Input, name: str) -> tuple[float, float] | None:
    """Return the least and the largest number of a column; None if it does not hold numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        numbers = rows_of(project, options).column(name).cast(pa.float64())
    except (KeyError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    ends = pc.min_max(numbers).as_py()
    return None if ends["min"] is None else (ends["min"], ends["max"])
