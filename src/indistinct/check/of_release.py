"""The check of a release in the making: beside what is published stands what it was made of.

Whoever makes a release says what became of each private row and column. What is said is believed
only where the published rows, read again, and the private ones bear it out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from indistinct.check.freeform import same_values, verify_known
from indistinct.check.limits import accuracy_found, suppression_found
from indistinct.check.of_plan import (
    column_sets,
    columns_as_they_are,
    held_in,
    people_of,
    quasi_cells,
    refuse_detail,
    refuse_failing,
    untrue_cells,
)
from indistinct.check.rows import ValueFacts, blank_rows, verify_rows
from indistinct.check.truth import changed_columns, changed_groups, miscoded_columns
from indistinct.errors import DoesNotHoldError, Fault
from indistinct.model.names import GROUP
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.check.limits import LimitFound
    from indistinct.check.rows import Verified
    from indistinct.model.table import Table
    from indistinct.plan import Plan


@dataclass(frozen=True, eq=False)
class Making:
    """How a release was made, as its maker says.

    Attributes
    ----------
    data, table
        The private table as it is, and as it was encoded.
    became
        The published columns that each quasi column became.
    source
        The private row that each published row comes from; where rows are counted, the entry of
        the table, of which `data` has one row each.
    kept
        Which private rows are not suppressed.
    blanked
        Whether suppressed rows are published as blanks.
    groups
        The group of each private row, where rows were grouped.
    numbers
        The published number of the group of each private row, where values change places in it.
    matchings, carried
        Where rows were matched: the private row of each box in each matching, and the one whose
        values it carries.
    counts
        How many rows each published row stands for; None where each is one.
    """

    plan: Plan
    data: pa.Table
    table: Table
    became: Mapping[str, Sequence[str]]
    source: NDArray[np.intp]
    kept: NDArray[np.bool_]
    blanked: bool
    groups: NDArray[np.int32] | None = None
    numbers: pa.ChunkedArray | None = None
    matchings: NDArray[np.int32] | None = None
    carried: NDArray[np.intp] | None = None
    counts: NDArray[np.int64] | None = None

    @cached_property
    def as_they_are(self) -> list[str]:
        """The columns that are released as they are."""
        return columns_as_they_are(self.plan, self.data.column_names)

    @cached_property
    def people(self) -> dict[str, NDArray[np.int32]]:
        """For each quasi-identifier that has respondents, whose row each private row is."""
        return people_of(self.data, self.plan)


def check_release(rows: pa.Table, making: Making) -> Verified:
    """Hold published rows, as they are or as they were read back, to plan and private table.

    Raises
    ------
    DoesNotHoldError
        If something is not as it is said to be; not yet if a promise is broken.
    """
    _refuse(miscoded_columns(making.data, making.table))
    checked = _check_classes if making.matchings is None else _check_matching
    verified = checked(rows, making)
    return replace(verified, limits=tuple(_limits(making, verified.released_rows)))


def refuse_broken(rows: pa.Table, making: Making, verified: Verified) -> None:
    """Raise if published rows break a promise, or show what too few people have."""
    refuse_failing(verified)
    if least_respondents(making.plan.require) > 1:
        held = held_in(making.plan, making.table, making.data, making.people)
        refuse_detail(making.plan, making.table.quasi, held, rows, making.became)


def _refuse(faults: Sequence[Fault]) -> None:
    if faults:
        raise DoesNotHoldError(faults)


def _check_classes(rows: pa.Table, making: Making) -> Verified:
    blank = _blanks(rows, making)
    _refuse(_untrue(rows, making, blank))
    table, needed = making.table, making.plan.judged_columns()
    return verify_rows(
        rows,
        making.plan.require,
        column_sets(making.plan, making.became),
        {name: whose[making.source] for name, whose in making.people.items()},
        {
            column.name: ValueFacts.of(column, making.people)
            for column in table.sensitive
            if column.name in needed
        },
        counts=making.counts,
        blank=blank,
    )


def _blanks(rows: pa.Table, making: Making) -> NDArray[np.bool_] | None:
    """Return which published rows are suppressed ones; raise if one of them is no blank."""
    if not making.blanked:
        return None
    suppressed: NDArray[np.bool_] = ~making.kept[making.source]
    if (suppressed & ~blank_rows(rows)).any():
        raise DoesNotHoldError(Fault("release", "a suppressed row was not blanked"))
    return suppressed


def _untrue(rows: pa.Table, making: Making, blank: NDArray[np.bool_] | None) -> list[Fault]:
    """Report columns of which some published value is neither the private one nor covers it."""
    plan, source = making.plan, making.source
    if blank is not None:
        rows, source = rows.filter(pa.array(~blank)), source[~blank]
    if making.numbers is None:
        quasi, became = making.table.quasi, making.became
        return untrue_cells(plan, rows, making.data, quasi, became, source=source)
    kept = pa.array(making.kept)
    named = [*plan.with_role("quasi"), *making.as_they_are]
    numbers, private = making.numbers.filter(kept), making.data.filter(kept)
    weights, times = making.table.weights, making.counts
    counts = (
        times if times is None or blank is None else times[~blank],
        None if weights is None else weights[making.kept],
    )
    return changed_groups(rows, private, GROUP, numbers, named, counts=counts)


def _check_matching(rows: pa.Table, making: Making) -> Verified:
    """Check the matchings on the published cells, and that values were carried along one."""
    plan, matchings, carried = making.plan, making.matchings, making.carried
    if carried is None or matchings is None:
        raise DoesNotHoldError(Fault("release", "no matching was drawn"))
    if making.counts is not None or making.table.weights is not None:
        problem = "rows that were matched cannot be counted together"
        raise DoesNotHoldError(Fault("release", problem, "Match the rows one by one."))
    origin = carried[making.source]
    for column in making.table.sensitive:
        if not same_values(rows.column(column.name), column, origin):
            problem = "a value was not carried along the drawn matching"
            raise DoesNotHoldError(Fault(f"column {column.name!r}", problem))
    sensitive = plan.with_role("sensitive")
    others = [name for name in making.as_they_are if name not in sensitive]
    _refuse(changed_columns(rows, making.data, origin, others))
    cells = quasi_cells(plan, making.table, rows, making.became)
    return verify_known(cells, plan.require, matchings, making.source, carried)


def _limits(making: Making, released: int) -> list[LimitFound]:
    """Hold the release to the plan's limits beside its requirements."""
    plan, table = making.plan, making.table
    limits = [suppression_found(plan.limits.suppression, table.rows - released, table.rows)]
    if plan.accuracy is not None and making.groups is not None:
        asked, forms = plan.accuracy, plan.forms(table)
        limits += accuracy_found(table.quasi, forms, making.groups, asked.max_ncp, asked.max_extent)
    return limits
