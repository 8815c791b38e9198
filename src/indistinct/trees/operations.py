"""The two operations on tree records (paper 004, section II-D), done to every record alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.records_kernel import recode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest, Labels


def relabelled(forest: Forest, labels: Labels, codes: NDArray[np.int32]) -> Forest:
    """Return the same records with the codes of other labels that mean the same."""
    return replace(forest, labels=labels, label=codes[forest.label])


def generalized(forest: Forest, image: NDArray[np.int32]) -> Forest:
    """Replace every label by its image; siblings that become equal merge, their subtrees too.

    Parameters
    ----------
    image
        For each label of the forest the label of the cut; -1 leaves nodes out, whose children
        then stand below their parent.
    """
    return recoded(forest, image, ())


def disassociated(forest: Forest, relations: Sequence[tuple[int, int]]) -> Forest:
    """Break relations (upper, lower) in all records, one after the other (Definition 2).

    The lower node moves beside the upper one, and its children go to the node it stood below.
    """
    return recoded(forest, np.arange(len(forest.labels), dtype=np.int32), relations)


def recoded(
    forest: Forest, image: NDArray[np.int32], relations: Sequence[tuple[int, int]]
) -> Forest:
    """Generalize, then disassociate."""
    named = np.unique(np.array(relations, dtype=np.int32))
    compact = np.zeros(len(forest.labels), dtype=np.int32)
    compact[named] = np.arange(1, named.size + 1)
    rank = np.full((named.size + 1, named.size + 1), -1, dtype=np.int32)
    for place, (upper, lower) in enumerate(relations):
        if rank[compact[upper], compact[lower]] < 0:
            rank[compact[upper], compact[lower]] = place
    uppers, lowers = np.array(relations, dtype=np.int32).reshape(-1, 2).T.copy()
    label, parent, starts = recode(
        forest.label, forest.parent, forest.starts, image, rank, compact, uppers, lowers
    )
    return replace(forest, label=label, parent=parent, starts=starts)
