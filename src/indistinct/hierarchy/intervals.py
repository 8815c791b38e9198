"""Numbers in intervals of equal width, each level wider than the one before."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault, HierarchyError
from indistinct.hierarchy.exact import (
    Number,
    decimals,
    exact,
    number_text,
    range_text,
    width_faults,
)
from indistinct.hierarchy.line import Level, is_whole, number_line, value_faults
from indistinct.hierarchy.scale import number_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Hierarchy
    from indistinct.hierarchy.domain import Domain
    from indistinct.hierarchy.line import Line
    from indistinct.hierarchy.scale import Bounds

_EXACT = 2.0**53
_BELOW, _ABOVE = -(2**62), 2**62


def interval_hierarchy(
    domain: Domain,
    widths: Sequence[Number],
    *,
    place: str,
    origin: Number = 0,
    bottom: Number | None = None,
    top: Number | None = None,
) -> Hierarchy:
    """Put numbers in intervals of each width, counted from `origin`.

    Bounds are computed on exact decimals, so a label is true of every value under it: 0.3 is in
    [0.3, 0.4), though 0.3 / 0.1 is below 3 in floating point.

    Parameters
    ----------
    domain
        The values of the column; all must be numbers.
    widths
        One per level, finest first, each a multiple of the one before.
    place
        What the faults are about.
    origin
        Where an interval begins.
    bottom, top
        Values below `bottom`, and values from `top` on, are one node each on every level.

    Examples
    --------
    >>> from indistinct.hierarchy.domain import Domain
    >>> ages = Domain.of(["17", "23", "24", "31", "95"])
    >>> h = interval_hierarchy(ages, [5, 20], place="column 'age'", bottom=18, top=90)
    >>> h.labels[1]
    ('<18', '[20-24]', '[30-34]', '>=90')
    >>> h.labels[2]
    ('<18', '[20-39]', '>=90')
    """
    line = number_line(domain, place=place)
    grid = _Grid.of(widths, origin, bottom, top)
    _check_exact(line, grid, domain, place)
    cells = grid.cells(line.position)
    inside = np.abs(cells) < _ABOVE
    lowest = grid.lowest(int(cells[inside].min(initial=0)))
    whole = is_whole(line.position)
    plain = grid.places == 0 and lowest >= 0 and whole
    return line.hierarchy(
        grid.level(cells, inside, width, plain=plain, whole=whole) for width in grid.widths
    )


def interval_faults(
    widths: Sequence[Number],
    *,
    place: str,
    origin: Number = 0,
    bottom: Number | None = None,
    top: Number | None = None,
) -> list[Fault]:
    """Return what is wrong with the widths and bounds, whatever the data."""
    faults = width_faults(widths, place=place)
    bounds = [number for number in (*widths, origin, bottom, top) if number is not None]
    if exact(max(map(abs, bounds))).scaleb(decimals(bounds)) >= _EXACT:
        numbers = ", ".join(number_text(number) for number in bounds)
        problem = f"{numbers}: together they have too many digits to be placed exactly"
        faults.append(Fault(place, problem, "Round them, or use cuts."))
    if bottom is not None and top is not None and bottom >= top:
        problem = f"bottom {number_text(bottom)} is not below top {number_text(top)}"
        faults.append(Fault(place, problem, "Set bottom below top, or leave one out."))
    return faults


@dataclass(frozen=True)
class _Grid:
    """Widths and bounds as integers, in units of the last decimal that any of them has."""

    places: int
    widths: tuple[int, ...]
    origin: int
    bottom: int | None
    top: int | None

    @classmethod
    def of(
        cls, widths: Sequence[Number], origin: Number, bottom: Number | None, top: Number | None
    ) -> _Grid:
        places = decimals([n for n in (*widths, origin, bottom, top) if n is not None])

        def units(number: Number) -> int:
            return int(exact(number).scaleb(places))

        return cls(
            places,
            tuple(units(width) for width in widths),
            units(origin),
            None if bottom is None else units(bottom),
            None if top is None else units(top),
        )

    def cells(self, position: NDArray[np.float64]) -> NDArray[np.int64]:
        """Find the finest cell of each number; the quotient may be one off, the bounds are not."""
        unit, width = 10.0**self.places, self.widths[0]
        cell = np.floor((position * unit - self.origin) / width).astype(np.int64)
        cell -= position < (self.origin + cell * width) / unit
        cell += position >= (self.origin + (cell + 1) * width) / unit
        if self.bottom is not None:
            cell[position < self.bottom / unit] = _BELOW
        if self.top is not None:
            cell[position >= self.top / unit] = _ABOVE
        return cell

    def lowest(self, cell: int) -> int:
        """Find where the lowest interval of any level begins, given the lowest cell."""
        lows = [self.origin + cell // (width // self.widths[0]) * width for width in self.widths]
        return min(lows) if self.bottom is None else max(min(lows), self.bottom)

    def level(
        self,
        cells: NDArray[np.int64],
        inside: NDArray[np.bool_],
        width: int,
        *,
        plain: bool,
        whole: bool,
    ) -> Level:
        keys = np.where(inside, cells // (width // self.widths[0]), cells)

        def label(key: int) -> str:
            return range_text(*self._ends(key, width), whole=plain)

        def bounds(key: int) -> Bounds:
            return number_bounds(*self._ends(key, width), whole=whole)

        return Level(keys, label, bounds)

    def _ends(self, key: int, width: int) -> tuple[int | Decimal | None, int | Decimal | None]:
        """Return where an interval begins, and where the next one does; None where it is open."""
        if key == _BELOW:
            return None, self._number(self.bottom)
        if key == _ABOVE:
            return self._number(self.top), None
        low = self.origin + key * width
        high = low + width
        low = low if self.bottom is None else max(low, self.bottom)
        high = high if self.top is None else min(high, self.top)
        return self._number(low), self._number(high)

    def _number(self, units: int | None) -> int | Decimal | None:
        if units is None or self.places == 0:
            return units
        return Decimal(units).scaleb(-self.places)


def _check_exact(line: Line, grid: _Grid, domain: Domain, place: str) -> None:
    far = np.abs(line.position) * 10.0**grid.places >= _EXACT
    if far.any():
        values = [line.leaves[i] for i in np.flatnonzero(far)]
        fault = Fault(place, "is too large to be placed exactly", "Correct it, or use cuts.")
        raise HierarchyError(value_faults(values, domain, fault))
