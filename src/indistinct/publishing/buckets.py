"""Publishing buckets: exact quasi values, and sensitive values permuted inside each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.errors import DataError, DoesNotHoldError, Fault
from indistinct.io.plain import decoded
from indistinct.model.names import GROUP
from indistinct.publishing.randomness import Randomness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.names import RangeAs
    from indistinct.model.recoding import Buckets
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.publishing.draws import Draws
    from indistinct.publishing.groups import Columns
    from indistinct.publishing.rows import Published


def exact_columns(
    data: pa.Table,
    table: Table,
    _buckets: Buckets,
    _forms: tuple[Form, ...] = (),
    _ranges_as: tuple[RangeAs, ...] = (),
) -> dict[str, Columns]:
    """Take every quasi column as it is."""
    return {column.name: {column.name: data.column(column.name)} for column in table.quasi}


def permuted(rows: pa.Table, buckets: Buckets, plan: Plan, draws: Draws) -> pa.Table:
    """Permute each sensitive column inside each group, and say which group a row is in.

    Columns are permuted independently of each other; groups are numbered at random.
    """
    if GROUP in rows.column_names:
        problem = f"a column {GROUP!r} would be published twice: buckets need that name"
        raise DataError(Fault("data", problem, "Rename the column of the data, or drop it."))
    for name in plan.with_role("sensitive"):
        source = _within(buckets.groups, draws, f"permutation of {name}")
        place = rows.column_names.index(name)
        rows = rows.set_column(place, name, rows.column(name).take(pa.array(source)))
    numbers = draws.stream("numbers of groups").order(buckets.count) + 1
    of_row = np.append(numbers, 0)[buckets.groups]
    return rows.append_column(GROUP, pa.array(of_row, mask=buckets.groups < 0))


def apart(published: Published, plan: Plan) -> list[tuple[pa.Table, NDArray[np.intp]]]:
    """Part buckets into a table of quasi values and one of sensitive values, joined by group.

    Each comes with the order its rows leave in; that of the second says nothing about the first.
    """
    sensitive = plan.with_role("sensitive")
    held = published.columns.column(GROUP).take(pa.array(published.source))
    groups = "\0".join(map(str, held.to_pylist())).encode()
    drawn = Randomness(plan.seed, "order of sensitive values", groups).order(published.source.size)
    return [
        (published.columns.drop_columns(sensitive), published.source),
        (published.columns.select([GROUP, *sensitive]), published.source[drawn]),
    ]


def together(quasi: pa.Table, sensitive: pa.Table) -> pa.Table:
    """Join two tables of buckets: of a group's rows, any may have any of its sensitive values.

    Raises
    ------
    DataError
        If they are no such tables.
    DoesNotHoldError
        If the two tables do not hold the same groups of the same sizes.
    """
    _refuse_strangers(quasi, sensitive)
    one, two = (decoded(table).sort_by(GROUP) for table in (quasi, sensitive))
    if one.column(GROUP).to_pylist() != two.column(GROUP).to_pylist():
        problem = "the table of sensitive values has other groups, or other sizes of groups"
        raise DoesNotHoldError(Fault("release", problem, "Give the two files of one release."))
    for name in two.column_names:
        if name != GROUP:
            one = one.append_column(name, two.column(name))
    return one


def _refuse_strangers(quasi: pa.Table, sensitive: pa.Table) -> None:
    """Raise if a table has no groups, or both have a column besides."""
    remedy = "Give the two files of one release."
    faults = [
        Fault(place, f"no column {GROUP!r}", remedy)
        for place, table in (("release", quasi), ("sensitive table", sensitive))
        if GROUP not in table.column_names
    ]
    both = [n for n in sensitive.column_names if n in quasi.column_names and n != GROUP]
    if both and not faults:
        named = ", ".join(map(repr, both))
        problem = f"it holds {named}, which the release holds too"
        faults.append(Fault("sensitive table", problem, remedy))
    if faults:
        raise DataError(faults)


def _within(groups: NDArray[np.int32], draws: Draws, purpose: str) -> NDArray[np.intp]:
    """Draw for each row the row of its group whose value it is given."""
    givers, takers = (draws.order(f"{purpose}, {side}") for side in ("givers", "takers"))
    source = np.empty(groups.size, dtype=np.intp)
    source[_by_group(groups, takers)] = _by_group(groups, givers)
    return source


def _by_group(groups: NDArray[np.int32], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    return rows[np.argsort(groups[rows], kind="stable")]
