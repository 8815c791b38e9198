"""Later records coarsened beyond the recoding that they are put through, until they hold alone.

The recoding was made for other records; of fewer ones, more is rare. A search goes on from what the
recoding makes of them: its ground values are the labels of the recoding, so that nothing is
published finer than there. A label that the recoding publishes beside some that are under it has a
ground value of its own among those, which reads the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.applying.newcomers import TOP
from indistinct.trees.forest import Labels
from indistinct.trees.hierarchies import Hierarchies
from indistinct.trees.methods.base import TreeProblem
from indistinct.trees.methods.best_cut import BestCutSearch
from indistinct.trees.operations import relabelled
from indistinct.trees.repair import repaired

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indistinct.running.progress import Progress
    from indistinct.trees.applying.newcomers import Chain
    from indistinct.trees.forest import Forest
    from indistinct.trees.knowledge import Knowledge


class _Ladders:
    """The hierarchies above published labels, class by class, parents before children."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self.of_class: list[int] = []
        self.parent: list[int] = []
        self.level: list[int] = []
        self.ground: dict[tuple[int, str], int] = {}

    def _add(self, kind: int, value: str, parent: int, level: int) -> int:
        self.values.append(value)
        self.of_class.append(kind)
        self.parent.append(parent)
        self.level.append(level)
        return len(self.values) - 1

    def add(self, kind: int, chains: Iterable[Chain]) -> None:
        """Add a class: of each published label the way up to the top, itself first."""
        listed = sorted(set(chains)) or [(TOP,)]
        height = max(map(len, listed))
        code_of: dict[Chain, int] = {}
        ways = {chain[start:] for chain in listed for start in range(len(chain))}
        for way in sorted(ways, key=lambda way: (len(way), way)):
            code_of[way] = self._add(kind, way[0], code_of.get(way[1:], -1), height - len(way) + 1)
        inner = {way[1:] for way in ways}
        for chain in listed:
            code = code_of[chain]
            if chain in inner:
                code = self._add(kind, chain[0], code, 0)
            self.ground[kind, chain[0]] = code

    def hierarchies(self) -> Hierarchies:
        labels = Labels(self.values, np.array(self.of_class, dtype=np.int32))
        return Hierarchies(
            labels, np.array(self.parent, dtype=np.int32), np.array(self.level, dtype=np.int32)
        )


def coarsened(
    forest: Forest,
    chains: Sequence[Iterable[Chain]],
    knowledge: Knowledge,
    weights: NDArray[np.float64],
    progress: Progress,
) -> Forest:
    """Coarsen records until they are k^(m,n)-anonymous by themselves.

    Parameters
    ----------
    forest
        What the recoding makes of them.
    chains
        For each class the labels that the recoding publishes, each with all labels above it.
    knowledge
        What an attacker may know, in the labels of the forest.

    Raises
    ------
    CannotMeetError
        If nothing at all can be published.
    """
    ladders = _Ladders()
    for kind, ways in enumerate(chains):
        ladders.add(kind, ways)
    hierarchies = ladders.hierarchies()
    pairs = list(zip(forest.labels.of_class.tolist(), forest.labels.values, strict=True))
    codes = np.array([ladders.ground.get(pair, -1) for pair in pairs], dtype=np.int32)
    known = replace(
        knowledge,
        absent=frozenset(int(codes[code]) for code in knowledge.absent),
        unrelated=frozenset((int(codes[a]), int(codes[b])) for a, b in knowledge.unrelated),
    )
    own = relabelled(forest, hierarchies.labels, codes)
    problem = TreeProblem(own, hierarchies, known, weights, progress)
    return repaired(BestCutSearch().search(problem), problem).forest
