"""What published texts cover: ranges, nodes, sets and masks read back as an attacker would.

A text is taken for everything that it may mean: a node of the plan's hierarchy covers its leaves,
and what its text says besides (`[60-64]`, `9414*`) covers values that the hierarchy does not list.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from indistinct.hierarchy import TOP
from indistinct.hierarchy.calendar import reader_of, stretch
from indistinct.hierarchy.domain import Domain
from indistinct.hierarchy.order import is_code, or_nan, to_number
from indistinct.hierarchy.spec import Dates, FromCsv, FromPaths, FromTree, Mask, Ordinal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy
    from indistinct.hierarchy.core import Label
    from indistinct.hierarchy.spec import Spec

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_WHOLE = re.compile(r"\[(\d+)-(\d+)\]")
_BRACKETS = re.compile(r"\[(.+?)(?:, ?|\.\.)(.+)([\])])")
_HIGHEST = "\U0010ffff"


@dataclass(frozen=True)
class Meaning:
    """What a plan says of a column's texts.

    Attributes
    ----------
    hierarchy
        Where it does not depend on the data: its nodes cover their leaves.
    format
        How its dates are written.
    mask, side
        The character that masks, and the side it masks from.
    """

    hierarchy: Hierarchy | None = None
    format: str | None = None
    mask: str = TOP
    side: str = "both"

    @classmethod
    def of(cls, spec: Spec | None, *, place: str, base: Path) -> Meaning:
        """Take from a column's hierarchy what it says without the private values."""
        if isinstance(spec, FromCsv | FromTree | FromPaths | Ordinal):
            return cls(hierarchy=spec.build(Domain.of([]), place=place, base=base))
        if isinstance(spec, Dates):
            return cls(format=spec.format)
        if isinstance(spec, Mask):
            return cls(mask=spec.char, side=spec.mask)
        return cls()


@dataclass(frozen=True, eq=False)
class Covers:
    """Which texts cover which values.

    Attributes
    ----------
    starts, texts
        The numbers of the texts that cover value v stand at `texts[starts[v]:starts[v + 1]]`,
        in order.
    count
        How many texts there are.
    """

    starts: NDArray[np.int64]
    texts: NDArray[np.int32]
    count: int

    @classmethod
    def of(cls, covered: Sequence[NDArray[np.int64]], values: int) -> Covers:
        """Turn the values of each text into the texts of each value."""
        lengths = [len(part) for part in covered]
        value = np.concatenate([*covered, np.zeros(0, dtype=np.int64)])
        text = np.repeat(np.arange(len(covered), dtype=np.int32), lengths)
        order = np.argsort(value, kind="stable")
        starts = np.searchsorted(value[order], np.arange(values + 1)).astype(np.int64)
        return cls(starts, text[order], len(covered))

    def matrix(self) -> NDArray[np.bool_]:
        """Return for each text and value whether the one covers the other."""
        covers = np.zeros((self.count, self.starts.size - 1), dtype=bool)
        value = np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))
        covers[self.texts, value] = True
        return covers


def covers_of(
    texts: Sequence[Label], values: Sequence[Label], meaning: Meaning | None = None
) -> Covers:
    """Return for each published text which of the values it covers.

    A null covers nulls only; `*` covers everything.

    Examples
    --------
    >>> covers_of(["[20-24]", "25", "*", "{20, 30}"], ["20", "24.0", "30"]).matrix().astype(int)
    array([[1, 1, 0],
           [0, 0, 0],
           [1, 1, 1],
           [1, 0, 1]])
    """
    reader = _Reader(values, texts, meaning or Meaning())
    return Covers.of([reader.covered(text) for text in texts], len(values))


class _Reader:
    """Reads texts against the values of one column."""

    def __init__(self, values: Sequence[Label], texts: Sequence[Label], meaning: Meaning) -> None:
        self.values = values
        self.meaning = meaning
        known = [value for value in values if value is not None]
        self.kind, self.of_value, self.of_text = _keys(known, texts, meaning)
        self.everything = np.arange(len(values), dtype=np.int64)
        self.codes: dict[object, list[int]] = {}
        for code, value in enumerate(values):
            self.codes.setdefault(self._key(value, self.of_value), []).append(code)

    def covered(self, text: Label) -> NDArray[np.int64]:
        """Return the codes of the values that a text covers, in order."""
        if text == TOP or (self._hierarchy and text in self._hierarchy.labels[-1]):
            return self.everything
        codes = set(self._exact(text))
        if text is not None:
            codes |= self._node(text)
            codes |= self._set(text) if text[:1] == "{" and text[-1:] == "}" else set()
            codes |= self._span(text)
            codes |= self._masked(text) if self.kind != "date" else set()
        return np.array(sorted(codes), dtype=np.int64)

    @property
    def _hierarchy(self) -> Hierarchy | None:
        return self.meaning.hierarchy

    def _key(self, text: Label, read: Callable[[str], float] | None) -> object:
        if text is None or read is None:
            return text
        place = or_nan(read, text)
        return text if np.isnan(place) else place

    def _exact(self, text: Label) -> list[int]:
        return self.codes.get(self._key(text, self.of_text), [])

    def _node(self, text: str) -> set[int]:
        leaves = self._hierarchy.leaves_under.get(text, ()) if self._hierarchy else ()
        return {code for leaf in leaves for code in self._exact(leaf)}

    def _set(self, text: str) -> set[int]:
        """Read a set of values, nodes, ranges and masks, which may have commas themselves."""
        parts = text[1:-1].split(", ")
        ranges = {f"{low}, {high}" for low, high in pairwise(parts) if low[:1] == "["}
        members = {*parts, *ranges}
        inside = f", {text[1:-1]}, "
        members |= {member for member in self._with_commas if f", {member}, " in inside}
        return {code for member in members for code in self.covered(member or None).tolist()}

    @cached_property
    def _with_commas(self) -> list[str]:
        """List the values and nodes that a comma does not divide."""
        nodes = self._hierarchy.leaves_under if self._hierarchy else ()
        return [t for t in (*self.values, *nodes) if t is not None and ", " in t]

    def _span(self, text: str) -> set[int]:
        if self.kind == "category":
            return self._between(text)
        ends = self._ends(text)
        if ends is None or np.isnan(ends[:2]).any():
            return set()
        low, high, closed = ends
        place, order = self._line
        first = np.searchsorted(place, low, side="left")
        last = np.searchsorted(place, high, side="right" if closed else "left")
        return set(order[first:last].tolist())

    @cached_property
    def _line(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        codes = [c for key, codes in self.codes.items() if isinstance(key, float) for c in codes]
        place = [key for key, codes in self.codes.items() if isinstance(key, float) for _ in codes]
        order = np.argsort(np.array(place, dtype=np.float64), kind="stable")
        return np.array(place)[order], np.array(codes, dtype=np.int64)[order]

    def _ends(self, text: str) -> tuple[float, float, bool] | None:
        """Read a range of numbers or dates: its two ends, and whether the upper one is in it."""
        if self.kind == "date" and (days := stretch(text)):
            return *days, False
        if self.kind == "number" and (whole := _WHOLE.fullmatch(text)):
            return float(whole[1]), float(whole[2]) + 1, False
        if text.startswith(">="):
            return self._begin(text[2:]), np.inf, True
        if text.startswith("<"):
            closed = text[1:2] == "="
            return -np.inf, *self._finish(text.lstrip("<="), closed=closed)
        if brackets := _BRACKETS.fullmatch(text):
            closed = brackets[3] == "]"
            return self._begin(brackets[1]), *self._finish(brackets[2], closed=closed)
        return None

    def _begin(self, text: str) -> float:
        """Place a lower end: a month or year where it begins."""
        days = stretch(text) if self.kind == "date" else None
        return self._place(text) if days is None else days[0]

    def _finish(self, text: str, *, closed: bool) -> tuple[float, bool]:
        """Place an upper end, and say whether it is in the range: a day or month all through."""
        days = stretch(text) if self.kind == "date" else None
        if days is not None:
            return days[1 if closed else 0], False
        place = self._place(text)
        if self.kind == "date" and closed and place == np.floor(place):
            return place + 1, False
        return place, closed

    def _place(self, text: str) -> float:
        """Place an end of a range on the line; NaN where it is no number or date."""
        key = self._key(text, self.of_text)
        return key if isinstance(key, float) else np.nan

    def _between(self, text: str) -> set[int]:
        """Read `Cambodia..Cuba`, a group of neighbours in the alphabet."""
        first, mark, last = text.partition("..")
        if not mark or self._hierarchy is not None:
            return set()
        texts, codes = self._sorted
        return set(codes[bisect_left(texts, first) : bisect_left(texts, last + "\0")])

    def _masked(self, text: str) -> set[int]:
        mark = self.meaning.mask
        right = text.rstrip(mark) if self.meaning.side != "left" else text
        if len(right) < len(text):
            return self._beginning(right, len(text), self._sorted)
        left = text.lstrip(mark) if self.meaning.side != "right" else text
        if len(left) < len(text):
            return self._beginning(left[::-1], len(text), self._sorted_backwards)
        return set()

    def _beginning(self, kept: str, longest: int, texts: tuple[list[str], list[int]]) -> set[int]:
        values, codes = texts
        first, last = bisect_left(values, kept), bisect_left(values, kept + _HIGHEST)
        return {codes[i] for i in range(first, last) if len(values[i]) <= longest}

    @cached_property
    def _sorted(self) -> tuple[list[str], list[int]]:
        return _in_order((v, c) for c, v in enumerate(self.values) if v is not None)

    @cached_property
    def _sorted_backwards(self) -> tuple[list[str], list[int]]:
        return _in_order((v[::-1], c) for c, v in enumerate(self.values) if v is not None)


def range_ends(text: str) -> tuple[str, str, str] | None:
    """Split a range into its lower end, its upper end, and the bracket that closes it.

    >>> range_ends("[20-24]"), range_ends("[-3, 4)"), range_ends("2203*")
    (('20', '24', ']'), ('-3', '4', ')'), None)
    """
    if whole := _WHOLE.fullmatch(text):
        return whole[1], whole[2], "]"
    brackets = _BRACKETS.fullmatch(text)
    return None if brackets is None else (brackets[1], brackets[2], brackets[3])


def _in_order(pairs: Iterable[tuple[str, int]]) -> tuple[list[str], list[int]]:
    ordered = sorted(pairs)
    return [value for value, _ in ordered], [code for _, code in ordered]


def _keys(
    values: list[str], texts: Sequence[Label], meaning: Meaning
) -> tuple[str, Callable[[str], float] | None, Callable[[str], float] | None]:
    """Return whether values are numbers, dates or categories, and how values and texts are read."""
    if values and not any(map(is_code, values)) and all(map(_is_number, values)):
        return "number", to_number, to_number
    read = reader_of(values, meaning.format)
    if read is None:
        return "category", None, None
    leaves = meaning.hierarchy.leaves if meaning.hierarchy else ()
    dates = [t for t in (*texts, *leaves) if t is not None and looks_like_a_day(t)]
    together = reader_of([*values, *dates], meaning.format)
    if together is not None:
        return "date", together, together
    return "date", read, reader_of(dates, meaning.format) or read


def _is_number(text: str) -> bool:
    return re.fullmatch(_NUMBER, text.strip()) is not None


def looks_like_a_day(text: str) -> bool:
    """Return whether a text begins with three numbers, as a date does."""
    return re.match(r"\d+[-/.]\d+[-/.]\d+", text) is not None
