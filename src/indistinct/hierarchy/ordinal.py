"""Categories in an order of their own, grouped with their neighbours."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault, closest
from indistinct.hierarchy.exact import width_faults
from indistinct.hierarchy.line import Level, Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Hierarchy


def ordinal_hierarchy(
    values: Sequence[str],
    *,
    widths: Sequence[int] | None = None,
    groups: Sequence[Sequence[Sequence[str]]] | None = None,
) -> Hierarchy:
    """Group values with their neighbours in the order given.

    Parameters
    ----------
    values
        All values of the column, in order.
    widths
        How many neighbours form a group on each level, counted from the first value; each a
        multiple of the one before.
    groups
        Or the groups of each level, finest first. With neither: pairs, then fours, and so on.

    Examples
    --------
    >>> schools = ["none", "primary", "secondary", "bachelor", "master"]
    >>> ordinal_hierarchy(schools, widths=[2, 4]).labels[1:]
    (('none..primary', 'secondary..bachelor', 'master'), ('none..bachelor', 'master'), ('*',))
    """
    line = Line.of_categories(values)
    if groups is not None:
        rank = {value: place for place, value in enumerate(values)}
        keys = [_group_keys(level, rank) for level in groups]
    else:
        steps = widths or _doubled(len(values))
        keys = [
            np.arange(len(values), dtype=np.int64) // min(width, len(values)) for width in steps
        ]
    return line.hierarchy(neighbour_level(line.leaves, level) for level in keys)


def neighbour_level(leaves: Sequence[str], keys: NDArray[np.int64]) -> Level:
    """Label each run of equal keys by its first and last leaf, joined as no leaf is."""
    joints = ("..", " .. ", " to ")
    joint = next((mark for mark in joints if not any(mark in leaf for leaf in leaves)), "..")

    def label(key: int) -> str:
        first, end = np.searchsorted(keys, [key, key + 1]).tolist()
        return leaves[first] if end - first == 1 else f"{leaves[first]}{joint}{leaves[end - 1]}"

    return Level(keys, label)


def ordinal_faults(
    values: Sequence[str],
    *,
    place: str,
    widths: Sequence[int] | None = None,
    groups: Sequence[Sequence[Sequence[str]]] | None = None,
) -> list[Fault]:
    """Return what is wrong with the order and its groups, whatever the data."""
    if not values:
        return [Fault(place, "there are no values", "List all values in their order.")]
    faults = _repeated(values, place)
    if widths is not None and groups is not None:
        faults.append(Fault(place, "it has both widths and groups", "Leave one of them out."))
    if widths is not None:
        faults += width_faults(widths, place=place)
    rank = {value: position for position, value in enumerate(values)}
    sound = not faults
    for number, level in enumerate(groups or (), 1):
        of_level = _level_faults(level, rank, f"{place}, level {number}")
        faults += of_level
        sound = sound and not of_level
    if groups is not None and sound:
        faults += _nesting_faults(groups, rank, place)
    return faults


def _doubled(size: int) -> list[int]:
    return [2**power for power in range(1, size.bit_length()) if 2**power < size]


def _group_keys(groups: Sequence[Sequence[str]], rank: dict[str, int]) -> NDArray[np.int64]:
    keys = np.zeros(len(rank), dtype=np.int64)
    for group in groups:
        keys[min(rank[value] for value in group)] = 1
    return np.cumsum(keys)


def _repeated(values: Sequence[str], place: str) -> list[Fault]:
    return [
        Fault(place, f"{value!r} is listed {count} times", "List each value once.")
        for value, count in Counter(values).items()
        if count > 1
    ]


def _level_faults(groups: Sequence[Sequence[str]], rank: dict[str, int], place: str) -> list[Fault]:
    listed = [value for group in groups for value in group]
    faults = _repeated(listed, place)
    faults += [
        Fault(place, f"{value!r} is not among the ordinal values", closest(value, rank))
        for value in dict.fromkeys(listed)
        if value not in rank
    ]
    faults += [
        Fault(place, f"{value!r} is in no group", "Put every value in a group, alone if need be.")
        for value in rank
        if value not in listed
    ]
    faults += [
        Fault(place, "a group is empty", "List its values, or leave it out.")
        for group in groups
        if not group
    ]
    return faults + [fault for group in groups for fault in _gap_faults(group, rank, place)]


def _gap_faults(group: Sequence[str], rank: dict[str, int], place: str) -> list[Fault]:
    places = {rank[value] for value in group if value in rank}
    inner = list(rank)[min(places) : max(places) + 1] if places else []
    between = [value for value in inner if value not in group]
    if not between:
        return []
    listed, left = ", ".join(group), ", ".join(between)
    remedy = "A group consists of neighbours: add them, or split the group."
    return [Fault(place, f"the group {listed} leaves out {left} in between", remedy)]


def _nesting_faults(
    groups: Sequence[Sequence[Sequence[str]]], rank: dict[str, int], place: str
) -> list[Fault]:
    faults = []
    pairs = pairwise(groups)
    for number, (fine, coarse) in enumerate(pairs, 2):
        above = _group_keys(coarse, rank)
        for group in fine:
            if len({int(above[rank[value]]) for value in group}) > 1:
                problem = f"the group {', '.join(group)} of level {number - 1} is split"
                remedy = "Levels must nest, the finest first: join whole groups."
                faults.append(Fault(f"{place}, level {number}", problem, remedy))
    return faults
