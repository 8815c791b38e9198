"""The calendar: days as people write them, and its stretches as releases name them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from indistinct.hierarchy.order import days_of, days_since_epoch, or_nan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Days = tuple[float, float]

FORMATS = ("%m/%d/%Y", "%m/%d/%y", "%d/%m/%Y", "%d/%m/%y", "%d.%m.%Y", "%Y/%m/%d", "%d-%m-%Y")
_SHORT_YEARS = 30
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_PART = re.compile(r"(\d{4})-([QH])([1-4])")
_SHORT_MONTH = re.compile(r"(\d{1,2})/(\d{2}|\d{4})")
_YEAR = re.compile(r"\d{4}|\d{2}")
_YEARS = re.compile(r"\[(\d{4}|\d{2})[-,\u2013] ?(\d{4}|\d{2})\]")


def day_text(day: int) -> str:
    """Write the day that lies so many days after 1970-01-01 as an ISO date."""
    return str(np.datetime64(day, "D"))


def stretch_text(key: int, length: int) -> str:
    """Name the stretch of so many months that is the key-th since the year 0.

    >>> [stretch_text(1970 * 12 // length, length) for length in (1, 3, 6, 12, 60)]
    ['1970-01', '1970-Q1', '1970-H1', '1970', '[1970-1974]']
    """
    year, month = divmod(key * length, 12)
    if length == 1:
        return f"{year:04}-{month + 1:02}"
    if length < 12:
        return f"{year:04}-{'Q' if length == 3 else 'H'}{month // length + 1}"
    return f"{year:04}" if length == 12 else f"[{year:04}-{year + length // 12 - 1:04}]"


def reader_of(texts: Sequence[str], form: str | None = None) -> Callable[[str], float] | None:
    """Find the one way of writing dates that reads all of these, or None.

    The plan's own format and ISO dates come first. Where day and month are decided by no
    value, the month is taken to be first.
    """
    if not texts:
        return None
    given = [] if form is None else [date_reader(form)]
    readers = [*given, days_since_epoch, *map(date_reader, FORMATS)]
    return next((reader for reader in readers if _reads(reader, texts)), None)


def date_reader(form: str | None) -> Callable[[str], float]:
    """Return how dates of a format, or ISO dates, are read as days since 1970-01-01.

    >>> date_reader("%m/%d/%y")("1/1/71")
    365.0
    """
    if form is None:
        return days_since_epoch

    def read(text: str) -> float:
        moment = datetime.strptime(text, form)  # noqa: DTZ007 - days as written
        if "%y" in form:
            moment = moment.replace(year=full_year(f"{moment.year % 100:02}"))
        return days_of(moment)

    return read


def _reads(read: Callable[[str], float], texts: Sequence[str]) -> bool:
    return not any(np.isnan(or_nan(read, text)) for text in texts)


def stretch(label: str) -> Days | None:
    """Read a stretch of the calendar as days from the first up to, not including, the last.

    >>> stretch("1970-01"), stretch("1970"), stretch("[1970-1971]"), stretch("[70-71]")
    ((0.0, 31.0), (0.0, 365.0), (0.0, 730.0), (0.0, 730.0))
    >>> stretch("1970-Q1"), stretch("01/70"), stretch("soon")
    ((0.0, 90.0), (0.0, 31.0), None)
    """
    if match := _MONTH.fullmatch(label):
        return _months(int(match[1]), int(match[2]) - 1, 1)
    if match := _PART.fullmatch(label):
        length = 3 if match[2] == "Q" else 6
        return _months(int(match[1]), (int(match[3]) - 1) * length, length)
    if match := _SHORT_MONTH.fullmatch(label):
        return _months(full_year(match[2]), int(match[1]) - 1, 1)
    if _YEAR.fullmatch(label):
        return _months(full_year(label), 0, 12)
    if match := _YEARS.fullmatch(label):
        first, last = full_year(match[1]), full_year(match[2])
        return _months(first, 0, 12 * (last - first + 1)) if first <= last else None
    return None


def full_year(text: str) -> int:
    """Read a year; of two digits, 30 to 99 are of the last century, as spreadsheets take them."""
    year = int(text)
    if len(text) == 4:
        return year
    return year + (1900 if year >= _SHORT_YEARS else 2000)


def _months(year: int, month: int, length: int) -> Days | None:
    if not 0 <= month < 12 or not 1 <= year <= 9000:
        return None
    start = np.datetime64(f"{year:04}-{month + 1:02}", "M")
    ends = (start, start + np.timedelta64(length, "M"))
    first, last = (float(end.astype("datetime64[D]").astype(np.int64)) for end in ends)
    return first, last
