"""From a private Arrow table and a plan to the Table that methods see."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from indistinct.encode.look_alikes import blank_look_alikes, set_look_alikes
from indistinct.errors import (
    HEADER,
    DataError,
    Fault,
    HierarchyError,
    IndistinctError,
    closest,
    counted,
)
from indistinct.hierarchy import TOP, Hierarchy
from indistinct.hierarchy.meaning import built, in_order_of_meaning
from indistinct.hierarchy.spec import Flat, Suggested
from indistinct.io.encoding import Encoded, encode
from indistinct.io.plain import unreadable
from indistinct.model.ends import published_ends, published_members
from indistinct.model.forms import has_ranges, in_line
from indistinct.model.table import QuasiColumn, QuasiSet, SensitiveColumn, Table
from indistinct.requirements import people_needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.plan import Plan

TableT = TypeVar("TableT", bound=Table)


def encode_table(
    data: pa.Table,
    plan: Plan,
    unread: Sequence[Fault] = (),
    weights: NDArray[np.int64] | None = None,
) -> Table:
    """Encode the columns that the plan names; raise with the faults of all columns at once.

    Columns that could not be read (`unread`) are not reported again, value by value. `weights` says
    how many rows each row of the data stands for.
    """
    check_columns(data, plan)
    table, faults = _encoded(data, plan, weights)
    if all_faults := besides(unread, faults):
        raise HierarchyError(all_faults)
    return with_ends(table, plan)


def besides(unread: Sequence[Fault], faults: Sequence[Fault]) -> list[Fault]:
    """Put faults together; of a column that could not be read one kind is enough."""
    places = {fault.place for fault in unread}
    return [*unread, *(fault for fault in faults if fault.place not in places)]


def encode_sound(
    data: pa.Table, plan: Plan, weights: NDArray[np.int64] | None = None
) -> tuple[Table, list[Fault]]:
    """Encode those columns that are there and that their hierarchies cover; list other faults.

    Where there are faults, the table lacks columns, and is good for nothing but more checks.
    """
    table, faults = _encoded(data, plan, weights)
    return (table if faults else with_ends(table, plan)), faults


def _encoded(
    data: pa.Table, plan: Plan, weights: NDArray[np.int64] | None = None
) -> tuple[Table, list[Fault]]:
    """Encode each column by itself; which ends may be shown is not known yet."""
    used = set(_with_values(data, data.column_names))
    with ThreadPoolExecutor(max_workers=2) as pool:
        quasi = [
            pool.submit(quasi_column, data, plan, name, weights)
            for name in plan.with_role("quasi")
            if name in used
        ]
        sensitive = [
            pool.submit(sensitive_column, data, plan, name, weights)
            for name in plan.with_role("sensitive")
            if name in used
        ]
        sets = pool.submit(quasi_sets, data, plan)
    errors = [c.exception() for c in quasi] + [c.exception() for c in sensitive]
    faults = faults_of([*errors, sets.exception()])
    table = Table(
        entries=data.num_rows,
        quasi=tuple(column.result() for column in quasi if not column.exception()),
        sets=() if sets.exception() else sets.result(),
        sensitive=tuple(column.result() for column in sensitive if not column.exception()),
        weights=weights,
    )
    return table, faults


def with_ends(
    table: TableT, plan: Plan, forms: tuple[Form, ...] = (), k: int | None = None
) -> TableT:
    """Say of each quasi column which ends and members may be shown of what is published.

    Parameters
    ----------
    forms, k
        How columns are published, and how many people must have what is shown, where that is not
        as the plan says.
    """
    columns = []
    least = max(k, 2) if k else people_needed(plan.require)
    forms = forms or plan.forms(table)
    for place, (column, form) in enumerate(zip(table.quasi, forms, strict=True)):
        if plan.is_exact(column.name):
            columns.append(column)
            continue
        ranges = form == "range" and has_ranges(column.hierarchy)
        find = published_ends if ranges else published_members
        ends = find(column.hierarchy, table.crowd(place), least)
        columns.append(replace(column, ends=ends))
    return replace(table, quasi=tuple(columns))


def faults_of(errors: Iterable[BaseException | None]) -> list[Fault]:
    """List the faults of some errors; raise one that is none of ours."""
    faults: list[Fault] = []
    for error in errors:
        if isinstance(error, IndistinctError):
            faults.extend(error.faults)
        elif error is not None:
            raise error
    return faults


def encode_judged(data: pa.Table, plan: Plan, sensitive: list[str]) -> Table:
    """Encode some sensitive columns, and whose row each row is; the quasi columns are left out."""
    return Table(
        entries=data.num_rows,
        quasi=(),
        sets=quasi_sets(data, plan),
        sensitive=tuple(sensitive_column(data, plan, name) for name in sensitive),
    )


def check_columns(data: pa.Table, plan: Plan) -> None:
    """Raise if plan and data do not name the same columns, or a column to be used is all null."""
    if faults := column_faults(data, plan):
        raise DataError(faults)


def column_faults(data: pa.Table, plan: Plan) -> list[Fault]:
    """Report which columns plan or data do not name, and which to be used are all null."""
    names = data.column_names
    faults = name_faults(names, plan)
    if faults and not any(name in names for name in plan.columns):
        return faults
    faults.extend(blank_look_alikes(data, plan))
    if data.num_rows == 0:
        faults.append(Fault("data", "it has no rows", "Give data with at least k respondents."))
    else:
        faults.extend(
            Fault(
                f"column {name!r}",
                "all its values are missing",
                'Set role = "drop", or bring its values.',
            )
            for name in plan.with_role("quasi", "sensitive", "respondent")
            if name in names and name not in _with_values(data, [name])
        )
    return [*faults, *filter(None, (unreadable(data.column(n), n) for n in _used(data, plan)))]


def name_faults(names: Sequence[str], plan: Plan) -> list[Fault]:
    """Report which columns plan or data do not name."""
    place = "data"
    if names and not any(name in names for name in plan.columns):
        problem = f"no column that the plan names is there; it has {counted(len(names), 'column')}"
        return [Fault(place, problem, HEADER)]
    faults = [
        Fault(place, f"no column {name!r}, which the plan names", closest(name, names))
        for name in plan.columns
        if name not in names
    ]
    unlisted = [name for name in names if name not in plan.columns]
    if unlisted and plan.unlisted == "error":
        faults.append(
            Fault(
                place,
                f"columns that the plan does not name: {', '.join(unlisted)}",
                'Give each a role, or set unlisted = "drop" or unlisted = "other".',
            )
        )
    return faults


def _used(data: pa.Table, plan: Plan) -> list[str]:
    """Name the columns that are looked at or released."""
    unused = {name for name in plan.with_role("identifier") if not plan.columns[name].pseudonym}
    unused.update(plan.with_role("drop"))
    listed = plan.columns if plan.unlisted != "other" else data.column_names
    return [name for name in data.column_names if name in listed and name not in unused]


def _with_values(data: pa.Table, names: Iterable[str]) -> list[str]:
    return [name for name in names if data.column(name).null_count < data.num_rows]


def quasi_column(
    data: pa.Table, plan: Plan, name: str, weights: NDArray[np.int64] | None = None
) -> QuasiColumn:
    """Encode a quasi column by its hierarchy, or by one that is suggested."""
    form, exact, base = plan.form_asked(name), plan.is_exact(name), plan.base
    starred = form == "star" and plan.method.groups_rows
    spec = plan.columns[name].hierarchy or (Flat() if starred else Suggested())
    encoded = encode(data.column(name), name, weights)
    hierarchy = spec.build(encoded.domain, place=f"column {name!r}", base=base)
    if form == "set" or (plan.method.name == "k-optimize" and hierarchy.kind == "category"):
        _refuse_set_look_alikes(encoded, name)
    if form == "range":
        hierarchy = _in_line(hierarchy, name)
    codes = _coded(encoded, hierarchy.code_of)
    if not exact and too_detailed(hierarchy):
        codes, hierarchy = hierarchy.nodes[1][codes], hierarchy.above_ground()
    if starred and hierarchy.height > 1:
        hierarchy = _value_or_star(hierarchy)
    return QuasiColumn(name, codes, hierarchy, plan.columns[name].weight)


def _refuse_set_look_alikes(encoded: Encoded, name: str) -> None:
    faults = list(set_look_alikes(encoded.domain.values, f"column {name!r}"))
    if faults:
        raise HierarchyError(faults)


def too_detailed(hierarchy: Hierarchy) -> bool:
    """Return whether ground values say more than the finest level that the plan names.

    Dates, times and numbers that are not whole do, where their levels are made by rule.
    """
    scale = hierarchy.scale
    return scale is not None and (hierarchy.kind == "date" or not scale.closed)


def _value_or_star(hierarchy: Hierarchy) -> Hierarchy:
    nodes, labels = hierarchy.nodes, hierarchy.labels
    return replace(
        hierarchy, nodes=(nodes[0], nodes[-1]), labels=(labels[0], labels[-1]), scale=None
    )


def _in_line(hierarchy: Hierarchy, name: str) -> Hierarchy:
    """Put values that will be published as ranges into the order of their numbers or dates."""
    if hierarchy.kind == "category":
        if hierarchy.size and np.isnan(hierarchy.position).all():
            raise HierarchyError(
                Fault(
                    f"column {name!r}",
                    "its values are neither numbers nor dates and have no ranges",
                    'Set publish = "node" or publish = "set".',
                )
            )
        return hierarchy
    if in_line(hierarchy):
        return hierarchy
    order = np.argsort(hierarchy.position, kind="stable")
    return Hierarchy.from_columns(
        [[hierarchy.leaves[place] for place in order], [TOP] * hierarchy.size]
    )


def sensitive_column(
    data: pa.Table, plan: Plan, name: str, weights: NDArray[np.int64] | None = None
) -> SensitiveColumn:
    """Encode a sensitive column; its values in the order of their hierarchy, or of themselves."""
    column = _coded_sensitive(data, plan, name, weights)
    return column if weights is None else replace(column, overall=column.shares_by(weights))


def _coded_sensitive(
    data: pa.Table, plan: Plan, name: str, weights: NDArray[np.int64] | None
) -> SensitiveColumn:
    encoded = encode(data.column(name), name, weights)
    spec = plan.columns[name].hierarchy
    if spec is not None:
        hierarchy = built(spec, encoded.domain, plan, f"column {name!r}")
        codes = _coded(encoded, hierarchy.code_of)
        return SensitiveColumn(name, codes, hierarchy.leaves, hierarchy)
    values = in_order_of_meaning(encoded.domain.values, plan.input)
    codes = _coded(encoded, {value: code for code, value in enumerate(values)})
    return SensitiveColumn(name, codes, values)


def _coded(encoded: Encoded, code_of: Mapping[str | None, int]) -> NDArray[np.int32]:
    places = np.array([code_of[value] for value in encoded.domain.values], dtype=np.int32)
    return places[encoded.codes]


def quasi_sets(data: pa.Table, plan: Plan) -> tuple[QuasiSet, ...]:
    """List the quasi-identifiers, and whose rows they describe."""
    quasi = plan.with_role("quasi")
    everyone = respondents(data, plan)
    if not plan.sets:
        return (QuasiSet("all", tuple(range(len(quasi))), everyone.get("all")),)
    return tuple(
        QuasiSet(name, tuple(quasi.index(c) for c in group.columns), everyone.get(name))
        for name, group in plan.sets.items()
    )


def respondents(data: pa.Table, plan: Plan) -> dict[str, NDArray[np.int32]]:
    """For each quasi-identifier that has respondents, whose row each row is.

    A missing respondent is nobody in particular: such rows count together as one.
    """
    return {
        name: encode(data.column(column), column).codes
        for name, column in plan.respondent_columns().items()
        if column in data.column_names
    }
