"""The order of ground values: by number, by date, or by an in-order walk of the hierarchy."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - days as written, whatever the zone
_DAY = timedelta(days=1)


def positions(
    leaves: Sequence[str | None],
) -> tuple[Literal["number", "date", "category"], NDArray[np.float64]]:
    """Return whether all leaves are numbers or ISO dates, and where each lies on its line.

    Digits behind a leading zero are a code, not a number: such leaves are categories.

    >>> positions(["10", "9.5"])
    ('number', array([10. ,  9.5]))
    >>> positions(["1970-01-02", "1970-01-02T12:00"])
    ('date', array([1. , 1.5]))
    >>> positions(["22030", "02139"])[0]
    'category'
    """
    number = None if any(is_code(leaf) for leaf in leaves) else _parsed(leaves, to_number)
    if number is not None:
        return "number", number
    day = _parsed(leaves, days_since_epoch)
    if day is not None:
        return "date", day
    return "category", np.full(len(leaves), np.nan)


def is_code(leaf: str | None) -> bool:
    """Return whether a value reads as a number but begins with a zero that a number would drop."""
    return leaf is not None and leaf[:1] == "0" and leaf[1:2].isdigit()


def to_number(text: str) -> float:
    """Read a number as data files write it; Python's own 1_000 is not one.

    Raises
    ------
    ValueError
        If the text is not a number.
    """
    if "_" in text:
        raise ValueError(text)
    return float(text)


def or_nan(parse: Callable[[str], float], text: str) -> float:
    """Read a text as a number or date; NaN where it is none."""
    try:
        return parse(text)
    except (ValueError, OverflowError):
        return np.nan


def days_since_epoch(text: str) -> float:
    """Count the days from 1970-01-01 to an ISO date or date and time, as written in its zone."""
    return days_of(datetime.fromisoformat(text))


def days_of(moment: datetime) -> float:
    """Count the days from 1970-01-01 to a date and time, as written in its zone."""
    return (moment.replace(tzinfo=None) - _EPOCH) / _DAY


def _parsed(
    leaves: Sequence[str | None], parse: Callable[[str], float]
) -> NDArray[np.float64] | None:
    try:
        values = np.array([np.nan if leaf is None else parse(leaf) for leaf in leaves], dtype=float)
    except ValueError:
        return None
    present = np.array([leaf is not None for leaf in leaves], dtype=bool)
    return values if present.any() and np.isfinite(values[present]).all() else None


def is_contiguous(ids: NDArray[np.int32]) -> bool:
    """Return whether equal ids stand together."""
    runs = 1 + int(np.count_nonzero(ids[1:] != ids[:-1]))
    return runs == np.unique(ids).size


def in_order(ids: Sequence[NDArray[np.int32]]) -> NDArray[np.intp]:
    """Order leaves so that every node of every level is a run; nodes as they first appear."""
    return np.lexsort(tuple(ids))


def in_natural_order(values: Sequence[str | None]) -> tuple[str | None, ...]:
    """Order values by number or date where they all are one, else as text; the missing one last.

    >>> in_natural_order(["10", None, "9"])
    ('9', '10', None)
    """
    present = sorted(value for value in values if value is not None)
    kind, position = positions(present)
    if kind != "category":
        present = [present[place] for place in np.argsort(position, kind="stable")]
    return (*present, *([None] if None in values else []))
