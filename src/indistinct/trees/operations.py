"""The two operations on tree records, done to every record alike.

Gkountouna and Terrovitis 2013, section II-D: generalization and disassociation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.records_kernel import Broken, Records, recode
from indistinct.trees.synopsis_kernel import Paths

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
    longest = int(np.diff(forest.starts).max(initial=0)) + 1
    number = np.empty(0, dtype=np.int32) if forest.number is None else forest.number
    old = Records(forest.label, forest.parent, forest.starts, number)
    new = Records(
        np.empty_like(old.label),
        np.empty_like(old.parent),
        np.zeros_like(old.starts),
        np.empty_like(number),
    )
    label, parent, first, after, head, tail, then, became, tally = np.empty(
        (9, longest), dtype=np.int32
    )
    alive, stack = np.empty(longest, dtype=np.bool_), np.empty((longest, 2), dtype=np.int32)
    paths = Paths(label, parent, alive, first, after, head, tail, then, stack)
    recode(old, new, image, _in_order(relations, len(forest.labels)), paths, became, tally)
    nodes = int(new.starts[-1])
    return replace(
        forest,
        label=new.label[:nodes].copy(),
        parent=new.parent[:nodes].copy(),
        starts=new.starts,
        number=None if forest.number is None else new.number[:nodes].copy(),
    )


def _in_order(relations: Sequence[tuple[int, int]], labels: int) -> Broken:
    """Rank relations by their first place in a list of those to break."""
    pairs = np.array(relations, dtype=np.int64).reshape(-1, 2)
    named = np.unique(pairs)
    compact = np.zeros(labels, dtype=np.int32)
    compact[named] = np.arange(1, named.size + 1)
    rank = np.full((named.size + 1, named.size + 1), -1, dtype=np.int32)
    for place, (a, b) in enumerate(relations):
        if rank[compact[a], compact[b]] < 0:
            rank[compact[a], compact[b]] = place
    upper, lower = pairs.T.copy()
    return Broken(upper, lower, rank, compact)
