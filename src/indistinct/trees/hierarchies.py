"""The hierarchies of all classes as one forest of labels, which a cut runs through."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault, HierarchyError
from indistinct.hierarchy.core import TOP
from indistinct.hierarchy.domain import Domain
from indistinct.hierarchy.spec import Suggested
from indistinct.trees.forest import Forest, Labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Hierarchy
    from indistinct.hierarchy.spec import Spec


@dataclass(frozen=True, eq=False)
class Hierarchies:
    """Every label of every level of every class; codes count from the top down, class by class.

    Attributes
    ----------
    labels
        The labels; a parent's code is smaller than its children's.
    parent
        The label above each; -1 for the top of a class.
    level
        How far each label is above the ground values of its class.
    """

    labels: Labels
    parent: NDArray[np.int32]
    level: NDArray[np.int32]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The labels right below each label."""
        below: list[list[int]] = [[] for _ in range(len(self.labels))]
        for code, above in enumerate(self.parent.tolist()):
            if above >= 0:
                below[above].append(code)
        return tuple(map(tuple, below))

    @cached_property
    def tops(self) -> NDArray[np.int32]:
        """The top label of each class."""
        return np.flatnonzero(self.parent < 0).astype(np.int32)

    @cached_property
    def level_size(self) -> NDArray[np.int64]:
        """How many labels of all classes stand on each level: |C(u)| of Example 1."""
        return np.bincount(self.level)

    def ancestor_or_self(self, upper: int, lower: int) -> bool:
        """Return whether one label generalizes another, or is the same."""
        while lower > upper:
            lower = int(self.parent[lower])
        return lower == upper


def closed_upwards(hierarchies: Hierarchies, labels: frozenset[int]) -> frozenset[int]:
    """Add the labels all of whose children are among the given ones, and so on."""
    closed = set(labels)
    for code in range(len(hierarchies.labels) - 1, -1, -1):
        below = hierarchies.children[code]
        if below and closed.issuperset(below):
            closed.add(code)
    return frozenset(closed)


def build(
    forest: Forest, specs: Mapping[str, Spec], base: Path, *, place: str = "record"
) -> tuple[Hierarchies, NDArray[np.int32]]:
    """Build the hierarchies that cover a forest, and the code in them of each of its labels.

    A class without a hierarchy of its own gets the one that is suggested for it. Faults name the
    first record that has a label by its number, which is a line's if `place` says so.

    Raises
    ------
    HierarchyError
        With every label that is not covered, and every fault of a hierarchy.
    """
    faults: list[Fault] = []
    built: list[Hierarchy] = []
    for kind, name in enumerate(forest.classes):
        domain = domain_of(forest, kind)
        try:
            spec = specs.get(name) or Suggested()
            built.append(spec.build(domain, place=f"class {name!r}", base=base))
        except HierarchyError as error:
            faults += [_at_record(fault, forest, kind, place) for fault in error.faults]
    if faults:
        raise HierarchyError(faults)
    hierarchies = joined(forest.classes, built)
    codes = hierarchies.labels.codes
    pairs = zip(forest.labels.of_class.tolist(), forest.labels.values, strict=True)
    return hierarchies, np.array([codes[pair] for pair in pairs], dtype=np.int32)


def _at_record(fault: Fault, forest: Forest, kind: int, place: str) -> Fault:
    """Say of a value that is not covered where it stands first."""
    for code in np.flatnonzero(forest.labels.of_class == kind).tolist():
        prefix = f"value {forest.labels.values[code]!r} ("
        if fault.problem.startswith(prefix):
            node = int(np.flatnonzero(forest.label == code)[0])
            record = int(np.searchsorted(forest.starts, node, side="right"))
            problem = fault.problem.replace(" row", " node").replace(
                ") is not", f"), first in {place} {record}, is not"
            )
            return Fault(fault.place, problem, fault.remedy)
    return fault


def joined(classes: Sequence[str], built: Sequence[Hierarchy]) -> Hierarchies:
    """Put the hierarchies of the classes side by side.

    A label that repeats on the level above, alone there, is one label, counted where it is lowest.
    Every class has a top, in its place among the tops.

    Raises
    ------
    HierarchyError
        If one text means two different labels of a class.
    """
    values: list[str] = []
    of_class: list[int] = []
    parent: list[int] = []
    level: list[int] = []
    faults: list[Fault] = []
    for kind, hierarchy in enumerate(built):
        first = len(values)
        above = np.full(hierarchy.size, -1, dtype=np.int32)
        for height in range(hierarchy.height, -1, -1):
            nodes, names = hierarchy.nodes[height], hierarchy.labels[height]
            starts = np.unique(nodes, return_index=True)[1]
            codes = np.empty(len(names), dtype=np.int32)
            for node, start in enumerate(starts.tolist()):
                over = int(above[start])
                if over >= 0 and values[over] == str(names[node]) and _alone(above, over, nodes):
                    level[over] = height
                    codes[node] = over
                    continue
                codes[node] = len(values)
                values.append(str(names[node]))
                of_class.append(kind)
                parent.append(over)
                level.append(height)
            above = codes[nodes]
        if len(values) == first:  # no record has the class: it has a top like all others
            values.append(TOP)
            of_class.append(kind)
            parent.append(-1)
            level.append(0)
        faults += _repeats(classes[kind], values[first:])
    if faults:
        raise HierarchyError(faults)
    return Hierarchies(
        Labels(values, np.array(of_class, dtype=np.int32)),
        np.array(parent, dtype=np.int32),
        np.array(level, dtype=np.int32),
    )


def _alone(above: NDArray[np.int32], over: int, nodes: NDArray[np.int32]) -> bool:
    """Return whether a label has one node below it only."""
    return bool(np.unique(nodes[above == over]).size == 1)


def _repeats(name: str, values: list[str]) -> list[Fault]:
    return [
        Fault(
            f"class {name!r}",
            f"{value!r} is the name of {count} different labels of its hierarchy",
            "A release could not tell them apart: rename one.",
        )
        for value, count in Counter(values).items()
        if count > 1
    ]


def domain_of(forest: Forest, kind: int) -> Domain:
    """Count how many nodes hold each value of a class."""
    counts = np.bincount(forest.label, minlength=len(forest.labels))
    own = np.flatnonzero(forest.labels.of_class == kind)
    values = tuple(forest.labels.values[code] for code in own.tolist())
    return Domain(values, counts[own].astype(np.int64))
