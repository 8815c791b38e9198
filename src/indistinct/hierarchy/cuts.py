"""Numbers in ranges between cut points of one's own, level by level."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault
from indistinct.hierarchy.exact import Number, decimals, number_text, range_text
from indistinct.hierarchy.line import Level, is_whole, number_line
from indistinct.hierarchy.scale import number_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Hierarchy
    from indistinct.hierarchy.domain import Domain
    from indistinct.hierarchy.scale import Bounds


def cut_hierarchy(domain: Domain, levels: Sequence[Sequence[Number]], *, place: str) -> Hierarchy:
    """Put numbers in the ranges between cut points; a cut point begins a range.

    Parameters
    ----------
    domain
        The values of the column; all must be numbers.
    levels
        The cut points of each level, finest first; those of a coarser level are among the finer's.
    place
        What the faults are about.

    Examples
    --------
    >>> from indistinct.hierarchy.domain import Domain
    >>> ages = Domain.of(["17", "18", "44", "45", "70"])
    >>> h = cut_hierarchy(ages, [[18, 30, 45, 65], [18, 65]], place="column 'age'")
    >>> h.labels[1:3]
    (('<18', '[18-29]', '[30-44]', '[45-64]', '>=65'), ('<18', '[18-64]', '>=65'))
    """
    line = number_line(domain, place=place)
    label = range_label(line.position, [cut for cuts in levels for cut in cuts])
    whole = is_whole(line.position)

    def bounds(low: Number | None, high: Number | None) -> Bounds:
        return number_bounds(low, high, whole=whole)

    return line.hierarchy(cut_level(line.position, cuts, label, bounds) for cuts in levels)


def cut_level(
    position: NDArray[np.float64],
    cuts: Sequence[Number],
    label: Callable[[Number | None, Number | None], str],
    bounds: Callable[[Number | None, Number | None], Bounds],
) -> Level:
    """Number the ranges between cut points; `label` and `bounds` are given two, None if open."""
    ends = (None, *cuts, None)
    keys = np.searchsorted(np.array(cuts, dtype=np.float64), position, side="right")
    return Level(
        keys.astype(np.int64),
        lambda key: label(ends[key], ends[key + 1]),
        lambda key: bounds(ends[key], ends[key + 1]),
    )


def range_label(
    position: NDArray[np.float64], cuts: Sequence[Number]
) -> Callable[[Number | None, Number | None], str]:
    """Choose how to write ranges: [18-29] where data and cuts are whole and not negative."""
    whole = is_whole(position) and decimals(cuts) == 0 and min(cuts, default=0) >= 0
    return lambda low, high: range_text(low, high, whole=whole)


def cut_faults(levels: Sequence[Sequence[Number]], *, place: str) -> list[Fault]:
    """Return what is wrong with the cut points, whatever the data."""
    if not levels:
        return [Fault(place, "there are no cut points", "Give some, such as [18, 30, 45, 65].")]
    faults = [fault for n, cuts in enumerate(levels, 1) for fault in _level_faults(n, cuts, place)]
    pairs = pairwise(levels)
    for n, (fine, coarse) in enumerate(pairs, 2):
        alien = [cut for cut in coarse if cut not in fine]
        if alien:
            listed = ", ".join(number_text(cut) for cut in alien)
            finer = ", ".join(number_text(cut) for cut in fine)
            problem = f"{listed} on level {n} is not a cut point of level {n - 1} ({finer})"
            remedy = "Levels must nest, the finest first: take cut points away from level to level."
            faults.append(Fault(place, problem, remedy))
    return faults


def _level_faults(level: int, cuts: Sequence[Number], place: str) -> list[Fault]:
    if not cuts:
        remedy = "Leave the level out; the level where all values are one is added by itself."
        return [Fault(place, f"level {level} has no cut points", remedy)]
    return [
        Fault(
            place,
            f"cut points on level {level} do not rise: {number_text(b)} after {number_text(a)}",
            "List each cut point once, the smallest first.",
        )
        for a, b in pairwise(cuts)
        if b <= a
    ]
