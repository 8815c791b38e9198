"""What is left of the values and relations of private records in the published ones.

Records are compared one by one, in the order in which a method returns them; a release that was
shuffled must be put back first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.hierarchies import Hierarchies


@dataclass(frozen=True, eq=False)
class Alignment:
    """What became of each node and each relation of private records.

    Attributes
    ----------
    forest, published
        The private records, and what is published of them.
    version
        For each node the most special published label of its record that generalizes it; -1 if
        there is none.
    upper, lower
        The nodes of each ancestor-descendant relation.
    kept
        Whether the published record has each relation between the versions of its nodes.
    """

    forest: Forest
    published: Forest
    hierarchies: Hierarchies
    version: NDArray[np.int32]
    upper: NDArray[np.int32]
    lower: NDArray[np.int32]
    kept: NDArray[np.bool_]

    @property
    def exact(self) -> float:
        """The share of nodes that are published as they are."""
        return _share(self.version == self.forest.label)

    @property
    def present(self) -> float:
        """The share of nodes that are published in some form, the top of a class not counted."""
        return _share(self.told)

    @property
    def told(self) -> NDArray[np.bool_]:
        """Whether each node is published as something that tells of it: not left out, no `*`."""
        told: NDArray[np.bool_] = (self.version >= 0) & ~self.stars[self.version]
        return told

    @property
    def stars(self) -> NDArray[np.bool_]:
        """Whether each label is the top of a class, which may stand for any of its values."""
        ground = np.ones(self.hierarchies.parent.size, dtype=np.bool_)
        ground[self.hierarchies.parent[self.hierarchies.parent >= 0]] = False
        stars: NDArray[np.bool_] = (self.hierarchies.parent < 0) & ~ground
        return stars

    @property
    def relations(self) -> float:
        """The share of relations that are published, between nodes that both tell something."""
        told = self.told
        return _share(self.kept & told[self.upper] & told[self.lower])

    @property
    def climbed(self) -> NDArray[np.int32]:
        """How many levels each node rose; a node that is left out, one more than the top."""
        level = self.hierarchies.level
        tops = level[self.hierarchies.tops][self.hierarchies.labels.of_class] + 1
        here = self.forest.label
        risen: NDArray[np.int32] = (
            np.where(self.version < 0, tops[here], level[self.version]) - level[here]
        )
        return risen


def _share(of: NDArray[np.bool_]) -> float:
    return float(of.mean()) if of.size else 1.0


def align(private: Forest, published: Forest, hierarchies: Hierarchies) -> Alignment:
    """Compare private records with what is published of them, both in the hierarchies' labels."""
    from indistinct.trees.measures.alignment_kernel import RelationTable, find_kept, find_versions

    version = np.empty_like(private.label)
    find_versions(
        private.label, private.starts, published.label, published.starts, hierarchies.parent,
        version,
    )  # fmt: skip
    total = int(_relation_counts(private).sum())
    upper, lower = np.empty((2, total), dtype=np.int32)
    kept = np.empty(total, dtype=np.bool_)
    most = int(_relation_counts(published).max(initial=1))
    table = RelationTable(*np.zeros((2, 1 << (2 * most).bit_length()), dtype=np.int64))
    find_kept(
        private.parent, private.starts, version, published.label, published.parent,
        published.starts, len(hierarchies.labels), table, upper, lower, kept,
    )  # fmt: skip
    return Alignment(private, published, hierarchies, version, upper, lower, kept)


def _relation_counts(forest: Forest) -> NDArray[np.int64]:
    """Count the ancestor-descendant relations of each record."""
    depth = np.zeros(forest.label.size + 1, dtype=np.int64)
    node, above = np.arange(1, depth.size), forest.parent
    while (below := above >= 0).any():
        node, above = node[below], above[below]
        depth[node] += 1
        above = forest.parent[above]
    return np.diff(np.cumsum(depth)[forest.starts])
