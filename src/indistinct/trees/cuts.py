"""Cuts: which label every ground label is published as.

A cut is the sorted tuple of its labels; every ground label is published as the deepest of them that
it is or lies under. A label that lies under none, or in a class that is left out, has no image;
labels of sensitive classes stay as they are.

In a cut of Gkountouna and Terrovitis 2013 no label lies under another. An *open* cut may hold both
a label and some that are under it: frequent codes by themselves, and the rare ones beside them as
their chapter or `*`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from indistinct.trees.hierarchies import Hierarchies

Cut: TypeAlias = tuple[int, ...]


class LabelCuts:
    """The cuts of hierarchies, and how one is specialized to the next."""

    def __init__(self, hierarchies: Hierarchies, fixed: frozenset[int] = frozenset()) -> None:
        self.hierarchies = hierarchies
        self._fixed = np.isin(hierarchies.labels.of_class, list(fixed))

    @cached_property
    def _by_depth(self) -> list[NDArray[np.intp]]:
        """Labels by how far they are below the top of their class, tops first."""
        depth = np.zeros(len(self.hierarchies.labels), dtype=np.int64)
        for code, above in enumerate(self.hierarchies.parent.tolist()):
            depth[code] = 0 if above < 0 else depth[above] + 1
        return [np.flatnonzero(depth == level) for level in range(int(depth.max(initial=-1)) + 1)]

    def image(self, labels: Iterable[int]) -> NDArray[np.int32]:
        """Return for every label the deepest of the given ones that it is or lies under, or -1."""
        chosen = np.full(len(self.hierarchies.labels), -1, dtype=np.int32)
        own = np.fromiter(labels, dtype=np.int32)
        chosen[own] = own
        fixed = np.flatnonzero(self._fixed)
        chosen[fixed] = fixed
        for level in self._by_depth[1:]:
            open_ones = level[chosen[level] < 0]
            chosen[open_ones] = chosen[self.hierarchies.parent[open_ones]]
        return chosen

    def above(self, cut: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return for each label of a cut the nearest of the cut that it lies under, or -1."""
        inside = np.zeros(self._climb.size, dtype=np.bool_)
        inside[cut] = inside[-1] = True
        above = self._climb[cut]
        while not (arrived := inside[above]).all():
            above = np.where(arrived, above, self._climb[above])
        return above

    @cached_property
    def _climb(self) -> NDArray[np.int32]:
        """The label above each; at last, above what has none, -1 again."""
        return np.append(self.hierarchies.parent, np.int32(-1))

    def specialized(self, cut: Cut, labels: Collection[int]) -> Cut:
        """Return the cut with some labels replaced by their children."""
        kept = (code for code in cut if code not in labels)
        return tuple(sorted((*kept, *self.below(labels))))

    def below(self, labels: Collection[int]) -> list[int]:
        """Return the children of some labels."""
        return [child for label in labels for child in self.hierarchies.children[label]]

    def highest_level(self, kind: int, labels: Iterable[int]) -> tuple[int, ...]:
        """Return those of some labels that are of a class, and highest of these."""
        own = [code for code in labels if self.hierarchies.labels.of_class[code] == kind]
        level = self.hierarchies.level
        top = max(level[own], default=-1)
        return tuple(code for code in own if level[code] == top)

    def open_labels(self, cut: Cut) -> list[int]:
        """Return the labels of a cut that can be specialized."""
        return [code for code in cut if self.hierarchies.children[code]]
