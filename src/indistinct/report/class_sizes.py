"""Class sizes in a few buckets: which share of the rows hides in how large a crowd."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STARTS = (1, 2, 3, 5, 11, 21, 51, 101)
LABELS = ("1", "2", "3-4", "5-10", "11-20", "21-50", "51-100", ">100")
MULTIPLES = (1, 2, 4, 10, 20)


def row_shares(sizes: Mapping[int, int]) -> dict[str, float]:
    """Return for every bucket the share of rows (not of classes) in classes of that size.

    >>> row_shares({1: 2, 3: 2})["3-4"]
    0.75
    """
    return dict(zip(LABELS, _shares(_rows(sizes, STARTS)), strict=True))


def shares_by_size(
    before: Mapping[int, int], after: Mapping[int, int]
) -> dict[str, tuple[float, float]]:
    """Pair the shares of rows of a private table and of its release."""
    one, two = row_shares(before), row_shares(after)
    return {label: (one[label], two[label]) for label in LABELS}


def guarded_shares(
    before: Mapping[int, int], after: Mapping[int, int], k: int
) -> dict[str, tuple[float, float]]:
    """Pair the shares so that no bucket holds fewer than k rows, and sizes below k are one.

    Only classes below k can have so few rows: they are put together with the next.

    >>> guarded_shares({1: 1, 5: 1, 94: 1}, {100: 1}, 5)
    {'below 10': (0.06, 0.0), '10-19': (0.0, 0.0), '20-49': (0.0, 0.0), '50-99': (0.94, 0.0), \
'100 or more': (0.0, 1.0)}
    """
    starts = [1, *(k * multiple for multiple in MULTIPLES)]
    while len(starts) > 1 and _too_few(_rows(before, starts), _rows(after, starts), k):
        del starts[1]
    one, two = (_shares(_rows(sizes, starts)) for sizes in (before, after))
    return dict(zip(_labels(starts), zip(one, two, strict=True), strict=True))


def _too_few(before: Sequence[int], after: Sequence[int], k: int) -> bool:
    return any(0 < rows < k for rows in (before[0], after[0]))


def _labels(starts: Sequence[int]) -> list[str]:
    if len(starts) == 1:
        return ["any"]
    between = [f"{low}-{high - 1}" for low, high in pairwise(starts[1:])]
    return [f"below {starts[1]}", *between, f"{starts[-1]} or more"]


def _rows(sizes: Mapping[int, int], starts: Sequence[int]) -> list[int]:
    """Count the rows in classes of each bucket."""
    rows = [0] * len(starts)
    for size, count in sizes.items():
        if size < 1:
            raise ValueError(f"a class has at least one row, not {size}")
        rows[bisect_right(starts, size) - 1] += int(size) * int(count)
    return rows


def _shares(rows: Sequence[int]) -> list[float]:
    total = sum(rows)
    return [n / total if total else 0.0 for n in rows]
