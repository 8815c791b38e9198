"""What the cut searches can minimize, told of a cut before and after relations are broken.

`InformationLoss` is the loss of `measures/loss.py`, `PathDomain` the RPD of Gkountouna and
Terrovitis 2013.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from indistinct.trees.measures.kept import align
from indistinct.trees.measures.loss import added_up, label_losses, loss_of, shares
from indistinct.trees.measures.rpd import rpd
from indistinct.trees.relations_kernel import lost_relations
from indistinct.trees.synopsis_kernel import LabelCosts, Sample, mean_rpd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.trees.cuts import Cut, LabelCuts
    from indistinct.trees.forest import Forest
    from indistinct.trees.methods.base import ObjectiveName, TreeProblem
    from indistinct.trees.relations_kernel import Relations, RelationSets
    from indistinct.trees.synopsis import Coarser, Projection, Synopsis
    from indistinct.trees.synopsis_kernel import Paths

SAMPLE = 1 << 14
"""On how many records RPD is measured in a search, where there are more."""


class Repaired(NamedTuple):
    """Records after relations were broken.

    Attributes
    ----------
    paths
        The paths that are left.
    relations
        All relations of the cut, broken or not.
    sets
        The records that still have each relation.
    before
        How many records had each relation before.
    """

    paths: Paths
    relations: Relations
    sets: RelationSets
    before: NDArray[np.int64]


class Objective(Protocol):
    """What a search asks of its objective."""

    def prepare(self, fine: Projection) -> None:
        """Make ready for cuts that are coarser than a projection."""

    def of_cut(self, cut: Cut, codes: NDArray[np.int64], shown: Coarser) -> float:
        """Return the cost of a cut with all relations."""

    def of_repaired(
        self,
        cost: float,
        codes: NDArray[np.int64],
        shown: Coarser,
        repaired: Repaired,
    ) -> tuple[float, NDArray[np.float64] | None]:
        """Return the cost after relations were broken, given what it was with all of them.

        And what of it is lost with each relation, where that is known.
        """

    def measured(self, published: Forest) -> float:
        """Return the cost of published records, in the order of the private ones."""


def objective_of(
    name: ObjectiveName, problem: TreeProblem, synopsis: Synopsis, cuts: LabelCuts
) -> Objective:
    """Return an objective by its name."""
    if name == "rpd":
        return PathDomain(problem, synopsis)
    return InformationLoss(problem, cuts)


class PathDomain:
    """RPD, the reverse path domain (Gkountouna and Terrovitis 2013, equations 1 to 3)."""

    def __init__(self, problem: TreeProblem, synopsis: Synopsis) -> None:
        self._problem = problem
        place = _evenly(synopsis.records)
        self._size = int(place.max(initial=-1)) + 1
        self._few = synopsis.sampled(place)
        hierarchies = problem.hierarchies
        self._level_size = hierarchies.level_size[hierarchies.level]
        self._weight = problem.weights[hierarchies.labels.of_class]

    def prepare(self, fine: Projection) -> None:
        """See `Objective.prepare`."""
        self._sample = Sample(*fine.strung(*self._few), self._size)

    def of_cut(self, cut: Cut, codes: NDArray[np.int64], shown: Coarser) -> float:
        """See `Objective.of_cut`."""
        del cut
        return self._mean(shown.paths(), codes)

    def of_repaired(
        self,
        cost: float,
        codes: NDArray[np.int64],
        shown: Coarser,
        repaired: Repaired,
    ) -> tuple[float, NDArray[np.float64] | None]:
        """See `Objective.of_repaired`."""
        del cost, shown
        return self._mean(repaired.paths, codes), None

    def _mean(self, paths: Paths, codes: NDArray[np.int64]) -> float:
        records = self._sample.records
        cost: float = mean_rpd(
            paths,
            self._sample,
            LabelCosts(self._level_size[codes], self._weight[codes]),
            nodes=np.empty((paths.label.size, 3)),
            records=np.zeros((records, 2)),
            seen=np.zeros(records, dtype=np.int64),
        )
        return cost

    def measured(self, published: Forest) -> float:
        """See `Objective.measured`; the weights of classes are not in it."""
        return rpd(published, self._problem.hierarchies)


class InformationLoss:
    """The mean over classes and relations of the share of information lost.

    Attributes
    ----------
    told
        Of each label, what a node that is published as it still tells: 1 - NCP.
    share
        How much the private nodes of each label count, those of labels under it not included.
    """

    def __init__(self, problem: TreeProblem, cuts: LabelCuts) -> None:
        self._problem = problem
        self._cuts = cuts
        forest, hierarchies = problem.forest, problem.hierarchies
        of_class = hierarchies.labels.of_class
        nodes = np.bincount(forest.label, minlength=of_class.size)
        in_class = np.bincount(of_class, nodes, minlength=len(forest.classes)).astype(np.int64)
        of_classes, of_relations = shares(problem.weights, in_class)
        self.told = 1.0 - label_losses(hierarchies)
        self.share = (of_classes / np.maximum(in_class, 1))[of_class] * nodes
        self.share_under = added_up(hierarchies, self.share)
        self._each = of_relations / max(_relations(forest), 1)

    def prepare(self, fine: Projection) -> None:
        """See `Objective.prepare`."""

    def gained(self, label: int, children: Sequence[int]) -> float:
        """Return what publishing the children of a label instead of it would gain."""
        below = list(children)
        return float(self.share_under[below] @ (self.told[below] - self.told[label]))

    def of_labels(self, cut: Cut) -> float:
        """Return the cost of a cut with all relations."""
        image = self._cuts.image(cut)
        told = np.where(image < 0, 0.0, self.told[image])
        return float((self.share * (1.0 - told)).sum())  # a dot product would start threads

    def of_cut(self, cut: Cut, codes: NDArray[np.int64], shown: Coarser) -> float:
        """See `Objective.of_cut`."""
        del codes, shown
        return self.of_labels(cut)

    def of_repaired(
        self,
        cost: float,
        codes: NDArray[np.int64],
        shown: Coarser,
        repaired: Repaired,
    ) -> tuple[float, NDArray[np.float64] | None]:
        """See `Objective.of_repaired`."""
        _, relations, sets, before = repaired
        counts = np.zeros(before.size, dtype=np.int64)
        lost_relations(shown.paths(), shown.source.lists, relations.number, sets, before, counts)
        real = relations.opposite < 0
        upper, lower = codes[relations.upper[real]], codes[relations.lower[real]]
        lost = np.zeros(before.size)
        lost[real] = counts[real] * self.told[upper] * self.told[lower] * self._each
        return cost + float(lost.sum()), lost

    def measured(self, published: Forest) -> float:
        """See `Objective.measured`."""
        problem = self._problem
        kept = align(problem.forest, published, problem.hierarchies)
        return loss_of(kept, problem.weights).total


def _relations(forest: Forest) -> int:
    """Count the ancestor-descendant relations of all records."""
    total, above = 0, forest.parent
    while (above := above[above >= 0]).size:
        total += above.size
        above = forest.parent[above]
    return total


def _evenly(records: int) -> NDArray[np.int32]:
    """Give places in a sample to records at equal distances; -1 to the others."""
    chosen = np.unique(np.linspace(0, records - 1, min(records, SAMPLE)).astype(np.int64))
    place = np.full(records, -1, dtype=np.int32)
    place[chosen] = np.arange(chosen.size)
    return place
