"""A problem with no more labels than its records need, for searches in small groups of records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.forest import Labels
from indistinct.trees.hierarchies import Hierarchies
from indistinct.trees.operations import relabelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.methods.base import TreeProblem


def with_own_labels(problem: TreeProblem) -> tuple[TreeProblem, NDArray[np.int32]]:
    """Leave out the labels that neither stand in the records nor above those that do.

    The tops of classes stay. Returns the problem, and the code that each of its labels had.
    """
    whole = problem.hierarchies
    needed = np.zeros(len(whole.labels), dtype=np.bool_)
    needed[whole.tops] = True
    here = np.unique(problem.forest.label)
    while here.size:
        needed[here] = True
        here = np.unique(whole.parent[here])
        here = here[here >= 0]
        here = here[~needed[here]]
    full = np.flatnonzero(needed).astype(np.int32)
    code = np.full(needed.size, -1, dtype=np.int32)
    code[full] = np.arange(full.size)
    above = whole.parent[full]
    labels = Labels([whole.labels.values[old] for old in full], whole.labels.of_class[full])
    hierarchies = Hierarchies(
        labels, np.where(above < 0, -1, code[above]).astype(np.int32), whole.level[full]
    )
    known = problem.knowledge
    knowledge = replace(
        known,
        absent=frozenset(int(code[old]) for old in known.absent if needed[old]),
        unrelated=frozenset(
            (int(code[a]), int(code[b])) for a, b in known.unrelated if needed[a] and needed[b]
        ),
    )
    own = replace(
        problem,
        forest=relabelled(problem.forest, labels, code),
        hierarchies=hierarchies,
        knowledge=knowledge,
    )
    return own, full
