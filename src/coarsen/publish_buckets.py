"""Publishing buckets: exact quasi values, and sensitive values permuted inside each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from coarsen.errors import DataError, Fault
from coarsen.randomness import Randomness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coarsen.plan import Plan
    from coarsen.recoding import Buckets

GROUP = "group"


def permuted(rows: pa.Table, buckets: Buckets, plan: Plan, data: list[memoryview]) -> pa.Table:
    """Permute each sensitive column inside each group, and say which group a row is in.

    Columns are permuted independently of each other; groups are numbered at random.
    """
    if GROUP in rows.column_names:
        problem = f"a column {GROUP!r} would be published twice: buckets need that name"
        raise DataError(Fault("data", problem, "Rename the column of the data, or drop it."))
    for name in plan.with_role("sensitive"):
        random = Randomness(plan.seed, f"permutation of {name}", *data)
        source = _within(buckets.groups, random)
        place = rows.column_names.index(name)
        rows = rows.set_column(place, name, rows.column(name).take(pa.array(source)))
    numbers = Randomness(plan.seed, "numbers of groups", *data).order(buckets.count) + 1
    found = np.append(numbers, 0)[buckets.groups]
    return rows.append_column(GROUP, pa.array(found, mask=buckets.groups < 0))


def _within(groups: NDArray[np.int32], random: Randomness) -> NDArray[np.intp]:
    """Draw for each row the row of its group whose value it is given."""
    drawn = random.order(groups.size)
    mixed = drawn[np.argsort(groups[drawn], kind="stable")]
    source = np.empty(groups.size, dtype=np.intp)
    source[np.argsort(groups, kind="stable")] = mixed
    return source
