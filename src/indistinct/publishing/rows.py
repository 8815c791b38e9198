"""Publishing: from a recoding to the rows that leave the house."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.background import in_background
from indistinct.errors import DataError, Fault, PlanError
from indistinct.hierarchy import TOP
from indistinct.io.arrow import labelled, number_array
from indistinct.io.plain import decoded
from indistinct.model.names import GROUP
from indistinct.model.recoding import Buckets, Cuts, Matching, Partition
from indistinct.publishing.buckets import permuted
from indistinct.publishing.groups import group_columns
from indistinct.publishing.intervals import interval_columns
from indistinct.publishing.matching import drawn_sources, matched_columns
from indistinct.publishing.pseudonyms import pseudonyms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.recoding import Recoding
    from indistinct.model.table import QuasiColumn, Table
    from indistinct.plan import Plan
    from indistinct.publishing.draws import Draws
    from indistinct.publishing.groups import Columns


@dataclass(frozen=True, eq=False)
class Published:
    """The rows to be released: recoded columns, and the order in which their rows leave.

    Attributes
    ----------
    columns
        The recoded columns in the private order of rows.
    source
        The private row that each published row comes from: for internal use only.
    blanked
        How many of the rows are blanks.
    became
        The published columns that tell the classes of each quasi column apart.
    carried
        Where rows were matched, the private row whose sensitive and other values each of the
        recoded rows carries; for internal use only.
    draw
        How that was drawn; for internal use only.
    """

    columns: pa.Table = field(repr=False)
    source: NDArray[np.intp] = field(repr=False)
    blanked: int = 0
    became: dict[str, tuple[str, ...]] = field(default_factory=dict)
    carried: NDArray[np.intp] | None = field(default=None, repr=False)
    draw: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def rows(self) -> pa.Table:
        """The published table."""
        return self.part(0, self.source.size)

    def part(self, start: int, stop: int) -> pa.Table:
        """Return some of the published rows, with nothing in them of rows left out."""
        return decoded(self.columns.take(number_array(self.source[start:stop].astype(np.int64))))


def publish(
    data: pa.Table,
    table: Table,
    recoding: Recoding,
    plan: Plan,
    draws: Draws,
    *,
    order: NDArray[np.intp] | None = None,
) -> Published:
    """Write out a recoding as rows, in the order given or that of the private table."""
    blank = plan.suppressed == "blank"
    source = np.arange(table.rows) if order is None else order
    if not blank:
        source = source[recoding.kept[source]]
    drawn = None
    if isinstance(recoding, Matching):
        drawn = in_background(_drawn, recoding, plan, draws)
    recoded = _recoded(data, table, recoding, plan)
    carried: NDArray[np.intp] | None = None
    draw: dict[str, Any] = {}
    if drawn is not None:
        carried, draw = drawn.result()
        data = data.take(number_array(carried.astype(np.int64)))
    columns = released_columns(data, recoded, plan, draws)
    became = {name: tuple(parts) for name, parts in recoded.items()}
    if isinstance(recoding, Buckets):
        columns = permuted(columns, recoding, plan, draws)
        became = dict.fromkeys(became, (GROUP,))
    blanked = recoding.suppressed if blank else 0
    if blanked:
        columns = _blanked(columns, ~recoding.kept)
    return Published(columns, source, blanked, became, carried, draw)


def _drawn(matching: Matching, plan: Plan, draws: Draws) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Draw whose values each published row carries; the order of the file decides nothing."""
    if draws.content is None:
        return drawn_sources(matching, plan, draws.told)
    place = np.argsort(draws.content)
    carried, told = drawn_sources(matching.reordered(place), plan, draws.told)
    return draws.content[carried][place], told


def released_columns(
    data: pa.Table, recoded: dict[str, Columns], plan: Plan, draws: Draws
) -> pa.Table:
    """Put the recoded quasi columns among the others, each as its role says."""
    _refuse_clashes(data, recoded, plan)
    released: Columns = {}
    for name in data.column_names:
        column = plan.columns.get(name)
        role = column.role if column else plan.unlisted
        if role == "quasi":
            released |= recoded[name]
        elif role in {"sensitive", "other"}:
            released[name] = data.column(name)
        elif column and column.pseudonym:
            released[name] = pseudonyms(data.column(name), name, plan, draws)
    return pa.table(released)


def _refuse_clashes(data: pa.Table, recoded: dict[str, Columns], plan: Plan) -> None:
    made = {part: name for name, parts in recoded.items() for part in parts if part != name}
    clashes = [name for name in data.column_names if name in made and plan.unlisted == "other"]
    if clashes:
        raise PlanError(
            Fault(
                f"columns.{made[name]}.range_as",
                f"it would publish a second column {name!r}",
                "Rename that one, drop it, or choose another range_as.",
            )
            for name in clashes
        )


def _recoded(data: pa.Table, table: Table, recoding: Recoding, plan: Plan) -> dict[str, Columns]:
    """Write out the quasi columns, each as one published column or several."""
    if isinstance(recoding, Buckets):
        return {column.name: {column.name: data.column(column.name)} for column in table.quasi}
    if isinstance(recoding, Matching):
        return matched_columns(data, table, recoding, plan.forms(table), plan.ranges_as(table))
    if isinstance(recoding, Partition):
        return group_columns(data, table, recoding, plan.forms(table), plan.ranges_as(table))
    if isinstance(recoding, Cuts):
        return interval_columns(data, table, recoding, plan.forms(table), plan.ranges_as(table))
    return {
        column.name: {
            column.name: _at_level(data.column(column.name), column, level, recoding.stars(place))
        }
        for place, (column, level) in enumerate(zip(table.quasi, recoding.levels, strict=True))
    }


def _at_level(
    column: pa.ChunkedArray, quasi: QuasiColumn, level: int, stars: NDArray[np.bool_] | None
) -> pa.Array | pa.ChunkedArray:
    """Write a column at a level; at level 0 it stays as it is, unless some cells are starred."""
    if level == 0 and stars is None and quasi.hierarchy.raw is None:
        return column
    nodes, labels = quasi.hierarchy.nodes[level][quasi.codes], quasi.hierarchy.labels[level]
    if stars is not None:
        labels = labels if TOP in labels else (*labels, TOP)
        nodes = np.where(stars, np.int32(labels.index(TOP)), nodes)
    return labelled(nodes, labels)


def _blanked(rows: pa.Table, blank: NDArray[np.bool_]) -> pa.Table:
    where = pa.array(blank)
    columns = {}
    for name, column in zip(rows.column_names, decoded(rows).columns, strict=True):
        try:
            texts = column.cast(pa.string())
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            problem = f"values of type {column.type} cannot be blanked to {TOP}"
            remedy = 'Say suppressed = "drop", or drop the column.'
            raise DataError(Fault(f"column {name!r}", problem, remedy)) from None
        columns[name] = pc.if_else(where, pa.scalar(TOP), texts)
    return pa.table(columns)
