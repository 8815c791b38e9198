"""Dates by the calendar: days, months, quarters, half-years, years, and spans of years."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault, closest
from indistinct.hierarchy.calendar import day_text, stretch_text
from indistinct.hierarchy.line import Level, date_line
from indistinct.hierarchy.scale import date_bounds, month_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Hierarchy
    from indistinct.hierarchy.domain import Domain

_MONTHS = {
    "day": 0,
    "month": 1,
    "quarter": 3,
    "half-year": 6,
    "year": 12,
    "decade": 120,
    "century": 1200,
}
_FIRST_MONTH = 1970 * 12


def date_hierarchy(
    domain: Domain, units: Sequence[str], *, place: str, form: str | None = None
) -> Hierarchy:
    """Put dates in ever longer stretches of the calendar.

    The date is the one written, in its own time zone; the time of day goes at the first level.

    Parameters
    ----------
    domain
        The values of the column; all must be dates.
    units
        One per level, shortest first, such as month, quarter, year, 5-year, decade.
    place
        What the faults are about.
    form
        How the dates are written, as for `strptime`; ISO dates, with or without time, otherwise.

    Examples
    --------
    >>> from indistinct.hierarchy.domain import Domain
    >>> days = Domain.of(["2020-03-31", "2020-04-01", "2024-12-24"])
    >>> h = date_hierarchy(days, ["quarter", "half-year", "5-year"], place="column 'born'")
    >>> h.labels[1:]
    (('2020-Q1', '2020-Q2', '2024-Q4'), ('2020-H1', '2024-H2'), ('[2020-2024]',), ('*',))
    """
    line = date_line(domain, place=place, form=form)
    days = np.floor(line.position).astype(np.int64)
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + _FIRST_MONTH
    finest = _months(units[0]) or 0
    return line.hierarchy((_level(days, months, _months(u), finest) for u in units), finest)


def date_faults(units: Sequence[str], *, place: str, form: str | None = None) -> list[Fault]:
    """Return what is wrong with the units and the format, whatever the data."""
    faults = [] if form is None else _format_faults(form, place)
    if not units:
        return [*faults, Fault(place, "there are no units", f"Give some of {_allowed_units()}.")]
    unknown = [unit for unit in units if _months(unit) is None]
    faults += [Fault(place, f"no unit {u!r}", closest(u, [*_MONTHS, "5-year"])) for u in unknown]
    known = [unit for unit in units if unit not in unknown]
    pairs = pairwise(known)
    return faults + [f for fine, coarse in pairs for f in _pair_faults(fine, coarse, place)]


def _allowed_units() -> str:
    return ", ".join([*_MONTHS, "5-year (or any N-year)"])


def _months(unit: str) -> int | None:
    years = re.fullmatch(r"([1-9]\d{0,3})-years?", unit)
    return 12 * int(years[1]) if years else _MONTHS.get(unit)


def _pair_faults(fine: str, coarse: str, place: str) -> list[Fault]:
    short, long = _months(fine) or 0, _months(coarse) or 0
    if long <= short:
        problem = f"{coarse!r} is not longer than {fine!r} before it"
        return [Fault(place, problem, "List the units from the shortest to the longest.")]
    if short == 0 or long % short == 0:
        return []
    times = long // short
    nearest = sorted({max(times, 2), times + 1})
    choices = " or ".join(f"'{short * n // 12}-year'" for n in nearest)
    problem = f"{coarse!r} does not nest with {fine!r} before it"
    return [
        Fault(place, problem, f"Each unit must be a multiple of the one before; use {choices}.")
    ]


def _format_faults(form: str, place: str) -> list[Fault]:
    remedy = 'Write it as for strptime, such as "%d/%m/%Y".'
    dated = re.search("%[YyGcx]", form) is not None
    tried = form if dated else f"{form} %Y"  # Python 3.13 warns of days without a year
    try:
        datetime.strptime(datetime(2020, 3, 31).strftime(tried), tried)  # noqa: DTZ001, DTZ007 - a trial
    except (ValueError, re.error) as error:
        return [Fault(place, f"format {form!r} cannot be used: {error}", remedy)]
    if not dated:
        return [Fault(place, f"format {form!r} has no year", remedy)]
    return []


def _level(
    days: NDArray[np.int64], months: NDArray[np.int64], length: int | None, finest: int
) -> Level:
    if not length:
        return Level(days, day_text, lambda day: date_bounds(day, day + 1, finest))
    return Level(
        months // length,
        lambda key: stretch_text(key, length),
        lambda key: month_bounds(key * length, length, finest),
    )
