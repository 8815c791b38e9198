"""Repair: what a search returns is changed until the independent check agrees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import CannotMeetError, Fault
from indistinct.trees.operations import disassociated, generalized
from indistinct.trees.verification import first_violation

if TYPE_CHECKING:
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
    while (violation := first_violation(recoding.released, problem.knowledge)) is not None:
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


def _coarser(violation: Violation, forest: Forest, problem: TreeProblem) -> np.ndarray:
    """Map the rarest label that can be known to its parent, and all that is under that with it."""
    labels = [code if code >= 0 else -1 - code for code in violation.labels]
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
