"""How published columns are named, by what they hold."""

from __future__ import annotations

from typing import Literal

GROUP = "group"

RangeAs = Literal["text", "bounds", "mean", "median"]
_PARTS = {
    "text": ("",),
    "bounds": ("_low", "_high"),
    "mean": ("", "_mean"),
    "median": ("", "_median"),
}


def published_names(name: str, range_as: RangeAs) -> tuple[str, ...]:
    """Name the columns that a column of ranges is published as.

    >>> published_names("age", "bounds"), published_names("age", "mean")
    (('age_low', 'age_high'), ('age', 'age_mean'))
    """
    return tuple(name + part for part in _PARTS[range_as])
