"""Laying out groups of rows for searches that change them (see `linked_groups_kernel`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.linked_groups_kernel import Groups


def linked(codes: NDArray[np.int32], group: NDArray[np.int32], most: int) -> Groups:
    """Lay out the group of each row (-1: none), with room for so many groups.

    A list has its rows from the last to the first, as if they had joined one after the other.
    """
    from indistinct.methods.common import linked_groups_kernel as linked_groups

    columns = codes.shape[1]
    rows = lines_of(codes)
    rows[:, linked_groups.GROUP] = group
    records = empty_groups(most, columns)
    order = np.argsort(group, kind="stable")
    order = order[np.searchsorted(group[order], 0) :]
    if not order.size:
        return linked_groups.Groups(records, rows)
    held = group[order]
    same = np.flatnonzero(held[1:] == held[:-1])
    rows[order[same + 1], linked_groups.AFTER] = order[same]
    rows[order[same], linked_groups.BEFORE] = order[same + 1]
    starts = np.concatenate([[0], np.flatnonzero(held[1:] != held[:-1]) + 1])
    used, box = held[starts], linked_groups.BOX
    records[used, linked_groups.SIZE] = np.diff(starts, append=order.size)
    records[used, linked_groups.HEAD] = order[np.append(starts[1:], order.size) - 1]
    records[used, box : box + columns] = np.minimum.reduceat(codes[order], starts)
    records[used, box + columns :] = np.maximum.reduceat(codes[order], starts)
    return linked_groups.Groups(records, rows)


def empty_groups(most: int, columns: int) -> NDArray[np.int32]:
    """Return records of so many groups without rows."""
    from indistinct.methods.common import linked_groups_kernel as linked_groups

    box = linked_groups.BOX
    records = np.zeros((most, box + 2 * columns), dtype=np.int32)
    records[:, linked_groups.HEAD] = -1
    records[:, box : box + columns] = linked_groups.EMPTY_LOW
    records[:, box + columns :] = linked_groups.EMPTY_HIGH
    return records


def lines_of(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a line for each row that is in no group yet."""
    from indistinct.methods.common.linked_groups_kernel import CODES

    rows = np.full((codes.shape[0], CODES + codes.shape[1]), -1, dtype=np.int32)
    rows[:, CODES:] = codes
    return rows


def record_of(codes: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """Return the record of a group of some size whose rows have these codes, without a list."""
    from indistinct.methods.common import linked_groups_kernel as linked_groups

    box, columns = linked_groups.BOX, codes.shape[1]
    record = np.zeros(box + 2 * columns, dtype=np.int32)
    record[linked_groups.SIZE], record[linked_groups.HEAD] = size, -1
    record[box : box + columns], record[box + columns :] = codes.min(axis=0), codes.max(axis=0)
    return record
