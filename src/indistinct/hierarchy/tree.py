"""A hierarchy written in the plan as groups within groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from indistinct.errors import Fault
from indistinct.hierarchy.core import TOP, Hierarchy

if TYPE_CHECKING:
    from indistinct.hierarchy.check import Path

Ancestors = tuple[str, ...]


def tree_hierarchy(tree: Mapping[str, Any], *, place: str) -> Hierarchy:
    """Build from nested groups; all that is in no common group meets at the top, `*`.

    Groups count from the top: the outermost are one level below it. A value that lies in fewer
    groups than others stays as it is on the lowest levels.

    Parameters
    ----------
    tree
        Group names, each with a list of values or with a mapping of groups.
    place
        What the faults are about.

    Examples
    --------
    >>> lands = {"Europe": ["Italy", "France"], "Asia": {"East": ["Japan"], "South": ["India"]}}
    >>> for path in tree_hierarchy(lands, place="column 'land'").paths():
    ...     path
    ('Italy', 'Italy', 'Europe', '*')
    ('France', 'France', 'Europe', '*')
    ('Japan', 'East', 'Asia', '*')
    ('India', 'South', 'Asia', '*')
    """
    leaves = list(_leaves(tree, ()))
    depth = max(len(above) for _, above in leaves)
    return Hierarchy.from_paths(
        (_path(leaf, above, depth) for leaf, above in leaves), place=f"{place}, tree"
    )


def tree_faults(tree: Mapping[str, Any], *, place: str) -> list[Fault]:
    """Return which branches are not groups of values, and which values are listed twice."""
    place = f"{place}, tree"
    faults = list(_branch_faults(tree, (), place))
    under: dict[str, list[Ancestors]] = {}
    for leaf, above in _leaves(tree, ()):
        under.setdefault(leaf, []).append(above)
    faults += [
        Fault(
            place,
            f"{leaf!r} is listed {len(paths)} times: under {' and under '.join(map(_name, paths))}",
            "A value has exactly one parent: keep one of them.",
        )
        for leaf, paths in under.items()
        if len(paths) > 1
    ]
    return faults


def _leaves(branch: object, above: Ancestors) -> Iterator[tuple[str, Ancestors]]:
    if isinstance(branch, Mapping):
        for name, inner in branch.items():
            yield from _leaves(inner, (str(name), *above))
    elif isinstance(branch, Sequence) and not isinstance(branch, str):
        yield from ((str(leaf), above) for leaf in branch if _is_value(leaf))


def _path(leaf: str, above: Ancestors, depth: int) -> Path:
    return (leaf, *[leaf] * (depth - len(above)), *above, TOP)


def _branch_faults(branch: object, above: Ancestors, place: str) -> Iterator[Fault]:
    subject = f"group {_name(above)}" if above else "it"
    if isinstance(branch, str) or not isinstance(branch, Mapping | Sequence):
        remedy = f"Write [{branch!r}] for a group of one.".replace("'", '"')
        yield Fault(place, f"{subject} is neither a list of values nor a table of groups", remedy)
    elif not branch:
        yield Fault(place, f"{subject} is empty", "List its values, or leave it out.")
    elif isinstance(branch, Mapping):
        for name, inner in branch.items():
            yield from _branch_faults(inner, (str(name), *above), place)
    else:
        for leaf in branch:
            if not _is_value(leaf):
                remedy = "List texts or numbers; for groups within a group use a table."
                yield Fault(place, f"{subject} holds {leaf!r}, which is not a value", remedy)


def _is_value(leaf: object) -> bool:
    return isinstance(leaf, str | int | float) and not isinstance(leaf, bool)


def _name(above: Ancestors) -> str:
    return " > ".join(reversed(above))
