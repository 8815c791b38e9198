"""A hierarchy suggested from the data, where the plan has none."""

from __future__ import annotations

from decimal import ROUND_FLOOR
from typing import TYPE_CHECKING

import numpy as np

from indistinct.hierarchy.calendar import day_text
from indistinct.hierarchy.code_systems import beginnings, code_system
from indistinct.hierarchy.core import TOP, Hierarchy, run_starts
from indistinct.hierarchy.cuts import cut_level, range_label
from indistinct.hierarchy.exact import exact
from indistinct.hierarchy.line import Level, date_line, is_whole, number_line
from indistinct.hierarchy.mask import free_character, mask_hierarchy, shared_prefixes
from indistinct.hierarchy.order import positions
from indistinct.hierarchy.scale import date_bounds, number_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.domain import Domain
    from indistinct.hierarchy.exact import Number
    from indistinct.hierarchy.line import Line
    from indistinct.hierarchy.scale import Bounds

_FACTOR = 4
_FINEST = 1024
FEW = 12
_CODE_LENGTHS = range(3, 21)


def suggest(domain: Domain) -> Hierarchy:
    """Suggest a hierarchy for a column from its values and how many rows hold each.

    - **Numbers and ISO dates** are cut into 4, 16, 64, ... ranges of about as many rows each, as
      long as a range holds two values on average, 1,024 ranges at most. They begin at the roundest
      number, or at the first day of a year or month, that parts the same rows; the ends are open
      ("<25", ">=58"), so that no label shows the smallest or largest value. Times of day go first.
    - **Codes** are masked from the right: text of equal length (3 to 20 characters) with a digit
      in every value, whose beginnings are shared by at least two values on average. Digits behind
      a leading zero ("02139") are a code, not a number.
      Codes like those of ICD and ATC, of any length, are masked to the beginnings that mean
      something there: "E11.9" becomes "E11**", then "E****".
    - **Other text** has no order that means anything: it is published as it is or as `*`. Groups
      would need names, and these would be values that somebody has.

    The missing value stays apart up to the top.

    Examples
    --------
    >>> from indistinct.hierarchy.domain import Domain
    >>> ages = Domain.of(str(age) for age in range(20, 36))
    >>> suggest(ages).labels[1]
    ('<24', '[24-27]', '[28-31]', '>=32')
    """
    hierarchy = _suggested(domain)
    return hierarchy.with_missing() if domain.has_missing else hierarchy


def flat_hierarchy(domain: Domain) -> Hierarchy:
    """Publish a value as it is, or as `*`.

    >>> from indistinct.hierarchy.domain import Domain
    >>> flat_hierarchy(Domain.of(["m", "f"])).paths()
    [('f', '*'), ('m', '*')]
    """
    values = sorted(domain.known)
    return Hierarchy.from_columns([values, [TOP] * len(values)])


def _suggested(domain: Domain) -> Hierarchy:
    kind, _ = positions(domain.known)
    if kind == "category":
        return _for_text(domain)
    line = (number_line if kind == "number" else date_line)(domain, place="suggestion")
    months = 0 if kind == "date" else None
    return line.hierarchy(_range_levels(line, _rows(line, domain)), months)


def _for_text(domain: Domain) -> Hierarchy:
    values = sorted(domain.known)
    if system := code_system(values):
        width = max(map(len, values))
        steps = [width - length for length in beginnings(system, width)]
        return mask_hierarchy(domain, "right", place="suggestion", steps=steps)
    if are_codes(values):
        return mask_hierarchy(domain, "right", place="suggestion", char=free_character(values))
    return flat_hierarchy(domain)


def _rows(line: Line, domain: Domain) -> NDArray[np.int64]:
    return np.array([domain.rows_of[leaf] for leaf in line.leaves], dtype=np.int64)


def _balanced(rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Number the groups of each level, finest first: every group is split in four by its rows."""
    levels = [np.zeros(rows.size, dtype=np.int64)]
    while _FACTOR ** len(levels) <= min(rows.size / 2, _FINEST):
        levels.append(_split(levels[-1], np.maximum(rows, 1)))
    return levels[:0:-1]


def _split(keys: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Split each run of equal keys: a value belongs to the part where the middle of its rows is."""
    starts = run_starts(keys)
    run = np.cumsum(starts) - 1
    before = np.cumsum(rows) - rows
    twice_middle = 2 * (before - before[starts][run]) + rows
    total = np.add.reduceat(rows, np.flatnonzero(starts))[run]
    part: NDArray[np.int64] = _FACTOR * twice_middle // (2 * total)
    return keys * _FACTOR + part


def _range_levels(line: Line, rows: NDArray[np.int64]) -> Iterator[Level]:
    """Cut between values, never between two spellings of a number or two times of a day."""
    days = line.kind == "date"
    position = np.floor(line.position) if days else line.position
    starts = run_starts(position)
    point, at = position[starts], np.cumsum(starts) - 1
    weight = np.bincount(at, rows, minlength=point.size).astype(np.int64)
    between = _first_day if days else round_number
    cuts = [_cuts(point, keys, between) for keys in _balanced(weight)]
    label = _day_range if days else range_label(position, [c for level in cuts for c in level])
    whole = is_whole(position)

    def bounds(low: Number | None, high: Number | None) -> Bounds:
        return _day_bounds(low, high) if days else number_bounds(low, high, whole=whole)

    levels = [cut_level(position, level, label, bounds) for level in cuts]
    if days:
        by_day = Level(position.astype(np.int64), day_text, lambda day: _day_bounds(day, day + 1))
        levels.insert(0, by_day)
    return _distinct(levels)


def _day_bounds(low: Number | None, high: Number | None) -> Bounds:
    ends = [None if day is None else int(day) for day in (low, high)]
    return date_bounds(ends[0], ends[1], 0)


def _cuts(
    point: NDArray[np.float64], keys: NDArray[np.int64], between: Callable[[float, float], Number]
) -> list[Number]:
    """Cut between neighbouring groups; the same two neighbours give the same cut on each level."""
    last = np.flatnonzero(np.diff(keys))
    return list(map(between, point[last].tolist(), point[last + 1].tolist()))


def round_number(low: float, high: float) -> Number:
    """Find the number with the fewest digits above `low` and not above `high`.

    >>> round_number(49873, 50210), round_number(23, 24), round_number(0.117, 0.1234)
    (50000, 24, 0.12)
    """
    bottom, top = exact(low), exact(high)
    power = max(bottom.adjusted(), top.adjusted()) + 1
    while (rounded := (top.scaleb(-power)).to_integral_value(ROUND_FLOOR).scaleb(power)) <= bottom:
        power -= 1
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)


def _first_day(low: float, high: float) -> int:
    """Find the first day of a year or else of a month above `low` and not above `high`."""
    day = np.datetime64(int(high), "D")
    starts = [
        int(day.astype(f"datetime64[{unit}]").astype("datetime64[D]").astype(int)) for unit in "YM"
    ]
    return next((start for start in starts if start > low), int(high))


def _distinct(levels: Iterable[Level]) -> Iterator[Level]:
    """Leave out levels that group the values as the one below does, or as the top."""
    groups = None
    for level in levels:
        runs = int(np.count_nonzero(run_starts(level.keys)))
        if 1 < runs < (groups or level.keys.size):
            yield level
        groups = runs


def _day_range(low: Number | None, high: Number | None) -> str:
    if high is None:
        return TOP if low is None else f">={day_text(int(low))}"
    if low is None:
        return f"<{day_text(int(high))}"
    if high - low == 1:
        return day_text(int(low))
    return f"[{day_text(int(low))}..{day_text(int(high) - 1)}]"


def are_codes(values: Sequence[str]) -> bool:
    """Return whether sorted texts are codes whose beginnings mean something."""
    lengths = {len(value) for value in values}
    if len(lengths) != 1 or (length := lengths.pop()) not in _CODE_LENGTHS:
        return False
    if not all(any(c.isdigit() for c in value) for value in values):
        return False
    shared = shared_prefixes(values)
    groups = [int(np.count_nonzero(shared < kept)) for kept in range(1, length)]
    return any(2 <= count <= len(values) / 2 for count in groups)
