"""The check of a release that was made block by block: its rows over the whole, as counted.

That each published value covers the private one is checked of each block, where both are at hand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indistinct.check.detail import held_by
from indistinct.check.limits import suppression_found
from indistinct.check.of_plan import column_sets, refuse_detail, refuse_failing
from indistinct.check.rows import ValueFacts, verify_rows
from indistinct.requirements import least_respondents, people_needed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.check.detail import Held
    from indistinct.check.rows import Verified
    from indistinct.model.table import Table
    from indistinct.plan import Plan


def check_whole(
    rows: pa.Table,
    counts: NDArray[np.int64],
    plan: Plan,
    table: Table,
    *,
    values: Mapping[str, tuple[pa.ChunkedArray, NDArray[np.int64]]],
    became: Mapping[str, Sequence[str]],
) -> Verified:
    """Hold all that was published to a plan; raise if a promise is broken.

    Parameters
    ----------
    rows, counts
        The different published rows, and how often each stands there.
    table, values
        The columns of the private table as they were encoded; and the values of each, with how
        many rows have each.
    became
        The published columns that each quasi column became.
    """
    facts = {
        column.name: ValueFacts.of(column, {})
        for column in table.sensitive
        if column.name in plan.judged_columns()
    }
    sets = column_sets(plan, became)
    verified = verify_rows(rows, plan.require, sets, {}, facts, counts=counts)
    left_out = table.rows - verified.released_rows
    limit = suppression_found(plan.limits.suppression, left_out, table.rows)
    verified = replace(verified, limits=(limit,))
    refuse_failing(verified)
    if least_respondents(plan.require) > 1:

        def held(place: int) -> Held:
            name = table.quasi[place].name
            column, weights = values[name]
            return held_by(column, name, people_needed(plan.require), (), weights)

        refuse_detail(plan, table.quasi, held, rows, became)
    return verified
