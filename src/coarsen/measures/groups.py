"""What a partition into groups lost, column by column, in the form each is published in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coarsen.forms import set_labels
from coarsen.measures.ncp import set_loss
from coarsen.measures.spans import Spans
from coarsen.recoding import Buckets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coarsen.measures.ncp import Form
    from coarsen.recoding import Partition
    from coarsen.table import Table


def group_ncp(table: Table, partition: Partition, forms: tuple[Form, ...]) -> dict[str, float]:
    """Mean NCP of each column over all rows, a suppressed cell counting 1.

    Buckets lose nothing of quasi values, only their link to the sensitive ones.
    """
    from dataclasses import replace

    from coarsen._kernels.spans import bounds_of

    if isinstance(partition, Buckets):
        return dict.fromkeys((c.name for c in table.quasi), partition.suppressed / table.rows)
    even = tuple(replace(column, weight=1.0) for column in table.quasi)
    spans = Spans(even, forms)
    codes = np.stack([column.codes for column in table.quasi], axis=1)
    low, high = bounds_of(codes, partition.groups, partition.count)
    sizes = np.bincount(partition.groups[partition.kept], minlength=partition.count)
    found = {}
    for place, column in enumerate(table.quasi):
        lost: NDArray[np.float64]
        if forms[place] == "set":
            held, _ = set_labels(column, partition.groups, partition.count)
            lost = set_loss(held, column.hierarchy.size)
        else:
            lost = spans.cost(place, low[:, place], high[:, place])
        found[column.name] = float((sizes @ lost + partition.suppressed) / table.rows)
    return found
