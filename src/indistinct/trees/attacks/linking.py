"""Linking: somebody knows a few values of a person and looks which published records agree.

References
----------
O. Gkountouna, M. Terrovitis, "Anonymizing collections of tree-structured data" (2013), Definition
1: what k^(m,n)-anonymity promises is that this leaves k records or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import counted
from indistinct.measures.confidence import wilson
from indistinct.risk.attacks.base import Attack, Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.trees.attacks.knowing import Draw, Known, Published

SHOWN = 5
"""How many of the worst cases are shown."""


def linking(published: Published, people: Sequence[Known], draw: Draw, k: int) -> Attack:
    """Count the people whom what is known leaves one record."""
    counts = np.array([int(published.agreeing(known).sum()) for known in people], dtype=np.int64)
    found = counts[counts > 0]
    singled, below = int((counts == 1).sum()), int(((counts > 0) & (counts < k)).sum())
    fewest = int(found.min(initial=published.forest.size)) if found.size else 0
    worst = [int(place) for place in np.argsort(counts, kind="stable") if 0 < counts[place] < k]
    return Attack(
        name="linking",
        story=_story(draw, k, counts.size, found.size, (singled, below, fewest)),
        rate=wilson(singled, counts.size),
        baseline=1 / max(published.forest.size, 1),
        chance="somebody picks a record at random",
        findings=tuple(
            Finding(
                {"known": published.told(people[place])},
                int(counts[place]),
                f"{counted(int(counts[place]), 'record')} agrees"
                if counts[place] == 1
                else f"{counts[place]} records agree",
            )
            for place in worst[:SHOWN]
        ),
        details={
            "k": k,
            "known": draw.labels,
            "relations": draw.relations,
            "found": int(found.size),
            "singled_out": singled,
            "below_k": below,
            "fewest": fewest,
        },
    )


def _story(draw: Draw, k: int, people: int, found: int, left: tuple[int, int, int]) -> str:
    singled, below, fewest = left
    known = counted(draw.labels, "value")
    related = counted(draw.relations, "relation")
    start = f"Of {counted(people, 'person', 'people')} somebody knows {known} and {related} each."
    if not found:
        return f"{start} No published record agrees with any of it: the attack fails."
    end = "" if below else " Nobody is singled out: the attack fails."
    return (
        f"{start} For {found:,} of them some published record agrees: for {singled:,} exactly one, "
        f"for {below:,} fewer than {k}, and for nobody fewer than {fewest:,}.{end}"
    )
