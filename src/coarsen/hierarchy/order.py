"""The order of ground values: by number, by date, or by an in-order walk of the hierarchy."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


def positions(
    leaves: Sequence[str | None],
) -> tuple[Literal["number", "date", "category"], NDArray[np.float64]]:
    """Tell whether all leaves are numbers or ISO dates, and where each lies on its line.

    >>> positions(["10", "9.5"])
    ('number', array([10. ,  9.5]))
    >>> positions(["1970-01-02"])
    ('date', array([1.]))
    """
    number = _parsed(leaves, float)
    if number is not None:
        return "number", number
    day = _parsed(leaves, days_since_epoch)
    if day is not None:
        return "date", day
    return "category", np.full(len(leaves), np.nan)


def days_since_epoch(text: str) -> float:
    """Count the days from 1970-01-01 to an ISO date."""
    return float(date.fromisoformat(text[:10]).toordinal() - date(1970, 1, 1).toordinal())


def _parsed(
    leaves: Sequence[str | None], parse: Callable[[str], float]
) -> NDArray[np.float64] | None:
    try:
        values = np.array([np.nan if leaf is None else parse(leaf) for leaf in leaves], dtype=float)
    except ValueError:
        return None
    known = np.array([leaf is not None for leaf in leaves], dtype=bool)
    return values if known.any() and np.isfinite(values[known]).all() else None


def is_contiguous(ids: NDArray[np.int32]) -> bool:
    """Tell whether equal ids stand together."""
    runs = 1 + int(np.count_nonzero(ids[1:] != ids[:-1]))
    return runs == np.unique(ids).size


def in_order(ids: Sequence[NDArray[np.int32]]) -> NDArray[np.intp]:
    """Order leaves so that every node of every level is a run; nodes as they first appear."""
    return np.lexsort(tuple(ids))
