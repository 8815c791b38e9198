"""The share of information that a release of tree records has lost: what the searches minimize.

A node loses the NCP of the label it is published as: the share of its class's ground values that
the label may stand for, 0 for a ground value, 1 for the top of the class and for a node that is
left out. The loss of a class is the mean over its private nodes. A relation that both its nodes
survive and that is broken loses what the two labels still told, (1 - NCP) times (1 - NCP), so that
breaking a relation between stars costs nothing; the loss of relations is the mean over all private
ones. The loss of a release is the mean over classes, by their weights, and relations, which count
as one class of weight 1.

RPD (`rpd`), the measure of Gkountouna and Terrovitis 2013, multiplies along paths, so that a few
labels near the root decide it: it can be least where whole classes are published as `*`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.hierarchies import Hierarchies
    from indistinct.trees.measures.kept import Alignment

RELATIONS_WEIGH = 1.0


def label_losses(hierarchies: Hierarchies) -> NDArray[np.float64]:
    """Return the NCP of every label."""
    parent, of_class = hierarchies.parent, hierarchies.labels.of_class
    ground = np.ones(parent.size, dtype=np.bool_)
    ground[parent[parent >= 0]] = False
    leaves = added_up(hierarchies, ground.astype(np.float64))
    tops = hierarchies.tops
    total = np.zeros(int(of_class.max(initial=-1)) + 1)
    total[of_class[tops]] = leaves[tops]
    return np.where(ground, 0.0, leaves / total[of_class])


def added_up(hierarchies: Hierarchies, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add to the value of each label those of all labels under it."""
    total, parent = values.copy(), hierarchies.parent.tolist()
    for code in range(total.size - 1, -1, -1):
        if parent[code] >= 0:
            total[parent[code]] += total[code]
    return total


def shares(
    weights: NDArray[np.float64], nodes: NDArray[np.int64]
) -> tuple[NDArray[np.float64], float]:
    """Return how much each class, by its weight, and all relations count; classes need nodes."""
    counted = np.where(nodes > 0, weights, 0.0)
    total = float(counted.sum()) + RELATIONS_WEIGH
    return counted / total, RELATIONS_WEIGH / total


@dataclass(frozen=True)
class Loss:
    """What a release has lost.

    Attributes
    ----------
    total
        The mean over classes and relations.
    of_class
        The loss of each class that has nodes, by its name.
    of_relations
        The loss by broken relations.
    """

    total: float
    of_class: dict[str, float]
    of_relations: float


def loss_of(kept: Alignment, weights: NDArray[np.float64]) -> Loss:
    """Measure what is lost between private records and what is published of them."""
    forest, hierarchies = kept.forest, kept.hierarchies
    ncp = label_losses(hierarchies)
    lost = np.where(kept.version < 0, 1.0, ncp[kept.version])
    kinds = hierarchies.labels.of_class[forest.label]
    nodes = np.bincount(kinds, minlength=len(forest.classes))
    means = np.bincount(kinds, lost, minlength=nodes.size) / np.maximum(nodes, 1)
    told = (1.0 - lost[kept.upper]) * (1.0 - lost[kept.lower])
    broken = float(told[~kept.kept].sum() / max(kept.kept.size, 1))
    of_class, of_relations = shares(weights, nodes)
    return Loss(
        float(means @ of_class) + of_relations * broken,
        {
            name: float(mean)
            for name, mean, some in zip(forest.classes, means, nodes, strict=True)
            if some
        },
        broken,
    )
