"""check_plan: whether a plan can be used on a table, before anything is run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.encode.notation import in_notation
from indistinct.encode.table import besides, column_faults, encode_sound
from indistinct.errors import Fault, IndistinctError, PlanError, UnsafePlanError
from indistinct.io.databases.address import place_of
from indistinct.io.opening import opened
from indistinct.io.places import require_there
from indistinct.methods.common.feasible import obstacles
from indistinct.methods.posing import pose_problem
from indistinct.plan import Plan
from indistinct.plan.safety import dangers
from indistinct.publishing.detail import details
from indistinct.publishing.pseudonyms import key_of
from indistinct.report.lookalikes import lookalikes_of
from indistinct.requirements import SensitiveRequirement, people_needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from indistinct.model.table import Table
    from indistinct.plan import PlanSource


@dataclass(frozen=True)
class CheckedColumn:
    """A column of the data as a plan takes it.

    Attributes
    ----------
    role
        What the plan says, or what it says of columns that it does not name.
    levels
        How many levels its hierarchy has above the values; None if it has no hierarchy.
    published_as, finest
        Of a quasi column the form it is published in and the finest detail anyone will see.
    """

    column: str
    role: str
    levels: int | None
    published_as: str | None = None
    finest: str | None = None


@dataclass(frozen=True)
class CheckedPlan:
    """A plan that can be used on a table.

    Attributes
    ----------
    plan
        The plan, read and sound.
    columns
        The columns of the table, in its order.
    rows
        How many rows the table has.
    notes
        How values are read that are not written as everybody writes them.
    warnings
        What a steward should know; private, for it may show values that k people have.
    """

    plan: Plan
    columns: tuple[CheckedColumn, ...]
    rows: int
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        columns = [asdict(column) for column in self.columns]
        data = {"ok": True, "rows": self.rows, "warnings": list(self.warnings)}
        return {**data, "columns": columns, "notes": list(self.notes)}

    def _repr_html_(self) -> str:
        from indistinct.display import checked_plan_html

        rows = [tuple(asdict(column).values()) for column in self.columns]
        warned = [f"warning: {text}" for text in self.warnings]
        return checked_plan_html(rows, self.rows, [*self.notes, *warned])


def check_plan(
    plan: PlanSource,
    data: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> CheckedPlan:
    """Check that a plan can be used on a table: everything `anonymize` refuses before it searches.

    Nothing is searched and nothing is written. A plan that passes may still ask for what cannot
    be met within its limits, or for what its method finds it cannot do with this table.

    Parameters
    ----------
    plan
        A `Plan`, a mapping, or the path of a TOML or JSON file.
    data
        A pandas, polars, pyarrow or DuckDB frame, the path of a file, or the address of a table.
    delimiter, encoding, sheet
        How a file is written, instead of what the plan says or a look at the file shows.

    Raises
    ------
    PlanError
        With all faults of plan, data and hierarchies at once.
    UnsafePlanError
        If nothing else is wrong, but the plan would publish what looks like an identifier, or
        count rows instead of people, and does not accept that.

    Examples
    --------
    >>> from indistinct import check_plan, suggest_plan
    >>> from indistinct.datasets import medical
    >>> zip_code = check_plan(suggest_plan(medical()).plan(), medical()).columns[0]
    >>> zip_code.levels, zip_code.published_as
    (3, 'labels of its hierarchy')
    """
    loaded = _loaded(plan, data)
    options = loaded.input.with_options(delimiter=delimiter, encoding=encoding, sheet=sheet)
    table, _ = opened(data, options)
    table, notes, unread = in_notation(table, loaded)
    encoded, uncovered = encode_sound(table, loaded)
    uncovered = besides(unread, uncovered)
    faults = [*column_faults(table, loaded), *uncovered, *_key_faults(loaded)]
    if not uncovered:
        faults += _faults_of(lambda: pose_problem(encoded, loaded))
    if table.num_rows:
        faults += _faults_of(lambda: _refuse_obstacles(encoded, loaded))
    unsafe = dangers(table, loaded) if table.num_rows else []
    undecided = [danger.fault() for danger in unsafe if danger.reason is None]
    if faults:
        raise PlanError(dict.fromkeys([*faults, *undecided]))
    if undecided:
        raise UnsafePlanError(undecided)
    warnings = (
        *(danger.accepted() for danger in unsafe),
        *(
            lookalikes.shown()
            for lookalikes in lookalikes_of(encoded, people_needed(loaded.require))
        ),
    )
    columns = tuple(_columns(table, encoded, loaded))
    return CheckedPlan(loaded, columns, table.num_rows, tuple(notes), warnings)


def _loaded(plan: PlanSource, data: Any) -> Plan:
    """Load a plan; where it is faulty, say also if the data cannot be read at all."""
    try:
        return Plan.load(plan)
    except PlanError as error:
        faults = list(error.faults)
    if isinstance(data, str | Path):
        faults += _faults_of(lambda: require_there(place_of(data)))
    raise PlanError(faults)


def _key_faults(plan: Plan) -> list[Fault]:
    names = [name for name, column in plan.columns.items() if column.pseudonym]
    return [fault for name in names for fault in _faults_of(partial(key_of, plan, name))]


def _refuse_obstacles(table: Table, plan: Plan) -> None:
    """Raise if no release can keep what is asked, as far as the columns are there."""
    whole = len(table.sensitive) == len(plan.with_role("sensitive"))
    asked = [r for r in plan.require if whole or not isinstance(r, SensitiveRequirement)]
    if faults := obstacles(table, asked):
        raise PlanError(faults)


def _faults_of(step: Callable[[], object]) -> list[Fault]:
    """Collect the faults that a step raises."""
    try:
        step()
    except IndistinctError as error:
        return list(error.faults)
    return []


def _columns(data: pa.Table, table: Table, plan: Plan) -> Iterator[CheckedColumn]:
    built = {column.name: column.hierarchy for column in table.quasi}
    graded = {column.name: column.hierarchy for column in table.sensitive}
    detail_of = {detail.column: detail for detail in details(plan, table)}
    for name in data.column_names:
        column, hierarchy = plan.columns.get(name), built.get(name) or graded.get(name)
        role = column.role if column else plan.unlisted
        height = hierarchy.height if hierarchy else None
        detail = detail_of.get(name)
        if detail is None:
            yield CheckedColumn(name, role, height)
        else:
            yield CheckedColumn(name, role, height, detail.published_as, detail.finest)
