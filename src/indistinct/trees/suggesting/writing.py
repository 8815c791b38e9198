"""A suggested plan as TOML, with what speaks for each part."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, Fault
from indistinct.plan.coarsening import coarsening
from indistinct.plan.toml import comment, key, value
from indistinct.trees.files.paths import written_path
from indistinct.trees.plan import TreePlan
from indistinct.trees.suggesting.leaves import HELPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indistinct.plan.coarsening import Coarsening
    from indistinct.trees.suggesting.leaves import Leaf
    from indistinct.trees.suggesting.shapes import Entity

K, M, N = 5, 2, 1
_HEAD = """\
# A first plan for tree records, suggested from their structure and values. It is a
# starting point: compare each class with what others may know about these people.
# What is in no class is never published.
# When it is done: indistinct tree check PLAN DATA, then indistinct tree anonymize.
"""
_CLASSES = (
    "In the order of a path: the upper class comes first. Each class costs detail: remove one that "
    "nobody needs here, where it is read, and from the hierarchies."
)
_SENSITIVE = (
    "Classes that nobody outside can know, but may want to learn, can be published as they are; "
    "they then need l-diversity, see docs/trees.md."
)
_KMN = (
    "Anyone who knows m values of a person, and n facts about which of them is above which, finds "
    "k records or none. 5 is a common first k; 11 or more is recommended for health data."
)


@dataclass(frozen=True)
class Section:
    """A table of the plan, with a word on it; without a name it is part of `[tree]`."""

    name: str
    keys: dict[str, Any]
    note: str = ""

    def lines(self) -> Iterator[str]:
        """Write it."""
        if self.name:
            *above, last = self.name.split(".", 2)
            yield f"[{'.'.join([*above, key(last)])}]"
        if self.note:
            yield from comment(self.note)
        yield from (f"{key(name)} = {value(content)}" for name, content in self.keys.items())
        yield ""


@dataclass(frozen=True)
class SuggestedTreePlan:
    """A first plan for tree records. It holds names of keys and columns, and no value of the data.

    Attributes
    ----------
    people
        How many records there are.
    root
        What a person's record is made of.
    leaves
        All places with values, those that make no class too.
    sections
        How the records are read.
    notes
        What a look at the whole showed.
    """

    people: int
    root: Entity
    leaves: list[Leaf]
    sections: list[Section]
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        """Refuse data of which nothing could be published."""
        if not any(not leaf.left_out for leaf in self.leaves):
            problem = "no value in it could make a class"
            faults = [Fault(written_path(leaf.steps), leaf.left_out) for leaf in self.leaves]
            remedy = "Write a plan by hand; docs/trees.md says how."
            raise DataError([Fault("data", problem, remedy), *faults])

    @property
    def classes(self) -> list[Leaf]:
        """What makes a class, in the order of a path."""
        return list(self.root.in_order())

    @property
    def look_at(self) -> tuple[str, ...]:
        """What to look at before the plan is used."""
        lacking = [leaf.name for leaf in self.classes if _coarsening(leaf).lacking]
        heads = [f"{written_path(e.steps)} by {e.head.name}" for e in _all(self.root) if e.head]
        told = list(self.notes)
        if heads:
            told.append(f"these are the nodes that others belong below: {', '.join(heads)}")
        if lacking:
            what = "these are shown as they are or as *; a hierarchy of your own keeps more"
            told.append(f"{what}: {', '.join(lacking)}")
        if self.people < K:
            told.append(f"there are fewer than {K} people, and no release of them keeps k = {K}")
        return tuple(told)

    def toml(self) -> str:
        """Write the plan, with comments."""
        return "\n".join(self._lines())

    def plan(self) -> TreePlan:
        """Return the plan itself, as `anonymize` takes it."""
        return TreePlan.load(tomllib.loads(self.toml()))

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        classes = [
            {"class": leaf.name, "path": written_path(leaf.steps), "hierarchy": how.spec}
            for leaf in self.classes
            for how in [_coarsening(leaf)]
        ]
        left_out = [
            {"path": written_path(leaf.steps), "why": leaf.left_out}
            for leaf in self.leaves
            if leaf.left_out
        ]
        told = {"classes": classes, "left_out": left_out, "look_at": list(self.look_at)}
        return {"records": self.people, **told, "plan": self.toml()}

    def _repr_html_(self) -> str:
        from indistinct.display import suggested_tree_plan_html

        return suggested_tree_plan_html(self.as_json())

    def _lines(self) -> Iterator[str]:
        yield _HEAD
        yield "[tree]"
        yield from comment(_CLASSES)
        yield f"classes = {value([leaf.name for leaf in self.classes])}"
        yield from comment(_SENSITIVE)
        yield "# sensitive = []"
        unnamed = [section for section in self.sections if not section.name]
        yield from (line for section in unnamed for line in section.lines() if line)
        yield ""
        for section in self.sections:
            if section.name:
                yield from section.lines()
        yield from self._left_out()
        yield "[tree.hierarchies]"
        for leaf in self.classes:
            how = _coarsening(leaf)
            yield f"{key(leaf.name)} = {value(how.spec)}  # {how.note}"
        yield ""
        yield from comment(_KMN)
        yield from ("[[require]]", 'model = "k-m-n-anonymity"')
        yield from (f"k = {K}", f"m = {M}", f"n = {N}", "")

    def _left_out(self) -> Iterator[str]:
        left_out = [leaf for leaf in self.leaves if leaf.left_out not in ("", HELPS)]
        if left_out:
            yield "# Not read, apart from what says how values are written or where they belong:"
            yield from (f"#   {written_path(leaf.steps)}: {leaf.left_out}" for leaf in left_out)
            yield ""


def _coarsening(leaf: Leaf) -> Coarsening:
    sign = leaf.look.sign
    return coarsening(leaf.domain, sign.kind if sign else "")


def _all(entity: Entity) -> Iterator[Entity]:
    yield entity
    for inner in entity.inner:
        yield from _all(inner)
