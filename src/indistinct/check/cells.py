"""What a published cell covers, read from its text: a value, a node, a range or a set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

import numpy as np

from indistinct.check.covered import Covered, runs_in
from indistinct.hierarchy import TOP
from indistinct.hierarchy.calendar import date_reader, stretch
from indistinct.hierarchy.order import or_nan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.check.covered import Run
    from indistinct.hierarchy import Hierarchy

PLAIN_RANGE = re.compile(r"\[(\d+)-(\d+)\]")


@dataclass(frozen=True)
class End:
    """One end of a range.

    Attributes
    ----------
    at
        Where it lies on the line: infinite where the range is open.
    exact
        The number with all its digits, where it is one.
    beyond
        Whether an upper end does not belong to the range.
    """

    at: float
    exact: Decimal | None = None
    beyond: bool = False

    @property
    def after(self) -> float:
        """Where the range is over: at its upper end, or a step behind a whole number in it."""
        return self.at if self.beyond or self.exact is None else self.at + 1


BELOW, ABOVE = End(-np.inf), End(np.inf)


def covering(hierarchy: Hierarchy, texts: Sequence[str | None]) -> Covered:
    """For each text, which values of a column it covers; none if it means nothing there.

    >>> from indistinct.hierarchy import Hierarchy
    >>> ages = Hierarchy.from_paths([["17", "low", "*"], ["20", "low", "*"], ["31", "old", "*"]])
    >>> covering(ages, ["[17-20]", "old", "{17, 31}", "31", "*"]).dense().astype(int).tolist()
    [[1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    >>> covering(ages, ["[15, 30)", "<31", ">=20", "{low, 31}"]).dense().astype(int).tolist()
    [[1, 1, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]]
    """
    nodes, line = _nodes(hierarchy), _Line(hierarchy)

    def runs_of(text: str | None) -> Sequence[Run]:
        if text in nodes:
            return nodes[text]
        if text is not None and (ends := ends_of(hierarchy, text)):
            return line.between(*ends)
        if text is not None and text[:1] == "{" and text[-1:] == "}":
            return _members(nodes, text[1:-1])
        return ()

    return Covered.of_runs(hierarchy.size, map(runs_of, texts))


def _nodes(hierarchy: Hierarchy) -> dict[str | None, list[Run]]:
    """For each label of any level, the values under it; `*` covers everything."""
    values_under: dict[str | None, list[Run]] = {}
    for nodes, labels in zip(hierarchy.nodes, hierarchy.labels, strict=True):
        starts = np.flatnonzero(np.diff(nodes, prepend=-1)).tolist()
        ends = [*starts[1:], hierarchy.size]
        for start, end in zip(starts, ends, strict=True):
            values_under.setdefault(labels[nodes[start]], []).append((start, end - 1))
    values_under[TOP] = [(0, hierarchy.size - 1)] if hierarchy.size else []
    return values_under


def ends_of(hierarchy: Hierarchy, text: str) -> tuple[End, End] | None:
    """Read the two ends of a range, or of a stretch of the calendar; None where it is none."""
    if hierarchy.kind == "category":
        return None
    if hierarchy.kind == "date" and (days := _days(text)):
        return End(days[0]), End(days[1], beyond=True)
    pairs: list[tuple[str | None, str | None]]
    if text.startswith(">="):
        pairs, beyond = [(text[2:], None)], False
    elif text.startswith("<"):
        pairs, beyond = [(None, text.removeprefix("<=").removeprefix("<"))], text[1:2] != "="
    elif plain := PLAIN_RANGE.fullmatch(text):
        pairs, beyond = [(plain[1], plain[2])], False
    elif text[:1] == "[" and text[-1:] in {"]", ")"}:
        parts = text[1:-1].split(".." if hierarchy.kind == "date" and ".." in text else ", ")
        pairs = [(", ".join(parts[:i]), ", ".join(parts[i:])) for i in range(1, len(parts))]
        beyond = text[-1] == ")"
    else:
        return None
    for low, high in pairs:
        first, last = _low_end(hierarchy, low), _high_end(hierarchy, high, beyond=beyond)
        if first is not None and last is not None:
            return first, last
    return None


def _low_end(hierarchy: Hierarchy, text: str | None) -> End | None:
    if text is None:
        return BELOW
    if hierarchy.kind == "number":
        return _number(text)
    if hierarchy.raw is None and text in hierarchy.code_of:
        return End(float(hierarchy.position[hierarchy.code_of[text]]))
    days = _days(text)
    return None if days is None else End(days[0])


def _high_end(hierarchy: Hierarchy, text: str | None, *, beyond: bool) -> End | None:
    """Read an upper end; a day, month or year belongs to the range up to its last moment."""
    if text is None:
        return ABOVE
    if hierarchy.kind == "number":
        number = _number(text)
        return None if number is None else End(number.at, number.exact, beyond)
    if hierarchy.raw is None and text in hierarchy.code_of:
        return End(float(hierarchy.position[hierarchy.code_of[text]]), beyond=beyond)
    days = _days(text)
    return None if days is None else End(days[0] if beyond else days[1], beyond=True)


def _number(text: str) -> End | None:
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return None
    return End(float(exact), exact) if exact.is_finite() else None


def _days(text: str) -> tuple[float, float] | None:
    """Read a stretch of the calendar or a day, as its first moment and the one after its last."""
    if days := stretch(text):
        return days
    day = or_nan(date_reader(None), text)
    return None if np.isnan(day) else (day, np.floor(day) + 1)


class _Line:
    """The values of a column as places on a line, and which of them lie between two ends.

    Where they stand in order, two searches find them; else all of them are looked at.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        scale = hierarchy.scale
        self._bounds: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        if hierarchy.raw is not None and scale is not None and scale.bounds[0]:
            bounds = [(np.nan, np.nan) if b is None else b[2:] for b in scale.bounds[0]]
            start, stop = (np.array(at, dtype=np.float64) for at in zip(*bounds, strict=True))
            self._bounds = start, stop
        place = hierarchy.position
        self._known = int(np.count_nonzero(~np.isnan(place)))
        known = place[: self._known]
        self._in_order = not np.isnan(known).any() and bool((known[1:] >= known[:-1]).all())

    def between(self, low: End, high: End) -> list[Run]:
        """Return the values between two ends; digits decide where places on the line tie."""
        if self._bounds is not None:
            start, stop = self._bounds
            return runs_in((start >= low.at) & (stop <= high.at))
        place = self._hierarchy.position
        if not self._in_order:
            inside = (place > low.at) & (place < high.at)
            tied = np.flatnonzero((place == low.at) | (place == high.at)).tolist()
            inside[[code for code in tied if self._reaches(code, low, high)]] = True
            return runs_in(inside)
        known = place[: self._known]
        first, after_low = (int(np.searchsorted(known, low.at, s)) for s in ("left", "right"))
        until_high, after = (int(np.searchsorted(known, high.at, s)) for s in ("left", "right"))
        tied = sorted({*range(first, after_low), *range(until_high, after)})
        runs = [(code, code) for code in tied if self._reaches(code, low, high)]
        return [*runs, *([(after_low, until_high - 1)] if after_low < until_high else [])]

    def _reaches(self, code: int, low: End, high: End) -> bool:
        """Return whether a value at the place of one end, or of both, lies between them."""
        place = self._hierarchy.position[code]
        above, below = bool(place > low.at), bool(place < high.at)
        if place == low.at:
            exact = _digits(self._hierarchy, code, low)
            above = exact is None or exact >= (low.exact or 0)
        if place == high.at:
            exact = _digits(self._hierarchy, code, high)
            most = high.exact or Decimal(0)
            reached = not high.beyond if exact is None else exact <= most
            below = reached and not (high.beyond and exact == most)
        return above and below


def _digits(hierarchy: Hierarchy, code: int, end: End) -> Decimal | None:
    """Read a value with all its digits, where the end has them too."""
    number = _number(hierarchy.leaves[code] or "") if end.exact is not None else None
    return None if number is None else number.exact


def _members(nodes: dict[str | None, list[Run]], text: str) -> list[Run]:
    """Read the values and nodes of a set; a label may hold a comma itself."""
    parts = text.split(", ")
    covered: list[Run] = []
    start = 0
    while start < len(parts):
        for end in range(len(parts), start, -1):
            label: str | None = ", ".join(parts[start:end])
            label = label if label or "" in nodes else None
            if label in nodes:
                covered += nodes[label]
                start = end
                break
        else:
            return []
    return covered


def between(hierarchy: Hierarchy, ends: Sequence[tuple[str | None, str | None]]) -> Covered:
    """For each pair of published bounds, which values it covers.

    A null is an open end; two nulls say nothing, and cover a missing value too.
    """
    line = _Line(hierarchy)

    def runs_of(low: str | None, high: str | None) -> Sequence[Run]:
        if low is None and high is None:
            return [(0, hierarchy.size - 1)] if hierarchy.size else []
        first, last = _low_end(hierarchy, low), _high_end(hierarchy, high, beyond=False)
        return () if first is None or last is None else line.between(first, last)

    return Covered.of_runs(hierarchy.size, (runs_of(*pair) for pair in ends))
