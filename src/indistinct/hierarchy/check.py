"""Conditions C1 and C2 of Samarati 2001: one parent each, nested levels, one value at the top."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from indistinct.errors import Fault, HierarchyError, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Path = tuple[str | None, ...]


def check_paths(
    paths: Iterable[Sequence[str | None]], *, place: str, lines: Iterable[int] | None = None
) -> list[Path]:
    """Return the paths without repeats, or raise with every fault found.

    Parameters
    ----------
    paths
        One per leaf: `[leaf, level 1, ..., top]`. None is the missing value, as a leaf and as its
        label on the levels above; any other leaf needs a label on each level.
    place
        What the faults are about, such as "column 'zip'" or a file.
    lines
        Where each path stands in its file, so that faults can say so.
    """
    rows = [tuple(path) for path in paths]
    line_of: dict[Path, int] = {}
    for row, line in zip(rows, lines or (), strict=False):
        line_of.setdefault(row, line)
    rows = list(dict.fromkeys(rows))
    faults = _faults(rows, place, line_of)
    if faults:
        raise HierarchyError(faults)
    return rows


def _faults(rows: list[Path], place: str, line_of: dict[Path, int]) -> list[Fault]:
    if not rows:
        return [Fault(place, "it is empty", "Give one line per value: value;level 1;...;*")]
    if not all(rows):
        return [Fault(place, "a path is empty", "Give one line per value: value;level 1;...;*")]
    usual = Counter(len(row) for row in rows).most_common(1)[0][0]
    even = [row for row in rows if len(row) == usual]
    return [
        *_shape_faults(rows, usual, place, line_of),
        *_gap_faults(even, place, line_of),
        *_parent_faults(even, place, line_of),
        *_top_faults(even, place, line_of),
    ]


def _at(place: str, line: int | None) -> str:
    return place if line is None else f"{place}, line {line}"


def _shape_faults(
    rows: list[Path], usual: int, place: str, line_of: dict[Path, int]
) -> list[Fault]:
    faults = [
        Fault(
            _at(place, line_of.get(row)),
            f"value {row[0]!r} has {counted(len(row) - 1, 'level')} where others have {usual - 1}",
            "Give every value the same number of levels; repeat a value to fill a level.",
        )
        for row in rows
        if len(row) != usual
    ]
    if usual < 2 and len(rows) > 1:
        faults.append(
            Fault(place, "it has no level above the values", "Add a last column with * on each.")
        )
    return faults


def _gap_faults(rows: list[Path], place: str, line_of: dict[Path, int]) -> list[Fault]:
    return [
        Fault(
            _at(place, line_of.get(row)),
            f"value {row[0]!r} has nothing on level {row.index(None)}",
            "Name its group there, or repeat the value to leave it as it is on that level.",
        )
        for row in rows
        if row[0] is not None and None in row
    ]


def _parent_faults(rows: list[Path], place: str, line_of: dict[Path, int]) -> list[Fault]:
    faults = []
    for level in range(len(rows[0]) - 1):
        parent: dict[str | None, str | None] = {}
        torn = {
            row[level]: True
            for row in rows
            if parent.setdefault(row[level], row[level + 1]) != row[level + 1]
        }
        above: dict[str | None, list[Path]] = {value: [] for value in torn}
        for row in rows if torn else ():
            if row[level] in torn:
                above[row[level]].append(row)
        faults += [_two_parents(place, level, under, line_of) for under in above.values()]
    return faults


def _two_parents(place: str, level: int, rows: list[Path], line_of: dict[Path, int]) -> Fault:
    parents = Counter(row[level + 1] for row in rows)
    listed = ", ".join(
        f"{parent!r} ({_occurrences(count, [r for r in rows if r[level + 1] == parent], line_of)})"
        for parent, count in parents.most_common(4)
    )
    rule = "a value has exactly one parent" if level == 0 else "levels must nest"
    return Fault(
        f"{place}, level {level}",
        f"{rows[0][level]!r} has {len(parents)} parents on level {level + 1}: {listed}; {rule}",
        "Give all its lines the same parent, or give the two different names.",
    )


def _top_faults(rows: list[Path], place: str, line_of: dict[Path, int]) -> list[Fault]:
    tops = Counter(row[-1] for row in rows)
    if len(tops) == 1 or len(rows[0]) < 2:
        return []
    listed = ", ".join(
        f"{top!r} ({_occurrences(count, [r for r in rows if r[-1] == top], line_of)})"
        for top, count in tops.most_common(4)
    )
    return [
        Fault(
            f"{place}, top level",
            f"it has {len(tops)} values where one is needed: {listed}",
            "Add a last column that holds * on every line; there is no header line.",
        )
    ]


def _occurrences(count: int, rows: list[Path], line_of: dict[Path, int]) -> str:
    line = line_of.get(rows[0])
    where = "" if line is None else f", first on line {line}"
    return counted(count, "value") + where
