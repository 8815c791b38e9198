"""Publishing intervals of whole columns, as ranges, nodes or sets.

A range is no wider than what released rows have of its interval, so it says nothing of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.io.arrow import labelled
from indistinct.model.forms import interval_labels
from indistinct.publishing.groups import ColumnRanges, grouped_column

if TYPE_CHECKING:
    import pyarrow as pa

    from indistinct.model.forms import Form
    from indistinct.model.names import RangeAs
    from indistinct.model.recoding import ColumnIntervals
    from indistinct.model.table import Table
    from indistinct.publishing.groups import Columns


def interval_columns(
    data: pa.Table,
    table: Table,
    cuts: ColumnIntervals,
    forms: tuple[Form, ...],
    ranges_as: tuple[RangeAs, ...],
) -> dict[str, Columns]:
    """Write out every quasi column, as one published column or several."""
    from indistinct.kernels.spans import bounds_of

    published: dict[str, Columns] = {}
    for place, (column, form) in enumerate(zip(table.quasi, forms, strict=True)):
        intervals = cuts.intervals(place, column.codes)
        of_row, held, labels = interval_labels(column, intervals, cuts.kept, form)
        low, high = bounds_of(column.codes[:, None], of_row, held.size)
        groups = ColumnRanges(column, of_row, low[:, 0], high[:, 0])
        original = data.column(column.name)
        if form == "range" or groups.exact:
            name = column.name
            written = grouped_column(original, groups, form, ranges_as[place], held.size)
            published[name] = written
        else:
            numbers = np.where(of_row >= 0, of_row, np.int32(0))
            published[column.name] = {column.name: labelled(numbers, labels)}
    return published
