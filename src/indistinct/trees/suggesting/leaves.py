"""Leaves: the places of nested data that hold values, and whether they make a class."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.hierarchy.code_systems import code_system
from indistinct.hierarchy.domain import Domain
from indistinct.hierarchy.suggest import FEW
from indistinct.plan.identifiers import Look, identifier_reason
from indistinct.plan.naming import spread
from indistinct.trees.files.paths import EVERY, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indistinct.trees.files.paths import Step

MOST_KEYS = 200
MOST_VALUES = 1_000_000
DEEPEST = 40
_OF_CODES = frozenset(["system", "display", "unit", "version", "userSelected", "use"])
_OF_RESOURCES = frozenset(
    ["resourceType", "reference", "fullUrl", "versionId", "lastUpdated", "profile", "div"]
)
_HELPERS = _OF_CODES | _OF_RESOURCES
HELPS = "it says how others are written, or where they belong"
_OF_PEOPLE = frozenset(["name", "names", "telecom", "contact", "identifier", "photo"])
_GENERIC = re.compile(r"value|code|coding|codes|values|start|end|low|high")


@dataclass
class Leaf:
    """A place that holds values.

    Attributes
    ----------
    steps
        The path to it, arrays as `EVERY`.
    counts
        How often each value stands there.
    name
        What its class is called.
    left_out
        Why it makes no class; empty if it does.
    """

    steps: tuple[Step, ...]
    counts: Counter[str] = field(default_factory=Counter)
    name: str = ""
    left_out: str = ""

    @property
    def domain(self) -> Domain:
        """Its values."""
        return Domain(tuple(self.counts), np.array(list(self.counts.values()), dtype=np.int64))

    @property
    def look(self) -> Look:
        """What can be seen of it, by its name and its values."""
        return Look(self.name, self.domain)


@dataclass
class Profile:
    """What was seen at all places of some records.

    Attributes
    ----------
    leaves
        By the path to them.
    longest
        How many elements the longest array at a path has.
    """

    leaves: dict[tuple[Step, ...], Leaf] = field(default_factory=dict)
    longest: dict[tuple[Step, ...], int] = field(default_factory=dict)
    keys: dict[tuple[Step, ...], set[str]] = field(default_factory=dict)

    def add(self, data: Any, steps: tuple[Step, ...] = ()) -> None:
        """Take a record up, or what stands at a path of it."""
        if isinstance(data, Mapping):
            keys = self.keys.setdefault(steps, set())
            for name, inner in data.items():
                if inner is not None and len(steps) < DEEPEST and len(keys) <= MOST_KEYS:
                    keys.add(str(name))
                    self.add(inner, (*steps, str(name)))
        elif isinstance(data, list):
            self.longest[steps] = max(self.longest.get(steps, 0), len(data))
            for inner in data:
                self.add(inner, (*steps, EVERY) if steps[-1:] != (EVERY,) else steps)
        elif (text := text_of(data)) is not None:
            leaf = self.leaves.get(steps) or self.leaves.setdefault(steps, Leaf(steps))
            if len(leaf.counts) < MOST_VALUES:
                leaf.counts[text] += 1

    def chosen(self) -> list[Leaf]:
        """Return the leaves, each with its name or why it is left out; keys that are data are not.

        An object with very many keys is keyed by data, and nothing in it is named.
        """
        crowded = [steps for steps, keys in self.keys.items() if len(keys) > MOST_KEYS]
        leaves = [
            leaf
            for steps, leaf in self.leaves.items()
            if not any(steps[: len(place)] == place for place in crowded)
        ]
        name_all(leaves)
        for leaf in leaves:
            leaf.left_out = leaf.left_out or why_not(leaf)
        return leaves

    def shortened(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """Write the first element for an array that never has more."""
        return tuple(
            0 if step is EVERY and self.longest.get(steps[:place], 0) <= 1 else step
            for place, step in enumerate(steps)
        )


def name_all(leaves: Iterable[Leaf]) -> None:
    """Name the class of each leaf by the end of its path, by more of it where names are alike."""
    listed = list(leaves)
    for length in range(1, DEEPEST):
        for leaf in listed:
            if not leaf.name:
                leaf.name = _named(leaf.steps, length)
        twice = {name for name, count in Counter(leaf.name for leaf in listed).items() if count > 1}
        if not twice:
            return
        for leaf in listed:
            if leaf.name in twice:
                leaf.name = ""
    for number, leaf in enumerate(listed, start=1):
        leaf.name = leaf.name or f"class_{number}"


def _named(steps: tuple[Step, ...], length: int) -> str:
    names = [step for step in steps if isinstance(step, str)] or ["value_"]
    telling = [name for name in names if not _GENERIC.fullmatch(name)] or names
    if telling[-1] == names[-1]:
        own = telling[-length:]
    else:
        own = telling[-1:] if length == 1 else [*telling[1 - length :], names[-1]]
    text = "_".join(spread(name.removesuffix("CodeableConcept")) for name in own)
    return text if text != "value" else "value_"


def why_not(leaf: Leaf) -> str:
    """Say why a leaf makes no class; nothing if it does."""
    names = [step for step in leaf.steps if isinstance(step, str)]
    if not names or names[-1] in _HELPERS or "meta" in names:
        return HELPS
    if names[-1] == "id" or _OF_PEOPLE & set(names):
        return "it identifies somebody"
    if len(leaf.counts) == 1:
        return "it has only one value"
    return _by_look(leaf.look)


def _by_look(look: Look) -> str:
    sign = look.sign
    if code_system(sorted(look.domain.known)) or (sign and sign.kind == "postal"):
        return ""
    if reason := identifier_reason(look):
        return reason
    if sign is not None and sign.role == "drop":
        return f"its name suggests {sign.what}"
    unknown = sign is None or sign.role == "identifier"
    if unknown and look.is_text and look.values > FEW:
        return "nothing says what it is, and its texts may name people"
    return ""
