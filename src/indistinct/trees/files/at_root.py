"""Whether records keep to what a plan says of its root classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import DataError, Fault
from indistinct.trees.files.families import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.plan import TreePlan

_DIRECTLY = (
    "Root classes are directly at the record; in tables, in a list of the root table's columns:"
    ' columns = [["age", "sex"]].'
)


def refuse_elsewhere(forest: Forest, plan: TreePlan, place: str) -> None:
    """Raise if a root class stands twice in a record, below a node, or above one.

    Raises
    ------
    DataError
        With the records, of all root classes.
    """
    faults = [fault for name in plan.tree.root for fault in _faults(forest, name, place)]
    if faults:
        raise DataError(faults)


def _faults(forest: Forest, name: str, place: str) -> Iterator[Fault]:
    own = forest.labels.of_class[forest.label] == forest.classes.index(name)
    owner = np.repeat(np.arange(forest.size), np.diff(forest.starts))
    below = forest.parent >= 0
    above = np.zeros(forest.nodes, dtype=np.bool_)
    above[forest.parent[below]] = True
    several = np.flatnonzero(np.bincount(owner[own & ~below], minlength=forest.size) > 1)
    if several.size:
        problem = f"root class {name!r} has several values"
        remedy = "Keep one, or take the class out of tree.root."
        yield Fault(_at(place, several), problem, remedy)
    for where, what in ((below, "is below another node"), (above, "has nodes below it")):
        if (misplaced := np.unique(owner[own & where])).size:
            yield Fault(_at(place, misplaced), f"root class {name!r} {what}", _DIRECTLY)


def _at(place: str, records: NDArray[np.intp]) -> str:
    return f"{place}, {numbered((records + 1).tolist(), 'record')}"
