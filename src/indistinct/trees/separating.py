"""Repair of what is known of the same nodes: labels coarsened, or taken away from what is above.

Rare knowledge (`same_path.RarePattern`) has a fact at least, and each fact a label whose node is
below another or beside one. Coarser, it may be frequent enough; directly at the record it is below
nothing. Labels are chosen that undo most rare knowledge for the fewest nodes, all of a round at
once. Both ways are gone, and what loses less is kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.measures.kept import align
from indistinct.trees.measures.loss import loss_of
from indistinct.trees.operations import disassociated, generalized
from indistinct.trees.same_path import rare_patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from indistinct.trees.forest import Forest
    from indistinct.trees.methods.base import TreeProblem, TreeRecoding
    from indistinct.trees.same_path import RarePattern

    Mend = Callable[[TreeRecoding], TreeRecoding]


def separated(recoding: TreeRecoding, problem: TreeProblem, mend: Mend) -> TreeRecoding:
    """Undo all rare knowledge of the same nodes, in the way that loses less.

    Parameters
    ----------
    mend
        Repairs what other promises are broken by it.
    """
    ways = [_Way(problem, mend, coarsens=coarsens).gone(recoding) for coarsens in (True, False)]
    return min(ways, key=lambda way: _loss(way, problem))


def _loss(recoding: TreeRecoding, problem: TreeProblem) -> float:
    kept = align(problem.forest, recoding.forest, problem.hierarchies)
    return loss_of(kept, problem.weights).total


class _Way:
    """One way: with or without coarser labels before they are taken away from what is above."""

    def __init__(self, problem: TreeProblem, mend: Mend, *, coarsens: bool) -> None:
        self._problem, self._mend, self._coarsens = problem, mend, coarsens

    def gone(self, recoding: TreeRecoding) -> TreeRecoding:
        """Go it to the end: each step coarsens labels, or breaks relations and makes none."""
        while rare := self._least(recoding.released):
            chosen = _chosen(rare, recoding.forest)
            recoding = self._mend(self._without(recoding, chosen))
        return recoding

    def _least(self, forest: Forest) -> list[RarePattern]:
        """Return all rare knowledge of as few labels and facts as there is any."""
        knowledge = self._problem.knowledge
        for m in range(2, knowledge.m + 1):
            for n in range(1, knowledge.n + 1):
                if rare := list(rare_patterns(forest, knowledge, m=m, n=n)):
                    return rare
        return []

    def _without(self, recoding: TreeRecoding, chosen: Iterable[int]) -> TreeRecoding:
        """Coarsen labels, or take them away from all that is above them."""
        parent = self._problem.hierarchies.parent
        coarser = {
            int(parent[label])
            for label in chosen
            if self._coarsens and parent[label] >= 0 and parent[parent[label]] >= 0
        }
        if coarser:
            image = self._image(coarser)
            cut = recoding.cut
            if cut is not None:
                cut = np.where(cut < 0, -1, image[cut]).astype(np.int32)
            return replace(recoding, forest=generalized(recoding.forest, image), cut=cut)
        pairs = _pairs_above(recoding.forest, set(chosen))
        return replace(
            recoding,
            forest=disassociated(recoding.forest, pairs),
            disassociated=tuple(dict.fromkeys((*recoding.disassociated, *pairs))),
        )

    def _image(self, coarser: set[int]) -> np.ndarray:
        """Map what is under some labels to the highest of these."""
        parent = self._problem.hierarchies.parent.tolist()
        image = np.arange(len(parent), dtype=np.int32)
        for code, above in enumerate(parent):  # parents come before children
            if above >= 0 and (above in coarser or image[above] != above):
                image[code] = image[above]
        return image


def _chosen(rare: Iterable[RarePattern], forest: Forest) -> list[int]:
    """Choose labels so that each rare knowledge has one that is below or beside another."""
    nodes = np.bincount(forest.label, minlength=len(forest.labels)).tolist()
    patterns = [
        frozenset({lower for _, lower in one.above} | {end for pair in one.beside for end in pair})
        for one in rare
    ]
    of_label: defaultdict[int, set[int]] = defaultdict(set)
    for number, labels in enumerate(patterns):
        for label in labels:
            of_label[label].add(number)
    count = Counter({label: len(numbers) for label, numbers in of_label.items()})
    left = set(range(len(patterns)))
    chosen: list[int] = []
    while left:
        best = max(count, key=lambda label: (count[label] / nodes[label], -label))
        chosen.append(best)
        for number in of_label[best] & left:
            left.remove(number)
            count.subtract(patterns[number])
        count = +count
    return chosen


def _pairs_above(forest: Forest, labels: set[int]) -> list[tuple[int, int]]:
    """List the relations in which the labels are the lower ones."""
    pairs: set[tuple[int, int]] = set()
    node = np.flatnonzero(np.isin(forest.label, list(labels)) & (forest.parent >= 0))
    above = forest.parent[node]
    while node.size:
        found = np.unique(np.stack([forest.label[above], forest.label[node]], axis=1), axis=0)
        pairs.update(map(tuple, found.tolist()))
        further = forest.parent[above] >= 0
        node, above = node[further], forest.parent[above[further]]
    return sorted(pairs)
