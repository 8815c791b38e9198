"""What a partition into groups lost, column by column, in the form each is published in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.measures.classes import classes_of, column_ncp

if TYPE_CHECKING:
    from indistinct.model.forms import Form
    from indistinct.model.recoding import Partition
    from indistinct.model.table import Table


def group_ncp(table: Table, partition: Partition, forms: tuple[Form, ...]) -> dict[str, float]:
    """Mean NCP of each column over all rows, a suppressed cell counting 1.

    Buckets lose nothing of quasi values, only their link to the sensitive ones.
    """
    lost = column_ncp(classes_of(table, partition, forms))
    return dict(zip((column.name for column in table.quasi), lost.tolist(), strict=True))
