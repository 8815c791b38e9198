"""Similarity: the values of a class differ but mean much the same.

References
----------
N. Li, T. Li, S. Venkatasubramanian, "t-closeness", ICDE 2007; Ciriani et al., "k-Anonymity",
section 5, Figure 19: cholesterol between 250 and 260 in a class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import counted
from indistinct.hierarchy.order import positions
from indistinct.risk.attacks.base import Attacker
from indistinct.risk.attacks.classes import ReleasedClasses, attack_classes, value_text
from indistinct.risk.attacks.job import lacks_classes
from indistinct.risk.fit import meanings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy
    from indistinct.risk.attacks.base import Attack
    from indistinct.risk.attacks.job import Job


def similarity(
    classes: ReleasedClasses, *, width: float = 0.2, hierarchy: Hierarchy | None = None
) -> Attack | None:
    """Find the classes of at least two values that are all near each other.

    Numbers and dates are near if they span at most the share `width` of what the whole table
    spans; categories are if they lie under one node of their hierarchy below its top. None for
    categories without a hierarchy: nothing says what they mean.
    """
    kind, place = positions(classes.values)
    if hierarchy is not None:
        level = _nodes(classes, hierarchy)

        def near(seen: ReleasedClasses) -> NDArray[np.bool_]:
            return _same(seen, level)
    elif kind != "category":
        reach = width * np.nanmax(place) - width * np.nanmin(place)

        def near(seen: ReleasedClasses) -> NDArray[np.bool_]:
            return _span(seen, place) <= reach + 1e-12
    else:
        return None

    def flag(seen: ReleasedClasses) -> NDArray[np.bool_]:
        return near(seen) & (seen.kinds > 1)

    def learnt(number: int) -> str:
        held = list(classes.held(number))
        ordered = [value_text(value) for value in classes.values if value_text(value) in held]
        if hierarchy is not None:
            return f"{classes.column} is one of {', '.join(ordered)}, which are much the same"
        return f"{classes.column} is between {ordered[0]} and {ordered[-1]}"

    def story(rows: int, number: int) -> str:
        start = f"Somebody asks what the values of {classes.column} in a class have in common. "
        if not rows:
            return start + "Where values differ, they differ much: the attack fails."
        return (
            f"{start}In {counted(number, 'class', 'classes')} they differ but are near each other: "
            f"{counted(rows, 'row')}."
        )

    return attack_classes(
        "similarity",
        classes,
        flag,
        badness=classes.sizes.astype(float),
        learnt=learnt,
        story=story,
        details={"width": None if hierarchy is not None else width},
    )


def _span(seen: ReleasedClasses, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Measure how far the values of each class lie apart; a missing one is far from all."""
    at = place[seen.pairs[1]]
    lowest = np.minimum.reduceat(np.where(np.isnan(at), -np.inf, at), seen.starts)
    highest = np.maximum.reduceat(np.where(np.isnan(at), np.inf, at), seen.starts)
    with np.errstate(invalid="ignore", over="ignore"):
        span: NDArray[np.float64] = highest - lowest
    return np.where(np.isnan(span), np.inf, span)


def _nodes(classes: ReleasedClasses, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Give each value the node below the top that it lies under; its own if it is not listed."""
    level = max(hierarchy.height - 1, 0)
    apart = len(hierarchy.labels[level])
    nodes = []
    for number, value in enumerate(classes.values):
        code = hierarchy.code_of.get(value)
        nodes.append(apart + number if code is None else int(hierarchy.nodes[level][code]))
    return np.array(nodes, dtype=np.int64)


def _same(seen: ReleasedClasses, node: NDArray[np.int64]) -> NDArray[np.bool_]:
    of_pair = node[seen.pairs[1]]
    lowest = np.minimum.reduceat(of_pair, seen.starts)
    same: NDArray[np.bool_] = lowest == np.maximum.reduceat(of_pair, seen.starts)
    return same


def _play(job: Job) -> Iterator[Attack]:
    for classes in job.classes:
        [meaning] = meanings_of(job.plan, [classes.column])
        attack = similarity(classes, width=job.width, hierarchy=meaning.hierarchy)
        if attack is not None:
            yield attack


SIMILARITY = Attacker("similarity", _play, lacks_classes, on_classes=True)
