"""Scale: where the nodes of numbers and dates begin and end, and how such ends are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.hierarchy.calendar import day_text, stretch_text
from indistinct.hierarchy.exact import exact, number_text

if TYPE_CHECKING:
    from indistinct.hierarchy.exact import Number

_FIRST_MONTH = 1970 * 12
YEAR = 12


class Bounds(NamedTuple):
    """The two ends of a node.

    Attributes
    ----------
    low, high
        As a release writes them; None where the node is open to that side.
    start, stop
        Where they lie on the line; of dates the day after the last one.
    """

    low: str | None
    high: str | None
    start: float
    stop: float


@dataclass(frozen=True, eq=False)
class Scale:
    """The ends of all nodes of a hierarchy over numbers or dates.

    Attributes
    ----------
    bounds
        For each level the ends of each node, None for the missing value; nothing for ground values
        that are values of the data, and for the top.
    closed
        Whether a range holds its upper end: of whole numbers and dates it does, `[20-24]`; of other
        numbers it ends before it, `[20, 25)`.
    months
        Of dates how many months the shortest unit of the hierarchy has, 0 for days.
    """

    bounds: tuple[tuple[Bounds | None, ...], ...]
    closed: bool
    months: int | None = None

    def with_missing(self) -> Scale:
        """Add the missing value as a node of its own below the top."""
        inner = [(*level, None) for level in self.bounds[1:-1]]
        ground = (*self.bounds[0], None) if self.bounds[0] else ()
        return replace(self, bounds=(ground, *inner, self.bounds[-1]))

    def above(self) -> Scale:
        """Leave the lowest level out."""
        return replace(self, bounds=self.bounds[1:])


def number_bounds(
    low: Number | Decimal | None, high: Number | Decimal | None, *, whole: bool
) -> Bounds:
    """Write the ends of the numbers from `low` up to but not including `high`.

    >>> number_bounds(20, 25, whole=True)
    Bounds(low='20', high='24', start=20.0, stop=24.0)
    >>> number_bounds(None, 2.5, whole=False)
    Bounds(low=None, high='2.5', start=-inf, stop=2.5)
    """
    first, last = _decimal(low), _decimal(high)
    if whole:
        first = None if first is None else first.to_integral_value(ROUND_CEILING)
        last = None if last is None else last.to_integral_value(ROUND_CEILING) - 1
    return Bounds(
        None if first is None else number_text(first),
        None if last is None else number_text(last),
        -np.inf if first is None else float(first),
        np.inf if last is None else float(last),
    )


def _decimal(number: Number | Decimal | None) -> Decimal | None:
    return number if number is None or isinstance(number, Decimal) else exact(number)


def date_bounds(start: int | None, stop: int | None, months: int) -> Bounds:
    """Write the ends of the days from `start` up to but not including `stop`, in a unit.

    >>> date_bounds(0, 365, 1)
    Bounds(low='1970-01', high='1970-12', start=0.0, stop=365.0)
    >>> date_bounds(0, 365, 12)[:2], date_bounds(0, None, 0)[:2]
    (('1970', '1970'), ('1970-01-01', None))
    """
    return Bounds(
        None if start is None else _unit_text(start, months),
        None if stop is None else _unit_text(stop - 1, months),
        -np.inf if start is None else float(start),
        np.inf if stop is None else float(stop),
    )


def month_bounds(first: int, length: int, months: int) -> Bounds:
    """Write the ends of so many months, the first counted from the year 0, in a unit."""
    return date_bounds(_first_day(first), _first_day(first + length), months)


def _first_day(month: int) -> int:
    start = np.datetime64(month - _FIRST_MONTH, "M")
    return int(start.astype("datetime64[D]").astype(np.int64))


def _unit_text(day: int, months: int) -> str:
    """Name the day, or the unit that it lies in; years where the unit is longer."""
    if months == 0:
        return day_text(day)
    unit = min(months, YEAR)
    return stretch_text(month_of(day) // unit, unit)


def month_of(day: int) -> int:
    """Count the months from the year 0 to that of a day."""
    return int(np.datetime64(day, "D").astype("datetime64[M]").astype(np.int64)) + _FIRST_MONTH
