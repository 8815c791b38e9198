"""What a learnt recoding makes of the labels of new records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from indistinct.applying.frozen import Frozen
from indistinct.errors import Fault
from indistinct.trees.hierarchies import joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.applying.learnt import LearntClass, TreeLearnt
    from indistinct.trees.forest import Labels

Chain: TypeAlias = tuple[str, ...]
"""A label, and all labels above it."""

MOST_NAMED = 20
TOP = "*"


@dataclass(frozen=True, eq=False)
class Newcomers:
    """The labels of new records.

    Attributes
    ----------
    chains
        Of each class, the labels that are published in it, each with all labels above it.
    image
        By the code of each label what it is published as; None where nothing covers it.
    unknown
        Whether the hierarchies do not know a label.
    faults
        The unknown ones by name.
    """

    chains: list[list[Chain]]
    image: list[str | None]
    unknown: NDArray[np.bool_]
    faults: list[Fault]

    @classmethod
    def of(cls, labels: Labels, learnt: TreeLearnt, *, coarsen: bool) -> Newcomers:
        """Look labels up in the hierarchies of a recoding.

        With `coarsen`, a label that nothing published covers is one that is above some published.
        """
        read = cls([], [None] * len(labels), np.zeros(len(labels), dtype=np.bool_), [])
        for kind, own in enumerate(learnt.classes):
            codes = np.flatnonzero(labels.of_class == kind).tolist()
            published = {*own.labels, *(own.coarser if coarsen else ())}
            read._read(own, {labels.values[code]: code for code in codes}, published)
        return read

    def _read(self, own: LearntClass, code_of: dict[str, int], published: set[str]) -> None:
        place, values = f"class {own.name!r}", list(code_of)
        if own.as_it_is:
            for value, code in code_of.items():
                self.image[code] = value
            self.chains.append([(value, TOP) for value in values])
            return
        hierarchy, strange = Frozen(own.hierarchy, own.pins).fit(values, place)
        unknown = sorted(value for value in strange if value is not None)
        self.unknown[[code_of[value] for value in unknown]] = True
        self.faults.extend(
            Fault(place, f"value {value!r} is unknown to the recoding", "Let it be held back.")
            for value in unknown[:MOST_NAMED]
        )
        ladder = joined([own.name], [hierarchy])
        parent, texts, codes = ladder.parent.tolist(), ladder.labels.values, ladder.labels.codes
        chains: list[Chain] = []
        for value in values:
            label = -1 if value in strange else codes[0, value]
            while label >= 0 and texts[label] not in published:
                label = parent[label]
            if label < 0:
                continue
            chain = []
            while label >= 0:
                chain.append(texts[label])
                label = parent[label]
            self.image[code_of[value]] = chain[0]
            chains.append(tuple(chain))
        self.chains.append(chains)
