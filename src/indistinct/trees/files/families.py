"""Tables or resources that hang below each other: one root, no circles, parents before children."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from indistinct.errors import Fault, closest

if TYPE_CHECKING:
    from collections.abc import Mapping

Orphans = Literal["error", "drop", "root"]
SHOWN = 5


class Member(Protocol):
    """What a plan says of one of them."""

    @property
    def parent(self) -> str | None:
        """The one above it."""


M = TypeVar("M", bound=Member)


def family_faults(members: Mapping[str, Member], section: str, what: str) -> list[Fault]:
    """Return what is wrong with parents: `what` they are stands in a section of the plan."""
    missing = [
        Fault(f"{section}.{name}.parent", f"there is no {what} {member.parent!r}", near)
        for name, member in members.items()
        if member.parent and member.parent not in members
        for near in [closest(member.parent, members)]
    ]
    roots = [name for name, member in members.items() if not member.parent]
    if len(roots) > 1:
        problem = f"{len(roots)} {what}s have no parent: {', '.join(roots)}"
        missing.append(Fault(section, problem, "One is the root; give the others a parent."))
    if not members:
        missing.append(Fault(section, f"there are no {what}s", f"Declare the root {what}."))
    return missing or _circles(members, section)


def _circles(members: Mapping[str, Member], section: str) -> list[Fault]:
    faults, reported = [], set()
    for name in members:
        path = [name]
        while (above := members[path[-1]].parent) and above not in path:
            path.append(above)
        if above and above == name and frozenset(path) not in reported:
            reported.add(frozenset(path))
            circle = " -> ".join([*path, name])
            problem = f"they point at each other in a circle: {circle}"
            remedy = "A person's data must form a tree: leave one of the parents out."
            faults.append(Fault(f"{section}.{name}.parent", problem, remedy))
    return faults


def parents_first(members: Mapping[str, M]) -> dict[str, M]:
    """Put the root first, and each after its parent."""

    def height(name: str) -> int:
        steps, above = 0, members[name].parent
        while above:
            steps, above = steps + 1, members[above].parent
        return steps

    return {name: members[name] for name in sorted(members, key=height)}


def numbered(numbers: list[int], word: str) -> str:
    """Name some of many by their numbers.

    >>> numbered([3], "row"), numbered([1, 2, 3, 4, 5, 6, 9], "row")
    ('row 3', 'rows 1, 2, 3, 4, 5 and 2 more')
    """
    listed = ", ".join(map(str, numbers[:SHOWN]))
    more = f" and {len(numbers) - SHOWN} more" if len(numbers) > SHOWN else ""
    return f"{word if len(numbers) == 1 else word + 's'} {listed}{more}"
