"""A first plan for JSON: nested records, or resources that point to each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, Fault
from indistinct.trees.files.paths import EVERY, at_path, text_of, written_path
from indistinct.trees.files.resources import id_of
from indistinct.trees.forest import NotATreeError
from indistinct.trees.suggesting.leaves import Profile
from indistinct.trees.suggesting.shapes import grown, placed_below
from indistinct.trees.suggesting.writing import Section, SuggestedTreePlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indistinct.trees.files.documents import Placed
    from indistinct.trees.files.paths import Step
    from indistinct.trees.suggesting.shapes import Entity

    Steps = tuple[Step, ...]

TYPE, ID, REFERENCE = "resourceType", "id", "reference"


def suggested(placed: Iterable[Placed]) -> SuggestedTreePlan:
    """Suggest a plan for records or resources.

    Raises
    ------
    DataError
        If there are none, or no value that could make a class.
    """
    records = [_sound(place, content) for place, content in placed]
    if not records:
        raise DataError(Fault("data", "it has no records", "Give a file with data."))
    of_resources = sum(TYPE in record for record in records) * 2 > len(records)
    return _of_resources(records) if of_resources else _of_nested(records)


def _sound(place: str, content: Any) -> Mapping[str, Any]:
    if isinstance(content, NotATreeError):
        raise DataError(Fault(place, content.problem, content.remedy))
    if not isinstance(content, Mapping):
        raise DataError(Fault(place, "it is not a JSON object", "Give one object per record."))
    return content


def _of_nested(records: list[Mapping[str, Any]]) -> SuggestedTreePlan:
    profile = Profile()
    for record in records:
        profile.add(record)
    leaves = profile.chosen()
    own = [leaf for leaf in leaves if not leaf.left_out]
    root = grown(own, {(): None}, lambda steps: _array_of(steps, profile, ()))
    paths = dict(_map(root, profile))
    return SuggestedTreePlan(len(records), root, leaves, [Section("tree.map", paths)])


def _array_of(steps: Steps, profile: Profile, least: Steps) -> Steps:
    """Return the path of the element of an array that a path belongs to."""
    for length in range(len(steps), len(least), -1):
        if steps[length - 1] is EVERY and profile.longest.get(steps[: length - 1], 0) > 1:
            return steps[:length]
    return least


def _map(entity: Entity, profile: Profile) -> Iterator[tuple[str, Any]]:
    """Write the map of an entity and of those below it."""
    if entity.head is not None:
        value = profile.shortened(entity.head.steps)[len(entity.steps) :]
        own = written_path(profile.shortened(entity.steps))
        if value:
            yield own, {"class": entity.head.name, "value": written_path(value)}
        else:
            yield own, entity.head.name
    for leaf in entity.others:
        yield written_path(profile.shortened(leaf.steps)), leaf.name
    for inner in entity.inner:
        yield from _map(inner, profile)


class _References:
    """Which kinds of resources point to which, by which members, and how often."""

    def __init__(self, records: list[Mapping[str, Any]]) -> None:
        self.kinds: dict[str, Counter[str]] = {}
        self._members: dict[str, set[str]] = defaultdict(set)
        self._records = records
        for record in records:
            kind = str(record.get(TYPE))
            self.kinds.setdefault(kind, Counter())[text_of(record.get(ID)) or ""] += 1
            self._members[kind].update(
                name
                for name, inner in record.items()
                if isinstance(inner, Mapping) and REFERENCE in inner
            )
        self.ways: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        self._count()

    def _count(self) -> None:
        """Count for each kind and each kind it points to how often each member leads there."""
        for record in self._records:
            kind = str(record.get(TYPE))
            for member in self._members[kind]:
                reference = next(at_path(record, (member, REFERENCE)), None)
                for target in self._targets(reference, kind):
                    ways = self.ways[kind, target]
                    ways[member] = ways.get(member, 0) + 1

    def _targets(self, reference: Any, own: str) -> Iterator[str]:
        text = text_of(reference)
        for kind, ids in self.kinds.items():
            if text and kind != own and ids.get(id_of(text, kind)):
                yield kind

    def points(self) -> dict[str, dict[str, int]]:
        """Return for each kind how often it points to which others."""
        points: dict[str, dict[str, int]] = {kind: {} for kind in self.kinds}
        for (kind, target), ways in self.ways.items():
            points[kind][target] = max(ways.values())
        return points

    def way(self, kind: str, target: str) -> tuple[str, bool]:
        """Return the path by which a kind points to another, and whether each resource does."""
        ways = self.ways[kind, target]
        member = max(ways, key=lambda name: ways[name])
        return f"{member}.{REFERENCE}", ways[member] == sum(self.kinds[kind].values())


def _of_resources(records: list[Mapping[str, Any]]) -> SuggestedTreePlan:
    references = _References([record for record in records if TYPE in record])
    parents = placed_below(references.points())
    profile = Profile()
    for record in records:
        kind = str(record.get(TYPE))
        if kind in parents:
            profile.add(record, (kind,))
    leaves = profile.chosen()
    own = [leaf for leaf in leaves if not leaf.left_out]
    roots: dict[Steps, Steps | None] = {
        (kind,): None if above is None else (above,) for kind, above in parents.items()
    }
    root = grown(own, roots, lambda steps: _array_of(steps, profile, steps[:1]))
    sections = [_resource(kind, parents, references) for kind in parents]
    sections.append(Section("tree.map", dict(_map(root, profile))))
    people = sum(references.kinds[next(iter(parents))].values())
    look_at = [
        f"these resources belong below no person, and are left out: {kind}"
        for kind in references.kinds
        if kind not in parents
    ]
    return SuggestedTreePlan(people, root, leaves, sections, tuple(look_at))


def _resource(kind: str, parents: Mapping[str, str | None], references: _References) -> Section:
    name, above, root = f"tree.resources.{kind}", parents[kind], next(iter(parents))
    if above is None:
        return Section(name, {}, "Each of these is a person, and makes a record.")
    reference, always = references.way(kind, above)
    keys = {"parent": above, "reference": reference}
    if always:
        return Section(name, keys)
    if above != root and references.ways.get((kind, root)):
        person, _ = references.way(kind, root)
        keys |= {"orphans": "root", "person": person}
        return Section(name, keys, f"Some point to no {above}: they belong below the person.")
    note = f'Some point to no {above}, which is a fault; orphans = "drop" leaves them out.'
    return Section(name, keys, note)
