"""Looking for identifiers in columns that an engine holds: at their values and counts, not rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.errors import DataError, UnsafePlanError
from indistinct.io.encoding import Encoded, comparable, encode
from indistinct.plan.naming import names_people, sign_of
from indistinct.plan.patterns import is_measured
from indistinct.plan.safety import Danger, dangers_of_columns, is_point, several_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indistinct.engine.base import Engine, Grouped
    from indistinct.plan import Plan

MOST_VALUES = 200_000
"""How many values of a column are looked at, where it was not counted."""


SURELY = 0.9
"""Of an approximate number of distinct values, below which share of the rows values repeat."""


def refuse_unsafe_on_engine(
    engine: Engine, plan: Plan, names: Sequence[str], counted: Mapping[str, Grouped]
) -> list[Danger]:
    """Raise with all dangers that the plan does not accept; return those that it does."""
    columns = _Columns(engine, names, counted)
    unsafe = [*dangers_of_columns(columns, names, plan), *_repeated(engine, names, plan)]
    if faults := [danger.fault() for danger in unsafe if danger.reason is None]:
        raise UnsafePlanError(faults)
    return unsafe


def repeated_on_engine(engine: Engine, plan: Plan) -> list[str]:
    """Name the identifier columns in which a value stands more than once, for certain."""
    rows = engine.count()
    return [name for name in plan.with_role("identifier") if _repeats(engine, name, rows)]


def _repeats(engine: Engine, name: str, rows: int) -> bool:
    """Return whether values of a column surely repeat; an engine counts distinct ones about."""
    return 1 < engine.distinct([name]) < SURELY * rows


def _repeated(engine: Engine, names: Sequence[str], plan: Plan) -> Iterator[Danger]:
    """Find numbers of people that stand in several rows, by the names of their columns.

    Their values are counted where they are: most such columns are not released, and nothing of them
    is to come here.
    """
    if plan.respondent_columns():
        return
    rows = engine.count()
    for name in names:
        sign = sign_of(name)
        if sign is None or sign.kind != "person" or sign.generic or not names_people(name):
            continue
        if _repeats(engine, name, rows):
            yield several_rows([name], plan)
            return


class _Columns(Mapping[str, Encoded]):
    """The columns of a source by their values; those that were not counted are when asked for."""

    def __init__(
        self, engine: Engine, names: Sequence[str], counted: Mapping[str, Grouped]
    ) -> None:
        self.names = list(names)
        self._engine = engine
        self._counted = counted
        self._types = {field.name: field.type for field in engine.schema()}
        self._made: dict[str, Encoded | None] = {}

    def _encoded(self, name: str) -> Encoded | None:
        if name not in self._made:
            self._made[name] = self._tried(name)
        return self._made[name]

    def _tried(self, name: str) -> Encoded | None:
        if not comparable(self._types[name]):
            return None
        values = self._counted.get(name)
        if values is None:
            values = self._engine.values(name, MOST_VALUES)
        column = values.rows.column(name)
        if column.null_count == len(column) or (_measured(column) and not is_point(name)):
            return None
        try:
            encoded = encode(column, name, values.counts)
        except (DataError, UnicodeError):  # it has no text; whoever needs it says so
            return None
        return Encoded(encoded.domain, np.zeros(0, dtype=np.int32))

    def __getitem__(self, name: str) -> Encoded:
        if name in self.names and (encoded := self._encoded(name)) is not None:
            return encoded
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.names if self._encoded(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _measured(column: pa.ChunkedArray) -> bool:
    """Return whether a column holds floating point numbers that are not all whole."""
    kind = column.type
    if not pa.types.is_dictionary(kind):
        return is_measured(column)
    return pa.types.is_floating(kind.value_type) and is_measured(column.cast(kind.value_type))
