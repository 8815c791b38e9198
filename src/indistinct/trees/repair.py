"""Repair: what a search returns is changed until the independent check agrees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import CannotMeetError, Fault
from indistinct.trees.methods.groups import put_together
from indistinct.trees.operations import disassociated, generalized
from indistinct.trees.roots import members_of
from indistinct.trees.verification import first_violation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.methods.base import TreeProblem, TreeRecoding
    from indistinct.trees.verification import Violation


def repaired(recoding: TreeRecoding, problem: TreeProblem) -> TreeRecoding:
    """Break relations, and then indistinct labels, that the check still finds fault with.

    Raises
    ------
    CannotMeetError
        If nothing that could be coarsened is left.
    """
    if recoding.group is not None:
        return _repaired_by_group(recoding, problem, recoding.group)
    recoding = _mended(recoding, problem)
    if not problem.knowledge.same_path:
        return recoding
    from indistinct.trees.separating import separated

    return separated(recoding, problem, lambda other: _mended(other, problem))


def _mended(recoding: TreeRecoding, problem: TreeProblem) -> TreeRecoding:
    """Repair what breaks Definition 1."""
    knowledge = replace(problem.knowledge, same_path=False)
    while (violation := first_violation(recoding.released, knowledge)) is not None:
        if violation.relations or violation.unrelated:
            pair = (*violation.relations, *violation.unrelated)[0]
            recoding = replace(
                recoding,
                forest=disassociated(recoding.forest, [pair]),
                disassociated=(*recoding.disassociated, pair),
            )
        else:
            image = _coarser(violation, recoding.forest, problem)
            recoding = replace(
                recoding,
                forest=generalized(recoding.forest, image),
                cut=None if recoding.cut is None else _through(image, recoding.cut),
            )
    return recoding


def _repaired_by_group(
    recoding: TreeRecoding, problem: TreeProblem, group: NDArray[np.int64]
) -> TreeRecoding:
    """Repair each group of mixed records by itself: its records are alike at the root."""
    if first_violation(recoding.released, problem.knowledge) is None:
        return recoding
    members = members_of(group)
    gone = recoding.suppressed
    parts = [
        replace(
            recoding,
            forest=recoding.forest.taken(own),
            suppressed=None if gone is None else gone[own],
            group=None,
        )
        for own in members
    ]
    together = put_together([repaired(part, problem) for part in parts], members)
    return replace(together, notes=recoding.notes, cost=recoding.cost)


def _coarser(violation: Violation, forest: Forest, problem: TreeProblem) -> np.ndarray:
    """Map the rarest label that can be known to its parent, and all that is under that with it."""
    labels = [code if code >= 0 else -1 - code for code in violation.labels]
    if not labels and violation.betrayed is None:
        problem_of_roots = "too few records are alike at the root"
        raise CannotMeetError(Fault("tree.root", problem_of_roots, "Name fewer root classes."))
    if not labels:
        raise CannotMeetError(
            Fault(
                "require, l-diversity",
                "a sensitive label is in too many of all records",
                "Choose a smaller l, or leave that label out of the data.",
            )
        )
    parent = problem.hierarchies.parent
    count = np.bincount(forest.label, minlength=len(forest.labels))
    rarest = min(labels, key=lambda code: (parent[code] < 0, count[code], code))
    image = np.arange(len(forest.labels), dtype=np.int32)
    for code in range(image.size):
        if code == rarest and parent[code] < 0:
            image[code] = -1
        elif problem.hierarchies.ancestor_or_self(int(parent[rarest]), code):
            image[code] = parent[rarest]
    return image


def _through(image: np.ndarray, cut: np.ndarray) -> np.ndarray:
    return np.where(cut < 0, -1, image[cut]).astype(np.int32)
