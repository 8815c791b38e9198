"""One label, one meaning: whatever is published under a label stands for one set of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.errors import Fault, HierarchyError, counted
from indistinct.hierarchy.core import TOP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indistinct.hierarchy.core import Hierarchy, Label

_APART = "Give them different names, such as 'New York (state)'."
_STAR = 'Rename it in the data, or say that it means a missing value: [input] missing = ["", "*"].'


def refuse_ambiguous(hierarchy: Hierarchy, *, place: str) -> Hierarchy:
    """Return the hierarchy; raise if one label stands for two sets of values.

    A value may stand for itself on higher levels, to fill an uneven hierarchy, and a node may be
    called as the only node below it: they cover the same values. The city New York and the state
    New York do not, and a reader of the release could not tell one from the other.

    Raises
    ------
    HierarchyError
        With every such label, its levels and what to do.
    """
    if faults := list(_ambiguous(hierarchy, place)):
        raise HierarchyError(faults)
    return hierarchy


def _ambiguous(hierarchy: Hierarchy, place: str) -> Iterator[Fault]:
    if TOP in hierarchy.code_of:
        problem = f"a value reads {TOP!r}, which is how suppressed and fully generalized cells read"
        yield Fault(place, problem, _STAR)
    covers: dict[Label, tuple[int, int, int]] = {}
    reported: set[Label] = {TOP} if TOP in hierarchy.code_of else set()
    for level in range(hierarchy.height + 1 if hierarchy.size else 0):
        first, last = (ends.tolist() for ends in hierarchy.node_runs(level))
        for label, low, high in zip(hierarchy.labels[level], first, last, strict=True):
            earlier = covers.setdefault(label, (level, low, high))
            if earlier[1:] != (low, high) and label not in reported:
                reported.add(label)
                yield _two_meanings(hierarchy, label, earlier, (level, low, high), place)


def _two_meanings(
    hierarchy: Hierarchy,
    label: Label,
    one: tuple[int, int, int],
    other: tuple[int, int, int],
    place: str,
) -> Fault:
    def covered(meaning: tuple[int, int, int]) -> str:
        level, low, high = meaning
        count = counted(high - low + 1, "value")
        return f"the value itself on level {level}" if level == 0 else f"{count} on level {level}"

    if label == TOP and other[0] == hierarchy.height:
        remedy = f"Give the group on level {one[0]} a name of its own; {TOP} stands for all values."
    else:
        remedy = _APART
    problem = f"{label!r} stands for {covered(one)} and for {covered(other)}"
    return Fault(place, problem, remedy)
