"""Homogeneity: all records that agree with what is known share a sensitive label.

References
----------
A. Machanavajjhala, J. Gehrke, D. Kifer, "l-diversity", ICDE 2006; O. Gkountouna, M. Terrovitis
(2013), section III-F.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import counted
from indistinct.measures.confidence import wilson
from indistinct.risk.attacks.base import Attack, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.trees.attacks.knowing import Draw, Known, Published

SHOWN = 5


def homogeneity(published: Published, people: Sequence[Known], draw: Draw, kind: int) -> Attack:
    """Count the people of whom a label of a class is known for certain."""
    name, values = published.forest.classes[kind], published.forest.labels.values
    held = dict(_held(published, kind))
    learnt: list[tuple[Known, int, int]] = []
    for known in people:
        marks = published.agreeing(known)
        size = int(marks.sum())
        shared = [code for code, own in held.items() if size and own[marks].all()]
        if shared:
            learnt.append((known, size, shared[0]))
    usual = max((float(own.mean()) for own in held.values()), default=0.0)
    learnt.sort(key=lambda one: -one[1])
    return Attack(
        name="homogeneity",
        story=_story(draw, name, len(people), len(learnt)),
        rate=wilson(len(learnt), len(people)),
        baseline=usual,
        chance=f"somebody guesses the label of {name} that most records have",
        findings=tuple(
            Finding({"known": published.told(known)}, size, f"{name} is {values[code]}")
            for known, size, code in learnt[:SHOWN]
        ),
        details={"column": name, "known": draw.labels, "relations": draw.relations},
    )


def _held(published: Published, kind: int) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield the labels of a class that tell something, and which records have them."""
    forest = published.forest
    for code in np.unique(forest.label[forest.labels.of_class[forest.label] == kind]).tolist():
        if forest.labels.values[code] != "*":
            marks = np.zeros(forest.size, dtype=np.bool_)
            marks[published.owner[forest.label == code]] = True
            yield code, marks


def _story(draw: Draw, name: str, people: int, learnt: int) -> str:
    known = f"{counted(draw.labels, 'value')} and {counted(draw.relations, 'relation')}"
    start = (
        f"Of {counted(people, 'person', 'people')} somebody knows {known} each, and reads {name} "
        "in the records that agree."
    )
    if not learnt:
        return f"{start} No label of {name} is in all of them: the attack fails."
    return f"{start} For {learnt:,} of them all share a label of {name}, so it is known of them."
