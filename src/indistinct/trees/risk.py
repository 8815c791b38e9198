"""How many records can be singled out, by how much knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.trees.verification import at_risk

if TYPE_CHECKING:
    from indistinct.running.progress import Progress
    from indistinct.trees.forest import Forest
    from indistinct.trees.knowledge import Knowledge


@dataclass(frozen=True)
class TreeRisk:
    """What tree records say about single people.

    Attributes
    ----------
    records, nodes, labels
        How many there are.
    distinct
        How many records differ.
    k
        Below how many matching records a person counts as singled out.
    singled_out
        For so many labels and relations known: how many records some such knowledge singles out.
    root
        Of mixed records, what is known beside the labels: all of these classes.
    """

    records: int
    nodes: int
    labels: dict[str, int]
    distinct: int
    k: int
    singled_out: dict[tuple[int, int], int]
    root: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "records": self.records,
            "nodes": self.nodes,
            "labels": self.labels,
            "distinct_records": self.distinct,
            "k": self.k,
            "root": list(self.root),
            "singled_out": [
                {"labels": m, "relations": n, "records": count, "share": count / self.records}
                for (m, n), count in self.singled_out.items()
            ],
        }

    def _repr_html_(self) -> str:
        from indistinct.display import tree_risk_html

        return tree_risk_html(self.as_json())


def assessed(forest: Forest, knowledge: Knowledge, progress: Progress) -> TreeRisk:
    """Count the records that are singled out, for every m and n up to those of the knowledge."""
    progress.stage("assess")
    cases = [
        (m, n)
        for m in range(0 if knowledge.roots else 1, knowledge.m + 1)
        for n in range(min(knowledge.n, m * (m - 1) // 2) + 1)
    ]
    singled_out = {}
    for done, (m, n) in enumerate(cases):
        singled_out[m, n] = int(at_risk(forest, knowledge, m, n).sum())
        progress.advance((done + 1) / len(cases))
    kinds = forest.labels.of_class
    used = np.unique(forest.label)
    return TreeRisk(
        records=forest.size,
        nodes=forest.nodes,
        labels={
            name: int((kinds[used] == place).sum()) for place, name in enumerate(forest.classes)
        },
        distinct=len({_key(label, parent) for label, parent in forest.slices()}),
        k=knowledge.k,
        singled_out=singled_out,
        root=tuple(forest.classes[kind] for kind in sorted(knowledge.roots)),
    )


def _key(label: list[int], parent: list[int]) -> frozenset[tuple[int, ...]]:
    """Return the paths of a record: equal for equal unordered trees."""
    paths: list[tuple[int, ...]] = []
    for code, above in zip(label, parent, strict=True):
        paths.append((*paths[above], code) if above >= 0 else (code,))
    return frozenset(paths)
