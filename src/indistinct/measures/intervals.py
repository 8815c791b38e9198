"""What intervals of whole columns lost, column by column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.model.forms import interval_labels
from indistinct.model.ncp import set_loss
from indistinct.model.spans import Spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.recoding import Cuts
    from indistinct.model.table import Table


def interval_ncp(table: Table, cuts: Cuts, forms: tuple[Form, ...]) -> dict[str, float]:
    """Mean NCP of each column over all rows, a suppressed cell counting 1.

    An interval published under the name of a node counts as the set of the node's leaves.
    """
    from indistinct.kernels.spans import bounds_of

    found = {}
    for place, column in enumerate(table.quasi):
        even = replace(column, weight=1.0)
        intervals = cuts.intervals(place, column.codes)
        of_row, held, _ = interval_labels(column, intervals, cuts.kept, forms[place])
        sizes = np.bincount(of_row[cuts.kept], minlength=held.size)
        lost: NDArray[np.float64]
        if forms[place] == "range":
            low, high = bounds_of(column.codes[:, None], of_row, held.size)
            lost = Spans((even,), ("range",)).cost(0, low[:, 0], high[:, 0])
        else:
            lost = set_loss(held, column.hierarchy.size)
        found[column.name] = float((sizes @ lost + cuts.suppressed) / table.rows)
    return found
