"""How people write numbers and dates: decimal commas, thousands, and the day before the month.

Everything else reads `1234.56` and ISO dates. Here other ways of writing are turned into these, by
what a plan says, or by what a column's own values decide. Where values can be read in two ways
that mean different numbers or days, nothing is chosen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Literal

from indistinct.hierarchy.calendar import full_year
from indistinct.hierarchy.order import is_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Decimal = Literal[".", ","]
Thousands = Literal[".", ",", " ", "'"]
DateOrder = Literal["dmy", "mdy", "ymd"]

_SPACES = " \u00a0\u202f\u2009"
_MARKS = {" ": _SPACES, "'": "'\u2019"}
_MINUS = "-\u2212"
_WORDS = {" ": "a space", "'": "an apostrophe", ".": "a point", ",": "a comma"}
_ORDERS: dict[DateOrder, str] = {
    "dmy": "day, month, year",
    "mdy": "month, day, year",
    "ymd": "year, month, day",
}
_DATE = re.compile(
    r"(?P<a>\d{1,4})(?P<mark>[./-])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{1,4})"
    r"(?:(?:T|,? +)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?P<rest>:\d{2}(?:\.\d{1,6})?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)


@dataclass(frozen=True)
class Numbers:
    """A way of writing numbers."""

    decimal: Decimal = "."
    thousands: Thousands | None = None

    @classmethod
    def stated(cls, decimal: Decimal | None, thousands: Thousands | None) -> Numbers | None:
        """Take what a plan says; of two marks one may follow from the other."""
        if decimal is None and thousands is None:
            return None
        return cls(decimal or ("," if thousands == "." else "."), thousands)

    def read(self, text: str) -> str | None:
        """Write a number as everybody reads it; None if it is none in this way of writing.

        >>> Numbers(",", ".").read("1.234,56"), Numbers(",").read("1.234"), Numbers(",").read("5")
        ('1234.56', None, '5')
        """
        match = _pattern(self.decimal, self.thousands).fullmatch(text)
        if match is None:
            return None
        whole = "".join(digit for digit in match["whole"] if digit.isdigit())
        sign = "-" if match["sign"] and match["sign"] in _MINUS else ""
        part = f".{match['part']}" if match["part"] else ""
        return f"{sign}{whole}{part}{match['power'] or ''}"

    def __str__(self) -> str:
        marks = f"decimal = {self.decimal!r}"
        return marks if self.thousands is None else f"{marks}, thousands = {self.thousands!r}"

    @property
    def marks(self) -> set[str]:
        """The characters without which it reads nothing that others do not."""
        return set(_MARKS.get(self.thousands, self.thousands) if self.thousands else self.decimal)

    def in_words(self) -> str:
        """Say it for people."""
        decimals = f"{_WORDS[self.decimal]} before decimals"
        return (
            decimals
            if self.thousands is None
            else f"{decimals} and {_WORDS[self.thousands]} at thousands"
        )


@cache
def _pattern(decimal: str, thousands: str | None) -> re.Pattern[str]:
    plain = r"\d+"
    if thousands is not None:
        mark = f"[{re.escape(_MARKS.get(thousands, thousands))}]"
        plain = rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+|\d+"
    return re.compile(
        rf"\s*(?P<sign>[{_MINUS}+])?(?P<whole>{plain})"
        rf"(?:{re.escape(decimal)}(?P<part>\d+))?(?P<power>[eE][+-]?\d+)?\s*"
    )


@dataclass(frozen=True)
class Dates:
    """A way of writing dates: in which order day, month and year stand."""

    order: DateOrder

    def read(self, text: str) -> str | None:
        """Write a date, with its time if it has one, as ISO does; None if it is none.

        >>> Dates("dmy").read("31.12.1999"), Dates("mdy").read("12/31/99 11:05 PM")
        ('1999-12-31', '1999-12-31 23:05')
        >>> Dates("dmy").read("12/31/1999"), Dates("dmy").read("1999-12-31T08:00")
        (None, '1999-12-31T08:00')
        """
        if _is_iso(text):
            return text
        match = _DATE.fullmatch(text.strip())
        if match is None:
            return None
        parts = dict(zip(self.order, (match["a"], match["b"], match["c"]), strict=True))
        if len(parts["y"]) not in {2, 4} or len(parts["d"]) > 2 or len(parts["m"]) > 2:
            return None
        return _iso(full_year(parts["y"]), int(parts["m"]), int(parts["d"]), match)

    def __str__(self) -> str:
        return f'dates = "{self.order}"'

    def in_words(self) -> str:
        """Say it for people."""
        return _ORDERS[self.order]


def _is_iso(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return "-" in text


def _iso(year: int, month: int, day: int, match: re.Match[str]) -> str | None:
    hour = int(match["hour"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (match["half"] in "Pp")
    time = f" {hour:02}:{match['minute']}{match['rest'] or ''}" if match["hour"] else ""
    text = f"{year:04}-{month:02}-{day:02}{time}"
    return text if _is_iso(text) else None


Way = Numbers | Dates

_THOUSANDS: dict[Decimal, tuple[Thousands | None, ...]] = {
    ".": (None, ",", " ", "'"),
    ",": (None, ".", " ", "'"),
}
NUMBERS = tuple(Numbers(mark, other) for mark, others in _THOUSANDS.items() for other in others)
DATES = tuple(Dates(order) for order in _ORDERS)
_PLAIN = NUMBERS[0]


@dataclass(frozen=True)
class Sniffed:
    """What the values of a column say about how they are written.

    Attributes
    ----------
    ways
        The ways that read every value that any of them reads, each with another meaning: one if
        the values decide it, none if they are written in different ways.
    """

    ways: tuple[Way, ...]

    @property
    def plain(self) -> bool:
        """Whether it can be read as everybody reads numbers."""
        return bool(self.ways) and self.ways[0] == _PLAIN

    @property
    def decided(self) -> Way | None:
        """The one way, unless it needs no word."""
        return self.ways[0] if len(self.ways) == 1 and not self.plain else None


def sniff_numbers(values: Sequence[str]) -> Sniffed | None:
    """Find in which ways numbers are written; None if most values are none, or are codes.

    >>> [str(way) for way in sniff_numbers(["262,13", "1.234,5"]).ways]
    ["decimal = ',', thousands = '.'"]
    >>> len(sniff_numbers(["1.234", "5.678"]).ways), len(sniff_numbers(["1.5", "2,5"]).ways)
    (2, 0)
    """
    if any(map(is_code, values)):
        return None
    used = set().union(*values)
    return _sniff(values, [way for way in NUMBERS if way == _PLAIN or way.marks & used])


def sniff_dates(values: Sequence[str]) -> Sniffed | None:
    """Find in which orders dates are written; None if most values are none, or all are ISO.

    Dates with points are taken to begin with the day, or the year: nobody puts a month there.

    >>> [str(way) for way in sniff_dates(["03/04/2020", "25/12/2020"]).ways]
    ['dates = "dmy"']
    >>> [way.order for way in sniff_dates(["03/04/2020"]).ways]
    ['dmy', 'mdy']
    """
    if all(map(_is_iso, values)):
        return None
    pointed = any(value.count(".") >= 2 and "/" not in value for value in values)
    ways = tuple(way for way in DATES if not (pointed and way.order == "mdy"))
    return _sniff(values, ways)


def _sniff(values: Sequence[str], ways: Iterable[Way]) -> Sniffed | None:
    candidates = list(ways)
    read = [value for value in values if any(way.read(value) is not None for way in candidates)]
    if 2 * len(read) <= len(values):
        return None
    meanings: dict[tuple[str, ...], Way] = {}
    for way in candidates:
        texts = _all_read(way.read, read)
        if texts is not None:
            meanings.setdefault(texts, way)
    return Sniffed(tuple(meanings.values()))


def _all_read(read: Callable[[str], str | None], values: Iterable[str]) -> tuple[str, ...] | None:
    texts: list[str] = []
    for value in values:
        text = read(value)
        if text is None:
            return None
        texts.append(text)
    return tuple(texts)
