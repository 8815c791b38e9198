"""What whoever publishes tree records should be told of a release, first of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indistinct.trees.measures.evidence import Evidence
    from indistinct.trees.plan import TreePlan

LITTLE = 0.05
"""A class of which less is left is as good as gone."""


def cautions(plan: TreePlan, evidence: Evidence) -> Iterator[str]:
    """Yield what is not protected, then what is lost altogether and what would bring it back."""
    for key in plan.released_keys:
        yield (
            f"key {key!r} is released as it is: nothing is promised about it, and it may"
            " reveal who a record is about"
        )
    if plan.tree.counts == "keep":
        yield (
            "values that became equal are published as often as a person has them: the promise"
            " assumes that nobody knows how often"
        )
    for name, lost in evidence.loss.of_class.items():
        if 1.0 - lost < LITTLE and name not in plan.tree.entities:
            yield _gone(name, lost, plan, evidence)


def _gone(name: str, lost: float, plan: TreePlan, evidence: Evidence) -> str:
    kept, asked = evidence.kept, plan.anonymity
    kind = kept.forest.classes.index(name)
    own = kept.hierarchies.labels.of_class[kept.forest.label] == kind
    shown = np.unique(kept.version[own])
    if (shown < 0).all():
        told = f"class {name!r} is not published at all"
    elif kept.stars[shown[shown >= 0]].all():
        told = f"class {name!r} is published as * only"
    else:
        told = f"of class {name!r} only {1.0 - lost:.1%} of the information remains"
    level = kept.hierarchies.level
    ways = []
    if level[kept.hierarchies.tops[kind]] < 2:
        ways.append(f"a hierarchy with groups of its values (tree.hierarchies.{name})")
    ways.append(f"more weight (tree.weights.{name})")
    if plan.limits.suppression < 1:
        more = max(0.05, min(1.0, 2 * plan.limits.suppression))
        ways.append(f"suppressing rare labels (limits.suppression = {more:g})")
    if asked.m > 1:
        ways.append(f"a weaker promise (m = {asked.m - 1})")
    return f"{told}. What may bring it back: {'; '.join(ways)}"
