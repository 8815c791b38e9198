"""The independent check of what a release shows: no end and no member that few people have.

Texts of the release are read by themselves and held to counts of the private table. A value may
be shown as it is if k people have it, and if it says no more than the finest level of a hierarchy
of dates or of numbers that are not whole. An end of a range may also be a bound of the hierarchy,
or round: a multiple of 1, 2, 5, 10, ..., or where a month, year, decade or century begins or ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.check.cells import ends_of
from indistinct.check.reading import read_column
from indistinct.hierarchy import TOP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.check.cells import End
    from indistinct.hierarchy import Hierarchy

_MONTHS = (1, 12, 120, 1200)
_LONG = 120
_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Held:
    """Who in the private table has which value of a column.

    Attributes
    ----------
    values, codes
        The values as text, and that of each row.
    people
        Whose row each row is, in each way that people are counted; empty where each row is someone
        else's.
    k
        How many must have what is shown.
    weights
        How many rows each row stands for; None where each is one.
    """

    values: tuple[str | None, ...]
    codes: NDArray[np.int32]
    people: tuple[NDArray[np.int64], ...]
    k: int
    weights: NDArray[np.int64] | None = None

    @cached_property
    def counts(self) -> dict[str | None, int]:
        """The people of each value; of several ways to count them, the fewest."""
        fewest = self.of_groups(np.arange(len(self.values)))
        return dict(zip(self.values, fewest.tolist(), strict=True))

    def of_groups(self, groups: NDArray[np.integer]) -> NDArray[np.int64]:
        """Count the people of some groups of values, given the group of each value."""
        size = int(groups.max(initial=0)) + 1
        if not self.people:
            return np.bincount(groups[self.codes], self.weights, minlength=size).astype(np.int64)
        ways = [np.unique(whose * size + groups[self.codes]) % size for whose in self.people]
        fewest: NDArray[np.int64] = np.min([np.bincount(w, minlength=size) for w in ways], axis=0)
        return fewest

    def enough(self, rows: NDArray[np.intp]) -> bool:
        """Return whether some rows are those of k people."""
        if not self.people:
            held = rows.size if self.weights is None else int(self.weights[rows].sum())
            return held >= self.k
        return all(self._has_k(whose, rows) for whose in self.people)

    def _has_k(self, whose: NDArray[np.int64], rows: NDArray[np.intp]) -> bool:
        seen: set[int] = set()
        for start in range(0, rows.size, _CHUNK):
            seen.update(whose[rows[start : start + _CHUNK]].tolist())
            if len(seen) >= self.k:
                return True
        return False


def held_by(
    column: pa.ChunkedArray,
    name: str,
    k: int,
    respondents: Iterable[NDArray[np.int32]] = (),
    weights: NDArray[np.int64] | None = None,
) -> Held:
    """Note who has which value; where nothing says whose a row is, each is someone else's."""
    read = read_column(column, name)
    people = tuple(whose.astype(np.int64) for whose in respondents)
    return Held(read.texts, read.codes, people, k, weights)


@dataclass(frozen=True, eq=False)
class Detail:
    """What may be shown of a column.

    Attributes
    ----------
    hierarchy
        Of the values of the data as they are.
    look
        Tells who has which value; asked only where labels do not decide.
    """

    hierarchy: Hierarchy
    look: Callable[[], Held]

    @cached_property
    def held(self) -> Held:
        """Who has which value."""
        return self.look()

    def too_fine(self, texts: Sequence[str | None]) -> list[str]:
        """Return the published texts that show what few people have, or too much detail."""
        return [text for text in texts if text is not None and not self._may_show(text)]

    def bounds_too_fine(self, ends: Iterable[tuple[str | None, str | None]]) -> list[str]:
        """Return the published ends, in columns of their own, that few people have."""
        too_fine = []
        for low, high in ends:
            if TOP in {low, high}:
                continue
            text = f"[{low}, {high}]"
            if low is None or high is None:
                text = TOP if low == high else f">={low}" if high is None else f"<={high}"
            readings = (text, f"{text[:-1]})") if text[0] == "[" else (text,)
            if not (text == TOP or (low == high and self._may_show(str(low)))):
                too_fine += [] if any(map(self._is_range, readings)) else [text]
        return too_fine

    def _may_show(self, text: str) -> bool:
        if text == TOP or text in self._labels or self._enough(text):
            return True
        if text[:1] == "{" and text[-1:] == "}":
            return self._all_members(text[1:-1].split(", "))
        return self._is_range(text)

    def _is_range(self, text: str) -> bool:
        """Return whether a text is a range of ends that may be shown."""
        ends = ends_of(self.hierarchy, text)
        return ends is not None and self._low(ends[0]) and self._high(ends[1])

    def _all_members(self, parts: list[str]) -> bool:
        """Return whether a set names only labels and values of enough people."""
        while parts:
            lengths = (n for n in range(len(parts), 0, -1) if self._member(", ".join(parts[:n])))
            taken = next(lengths, 0)
            if not taken:
                return False
            parts = parts[taken:]
        return True

    def _member(self, text: str) -> bool:
        missing = text == "" and self.held.counts.get(None, 0) >= self.held.k
        return missing or text in self._labels or self._enough(text)

    def _enough(self, text: str) -> bool:
        """Return whether k people have a value that may be shown as it is."""
        return not self._fine and self.held.counts.get(text, 0) >= self.held.k

    @cached_property
    def _fine(self) -> bool:
        """Whether values say more than the finest level, and are never shown."""
        hierarchy = self.hierarchy
        by_rule = hierarchy.scale is not None
        whole = bool(np.all(self._places == np.floor(self._places)))
        return by_rule and (hierarchy.kind == "date" or not whole)

    @cached_property
    def _labels(self) -> set[str | None]:
        return {label for labels in self.hierarchy.labels[1:] for label in labels}

    @cached_property
    def _places(self) -> NDArray[np.float64]:
        place = self.hierarchy.position
        return place[~np.isnan(place)]

    @cached_property
    def _rows(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Where the values of rows lie, in order, and which rows they are."""
        code_of, place = self.hierarchy.code_of, self.hierarchy.position
        at = np.array([place[code_of[value]] for value in self.held.values])[self.held.codes]
        order = np.argsort(at, kind="stable")
        return at[order], order

    def _between(self, start: float, stop: float) -> bool:
        """Return whether k people lie from a place up to another one, not including it."""
        at, rows = self._rows
        first, last = np.searchsorted(at, [start, stop], side="left")
        return self.held.enough(rows[first:last])

    def _exactly(self, at: float) -> bool:
        return not self._fine and self._between(at, float(np.nextafter(at, np.inf)))

    @cached_property
    def _bounds(self) -> tuple[set[float], set[float]]:
        """Where the nodes that hold k people begin and end, read off their labels."""
        lows, highs = set(), set()
        codes = np.array([self.hierarchy.code_of[value] for value in self.held.values])
        above = zip(self.hierarchy.nodes[1:], self.hierarchy.labels[1:], strict=True)
        for nodes, labels in above:
            held = self.held.of_groups(nodes[codes])
            for node in np.flatnonzero(held >= self.held.k).tolist():
                ends = ends_of(self.hierarchy, labels[node] or "")
                if ends is not None:
                    lows.add(ends[0].at)
                    highs.add(ends[1].after)
        return lows, highs

    def _low(self, end: End) -> bool:
        if np.isinf(end.at) or end.at in self._bounds[0]:
            return True
        if self._exactly(end.at):
            return True
        if self.hierarchy.kind == "date":
            return any(self._between(a, b) for a, b in _months(end.at))
        steps = _steps(end.exact, self._whole)
        return any(self._between(end.at, end.at + step * self._reach) for step in steps)

    def _high(self, end: End) -> bool:
        if np.isinf(end.at):
            return True
        if self.hierarchy.kind == "date":
            return self._high_day(end)
        whole = self._whole and end.exact is not None and not end.beyond
        after = None if end.exact is None else end.exact + 1 if whole else end.exact
        last = float(after or 0)
        if last in self._bounds[1] or self._exactly(last - 1 if self._whole else end.at):
            return True
        steps = _steps(after, self._whole)
        return any(self._between(last - step * self._reach, last) for step in steps)

    def _high_day(self, end: End) -> bool:
        """Return whether an upper end may be shown; a day is in the range up to its last moment."""
        if not end.beyond and self._exactly(end.at):
            return True
        day = end.at == np.floor(end.at) and not end.beyond
        after = end.at + 1 if day else end.after
        ended = _months(after, backwards=True)
        return after in self._bounds[1] or any(self._between(a, b) for a, b in ended)

    @property
    def _reach(self) -> int:
        """How many round steps may hold the people: nodes that are rounded may lie across two."""
        return 2 if self._fine else 1

    @cached_property
    def _whole(self) -> bool:
        return bool(np.all(self._places == np.floor(self._places)))


def _steps(number: Decimal | None, whole: bool) -> list[float]:  # noqa: FBT001 - of the column
    """List the round steps that a number is a multiple of."""
    if number is None:
        return []
    powers = range(0 if whole else -12, 19)
    steps = [Decimal(digit).scaleb(power) for power in powers for digit in (1, 2, 5)]
    return [float(step) for step in steps if number % step == 0 and step > (1 if whole else 0)]


def _months(day: float, *, backwards: bool = False) -> list[tuple[float, float]]:
    """List where people may be of a month, year, decade or century that begins or ends at a day."""
    if day != np.floor(day):
        return []
    month = np.datetime64(int(day), "D").astype("datetime64[M]")
    if float(month.astype("datetime64[D]").astype(np.int64)) != day:
        return []
    number = int(month.astype(np.int64)) + 1970 * 12
    spans = []
    for length in _MONTHS:
        if number % length == 0:
            reach = 2 * length if length >= _LONG else length  # 7-year nodes lie across decades
            other = month + np.timedelta64(-reach if backwards else reach, "M")
            at = float(other.astype("datetime64[D]").astype(np.int64))
            spans.append((at, day) if backwards else (day, at))
    return spans
