"""TreeLearnt: what a release of tree records taught, as a file that later ones are put through.

The file holds the plan, the hierarchies, and of the release what the release itself shows: its
labels, the relations that are broken, and how many records read the same. Nothing says which
private record became which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from indistinct._parts import Part
from indistinct.hierarchy.spec import HierarchySpec
from indistinct.trees.forest import Forest, Labels
from indistinct.trees.plan import TreePlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PRIVATE = (
    "Keep this file with the private records. It shows published labels and records of the "
    "release, its plan, and the hierarchies."
)

Index = Annotated[int, Field(ge=0)]
Named = tuple[Index, str]
"""A label: the place of its class, and its value."""


class LearntClass(Part):
    """A class of the recoding.

    Attributes
    ----------
    hierarchy, pins
        The hierarchy as a rule or list, and what pins it.
    labels
        What its values are published as: each as the first of these on its way up.
    coarser
        Labels above these that are not among them: later records may be coarsened to them.
    as_it_is
        Whether every value is published as it is: a sensitive class.
    """

    name: str
    hierarchy: HierarchySpec
    pins: tuple[tuple[str | None, ...], ...] = ()
    labels: tuple[str, ...] = ()
    coarser: tuple[str, ...] = ()
    as_it_is: bool = False


class ReleasedRecords(Part):
    """Published records, those that read the same counted.

    Attributes
    ----------
    labels
        What nodes are called.
    counts, sizes
        How many records read so, and of how many nodes each is.
    label, parent
        The label of each node, and which node of its record is above it, -1 for none; the nodes of
        a record stand together, in preorder.
    """

    labels: tuple[Named, ...]
    counts: tuple[Annotated[int, Field(ge=1)], ...]
    sizes: tuple[Index, ...]
    label: tuple[Index, ...]
    parent: tuple[Annotated[int, Field(ge=-1)], ...]

    @model_validator(mode="after")
    def _are_records(self) -> ReleasedRecords:
        if len(self.counts) != len(self.sizes) or len(self.label) != len(self.parent):
            raise ValueError("its released records are not complete")
        if sum(self.sizes) != len(self.label):
            raise ValueError("its released records are not complete")
        label, parent = np.array(self.label, dtype=np.int64), np.array(self.parent, dtype=np.int64)
        if (label >= len(self.labels)).any():
            raise ValueError("its released records name labels that it does not list")
        sizes = np.array(self.sizes, dtype=np.int64)
        place = np.arange(label.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        below = np.flatnonzero(parent >= 0)
        kind = np.array([kind for kind, _ in self.labels], dtype=np.int64)[label]
        above = (below - place[below]) + parent[below]
        if (parent >= place).any() or (kind[above] >= kind[below]).any():
            raise ValueError("its released records are no trees")
        return self

    def forest(self, classes: Sequence[str], labels: Labels) -> Forest:
        """Return all records, each as often as it counts, in the codes of other labels."""
        codes = np.array([labels.codes[named] for named in self.labels], dtype=np.int32)
        sizes = np.array(self.sizes, dtype=np.int64)
        starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        parent = np.array(self.parent, dtype=np.int64)
        moved = np.where(parent < 0, -1, parent + np.repeat(starts[:-1], sizes))
        label = codes[np.array(self.label, dtype=np.int64)]
        once = Forest(tuple(classes), labels, label, moved.astype(np.int32), starts)
        return once.taken(np.repeat(np.arange(sizes.size), self.counts))

    @classmethod
    def of(cls, forest: Forest) -> ReleasedRecords:
        """Count the records of a forest that read the same."""
        from indistinct.trees.items_kernel import equal_records

        first, same = np.unique(
            equal_records(forest.label, forest.parent, forest.starts), return_inverse=True
        )
        once = forest.taken(first)
        used, label = np.unique(once.label, return_inverse=True)
        kinds, values = forest.labels.of_class.tolist(), forest.labels.values
        sizes = np.diff(once.starts)
        begins: NDArray[np.int64] = np.repeat(once.starts[:-1], sizes)
        parent = np.where(once.parent < 0, -1, once.parent - begins)
        return cls(
            labels=tuple((kinds[code], values[code]) for code in used.tolist()),
            counts=tuple(np.bincount(same).tolist()),
            sizes=tuple(sizes.tolist()),
            label=tuple(label.tolist()),
            parent=tuple(parent.tolist()),
        )


class TreeLearnt(Part):
    """A recoding of tree records as a file.

    Attributes
    ----------
    plan
        What was asked for, without seed and method.
    classes
        What the values of each class are published as.
    broken
        The relations that are broken, in order: the upper label and the lower one.
    absent, unrelated
        Published labels, and pairs of them, whose absence an attacker may know.
    released
        What was published by this recoding so far.
    """

    kind: Literal["indistinct tree recoding"] = "indistinct tree recoding"
    version: str
    private: str = PRIVATE
    method: str
    plan: TreePlan
    classes: tuple[LearntClass, ...]
    broken: tuple[tuple[Named, Named], ...] = ()
    absent: tuple[Named, ...] = ()
    unrelated: tuple[tuple[Named, Named], ...] = ()
    released: ReleasedRecords

    @property
    def published(self) -> list[tuple[int, str]]:
        """The labels that values of classes which are recoded are published as."""
        return [(kind, label) for kind, own in enumerate(self.classes) for label in own.labels]

    @model_validator(mode="after")
    def _fits_together(self) -> TreeLearnt:
        if [own.name for own in self.classes] != list(self.plan.tree.classes):
            raise ValueError("its classes are not those of its plan")
        hidden = [own.name for own in self.classes if own.as_it_is]
        if set(hidden) != set(self.plan.tree.sensitive):
            raise ValueError("what it publishes as it is are not the sensitive classes of its plan")
        if self.plan.tree.root:
            raise ValueError("its plan has root classes, whose recoding cannot be learnt")
        further_up = [(kind, one) for kind, own in enumerate(self.classes) for one in own.coarser]
        known = {*self.published, *further_up}
        pairs = (*self.broken, *self.unrelated)
        recoded = [*self.absent, *(label for pair in pairs for label in pair)]
        as_they_are = {kind for kind, own in enumerate(self.classes) if own.as_it_is}
        listed = [*self.released.labels, *recoded]
        if any(named not in known and named[0] not in as_they_are for named in listed):
            raise ValueError("it names labels that it does not publish")
        return self
