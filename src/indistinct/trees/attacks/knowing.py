"""What attackers know of people, and which published records agree with it.

An attacker knows some values of a person and, of some pairs of them, that one was above the other.
He knows the hierarchies and sees the release, so he looks for each value as the deepest published
label that covers it; a value that nothing published covers, and a relation that no record shows,
tell him nothing, and he leaves them out. Where every group or cluster is recoded by itself, a value
may be any label that covers it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.hierarchies import Hierarchies

    Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class Known:
    """What is known of a person.

    Attributes
    ----------
    labels
        Values, as codes of the hierarchies.
    relations
        Pairs of them of which the first is above the second.
    """

    labels: tuple[int, ...]
    relations: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Draw:
    """Draws what is known of people from their private records.

    Attributes
    ----------
    private
        The private records, in the labels of their hierarchies.
    labels, relations
        How many values and relations are known at most.
    roots
        Classes of which everything is known besides.
    hidden
        Classes of which nothing is known.
    """

    private: Forest
    labels: int
    relations: int
    roots: frozenset[int] = frozenset()
    hidden: frozenset[int] = frozenset()

    def of_people(self, attempts: int, seed: int | None) -> Iterator[Known]:
        """Draw people with something to know of, each once, and what is known of each."""
        draw = np.random.default_rng(seed)
        for person in draw.permutation(self.private.size)[:attempts].tolist():
            yield self._of(person, draw)

    def _of(self, person: int, draw: np.random.Generator) -> Known:
        first, last = self.private.starts[person : person + 2].tolist()
        label = self.private.label[first:last].tolist()
        parent = [max(above - first, -1) for above in self.private.parent[first:last].tolist()]
        kind = self.private.labels.of_class[label].tolist() if label else []
        at_root = [code for code, own in zip(label, kind, strict=True) if own in self.roots]
        free = sorted(
            {
                code
                for code, own in zip(label, kind, strict=True)
                if own not in self.roots and own not in self.hidden
            }
        )
        chosen = set(draw.permutation(free)[: self.labels].tolist())
        pairs = set()
        for node, code in enumerate(label):
            above = parent[node]
            while above >= 0 and code in chosen:
                if label[above] in chosen:
                    pairs.add((label[above], code))
                above = parent[above]
        listed = sorted(pairs)
        some = draw.permutation(len(listed))[: self.relations].tolist()
        return Known((*at_root, *sorted(chosen)), tuple(listed[place] for place in sorted(some)))


class Published:
    """Published records, looked at by what people are known to have.

    Parameters
    ----------
    anywhere
        Whether a value may be any label that covers it.
    """

    def __init__(self, forest: Forest, hierarchies: Hierarchies, *, anywhere: bool) -> None:
        self.forest = forest
        self._hierarchies, self._anywhere = hierarchies, anywhere
        codes = hierarchies.labels.codes
        pairs = zip(forest.labels.of_class.tolist(), forest.labels.values, strict=True)
        self._code = np.array([codes.get(pair, -1) for pair in pairs], dtype=np.int64)
        self._label = self._code[forest.label]
        self._shown = set(np.unique(self._label).tolist())
        self._of_label: dict[int, Marks] = {}
        self._of_pair: dict[tuple[int, int], Marks] = {}

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The record of each node."""
        return np.repeat(np.arange(self.forest.size), np.diff(self.forest.starts))

    def agreeing(self, known: Known) -> Marks:
        """Mark the records that agree with what is known."""
        marks = np.ones(self.forest.size, dtype=np.bool_)
        for label in known.labels:
            if self._forms(label):
                marks &= self._having(label)
        for pair in known.relations:
            related = self._related(*pair)
            if related.any():
                marks &= related
        return marks

    def told(self, known: Known) -> str:
        """Say what is looked for, in published labels."""
        values = self._hierarchies.labels.values
        looked = [
            " or ".join(values[form] for form in self._forms(label)) for label in known.labels
        ]
        above = [
            f"{values[self._forms(a)[0]]} above {values[self._forms(b)[0]]}"
            for a, b in known.relations
            if self._related(a, b).any()
        ]
        return ", ".join([*(text for text in looked if text), *above])

    def _forms(self, label: int) -> list[int]:
        """Return the published labels that a value may be: the deepest, or all that cover it."""
        forms = []
        while label >= 0:
            if label in self._shown:
                forms.append(label)
            label = int(self._hierarchies.parent[label])
        return forms if self._anywhere else forms[:1]

    def _having(self, label: int) -> Marks:
        if label not in self._of_label:
            marks = np.zeros(self.forest.size, dtype=np.bool_)
            marks[self.owner[np.isin(self._label, self._forms(label))]] = True
            self._of_label[label] = marks
        return self._of_label[label]

    def _related(self, upper: int, lower: int) -> Marks:
        if (upper, lower) not in self._of_pair:
            marks = np.zeros(self.forest.size, dtype=np.bool_)
            nodes = np.flatnonzero(np.isin(self._label, self._forms(lower)))
            above, over = self.forest.parent[nodes], self._forms(upper)
            while (on := above >= 0).any():
                nodes, above = nodes[on], above[on]
                marks[self.owner[nodes[np.isin(self._label[above], over)]]] = True
                above = self.forest.parent[above]
            self._of_pair[upper, lower] = marks
        return self._of_pair[upper, lower]
