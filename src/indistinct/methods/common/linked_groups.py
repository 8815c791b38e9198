"""Laying out groups of rows for searches that change them (see `linked_groups_kernel`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import CannotMeetError, Fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.linked_groups_kernel import Groups

MOST_ROWS = np.iinfo(np.int32).max


def linked(
    codes: NDArray[np.int32],
    group: NDArray[np.int32],
    most: int,
    weights: NDArray[np.int64] | None = None,
) -> Groups:
    """Lay out the group of each row (-1: none), with room for so many groups.

    A list has its rows from the last to the first, as if they had joined one after the other.
    """
    from indistinct.methods.common import linked_groups_kernel as linked_groups

    columns = codes.shape[1]
    rows = lines_of(codes, weights)
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
    records[used, linked_groups.SIZE] = np.add.reduceat(rows[order, linked_groups.WEIGHT], starts)
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


def lines_of(
    codes: NDArray[np.int32], weights: NDArray[np.int64] | None = None
) -> NDArray[np.int32]:
    """Return a line for each row that is in no group yet; rows weigh one each by default."""
    from indistinct.methods.common.linked_groups_kernel import CODES, WEIGHT

    if weights is not None and weights.sum() > MOST_ROWS:
        raise CannotMeetError(_too_many(int(weights.sum())))
    rows = np.full((codes.shape[0], CODES + codes.shape[1]), -1, dtype=np.int32)
    rows[:, WEIGHT] = 1 if weights is None else weights
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


def _too_many(rows: int) -> Fault:
    return Fault(
        "method.name",
        f"it counts the rows of a group up to {MOST_ROWS}, and there are {rows} rows",
        'Set method.name = "mondrian" or "optimal".',
    )
