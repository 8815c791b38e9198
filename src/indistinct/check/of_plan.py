"""The check as a plan asks for it: which columns, whose rows, which values, and what failed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.check.columns import became, refuse_columns
from indistinct.check.detail import Detail, Held, held_by
from indistinct.check.freeform import cells_of, verify_alone, verify_found
from indistinct.check.limits import suppression_found
from indistinct.check.reading import numbered_alike, read_column
from indistinct.check.rows import (
    ValueFacts,
    Verified,
    blank_rows,
    counted_rows,
    verify_rows,
)
from indistinct.check.truth import changed_columns, miscoded_columns, untrue_columns
from indistinct.errors import DataError, DoesNotHoldError, Fault, HierarchyError, counted
from indistinct.hierarchy import TOP, Domain
from indistinct.hierarchy.meaning import built, in_order_of_meaning
from indistinct.model.names import GROUP
from indistinct.requirements import people_needed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.check.freeform import Cells
    from indistinct.check.limits import LimitFound
    from indistinct.model.table import QuasiColumn, Table
    from indistinct.plan import Plan

    ReadPrivate = Callable[[], tuple[pa.Table, Table]]


def check_rows(
    rows: pa.Table,
    plan: Plan,
    suppressed: int | None = None,
    *,
    private: ReadPrivate | None = None,
    counts: NDArray[np.int64] | None = None,
) -> Verified:
    """Hold published rows to a plan, by themselves or beside the private table.

    Parameters
    ----------
    suppressed
        How many rows were suppressed, where that is stated; otherwise what the rows and the plan
        tell.
    private
        For a freeform release, reads the private table: as it is, and encoded.
    counts
        How many published rows each of these stands for; one if not given.
    """
    released = rows.column_names
    refuse_columns(plan, released)
    sets = column_sets(plan, _class_columns(plan, released))
    if plan.method.matches_rows:
        if counts is not None:
            problem = f"a release by {plan.method.name!r} is checked row by row"
            raise DataError(Fault("verify", problem, "Give its rows one by one."))
        alone = verify_alone(rows.num_rows, plan.require, list(sets))
        verified = alone if private is None else _check_matching(rows, plan, private)
        return replace(verified, **_limits(verified, plan, suppressed))
    if private is not None:
        problem = f"a release by {plan.method.name!r} is checked without the private table"
        raise DataError(Fault("verify", problem, "Omit the private table."))
    rows, counts, blank = _blanks(rows, plan, suppressed, counts)
    shown = rows.filter(pa.array(~blank)) if blank.any() else rows
    times = None if counts is None else counts[~blank]
    verified = verify_rows(
        rows,
        plan.require,
        sets,
        dict.fromkeys(plan.respondent_columns()) | people_of(rows, plan),
        {name: _released_values(shown, plan, name, times) for name in plan.judged_columns()},
        counts=counts,
        blank=blank,
        most_suppressed=_most_suppressed(plan, blank, suppressed, counts),
    )
    limits = _limits(verified, plan, suppressed)
    if suppressed is None and _only_quasi(plan, rows):
        stars = counted_rows(blank_rows(rows), counts)
        number = verified.released_rows + verified.blank_rows
        limits["limits"] = tuple(_if_blanks(limit, stars, number) for limit in limits["limits"])
    return replace(verified, **limits)


def _if_blanks(limit: LimitFound, stars: int, rows: int) -> LimitFound:
    """Say of a limit on blanks that rows generalized to `*` throughout look like them."""
    counted = suppression_found(limit.allowed, stars, rows)
    note = f"{counted.note} are {TOP} throughout, suppressed or generalized"
    return counted if counted.holds else replace(counted, holds=None, note=note)


_Counted = tuple[pa.Table, "NDArray[np.int64] | None", "NDArray[np.bool_]"]


def _blanks(
    rows: pa.Table, plan: Plan, suppressed: int | None, counts: NDArray[np.int64] | None
) -> _Counted:
    """Return the rows and how many each stands for, and which are suppressed ones, blanked.

    No private row reads `*` in a column that is published as it is (`encode/look_alikes.py`), so
    where there is one, rows of nothing but `*` are blanks. Where all columns are quasi columns, a
    row may be generalized to `*` throughout: such rows are alike and say as little.
    """
    if plan.suppressed != "blank":
        return rows, counts, np.zeros(rows.num_rows, dtype=bool)
    stars = blank_rows(rows)
    if not _only_quasi(plan, rows):
        return rows, counts, stars
    if suppressed is None:
        return rows, counts, stars & ~stars.all()
    if counts is None:
        return rows, None, stars & (np.cumsum(stars) <= suppressed)
    return _parted(rows, counts, stars, suppressed)


def _parted(
    rows: pa.Table, counts: NDArray[np.int64], stars: NDArray[np.bool_], suppressed: int
) -> _Counted:
    """Take so many of the rows that are `*` throughout for blanks; one may be so in part."""
    before = np.cumsum(np.where(stars, counts, 0)) - counts
    blanked = np.where(stars, np.clip(suppressed - before, 0, counts), 0)
    parts = [np.flatnonzero(blanked < counts), np.flatnonzero(blanked > 0)]
    numbers = [(counts - blanked)[parts[0]], blanked[parts[1]]]
    blank = np.repeat([False, True], [part.size for part in parts])
    return rows.take(pa.array(np.concatenate(parts))), np.concatenate(numbers), blank


def _only_quasi(plan: Plan, rows: pa.Table) -> bool:
    """Return whether every column of a release is what became of a quasi column."""
    quasi = {part for parts in became(plan, rows.column_names).values() for part in parts}
    return set(rows.column_names) <= quasi


def _most_suppressed(
    plan: Plan,
    blank: NDArray[np.bool_],
    suppressed: int | None,
    counts: NDArray[np.int64] | None,
) -> float:
    """Return the share of the private table that may have been suppressed."""
    blanked, shown = counted_rows(blank, counts), counted_rows(~blank, counts)
    if suppressed is not None:
        return suppressed / max(shown + suppressed, 1)
    whole = max(shown + blanked, 1)
    return blanked / whole if plan.suppressed == "blank" else plan.limits.suppression


def _limits(verified: Verified, plan: Plan, suppressed: int | None) -> dict[str, Any]:
    """Hold a release to the limits of its plan; say which it leaves open."""
    allowed = plan.limits.suppression
    limits, untold = [], []
    if suppressed is not None:
        rows = verified.released_rows + suppressed
        limits.append(suppression_found(allowed, suppressed, rows))
    elif plan.suppressed == "blank":
        rows = verified.released_rows + verified.blank_rows
        limits.append(suppression_found(allowed, verified.blank_rows, rows))
    elif allowed < 1:
        untold.append(
            f"limits.suppression = {allowed:g}: the number of suppressed rows is not in the "
            "release; its certificate states it"
        )
    if plan.accuracy is not None:
        untold.append(
            "accuracy: what groups span is measured on private values, when a release is made"
        )
    return {"limits": tuple(limits), "untold": tuple(untold)}


def _check_matching(rows: pa.Table, plan: Plan, private: ReadPrivate) -> Verified:
    """Find who covers whom from the private table and a freeform release."""
    data, table = private()
    if faults := miscoded_columns(data, table):
        raise DoesNotHoldError(faults)
    carried = [
        numbered_alike(rows.column(name), data.column(name))
        for name in plan.with_role("sensitive", "other")
        if name in rows.column_names
    ]
    cells = quasi_cells(plan, table, rows, _class_columns(plan, rows.column_names))
    return verify_found(cells, plan.require, carried)


def compared_cells(rows: pa.Table, plan: Plan, table: Table) -> list[Cells]:
    """Read all published quasi columns beside the private ones."""
    became = _class_columns(plan, rows.column_names)
    return [cells_of(rows, column, became[column.name]) for column in table.quasi]


def people_of(data: pa.Table, plan: Plan) -> dict[str, NDArray[np.int32]]:
    """For each quasi-identifier that has respondents, whose row each row is, where data say so.

    A missing respondent is nobody in particular: such rows count together as one.
    """
    return {
        name: read_column(data.column(column), column).codes
        for name, column in plan.respondent_columns().items()
        if column in data.column_names
    }


def _class_columns(plan: Plan, released: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Name for each quasi column the published ones that tell classes apart by it."""
    if plan.in_buckets:
        return dict.fromkeys(plan.with_role("quasi"), (GROUP,))
    return became(plan, released)


def _released_values(
    rows: pa.Table, plan: Plan, name: str, times: NDArray[np.int64] | None
) -> ValueFacts:
    """Return what the release alone says of a sensitive column."""
    read = read_column(rows.column(name), name)
    spec = plan.columns[name].hierarchy
    if spec is None:
        values = in_order_of_meaning(read.texts, plan.input)
        return ValueFacts(values, None, np.arange(len(values), dtype=np.int32)[None, :])
    try:
        hierarchy = built(spec, Domain(read.texts, read.counts_by(times)), plan, f"column {name!r}")
    except HierarchyError:
        return ValueFacts(in_order_of_meaning(read.texts, plan.input), None, None)
    return ValueFacts(hierarchy.leaves, None, np.array(hierarchy.nodes, dtype=np.int32))


def quasi_cells(
    plan: Plan, table: Table, rows: pa.Table, became: Mapping[str, Sequence[str]]
) -> dict[str, list[Cells]]:
    """Read the published columns of each quasi-identifier beside the private ones."""
    cells = {c.name: cells_of(rows, c, became[c.name]) for c in table.quasi}
    sets = {name: group.columns for name, group in plan.sets.items()}
    return {
        name: [cells[column] for column in columns]
        for name, columns in (sets or {"all": plan.with_role("quasi")}).items()
    }


def columns_as_they_are(plan: Plan, names: Sequence[str]) -> list[str]:
    """Name those columns of the data that are released as they are."""
    as_they_are = set(plan.with_role("sensitive", "other"))
    if plan.unlisted == "other":
        as_they_are.update(name for name in names if name not in plan.columns)
    return [name for name in names if name in as_they_are]


def untrue_cells(
    plan: Plan,
    rows: pa.Table,
    private: pa.Table,
    quasi: Sequence[QuasiColumn],
    became: Mapping[str, Sequence[str]],
    *,
    source: NDArray[np.intp],
) -> list[Fault]:
    """Report columns of which some published cell is neither the private one nor covers it.

    Parameters
    ----------
    rows, became
        The published rows that say something, and what each quasi column became in them.
    private, quasi
        The private table as it is, and its quasi columns as they were encoded.
    source
        The private row that each published row comes from.
    """
    faults = untrue_columns(rows, quasi, became, source)
    named = columns_as_they_are(plan, private.column_names)
    return faults + changed_columns(rows, private, source, named)


def refuse_detail(
    plan: Plan,
    quasi: Sequence[QuasiColumn],
    held: Callable[[int], Held],
    rows: pa.Table,
    became: Mapping[str, Sequence[str]],
) -> None:
    """Raise if published rows show an end or a member that too few people have.

    Parameters
    ----------
    quasi
        The private quasi columns as they were encoded.
    held
        Notes who has which value of a quasi column, given its place.
    rows, became
        The published rows, and what each quasi column became in them.
    """
    faults = []
    for place, column in enumerate(quasi):
        if not plan.is_exact(column.name):
            hierarchy = column.hierarchy.raw or column.hierarchy
            detail = Detail(hierarchy, partial(held, place))
            parts = became[column.name]
            if len(parts) > 1 and parts[1] == f"{column.name}_high":
                wrong = detail.bounds_too_fine(_pairs(rows, parts))
            else:
                wrong = detail.too_fine(read_column(rows.column(parts[0]), parts[0]).texts)
            if wrong:
                problem = (
                    f"{counted(len(wrong), 'published value')} would show what fewer than "
                    f"{people_needed(plan.require)} people have, or more detail than its hierarchy"
                )
                faults.append(Fault(f"column {column.name!r}", problem, "Do not publish it."))
    if faults:
        raise DoesNotHoldError(faults)


def held_in(
    plan: Plan, table: Table, data: pa.Table, people: Mapping[str, NDArray[np.int32]]
) -> Callable[[int], Held]:
    """Return what notes who has which value of a quasi column of the private table.

    Parameters
    ----------
    table, data
        The private table as it was encoded, and as it is.
    people
        For each quasi-identifier that has respondents, whose row each private row is.
    """

    def held(place: int) -> Held:
        name = table.quasi[place].name
        whose = [people[s.name] for s in table.sets if place in s.columns and s.name in people]
        return held_by(data.column(name), name, people_needed(plan.require), whose, table.weights)

    return held


def _pairs(rows: pa.Table, parts: Sequence[str]) -> list[tuple[str | None, str | None]]:
    """List the different pairs of bounds of two published columns."""
    low, high = (read_column(rows.column(part), part) for part in parts[:2])
    size = max(len(high.texts), 1)
    pairs = np.unique(low.codes.astype(np.int64) * size + high.codes).tolist()
    return [(low.texts[p // size], high.texts[p % size]) for p in pairs]


def column_sets(plan: Plan, became: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Name the published columns of each quasi-identifier, given what each column became."""
    sets = {name: group.columns for name, group in plan.sets.items()}
    return {
        name: list(dict.fromkeys(part for column in columns for part in became[column]))
        for name, columns in (sets or {"all": plan.with_role("quasi")}).items()
    }


def refuse_failing(verified: Verified) -> None:
    """Raise, naming the class that breaks each promise, unless nothing was found broken."""
    if faults := broken_promises(verified):
        raise DoesNotHoldError(faults)


def broken_promises(verified: Verified) -> list[Fault]:
    """Report each promise that is broken, and the class that breaks it."""
    faults = []
    for evidence in verified.evidence:
        if evidence.holds is False:
            worst = ", ".join(f"{name}={value}" for name, value in evidence.worst_class.items())
            about = f", column {evidence.column!r}" if evidence.column else ""
            where = (
                f"in the class ({worst}), "
                if worst
                else f"({evidence.note}), " * bool(evidence.note)
            )
            faults.append(
                Fault(
                    f"requirement {evidence.requirement.model!r}{about}",
                    f"it measures {evidence.measured:g} {where}"
                    f"where {evidence.requirement.asked()} was promised",
                    "Do not publish it.",
                )
            )
    return faults + [
        Fault(
            f"limit {limit.name!r}",
            f"it measures {limit.measured:.4g}{_aside(limit.note)}, where {limit.allowed:g} is "
            "allowed",
            "Do not publish it.",
        )
        for limit in verified.limits
        if limit.holds is False
    ]


def _aside(note: str) -> str:
    return f" ({note})" if note else ""
