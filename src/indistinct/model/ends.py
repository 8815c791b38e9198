"""Ends: where a published range may begin and end, so that no end is what few people have.

An end is shown as it is only if at least k people of the table have that very value. Otherwise it
moves outwards, to a bound of the finest level of the hierarchy whose node holds k people, or to a
value that k people have if that is nearer. Where no level below the top holds so many, it moves to
a round number, or to the first or last day of a year, decade or century; and where that does not
help either, the range is open to that side.

A range from a value to another is published from the shown low end of the one to the shown high
end of the other. Going up the line, shown ends never fall, so a wider range never loses less.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

import numpy as np

from indistinct.hierarchy import TOP
from indistinct.hierarchy.exact import number_text
from indistinct.hierarchy.scale import Bounds, month_bounds, month_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy
    from indistinct.hierarchy.core import Label
    from indistinct.model.crowd import Crowd

    Floats = NDArray[np.float64]

_ROUND = (1, 2, 5)
_MONTHS = (1, 12, 120, 1200)
_FINE = Decimal("0.01")


@dataclass(frozen=True, eq=False)
class PublishedEnds:
    """For each value of a column, how a range is published that begins or ends there.

    Attributes
    ----------
    k
        How many people must have a value that is shown.
    level
        The finest level of the hierarchy whose node holds k people.
    low, high
        What is written for a range that begins, and one that ends, at each value; None if open.
    low_number, high_number
        Numbers that are equal where what is written is.
    low_at, high_at
        Where these ends lie, no farther out than the values of the table; NaN for a missing value.
    first, last
        The first and the last value that lies inside such ends.
    """

    k: int
    level: NDArray[np.int32]
    low: tuple[Label, ...]
    high: tuple[Label, ...]
    low_number: NDArray[np.int64]
    high_number: NDArray[np.int64]
    low_at: Floats
    high_at: Floats
    first: NDArray[np.int32]
    last: NDArray[np.int32]

    def of_leaves(self, codes: NDArray[np.int32], position: Floats) -> PublishedEnds:
        """Return the ends of some values only, no farther out than these lie."""
        placed = position[codes][~np.isnan(position[codes])]
        inside = (placed.min(), placed.max()) if placed.size else (np.nan, np.nan)
        return PublishedEnds(
            k=self.k,
            level=self.level[codes],
            low=tuple(self.low[code] for code in codes),
            high=tuple(self.high[code] for code in codes),
            low_number=self.low_number[codes],
            high_number=self.high_number[codes],
            low_at=np.clip(self.low_at[codes], *inside),
            high_at=np.clip(self.high_at[codes], *inside),
            first=np.searchsorted(codes, self.first[codes]).astype(np.int32),
            last=(np.searchsorted(codes, self.last[codes], side="right") - 1).astype(np.int32),
        )

    def alone(self, code: int) -> bool:
        """Return whether a single value is published as it is."""
        return bool(self.level[code] == 0)


def published_ends(hierarchy: Hierarchy, crowd: Crowd, k: int) -> PublishedEnds:
    """Find the ends that may be published of a column, given who has which value."""
    level = _levels(hierarchy, crowd, k)
    low, high = _own_ends(hierarchy, level, crowd, k)
    start = np.array([b.start for b in low], dtype=np.float64)
    stop = np.array([b.stop for b in high], dtype=np.float64)
    begins, ends = np.arange(level.size), np.arange(level.size)
    placed = np.flatnonzero(~np.isnan(hierarchy.position))
    exact = level[placed] == 0
    begins[placed] = placed[_nearest(start[placed], exact)]
    ends[placed[::-1]] = placed[::-1][_nearest(-stop[placed[::-1]], exact[::-1])]
    leaves = leaf_bounds(hierarchy)
    return PublishedEnds(
        k=k,
        level=level,
        low=tuple(low[code].low for code in begins),
        high=tuple(high[code].high for code in ends),
        low_number=begins,
        high_number=ends,
        low_at=_inside(start[begins], hierarchy),
        high_at=_inside(stop[ends], hierarchy),
        first=_first_inside(leaves[0], start[begins]),
        last=_last_inside(leaves[1], stop[ends]),
    )


def published_members(hierarchy: Hierarchy, crowd: Crowd, k: int) -> PublishedEnds:
    """Find the level at which each value of a column may be named, where it has no ranges."""
    own = np.arange(hierarchy.size)
    nothing = tuple(None for _ in own)
    at, code = np.full(own.size, np.nan), own.astype(np.int32)
    level = _levels(hierarchy, crowd, k)
    return PublishedEnds(k, level, nothing, nothing, own, own, at, at, code, code)


def _levels(hierarchy: Hierarchy, crowd: Crowd, k: int) -> NDArray[np.int32]:
    """Find the finest level at which each value is among k people."""
    finest = np.full(hierarchy.size, hierarchy.height, dtype=np.int32)
    for level in range(hierarchy.height - 1, -1, -1):
        nodes = hierarchy.nodes[level]
        finest[crowd.held(nodes)[nodes] >= k] = level
    return finest


def _own_ends(
    hierarchy: Hierarchy, level: NDArray[np.int32], crowd: Crowd, k: int
) -> tuple[list[Bounds], list[Bounds]]:
    """Move the ends of each value outwards, each by itself."""
    scale = hierarchy.scale
    own: list[Bounds | None] = []
    for code, at in enumerate(level.tolist()):
        bounds: Bounds | None = None
        if at == 0 and hierarchy.raw is None:
            bounds = _exactly(hierarchy, code)
        elif at < hierarchy.height and scale is not None and scale.bounds[at]:
            bounds = scale.bounds[at][int(hierarchy.nodes[at][code])]
        if np.isnan(hierarchy.position[code]):
            bounds = Bounds(None, None, np.nan, np.nan)
        own.append(bounds)
    low = [b or Bounds(None, None, -np.inf, np.inf) for b in own]
    high = list(low)
    few = [code for code, bounds in enumerate(own) if bounds is None]
    if few:
        rounding = _Months if hierarchy.kind == "date" else _Steps
        rounding(hierarchy, crowd, k).move(few, low, high)
    return low, high


def _exactly(hierarchy: Hierarchy, code: int) -> Bounds | None:
    """Take a value as it is; a time of day is not, where days are the finest to be seen."""
    leaf, at = hierarchy.leaves[code], float(hierarchy.position[code])
    if hierarchy.kind == "date" and at != np.floor(at):
        return None
    return Bounds(leaf, leaf, at, at)


class _Steps:
    """Rounding numbers to multiples of 1, 2, 5, 10, 20, ..."""

    def __init__(self, hierarchy: Hierarchy, crowd: Crowd, k: int) -> None:
        self.placed = np.flatnonzero(~np.isnan(hierarchy.position))
        self.crowd, self.k = crowd, k
        scale = hierarchy.scale
        if hierarchy.raw is None or scale is None:
            self.low = [Decimal(hierarchy.leaves[code] or "0") for code in self.placed]
            self.high = self.low
            self.closed = all(value == value.to_integral_value() for value in self.low)
        else:
            bounds = [scale.bounds[0][code] for code in self.placed]
            self.low = [_end(b and b.low) for b in bounds]
            self.high = [_end(b and b.high) for b in bounds]
            self.closed = False
        self.widest = _widest(hierarchy)

    def move(self, few: list[int], low: list[Bounds], high: list[Bounds]) -> None:
        """Write the rounded ends of some values into the lists."""
        place = {code: n for n, code in enumerate(self.placed.tolist())}
        for values, ends, up in ((self.low, low, False), (self.high, high, True)):
            left = [code for code in few if values[place[code]].is_finite()]
            for step in self._steps():
                cells = [_cell(v, step, before=up and not self.closed) for v in values]
                enough = self._enough(cells)
                for code in left:
                    if enough[place[code]]:
                        ends[code] = self._bounds(cells[place[code]], step)
                left = [code for code in left if not enough[place[code]]]
                if not left:
                    break

    def _enough(self, cells: list[Decimal]) -> NDArray[np.bool_]:
        """Return for each placed value whether its cell holds k people."""
        numbers = {cell: n for n, cell in enumerate(dict.fromkeys(cells), 1)}
        groups = np.zeros(self.crowd.size, dtype=np.int64)
        groups[self.placed] = [numbers[cell] for cell in cells]
        enough: NDArray[np.bool_] = self.crowd.held(groups)[groups[self.placed]] >= self.k
        return enough

    def _bounds(self, cell: Decimal, step: Decimal) -> Bounds:
        first, last = cell * step, (cell + 1) * step - (1 if self.closed else 0)
        return Bounds(number_text(first), number_text(last), float(first), float(last))

    def _steps(self) -> Iterator[Decimal]:
        """List round steps from the finest that may be shown to one that holds everything."""
        finite = [v for v in (*self.low, *self.high) if v.is_finite()] or [Decimal(0)]
        power = 0 if self.closed else _power(max(finite) - min(finite))
        farthest = max(map(abs, finite))
        while Decimal(10) ** (power - 1) <= farthest:
            for digit in _ROUND:
                step = Decimal(digit).scaleb(power)
                if step >= self.widest:
                    yield step
            power += 1


def _power(span: Decimal) -> int:
    """Choose the power of ten that numbers over a span are rounded to at the finest."""
    return (span * _FINE).adjusted() if span else 0


def _end(text: Label) -> Decimal:
    return Decimal("Infinity") if text is None else Decimal(text)


def _cell(value: Decimal, step: Decimal, *, before: bool) -> Decimal:
    """Number the multiple of a step that a value lies behind; `before` if it is not reached."""
    if not value.is_finite():
        return value
    if before:
        return (value / step).to_integral_value(ROUND_CEILING) - 1
    return (value / step).to_integral_value(ROUND_FLOOR)


def _widest(hierarchy: Hierarchy) -> Decimal:
    """Measure the widest node below the top that is bounded on both sides."""
    if hierarchy.scale is None:
        return Decimal(0)
    widths = [
        Decimal(b.high) - Decimal(b.low)
        for level in hierarchy.scale.bounds
        for b in level
        if b is not None and b.low is not None and b.high is not None
    ]
    return max(widths, default=Decimal(0))


class _Months:
    """Rounding dates to months, years, decades and centuries."""

    def __init__(self, hierarchy: Hierarchy, crowd: Crowd, k: int) -> None:
        scale = hierarchy.scale
        self.unit = scale.months or 0 if scale is not None else 0
        self.placed = np.flatnonzero(~np.isnan(hierarchy.position))
        self.crowd, self.k = crowd, k
        start, stop = leaf_bounds(hierarchy)
        lowest, highest = hierarchy.position[self.placed].min(), _latest(hierarchy)
        starts = np.maximum(start[self.placed], lowest)
        stops = np.minimum(np.maximum(np.ceil(stop[self.placed]) - 1, starts), highest)
        self.low = np.array([month_of(int(np.floor(day))) for day in starts])
        self.high = np.array([month_of(int(np.floor(day))) for day in stops])

    def move(self, few: list[int], low: list[Bounds], high: list[Bounds]) -> None:
        """Write the rounded ends of some values into the lists."""
        place = {code: n for n, code in enumerate(self.placed.tolist())}
        for at, ends in ((self.low, low), (self.high, high)):
            left = few
            for length in (months for months in _MONTHS if months >= self.unit):
                cells = at // length
                enough = self._enough(cells)
                for code in left:
                    if enough[place[code]]:
                        cell = int(cells[place[code]])
                        ends[code] = month_bounds(cell * length, length, self.unit)
                left = [code for code in left if not enough[place[code]]]

    def _enough(self, cells: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return for each placed value whether its cell holds k people."""
        groups = np.zeros(self.crowd.size, dtype=np.int64)
        groups[self.placed] = np.unique(cells, return_inverse=True)[1].ravel() + 1
        enough: NDArray[np.bool_] = self.crowd.held(groups)[groups[self.placed]] >= self.k
        return enough


def _latest(hierarchy: Hierarchy) -> float:
    """Find the last value of the data."""
    return float(np.nanmax((hierarchy.raw or hierarchy).position))


def leaf_bounds(hierarchy: Hierarchy) -> tuple[Floats, Floats]:
    """Return where the leaves begin and end."""
    if hierarchy.raw is None or hierarchy.scale is None:
        return hierarchy.position, hierarchy.position
    bounds = [b or Bounds(None, None, np.nan, np.nan) for b in hierarchy.scale.bounds[0]]
    return np.array([b.start for b in bounds]), np.array([b.stop for b in bounds])


def _nearest(own: Floats, exact: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each value, the one at or before it whose own end is nearest; its own in a tie."""
    before = np.concatenate([[-np.inf], np.maximum.accumulate(own)[:-1]])
    taken = (own > before) | ((own == before) & exact)
    nearest: NDArray[np.int64] = np.maximum.accumulate(np.where(taken, np.arange(own.size), 0))
    return nearest


def _inside(at: Floats, hierarchy: Hierarchy) -> Floats:
    """Take ends no farther out than the values of the data."""
    values = (hierarchy.raw or hierarchy).position
    placed = values[~np.isnan(values)]
    return np.clip(at, placed.min(), placed.max()) if placed.size else at


def _first_inside(starts: Floats, low: Floats) -> NDArray[np.int32]:
    starts = np.where(np.isnan(starts), np.inf, starts)
    own = np.isnan(low)
    first = np.searchsorted(starts, np.where(own, np.inf, low), side="left")
    return np.where(own, np.arange(low.size), first).astype(np.int32)


def _last_inside(stops: Floats, high: Floats) -> NDArray[np.int32]:
    stops = stops[~np.isnan(stops)]
    own = np.isnan(high)
    last = np.searchsorted(stops, np.where(own, np.inf, high), side="right") - 1
    return np.where(own, np.arange(high.size), last).astype(np.int32)


def range_text(low: Label, high: Label, *, closed: bool) -> str:
    """Write a range by its ends; None is an open end.

    >>> range_text("17", "20", closed=True), range_text("2020-03", "2021-01", closed=True)
    ('[17-20]', '[2020-03, 2021-01]')
    >>> range_text("0.5", "2", closed=False), range_text("90", None, closed=True)
    ('[0.5, 2)', '>=90')
    >>> range_text(None, "44", closed=True), range_text(None, "2020-03", closed=True)
    ('<45', '<=2020-03')
    """
    if low is None and high is None:
        return TOP
    if high is None:
        return f">={low}"
    if low is None:
        if not closed:
            return f"<{high}"
        return f"<{int(high) + 1}" if _is_whole(high) else f"<={high}"
    if low == high and closed:
        return low
    plain = closed and low.isdigit() and high.isdigit()
    return f"[{low}-{high}]" if plain else f"[{low}, {high}{']' if closed else ')'}"


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdigit()
