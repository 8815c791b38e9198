"""MiRaCle: clusters of at least k records, each published as what its records have in common.

Multirelational k-anonymity, the baseline of Gkountouna and Terrovitis 2013: k records become one
and the same tree, so whatever an attacker knows of a record agrees with k. It recodes each cluster
on its own, and suppresses a node that has no counterpart with all below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import CannotMeetError, Fault
from indistinct.trees.methods.base import TreeMethod, TreeRecoding
from indistinct.trees.planting import plant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.hierarchies import Hierarchies
    from indistinct.trees.methods.base import TreeProblem
    from indistinct.trees.methods.matching_kernel import LabelFacts, Matching
    from indistinct.trees.methods.miracle_kernel import Trees

    Labels = NDArray[np.int32]
    Tree = tuple[Labels, Labels]


class MiRaCle(TreeMethod):
    """Cluster records as they come, and publish each cluster as its common tree.

    A record is compared with the trees of the open clusters: their nodes are matched one-to-one,
    siblings of the same class below matched parents, the pairs that keep most first. A matched
    pair is published as its lowest common label, the rest is suppressed. The distance is the share
    of information that two trees lose so, from 0 to 1. The record joins the nearest cluster if
    that is near enough, else opens one; a cluster of k is closed. Clusters that stay smaller are
    joined with each other, and a last one with the nearest closed cluster.

    Parameters
    ----------
    climit
        How many clusters are open at a time. Time grows with it.
    threshold
        How far from a cluster a record may be to join it while others may still be opened.

    Notes
    -----
    Where we differ from the paper: records come in the order of a hash of their content, so that
    their order in the file does not matter. Time is about `climit` matchings for a record.

    References
    ----------
    M. E. Nergiz, C. Clifton, A. E. Nergiz, "Multirelational k-Anonymity", IEEE TKDE 21(8), 2009.
    Its use as a baseline: O. Gkountouna, M. Terrovitis (2013), section IV.
    """

    decides: ClassVar[str] = "clusters of records, each published as what its records share"
    keeps: ClassVar[tuple[str, ...]] = ("k-m-n-anonymity",)
    paper: ClassVar[str] = "Nergiz, Clifton and Nergiz 2009"

    name: Literal["miracle"] = "miracle"
    climit: Annotated[int, Field(ge=1)] = 150
    threshold: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.1

    def search(self, problem: TreeProblem) -> TreeRecoding:
        """Find clusters, and the trees to publish."""
        forest, k = problem.forest, problem.knowledge.k
        if 0 < forest.size < k:
            reason = f"{forest.size} records cannot be made {k} alike"
            raise CannotMeetError(Fault("k", reason, "Choose a smaller k."))
        from indistinct.trees.methods.matching_kernel import Matching
        from indistinct.trees.methods.miracle_kernel import Trees, cluster, subtree_sizes

        problem.progress.stage("clustering records")
        facts = _label_facts(problem.hierarchies, problem.weights)
        joined, whole, label, size, starts = cluster(
            Trees(forest.label, subtree_sizes(forest.parent), forest.starts),
            _order(forest),
            facts,
            np.asarray(problem.weights, dtype=np.float64),
            k,
            self.climit,
            self.threshold,
            Matching.of(int(np.diff(forest.starts).max(initial=1))),
        )
        clusters = _Clusters(joined, Trees(label, size, starts), facts)
        clusters.fill_up(whole, k)
        return TreeRecoding(clusters.published(forest), None)


def _label_facts(hierarchies: Hierarchies, weights: NDArray[np.float64]) -> LabelFacts:
    """Return what matching must know of labels."""
    from indistinct.trees.methods.matching_kernel import LabelFacts

    parent, of_class = hierarchies.parent, hierarchies.labels.of_class
    leaves = np.ones(parent.size)
    leaves[parent[parent >= 0]] = 0
    for code in range(parent.size - 1, -1, -1):
        if parent[code] >= 0:
            leaves[parent[code]] += leaves[code]
    total = np.zeros(int(of_class.max(initial=-1)) + 1)
    total[of_class[hierarchies.tops]] = leaves[hierarchies.tops]
    loss = (leaves - 1) / np.maximum(total[of_class] - 1, 1)
    return LabelFacts(parent, of_class, loss, np.asarray(weights, dtype=np.float64)[of_class])


def _order(forest: Forest) -> NDArray[np.int64]:
    """Return records in the order of a hash of their content, as arbitrary as any file's order."""
    label = forest.label.astype(np.uint64)
    record = np.repeat(np.arange(forest.size), np.diff(forest.starts))
    above = np.where(forest.parent < 0, label.size, forest.parent)
    upper = np.append(label, np.uint64(0xFFFF))[above]
    mixed = (label + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) ^ (
        upper + np.uint64(7)
    ) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    sums = np.zeros(forest.size + 1, dtype=np.uint64)
    np.add.at(sums, record, mixed)
    order: NDArray[np.int64] = np.argsort(sums[:-1], kind="stable")
    return order


class _Clusters:
    """Clusters with their common trees; the first ones are complete."""

    def __init__(self, joined: NDArray[np.int64], trees: Trees, facts: LabelFacts) -> None:
        self._joined, self._trees, self._facts = joined, trees, facts

    def _tree(self, cluster: int) -> Tree:
        own = slice(self._trees.starts[cluster], self._trees.starts[cluster + 1])
        return self._trees.label[own], self._trees.size[own]

    def fill_up(self, whole: int, k: int) -> None:
        """Join clusters that are too small with their neighbours, until none is."""
        count = self._trees.starts.size - 1
        members = np.bincount(self._joined, minlength=count)
        trees = {cluster: self._tree(cluster) for cluster in range(whole, count)}
        into = np.arange(count)
        small = set(trees)
        while small:
            least = min(small, key=lambda cluster: (members[cluster], cluster))
            others = [cluster for cluster in trees if cluster != least]
            target, tree = self._nearest(trees[least], trees, others, whole)
            trees[target] = tree
            del trees[least]
            into[into == least] = target
            members[target] += members[least]
            small.discard(least)
            if members[target] >= k:
                small.discard(target)
        self._joined = into[self._joined]
        self._replace(trees)

    def _nearest(
        self, tree: Tree, trees: dict[int, Tree], others: list[int], whole: int
    ) -> tuple[int, Tree]:
        from indistinct.trees.methods.miracle_kernel import nearest_tree

        among = _laid_out([trees[cluster] for cluster in others]) if others else self._trees
        allowed = np.arange(among.starts.size - 1) < (len(others) if others else whole)
        place = nearest_tree(*tree, among, allowed, self._facts, _scratch(tree, among))
        if others:
            target = others[place]
            return target, self._in_common(tree, trees[target])
        return place, self._in_common(tree, self._tree(place))

    def _in_common(self, one: Tree, other: Tree) -> Tree:
        from indistinct.trees.methods.miracle_kernel import in_common

        both: Tree = in_common(*one, *other, self._facts, _scratch(one, _laid_out([other])))
        return both

    def _replace(self, trees: dict[int, Tree]) -> None:
        every = [
            trees.get(cluster, self._tree(cluster))
            for cluster in range(self._trees.starts.size - 1)
        ]
        self._trees = _laid_out(every)

    def published(self, forest: Forest) -> Forest:
        """Return every record as the tree of its cluster."""
        from indistinct.trees.methods.miracle_kernel import parents_within

        label, size, starts = self._trees
        counts = np.diff(starts)[self._joined]
        ends = np.cumsum(counts)
        total = int(ends[-1]) if ends.size else 0
        begins = np.repeat(ends - counts, counts)
        source = np.arange(total) - begins + np.repeat(starts[:-1][self._joined], counts)
        parent = parents_within(size, starts)[source]
        return plant(
            forest.classes,
            forest.labels,
            size=forest.size,
            record=np.repeat(np.arange(forest.size), counts),
            parent=np.where(parent < 0, -1, parent + begins),
            label=label[source],
        )


def _laid_out(trees: list[Tree]) -> Trees:
    from indistinct.trees.methods.miracle_kernel import Trees

    empty = np.empty(0, dtype=np.int32)
    label = np.concatenate([empty, *(label for label, _ in trees)])
    size = np.concatenate([empty, *(size for _, size in trees)])
    return Trees(label, size, np.cumsum([0, *(label.size for label, _ in trees)], dtype=np.int64))


def _scratch(tree: Tree, others: Trees) -> Matching:
    """Return scratch to match a tree with any of some others."""
    from indistinct.trees.methods.matching_kernel import Matching

    return Matching.of(max(tree[0].size, int(np.diff(others.starts).max(initial=0))) + 1)
