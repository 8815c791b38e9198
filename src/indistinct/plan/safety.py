"""What a plan would do with identifiers: refused, unless the plan accepts it by name and reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.errors import DataError, Fault, UnsafePlanError
from indistinct.hierarchy.spec import (
    Cuts,
    Dates,
    FromCsv,
    FromPaths,
    FromTree,
    Intervals,
    Ordinal,
    Suggested,
)
from indistinct.io.arrow import dictionary_of
from indistinct.io.encoding import Encoded, comparable, encode
from indistinct.plan.identifiers import Look, identifier_reason
from indistinct.plan.naming import sign_of
from indistinct.plan.patterns import is_measured
from indistinct.plan.toml import text
from indistinct.plan.visits import Repeats

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indistinct.plan.core import Plan

_WRITTEN = (FromCsv, FromTree, FromPaths, Ordinal)
_LINES = (Intervals, Cuts, Dates)


@dataclass(frozen=True)
class Danger:
    """Something that a green verdict must not stand beside.

    Attributes
    ----------
    problem
        What is the matter with the column, as the plan has it.
    decide
        What else the plan could say of it.
    reason
        Why the plan accepts it; None if it does not.
    """

    column: str
    problem: str
    decide: str
    reason: str | None = None

    def fault(self) -> Fault:
        """Say what to decide."""
        accept = f'accept = [{{ column = {text(self.column)}, reason = "..." }}]'
        remedy = f"{self.decide}, or say why it may be published: {accept}."
        return Fault(f"column {self.column!r}", self.problem, remedy)

    def accepted(self) -> str:
        """Say that the plan accepts it, and why."""
        return acceptance(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {key: value for key, value in asdict(self).items() if key != "decide"}


def acceptance(danger: Mapping[str, Any]) -> str:
    """Say what a plan accepts, and why, given a danger as plain data."""
    column, problem, reason = (danger[key] for key in ("column", "problem", "reason"))
    return f"column {column!r}: {problem}; accepted by the plan: {reason}"


def refuse_unsafe(data: pa.Table, plan: Plan) -> list[Danger]:
    """Raise with all dangers that the plan does not accept; return those that it does.

    Raises
    ------
    UnsafePlanError
        If a column that looks like an identifier would be published, or people have several rows
        and no respondent is named.
    """
    unsafe = dangers(data, plan)
    if faults := [danger.fault() for danger in unsafe if danger.reason is None]:
        raise UnsafePlanError(faults)
    return unsafe


def dangers(data: pa.Table, plan: Plan) -> list[Danger]:
    """Find what a plan would publish that looks like an identifier, and people with several rows.

    Both by the definitions of a suggested plan (docs/plan.md).
    """
    columns = _Columns(data)
    return [*dangers_of_columns(columns, columns.names, plan), *_repeated(columns, plan)]


def published_as_named(data_columns: Sequence[str], plan: Plan) -> list[str]:
    """Name the columns of the data that a release of the plan shows in some form."""
    shown = plan.with_role("quasi", "sensitive", "other")
    more = [name for name in data_columns if name not in plan.columns]
    return [*shown, *(more if plan.unlisted == "other" else [])]


def dangers_of_columns(
    columns: Mapping[str, Encoded], names: Sequence[str], plan: Plan
) -> Iterator[Danger]:
    """Find what a plan would publish that looks like an identifier, column by column."""
    accepted = {part.column: part.reason for part in plan.accept}
    for name in published_as_named(names, plan):
        if name not in columns:
            continue
        reason = identifier_reason(_look(columns[name], name, plan))
        if reason is not None:
            role = plan.columns[name].role if name in plan.columns else "other"
            problem = f"{reason}, and the plan publishes it (role {text(role)})"
            decide = 'Set role = "identifier" or "drop"'
            yield Danger(name, problem, decide, accepted.get(name))


def _look(column: Encoded, name: str, plan: Plan) -> Look:
    """Look at a column as a release would show it."""
    plain = Look(name, column.domain)
    stated = plan.columns.get(name)
    if stated is None or stated.role != "quasi" or plan.in_buckets:
        return plain
    spec = stated.hierarchy
    ranged = isinstance(spec, _LINES)
    if (spec is None or isinstance(spec, Suggested)) and plain.mostly_distinct:
        ranged = not plain.is_text
    return Look(name, column.domain, ranged, isinstance(spec, _WRITTEN))


def _repeated(columns: _Columns, plan: Plan) -> Iterator[Danger]:
    if plan.respondent_columns():
        return
    looks = {name: Look(name, columns[name].domain) for name in columns}
    people = Repeats(columns, looks).people()
    if not people:
        return
    yield several_rows(people, plan)


def several_rows(people: Sequence[str], plan: Plan) -> Danger:
    """Say that people have several rows, by the columns that tell them apart, likeliest first."""
    reasons = [part.reason for part in plan.accept if part.column in people]
    problem = (
        "its values occur in several rows each, as for people with several rows, and no "
        "respondent is named: k would count rows, not people"
    )
    return Danger(people[0], problem, 'Set role = "respondent"', next(iter(reasons), None))


def repeated_identifiers(data: pa.Table, plan: Plan) -> list[str]:
    """Name the identifier columns in which a value stands more than once."""
    return [
        name
        for name in plan.with_role("identifier")
        if comparable(data.column(name).type) and _repeats(data.column(name))
    ]


def _repeats(column: pa.ChunkedArray) -> bool:
    try:
        chunks = dictionary_of(column).chunks
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return False
    distinct = len(chunks[0].dictionary) if chunks else 0
    return bool(distinct < len(column) - column.null_count)


def is_point(name: str) -> bool:
    """Return whether a column is a place on the map, by its name."""
    sign = sign_of(name)
    return sign is not None and sign.kind == "point"


class _Columns(Mapping[str, Encoded]):
    """The columns of a table that may hold identifiers, encoded when they are asked for."""

    def __init__(self, data: pa.Table) -> None:
        self._data = data
        self._made: dict[str, Encoded | None] = {}
        self.names = data.column_names

    @cached_property
    def _readable(self) -> list[str]:
        return [name for name in self.names if self._encoded(name) is not None]

    def _encoded(self, name: str) -> Encoded | None:
        if name not in self._made:
            self._made[name] = self._tried(name)
        return self._made[name]

    def _tried(self, name: str) -> Encoded | None:
        column = self._data.column(name)
        if not comparable(column.type) or column.null_count == len(column):
            return None
        if is_measured(column) and not is_point(name):
            return None
        try:
            return encode(column, name)
        except (DataError, UnicodeError):  # it has no text; whoever needs it says so
            return None

    def __getitem__(self, name: str) -> Encoded:
        if name in self.names and (encoded := self._encoded(name)) is not None:
            return encoded
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._readable)

    def __len__(self) -> int:
        return len(self._readable)
