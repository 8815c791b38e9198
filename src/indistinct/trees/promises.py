"""What a plan promises of a release of tree records, and whether the records keep it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indistinct.errors import Fault
from indistinct.trees.knowledge import Knowledge
from indistinct.trees.verification import first_violation

if TYPE_CHECKING:
    from indistinct._parts import Part
    from indistinct.trees.forest import Forest
    from indistinct.trees.plan import TreePlan
    from indistinct.trees.verification import Violation


@dataclass(frozen=True)
class TreeVerified:
    """What the check of a release found: it holds, over so many records and nodes.

    Attributes
    ----------
    certified
        Whether it is what a certificate is about.
    """

    plan: TreePlan
    records: int
    nodes: int
    certified: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "holds": True,
            "released_records": self.records,
            "released_nodes": self.nodes,
            "hash_matches": True if self.certified else None,
            "requirements": kept(self.plan),
        }

    def _repr_html_(self) -> str:
        from indistinct.display import tree_verified_html

        return tree_verified_html(self.as_json())


def kept(plan: TreePlan) -> list[dict[str, Any]]:
    """Return the requirements of a release that was checked."""
    return [
        {**_stated(asked), "promised": asked.asked(plan.tree.root), "holds": True}
        for asked in plan.require
    ]


def _stated(asked: Part) -> dict[str, Any]:
    """Return the numbers of a requirement; certificates state `same_path` only where it holds."""
    stated = asked.model_dump(mode="json")
    return {key: value for key, value in stated.items() if key != "same_path" or value}


def broken_by(forest: Forest, plan: TreePlan) -> list[Fault]:
    """Return what published records break, by the definition alone."""
    violation = first_violation(forest, knowledge_of_release(forest, plan))
    return [] if violation is None else [does_not_hold(violation, forest, plan)]


def does_not_hold(violation: Violation, forest: Forest, plan: TreePlan) -> Fault:
    """Say what is broken, and by which knowledge."""
    asked = ", ".join(f"{model} ({promised})" for model, promised in plan.promised())
    problem = f"{asked} does not hold: {violation.in_words(forest)}"
    return Fault("release", problem, "Do not publish it.")


def knowledge_of_release(forest: Forest, plan: TreePlan) -> Knowledge:
    """Say what an attacker may know in the labels of a release."""
    asked, tree = plan.anonymity, plan.tree
    codes = forest.labels.codes

    def code(spec: Any) -> int:
        return codes.get((tree.classes.index(spec.class_), spec.value), -1)

    plain = {code(denial) for denial in tree.negative if denial.below is None}
    pairs = {(code(d.below), code(d)) for d in tree.negative if d.below is not None}
    return Knowledge(
        asked.k,
        asked.m,
        asked.relations,
        sensitive=frozenset(map(tree.classes.index, tree.sensitive)),
        l=plan.diversity,
        absent=frozenset(plain - {-1}),
        unrelated=frozenset(pair for pair in pairs if -1 not in pair),
        roots=tree.roots,
        same_path=asked.same_path,
    )
