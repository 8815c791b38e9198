"""What one published text says to its reader: two ends on a line, or the values it may stand for.

Whatever cannot be understood is taken to stand for anything, so that bounds hold all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from indistinct.hierarchy import TOP
from indistinct.hierarchy.calendar import date_reader, stretch
from indistinct.hierarchy.order import or_nan, to_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from indistinct.hierarchy import Hierarchy

    Reader = Callable[[str], "Ends | None"]

Kind = Literal["number", "date", "category"]
Ends = tuple[float, float]
ANYWHERE: Ends = (-np.inf, np.inf)
_WHOLE = re.compile(r"\[(\d+)-(\d+)\]")
_MEMBERS = re.compile(r"\[[^\])]*[\])]|[^,]+")


def number_ends(text: str) -> Ends | None:
    """Read a number or a range of numbers as its two ends; None if it is none.

    >>> number_ends("[17-25]"), number_ends(">=85"), number_ends("[0.5, 2)"), number_ends("{3, 7}")
    ((17.0, 25.0), (85.0, inf), (0.5, 2.0), (3.0, 7.0))
    >>> number_ends("-3"), number_ends("*"), number_ends("north")
    ((-3.0, -3.0), (-inf, inf), None)
    """
    if whole := _WHOLE.fullmatch(text):
        return float(whole[1]), float(whole[2])
    return _ends(text, _number)


def day_ends(text: str, form: str | None = None) -> Ends | None:
    """Read a date, a stretch of the calendar or a range of them, as its first and last day.

    >>> day_ends("1970-01"), day_ends("[1970-01, 1970-02]"), day_ends("1970-01-05 13:00")
    ((0.0, 30.0), (0.0, 58.0), (4.0, 4.0))
    """

    def read(end: str) -> Ends | None:
        if days := stretch(end):
            return days[0], days[1] - 1
        day = or_nan(date_reader(None), end)
        if np.isnan(day) and form is not None:
            day = or_nan(date_reader(form), end)
        return None if np.isnan(day) else (float(np.floor(day)), float(np.floor(day)))

    return read(text) or _ends(text, read)


def _number(text: str) -> Ends | None:
    number = or_nan(to_number, text)
    return (number, number) if np.isfinite(number) else None


def _ends(text: str, read: Reader) -> Ends | None:
    if text == TOP:
        return ANYWHERE
    if text.startswith(">="):
        low = read(text[2:])
        return None if low is None else (low[0], np.inf)
    if text.startswith("<"):
        high = read(text.lstrip("<="))
        return None if high is None else (-np.inf, high[1])
    if text[:1] == "{" and text[-1:] == "}":
        return _hull([_ends(part.strip(), read) for part in _MEMBERS.findall(text[1:-1])])
    if text[:1] == "[" and text[-1:] in {"]", ")"}:
        parts = text[1:-1].split(".." if ".." in text else ", ")
        return _hull([read(part) for part in parts]) if len(parts) == 2 else None
    return read(text)


def _hull(parts: Sequence[Ends | None]) -> Ends | None:
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


@dataclass(frozen=True, eq=False)
class Labels:
    """How the texts of a column of categories are read.

    Attributes
    ----------
    hierarchy
        Its nodes and values, where they are known.
    mask, side
        The character that hides the rest of a code, and the side it hides.
    """

    hierarchy: Hierarchy | None = None
    mask: str | None = None
    side: str = "right"

    @cached_property
    def under(self) -> dict[str | None, list[str | None]]:
        """For each value and node of the hierarchy, the values that it stands for."""
        if self.hierarchy is None:
            return {}
        return {leaf: [leaf] for leaf in self.hierarchy.leaves} | self.hierarchy.leaves_under

    def leaves(self, text: str | None) -> frozenset[str | None] | None:
        """Return the values that a text may stand for; None if they cannot be listed.

        `*` may also stand for a missing value, None among the others.

        >>> sorted(Labels().leaves("{a, b}")), Labels().leaves("*"), Labels(mask="*").leaves("22*")
        (['a', 'b'], None, None)
        """
        if self.hierarchy is not None:
            if text == TOP:
                return frozenset([*self.hierarchy.leaves, None])
            return (
                _tiled(text, self.under) if text not in self.under else frozenset(self.under[text])
            )
        if text == TOP or self.kept(text) is not None:
            return None
        if text is not None and text[:1] == "{" and text[-1:] == "}":
            parts = text[1:-1].split(", ")
            return None if any(map(self._stands_for_many, parts)) else frozenset(parts)
        return None if self._stands_for_many(text) else frozenset([text])

    def may_be(self, text: str | None, value: str | None) -> bool:
        """Tell whether a text may stand for a value."""
        leaves = self.leaves(text)
        if leaves is not None:
            return value in leaves
        kept = self.kept(text)
        if kept is None or value is None:
            return True
        return value.endswith(kept) if self.side == "left" else value.startswith(kept)

    def kept(self, text: str | None) -> str | None:
        """Return what a mask shows of a code; None where a text is not masked."""
        if self.mask is None or text is None or self.mask not in text or text[:1] in "[{":
            return None
        return text.lstrip(self.mask) if self.side == "left" else text.rstrip(self.mask)

    def _stands_for_many(self, text: str | None) -> bool:
        if text is None:
            return False
        return text == TOP or text[:1] in {"[", "{"} or self.kept(text) is not None


def _tiled(
    text: str | None, under: dict[str | None, list[str | None]]
) -> frozenset[str | None] | None:
    """Read a set of values and nodes, which may have commas themselves."""
    if text is None or text[:1] != "{" or text[-1:] != "}":
        return None
    parts = text[1:-1].split(", ")
    leaves: set[str | None] = set()
    start = 0
    while start < len(parts):
        ends = (end for end in range(len(parts), start, -1) if ", ".join(parts[start:end]) in under)
        end = next(ends, None)
        if end is None:
            return None
        leaves.update(under[", ".join(parts[start:end])])
        start = end
    return frozenset(leaves)


def kind_of(texts: Iterable[str | None]) -> Kind:
    """Decide by all its texts what a column holds.

    >>> kind_of(["17", "[20-29]", "*"]), kind_of(["1970-03", "[1971-1972]"]), kind_of(["a", "*"])
    ('number', 'date', 'category')
    """
    known = [text for text in texts if text not in {None, TOP}]
    if not known:
        return "category"
    if all(text is not None and number_ends(text) is not None for text in known):
        return "number"
    if all(text is not None and day_ends(text) is not None for text in known):
        return "date"
    return "category"
