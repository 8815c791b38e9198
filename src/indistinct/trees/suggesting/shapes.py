"""Shapes: which objects of nested data become nodes, and what hangs below what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indistinct.hierarchy.code_systems import code_system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from indistinct.trees.files.paths import Step
    from indistinct.trees.suggesting.leaves import Leaf

    Steps = tuple[Step, ...]


@dataclass
class Entity:
    """An object of which there may be several: a person, a visit, a diagnosis.

    Attributes
    ----------
    steps
        The path to it.
    leaves
        Its own values that make classes.
    inner
        The entities that hang below it.
    head
        The value that stands for it, above all others; None if there is none, or it is a person.
    """

    steps: Steps
    leaves: list[Leaf] = field(default_factory=list)
    inner: list[Entity] = field(default_factory=list)
    head: Leaf | None = None

    @property
    def others(self) -> list[Leaf]:
        """Its leaves beside the head."""
        return [leaf for leaf in self.leaves if leaf is not self.head]

    def in_order(self) -> Iterator[Leaf]:
        """Yield the leaves of all in the order of a path: what stands above comes first."""
        if self.head is not None:
            yield self.head
        yield from self.others
        for entity in self.inner:
            yield from entity.in_order()

    def choose_heads(self, *, person: bool = True) -> None:
        """Choose the values that stand for entities: a date, or else a code, or else the first."""
        if not person and self.leaves and len(self.leaves) + len(self.inner) > 1:
            self.head = min(self.leaves, key=_rank)
        for entity in self.inner:
            entity.choose_heads(person=False)


def _rank(leaf: Leaf) -> int:
    look = leaf.look
    if look.line[0] == "date":
        return 0
    return 1 if code_system(sorted(leaf.counts)) else 2


def grown(
    leaves: Iterable[Leaf], roots: Mapping[Steps, Steps | None], owner: Callable[[Steps], Steps]
) -> Entity:
    """Sort leaves into entities, and hang these below each other.

    Parameters
    ----------
    roots
        Entities that are there in any case, parents first, and what they hang below; the person,
        who hangs below nothing, is the first.
    owner
        Returns the path of the entity that a path belongs to.
    """
    entities = {steps: Entity(steps) for steps in roots}
    person = next(iter(entities.values()))
    for steps, above in roots.items():
        if above is not None:
            entities[above].inner.append(entities[steps])
    for leaf in leaves:
        steps = owner(leaf.steps)
        if steps not in entities:
            entities[steps] = Entity(steps)
            _enclosing(steps, entities).inner.append(entities[steps])
        entities[steps].leaves.append(leaf)
    person.choose_heads()
    return person


def _enclosing(steps: Steps, entities: Mapping[Steps, Entity]) -> Entity:
    """Find the nearest entity that a path leads through; the root of a path is always one."""
    return next(
        entities[steps[:length]]
        for length in range(len(steps) - 1, -1, -1)
        if steps[:length] in entities
    )


def placed_below(points: Mapping[str, Mapping[str, int]]) -> dict[str, str | None]:
    """Choose a parent for each of many kinds by what they point to; return them parents first.

    The root is the kind that is pointed to most and points to no other. A kind that points to
    several hangs below the deepest. Kinds that point to none of them are left out.

    Parameters
    ----------
    points
        For each kind how often it points to which others.

    Examples
    --------
    >>> placed_below({"P": {}, "E": {"P": 3}, "C": {"P": 5, "E": 5}, "X": {}})
    {'P': None, 'E': 'P', 'C': 'E'}
    """
    pointed_to = {
        name: sum(own.get(name, 0) for other, own in points.items() if other != name)
        for name in points
    }
    roots = [name for name in points if not set(points[name]) - {name}] or list(points)
    root = max(roots, key=lambda name: pointed_to[name])
    parents: dict[str, str | None] = {root: None}
    depth = {root: 0}
    waiting = [name for name in points if name != root and points[name]]
    while waiting:
        ready = [name for name in waiting if not (set(points[name]) - {name}) & set(waiting)]
        reaching = [name for name in ready or waiting if set(points[name]) & set(depth)]
        waiting = [name for name in waiting if name not in (reaching[:1] or ready or waiting)]
        for name in reaching[:1]:
            above = max(set(points[name]) & set(depth), key=lambda other: (depth[other], other))
            parents[name], depth[name] = above, depth[above] + 1
    return parents
