"""Publishing: from a recoding to the rows that leave the house."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import CannotMeetError, DataError, Fault, PlanError
from indistinct.hierarchy import TOP
from indistinct.io.arrow import number_array
from indistinct.io.plain import decoded
from indistinct.model.names import GROUP
from indistinct.publishing.kinds import PUBLISHERS
from indistinct.publishing.pseudonyms import pseudonyms
from indistinct.running.background import in_background

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.recoding import Recoding
    from indistinct.model.table import Table
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
    weights
        How many rows each of the recoded rows stands for; None where each is one.
    """

    columns: pa.Table = field(repr=False)
    source: NDArray[np.intp] = field(repr=False)
    blanked: int = 0
    became: dict[str, tuple[str, ...]] = field(default_factory=dict)
    carried: NDArray[np.intp] | None = field(default=None, repr=False)
    draw: dict[str, Any] = field(default_factory=dict, repr=False)
    weights: NDArray[np.int64] | None = field(default=None, repr=False)

    @property
    def counts(self) -> NDArray[np.int64] | None:
        """How many rows each published row stands for; None where each is one."""
        return None if self.weights is None else self.weights[self.source]

    @cached_property
    def rows(self) -> pa.Table:
        """The published table."""
        return self.part(0, self.source.size)

    def part(self, start: int, stop: int) -> pa.Table:
        """Return some of the published rows, with nothing in them of rows left out."""
        return decoded(self.columns.take(number_array(self.source[start:stop].astype(np.int64))))


def publishable(recoding: Recoding, plan: Plan) -> Recoding:
    """Take groups as buckets where the plan publishes permutations; raise if no row is left."""
    if plan.in_buckets:
        buckets = recoding.as_buckets()
        if buckets is None:
            problem = (
                f"{plan.method.name!r} recodes whole columns and makes no groups to permute in"
            )
            raise PlanError(Fault("publish", problem, "Choose a method that groups rows."))
        recoding = buckets
    if not recoding.kept.any():
        raise CannotMeetError(
            Fault("method", "it would suppress every row", "Lower limits.suppression.")
        )
    return recoding


def publish(
    data: pa.Table,
    table: Table,
    recoding: Recoding,
    plan: Plan,
    draws: Draws,
    *,
    keep_order: bool = True,
) -> Published:
    """Write out a recoding as rows, in the order of the private table or a random one."""
    order = None if keep_order else in_background(draws.order, "row order")
    publisher = PUBLISHERS[recoding.name]
    drawn = in_background(publisher.draw, recoding, plan, draws) if publisher.draw else None
    recoded = publisher.quasi(data, table, recoding, plan.forms(table), plan.ranges_as(table))
    carried: NDArray[np.intp] | None = None
    draw: dict[str, Any] = {}
    if drawn is not None:
        carried, draw = drawn.result()
        data = data.take(number_array(carried.astype(np.int64)))
    columns = released_columns(data, recoded, plan, draws)
    became = {name: tuple(parts) for name, parts in recoded.items()}
    if publisher.permute is not None:
        columns = publisher.permute(columns, recoding, plan, draws)
        became = dict.fromkeys(became, (GROUP,))
    source = np.arange(table.entries) if order is None else order.result()
    blank = plan.suppressed == "blank"
    if not blank:
        source = source[recoding.kept[source]]
    blanked = recoding.suppressed_rows(table) if blank else 0
    if blanked:
        columns = _blanked(columns, ~recoding.kept)
    return Published(columns, source, blanked, became, carried, draw, table.weights)


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


def _blanked(rows: pa.Table, blank: NDArray[np.bool_]) -> pa.Table:
    where = pa.array(blank)
    columns = {}
    for name, column in zip(rows.column_names, decoded(rows).columns, strict=True):
        try:
            texts = column.cast(pa.string())
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            problem = f"values of type {column.type} cannot be blanked to {TOP}"
            remedy = 'Set suppressed = "drop", or drop the column.'
            raise DataError(Fault(f"column {name!r}", problem, remedy)) from None
        columns[name] = pc.if_else(where, pa.scalar(TOP), texts)
    return pa.table(columns)
