"""Class sizes in a few buckets: which share of the rows hides in how large a crowd."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

STARTS = (1, 2, 3, 5, 11, 21, 51, 101)
LABELS = ("1", "2", "3-4", "5-10", "11-20", "21-50", "51-100", ">100")


def bucket_of(size: int) -> str:
    """Return the label of the bucket that a class of this size falls into.

    >>> bucket_of(1), bucket_of(100), bucket_of(101)
    ('1', '51-100', '>100')
    """
    if size < 1:
        raise ValueError(f"a class has at least one row, not {size}")
    return LABELS[bisect_right(STARTS, size) - 1]


def row_shares(sizes: Mapping[int, int]) -> dict[str, float]:
    """Return for every bucket the share of rows (not of classes) in classes of that size.

    >>> row_shares({1: 2, 3: 2})["3-4"]
    0.75
    """
    rows = dict.fromkeys(LABELS, 0)
    for size, count in sizes.items():
        rows[bucket_of(size)] += int(size) * int(count)
    total = sum(rows.values())
    return {label: n / total if total else 0.0 for label, n in rows.items()}
