"""What a release of tree records has kept and lost, measured on what is published."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import CannotMeetError, Fault
from indistinct.trees.measures.kept import align
from indistinct.trees.measures.loss import loss_of
from indistinct.trees.measures.mining import mining_loss
from indistinct.trees.measures.rpd import rpd

if TYPE_CHECKING:
    from indistinct.trees.measures.kept import Alignment
    from indistinct.trees.measures.loss import Loss
    from indistinct.trees.methods.base import TreeProblem, TreeRecoding
    from indistinct.trees.plan import TreePlan

MIRACLE = "miracle"
MINED = 1 << 10
"""On how many records frequent subtrees are counted, where there are more."""


@dataclass(frozen=True)
class Suppressed:
    """What is left out of a release.

    Attributes
    ----------
    nodes
        Nodes of published records of which nothing is published.
    of_classes
        Those of them whose class is left out of all records, or of all of their group.
    records
        Records that are left out whole; their nodes are not counted above.
    node_share, record_share
        The shares of all private nodes, and of all records.
    """

    nodes: int
    of_classes: int
    records: int
    node_share: float
    record_share: float

    def as_json(self) -> dict[str, float]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was measured.

    Attributes
    ----------
    kept
        What became of each node and relation.
    loss
        The share of information lost, by class.
    measures
        All figures by their names.
    suppressed
        What is left out.
    """

    kept: Alignment
    loss: Loss
    measures: dict[str, float | None]
    suppressed: Suppressed


def measured(problem: TreeProblem, recoding: TreeRecoding) -> Evidence:
    """Compare private records with what is published of them."""
    private, published, hierarchies = problem.forest, recoding.forest, problem.hierarchies
    kept = recoding.kept
    if kept is None or kept.published is not published or kept.forest is not private:
        kept = align(private, published, hierarchies)
    loss = loss_of(kept, problem.weights)
    few = np.linspace(0, private.size - 1, min(private.size, MINED)).astype(np.intp)
    mined = mining_loss(private.taken(few), published.taken(few), hierarchies)
    return Evidence(
        kept,
        loss,
        {
            "loss": loss.total,
            "relations_loss": loss.of_relations,
            "rpd": rpd(published, hierarchies),
            "rpd_private": rpd(private, hierarchies),
            "ml2": mined.ml2,
            "dml2": mined.dml2,
            "cost": recoding.cost,
            "values_exact": kept.exact,
            "values_present": kept.present,
            "relations_kept": kept.relations,
        },
        suppressed_of(kept, recoding),
    )


def suppressed_of(kept: Alignment, recoding: TreeRecoding) -> Suppressed:
    """Count what is left out, of nodes and records."""
    forest, of_class = kept.forest, kept.hierarchies.labels.of_class
    nobody = np.zeros(forest.size, dtype=np.bool_)
    gone = nobody if recoding.suppressed is None else recoding.suppressed
    sizes = np.diff(forest.starts)
    missing = (kept.version < 0) & ~np.repeat(gone, sizes)
    kinds = of_class[forest.label].astype(np.int64)
    if recoding.group is not None:  # a class may be left out of a group alone
        kinds += np.repeat(recoding.group, sizes) * len(forest.classes)
    shown = np.isin(kinds, kinds[kept.version >= 0])
    return Suppressed(
        nodes=int(missing.sum()),
        of_classes=int((missing & ~shown).sum()),
        records=int(gone.sum()),
        node_share=float(missing.sum() / max(forest.nodes, 1)),
        record_share=float(gone.mean()) if forest.size else 0.0,
    )


def refuse_more(evidence: Evidence, plan: TreePlan) -> None:
    """Raise if more is left out than a plan allows.

    Classes that too few records have are left out whatever the limit; MiRaCle has none.
    """
    counts, limit = evidence.suppressed, plan.limits.suppression
    nodes = (counts.nodes - counts.of_classes) / max(evidence.kept.forest.nodes, 1)
    if plan.method.name == MIRACLE:
        return
    faults = [
        Fault(
            "limits.suppression",
            f"{share:.2%} of all {what} would be suppressed, which is more than {limit:.2%}",
            "Allow more, or choose a smaller k, m or n.",
        )
        for what, share in (("nodes", nodes), ("records", counts.record_share))
        if share > limit
    ]
    if faults:
        raise CannotMeetError(faults)
