"""Conditions C1 and C2 of paper 001: one parent each, levels that nest, one value at the top."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from coarsen.errors import Fault, HierarchyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Path = tuple[str | None, ...]


def check_paths(paths: Iterable[Sequence[str | None]], *, place: str) -> list[Path]:
    """Return the paths without repeats, or raise with every fault found."""
    rows = list(dict.fromkeys(tuple(path) for path in paths))
    faults = _shape_faults(rows, place)
    if not faults:
        faults = [*_parent_faults(rows, place), *_top_faults(rows, place)]
    if faults:
        raise HierarchyError(faults)
    return rows


def _shape_faults(rows: list[Path], place: str) -> list[Fault]:
    if not rows:
        return [Fault(place, "it is empty", "Give one line per value: value;level 1;...;*")]
    usual = Counter(len(row) for row in rows).most_common(1)[0][0]
    faults = [
        Fault(
            place,
            f"value {row[0]!r} has {len(row) - 1} levels where others have {usual - 1}",
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


def _parent_faults(rows: list[Path], place: str) -> list[Fault]:
    faults = []
    for level in range(len(rows[0]) - 1):
        parents: dict[str | None, Counter[str | None]] = {}
        for row in rows:
            parents.setdefault(row[level], Counter())[row[level + 1]] += 1
        for value, above in parents.items():
            if len(above) > 1:
                faults.append(_two_parents(place, level, value, above))
    return faults


def _two_parents(
    place: str, level: int, value: str | None, above: Counter[str | None]
) -> Fault:
    told = ", ".join(f"{parent!r} ({count} values)" for parent, count in above.most_common(4))
    rule = "a value has exactly one parent" if level == 0 else "levels must nest"
    return Fault(
        f"{place}, level {level}",
        f"{value!r} has {len(above)} parents on level {level + 1}: {told}; {rule}",
        "Give all its lines the same parent, or tell the two apart by different names.",
    )


def _top_faults(rows: list[Path], place: str) -> list[Fault]:
    tops = Counter(row[-1] for row in rows)
    if len(tops) == 1:
        return []
    told = ", ".join(f"{top!r} ({count})" for top, count in tops.most_common(4))
    return [
        Fault(
            f"{place}, top level",
            f"it has {len(tops)} values where one is needed: {told}",
            "Add a last column that holds * on every line.",
        )
    ]
