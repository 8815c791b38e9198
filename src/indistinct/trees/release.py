"""TreeRelease: published tree records with their evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from indistinct.trees.files.in_memory import frames_of, records_of
from indistinct.trees.promises import kept

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from indistinct.trees.applying.learnt import TreeLearnt
    from indistinct.trees.forest import Forest
    from indistinct.trees.hierarchies import Hierarchies
    from indistinct.trees.measures.evidence import Suppressed
    from indistinct.trees.methods.base import TreeProblem, TreeRecoding
    from indistinct.trees.plan import TreePlan


Pair: TypeAlias = tuple[tuple[str, str], tuple[str, str]]
"""Two labels, each its class and value."""


@dataclass(frozen=True, eq=False)
class TreeRelease:
    """What is published, what was promised, and what it cost.

    Attributes
    ----------
    forest
        The published records, shuffled.
    hierarchies
        The labels and what generalizes what.
    plan
        What was asked for.
    made
        What it was made from: the private records, and what became of each.
    input_records, input_nodes
        How many there were.
    cut
        For each class the labels that are published; empty where records are recoded one by one.
    disassociated
        The relations that were broken: the upper label and the lower one, each its class and value.
    measures
        What was lost.
    loss_by_class
        The share of information lost of each class.
    suppressed
        What is left out: nodes of published records, and whole records.
    root_groups
        Of mixed records, how many there are that are alike at the root, for each group of them.
    rows
        Of tables that were read and written: how many rows each had, and has.
    notes
        What a reader should know.
    seconds
        How long each stage took.
    """

    forest: Forest
    hierarchies: Hierarchies
    plan: TreePlan
    made: tuple[TreeProblem, TreeRecoding] = field(repr=False)
    input_records: int
    input_nodes: int
    cut: dict[str, list[str]]
    disassociated: list[Pair]
    measures: dict[str, float | None]
    loss_by_class: dict[str, float]
    suppressed: Suppressed
    root_groups: tuple[int, ...] = ()
    rows: dict[str, tuple[int, int]] | None = None
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    _to_frames: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict, repr=False)

    def learnt(self) -> TreeLearnt:
        """Return the recoding, to publish later records by with `apply`.

        Raises
        ------
        PlanError
            If the method's recoding cannot be learnt.
        """
        from indistinct.trees.applying.learning import learn

        return learn(self)[0]

    @property
    def data(self) -> list[dict[str, Any]] | dict[str, Any]:
        """The published records in the shape of the plan.

        A list of mappings, as JSON has them; for tables the data frames by name, each of the kind
        that was given (Arrow tables if they were read from files).
        """
        if self.plan.tree.format != "tables":
            return records_of(self.forest)
        return frames_of(self.forest, self.plan.tree.tables, self._to_frames)

    def summary(self) -> dict[str, Any]:
        """Return the facts as plain data; nothing in it is about single people."""
        return {
            "input_records": self.input_records,
            "released_records": self.forest.size,
            "input_nodes": self.input_nodes,
            "released_nodes": self.forest.nodes,
            "method": self.plan.method.model_dump(mode="json"),
            "requirements": kept(self.plan),
            "suppressed": self.suppressed.as_json(),
            "root": self._root(),
            "copies": self._copies(),
            "rows": self.rows
            and {name: {"before": a, "after": b} for name, (a, b) in self.rows.items()},
            "cut": self.cut,
            "disassociated": [
                {"above": _as_json(upper), "below": _as_json(lower)}
                for upper, lower in self.disassociated
            ],
            "measures": self.measures,
            "loss_by_class": self.loss_by_class,
            "warnings": list(self.notes),
            "seconds": {stage: round(took, 3) for stage, took in self.seconds.items()},
        }

    def _copies(self) -> int | None:
        """Count the nodes that are published more than once; None where equal ones merge."""
        number = self.forest.number
        return None if number is None else int(number.sum()) - self.forest.nodes

    def _root(self) -> dict[str, Any] | None:
        """Tell how mixed records are grouped at the root; None if they are not."""
        if not self.plan.tree.root:
            return None
        return {
            "classes": list(self.plan.tree.root),
            "groups": len(self.root_groups),
            "smallest": min(self.root_groups, default=0),
        }

    def _repr_html_(self) -> str:
        from indistinct.display import tree_release_html

        return tree_release_html(self.summary())


def _as_json(label: tuple[str, str]) -> dict[str, str]:
    return {"class": label[0], "value": label[1]}
