"""Learning a recoding of tree records: what labels are published as, and nothing about who."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct._version import __version__
from indistinct.applying.frozen import Frozen, freeze
from indistinct.errors import Fault, PlanError
from indistinct.hierarchy.domain import Domain
from indistinct.hierarchy.spec import Flat, Suggested
from indistinct.trees.applying.learnt import ReleasedRecords, TreeLearnt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indistinct.trees.forest import Labels
    from indistinct.trees.methods.base import TreeProblem, TreeRecoding
    from indistinct.trees.plan import TreePlan
    from indistinct.trees.release import TreeRelease

REMEDY = "Choose another method, or write no recoding."


def learn(release: TreeRelease) -> tuple[TreeLearnt, list[str]]:
    """Return the recoding of a release, and what to know before it is kept.

    Raises
    ------
    PlanError
        If what was published of a record depends on more than its labels.
    """
    problem, recoding = release.made
    _refuse_unlearnable(release.plan, recoding)
    labels = problem.hierarchies.labels
    shown = set(np.unique(recoding.forest.label).tolist())
    frozen = [
        _frozen(kind, problem, recoding, release.plan)
        for kind in range(len(release.plan.tree.classes))
    ]
    content = {
        "version": __version__,
        "method": release.plan.method.name,
        "plan": _plan(release.plan, frozen),
        "classes": [_class(kind, rule, problem, shown) for kind, rule in enumerate(frozen)],
        "broken": _pairs(labels, recoding.disassociated, shown),
        "absent": [_named(labels, one) for one in sorted(problem.knowledge.absent & shown)],
        "unrelated": _pairs(labels, sorted(problem.knowledge.unrelated), shown),
        "released": ReleasedRecords.of(release.forest),
    }
    learnt = TreeLearnt.model_validate(content)
    return learnt, list(_notes(learnt, frozen))


def _refuse_unlearnable(plan: TreePlan, recoding: TreeRecoding) -> None:
    reason = None
    if plan.tree.root:
        reason = "mixed records are recoded group by group, which is not kept"
    elif recoding.cut is None:
        reason = f"{plan.method.name!r} recodes every cluster of records by itself"
    if reason:
        raise PlanError(Fault("recoding", reason, REMEDY))


def _frozen(kind: int, problem: TreeProblem, recoding: TreeRecoding, plan: TreePlan) -> Frozen:
    """Find a rule for the hierarchy of a class, or list the released values."""
    forest, name = problem.forest, problem.forest.classes[kind]
    if kind in problem.knowledge.sensitive:
        return Frozen(Flat())
    domain = _domain(forest.label, forest.labels, kind)
    spec = plan.tree.ladders.get(name) or Suggested()
    built = spec.build(domain, place=f"class {name!r}", base=plan.base)
    label = forest.label
    if recoding.suppressed is not None:
        label = label[~np.repeat(recoding.suppressed, np.diff(forest.starts))]
    released = set(_domain(label, forest.labels, kind).values)
    held = np.array([leaf in released for leaf in built.leaves], dtype=np.bool_)
    return freeze(built, spec, held, f"class {name!r}")


def _domain(label: Any, labels: Labels, kind: int) -> Domain:
    """Count the values of a class that occur."""
    counts = np.bincount(label, minlength=len(labels))
    own = np.flatnonzero((labels.of_class == kind) & (counts > 0))
    return Domain(tuple(labels.values[code] for code in own.tolist()), counts[own].astype(np.int64))


def _class(kind: int, frozen: Frozen, problem: TreeProblem, shown: set[int]) -> dict[str, Any]:
    labels = problem.hierarchies.labels
    as_it_is = kind in problem.knowledge.sensitive
    own = [code for code in sorted(shown) if labels.of_class[code] == kind and not as_it_is]
    above, parent = set(own), problem.hierarchies.parent.tolist()
    for code in own:
        while (code := parent[code]) >= 0:
            above.add(code)
    return {
        "name": problem.forest.classes[kind],
        "hierarchy": frozen.stated(),
        "pins": frozen.pins,
        "labels": [labels.values[code] for code in own],
        "coarser": [labels.values[code] for code in sorted(above.difference(own))],
        "as_it_is": as_it_is,
    }


def _pairs(
    labels: Labels, pairs: Iterable[tuple[int, int]], shown: set[int]
) -> list[tuple[tuple[int, str], tuple[int, str]]]:
    """Name pairs of labels that are both published."""
    return [
        (_named(labels, upper), _named(labels, lower))
        for upper, lower in pairs
        if upper in shown and lower in shown
    ]


def _plan(plan: TreePlan, frozen: list[Frozen]) -> dict[str, Any]:
    """Return the plan without what only the search read, with every hierarchy in it."""
    content = plan.public()
    content.pop("method", None)
    content["tree"]["hierarchies"] = {
        name: rule.stated()
        for name, rule in zip(plan.tree.classes, frozen, strict=True)
        if name not in plan.tree.entities
    }
    return content


def _named(labels: Labels, code: int) -> tuple[int, str]:
    return int(labels.of_class[code]), labels.values[code]


def _notes(learnt: TreeLearnt, frozen: Iterable[Frozen]) -> Iterable[str]:
    for own, rule in zip(learnt.classes, frozen, strict=True):
        if rule.of_data:
            yield (
                f"the recoding lists released values of class {own.name!r}: a hierarchy suggested "
                "from the data has no rule for new ones; give the class a hierarchy of its own"
            )
