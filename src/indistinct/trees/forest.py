"""Forest: records that are trees, as integers.

A record is an unordered tree of labels below a root that stands for the person. A label is a value
of a class; on the way down from the root classes follow the order in which they are declared, each
at most once, and no two siblings are equal.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

Node: TypeAlias = tuple[str, str, "Sequence[Node]"]
"""A node of a record: its class, its value, and the nodes below it."""

_CHUNK = 1 << 20
_RECORDS = 1 << 14


class NotATreeError(ValueError):
    """A record breaks a rule of tree records; the reader knows the line."""

    def __init__(self, problem: str, remedy: str) -> None:
        self.problem = problem
        self.remedy = remedy
        super().__init__(problem)


@dataclass(frozen=True)
class Labels:
    """What nodes can be called: values, each of one class.

    Attributes
    ----------
    values
        The text of each label.
    of_class
        The place of its class among the classes.
    """

    values: list[str]
    of_class: NDArray[np.int32]

    @cached_property
    def codes(self) -> dict[tuple[int, str], int]:
        """The code of each label by class and text."""
        return {key: code for code, key in enumerate(zip(self._classes, self.values, strict=True))}

    @property
    def _classes(self) -> list[int]:
        listed: list[int] = self.of_class.tolist()
        return listed

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Extras:
    """What records hold beside their trees, as the text of JSON members.

    Attributes
    ----------
    texts
        Each text that some record has.
    code
        The place of each record's text among them.
    """

    texts: list[str]
    code: NDArray[np.int32]


@dataclass(frozen=True)
class Forest:
    """Tree records as integers; the nodes of a record stand together, in preorder.

    Attributes
    ----------
    classes
        The names of the classes; a path follows their order.
    labels
        What nodes can be called; of a release, values of any level of the hierarchies.
    label
        The code of each node's label.
    parent
        The index of the node above each node; -1 directly below the record's root.
    starts
        Where the nodes of each record begin, and where the last ones end.
    ids
        What the source calls the records, where somebody needs to know; never published.
    extras
        What the plan releases beside the trees, as it is.
    notes
        What was left out where they were read.
    number
        How many private nodes each node stands for; None where each is one, or nobody counts.
    rows
        How many rows each table had that they were read from.
    """

    classes: tuple[str, ...]
    labels: Labels
    label: NDArray[np.int32]
    parent: NDArray[np.int32]
    starts: NDArray[np.int64]
    ids: tuple[str, ...] | None = field(default=None)
    extras: Extras | None = field(default=None)
    notes: tuple[str, ...] = ()
    number: NDArray[np.int32] | None = field(default=None)
    rows: dict[str, int] | None = field(default=None)

    @property
    def size(self) -> int:
        """How many records there are."""
        return self.starts.size - 1

    @property
    def nodes(self) -> int:
        """How many nodes there are in all."""
        return self.label.size

    def slices(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the labels and parents of each record; parents count from the record's first node.

        Directly below the record the parent is -1.
        """
        for first in range(0, self.size, _RECORDS):
            starts = self.starts[first : first + _RECORDS + 1].tolist()
            base = starts[0]
            label = self.label[base : starts[-1]].tolist()
            parent = self.parent[base : starts[-1]].tolist()
            for low, high in pairwise(starts):
                above = [max(node - low, -1) for node in parent[low - base : high - base]]
                yield label[low - base : high - base], above

    def records(self) -> Iterator[list[Node]]:
        """Yield each record as the nested nodes below its root."""
        names = [self.classes[kind] for kind in self.labels.of_class.tolist()]
        values = self.labels.values
        for label, parent in self.slices():
            below: list[list[Node]] = [[] for _ in range(len(label) + 1)]
            for node, (code, above) in enumerate(zip(label, parent, strict=True)):
                below[above].append((names[code], values[code], below[node]))
            yield below[-1]

    def taken(self, order: NDArray[np.intp]) -> Forest:
        """Return the records in another order, without their ids."""
        sizes = np.diff(self.starts)[order]
        starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        moved = np.repeat(self.starts[order] - starts[:-1], sizes)
        nodes = np.arange(starts[-1]) + moved
        parent = self.parent[nodes]
        parent = np.where(parent < 0, parent, parent - moved).astype(np.int32)
        extras = self.extras and Extras(self.extras.texts, self.extras.code[order])
        number = None if self.number is None else self.number[nodes]
        return Forest(
            self.classes,
            self.labels,
            self.label[nodes],
            parent,
            starts,
            extras=extras,
            number=number,
        )

    def only(self, kept: NDArray[np.bool_]) -> Forest:
        """Return the records without some nodes; below a node that goes, none may stay."""
        place = np.cumsum(kept, dtype=np.int64)
        above = self.parent[kept]
        parent = np.where(above < 0, above, place[above] - 1).astype(np.int32)
        starts = np.concatenate(([0], place))[self.starts]
        number = None if self.number is None else self.number[kept]
        return replace(self, label=self.label[kept], parent=parent, starts=starts, number=number)

    def with_copies(self) -> Forest:
        """Return the records with each node as often as private nodes became it.

        What is below stays below the last; the others stand alone, before it.
        """
        if self.number is None:
            return self
        more = np.maximum(self.number, 1).astype(np.int64)
        ends = np.cumsum(more)
        parent = np.where(self.parent < 0, -1, ends[self.parent] - 1)
        return replace(
            self,
            label=np.repeat(self.label, more),
            parent=np.repeat(parent, more).astype(np.int32),
            starts=np.concatenate(([0], ends))[self.starts],
            number=None,
        )


class ForestBuilder:
    """Collects records one by one, in memory that grows by four bytes for a node's number.

    >>> builder = ForestBuilder(("hospital", "disease"))
    >>> builder.add([("hospital", "H1", [("disease", "Flu", [])]), ("hospital", "H1", [])])
    >>> forest = builder.build()
    >>> forest.size, forest.nodes, next(forest.records())
    (1, 2, [('hospital', 'H1', [('disease', 'Flu', [])])])
    """

    def __init__(self, classes: Sequence[str]) -> None:
        self.classes = tuple(classes)
        self._order = {name: place for place, name in enumerate(self.classes)}
        self._codes: dict[tuple[int, str], int] = {}
        self._label: list[int] = []
        self._parent: list[int] = []
        self._ends: list[int] = []
        self._kept: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]] = []
        self._before = self._packed = 0
        self._texts: dict[str, int] = {}
        self._extras: list[int] = []
        self._copies: dict[int, int] = {}

    def add(self, record: Iterable[Node], extra: str | None = None) -> None:
        """Add a record: equal siblings are merged, their subtrees too.

        Parameters
        ----------
        record
            The nodes below its root.
        extra
            What it holds beside its tree; given for all records or none.

        Raises
        ------
        NotATreeError
            If a class is unknown, stands twice on a path, or above one that comes before it.
        """
        mark = len(self._label)
        try:
            self._place(record, -1, -1)
        except NotATreeError:
            del self._label[mark:], self._parent[mark:]
            gone = [node for node in self._copies if node >= self._before + mark]
            for node in gone:
                del self._copies[node]
            raise
        self._end(extra)

    def _end(self, extra: str | None) -> None:
        self._ends.append(self.nodes)
        if extra is not None:
            self._extras.append(self._texts.setdefault(extra, len(self._texts)))
        if len(self._label) > _CHUNK:
            self._pack()

    @property
    def size(self) -> int:
        """How many records were added."""
        return self._packed + len(self._ends)

    @property
    def nodes(self) -> int:
        """How many nodes were added."""
        return self._before + len(self._label)

    @property
    def known(self) -> Mapping[tuple[int, str], int]:
        """The code of each label met so far by class and value, in the order of codes."""
        return self._codes

    def take(
        self,
        label: NDArray[np.int32],
        parent: NDArray[np.int32],
        ends: NDArray[np.int64],
        new: Iterable[tuple[int, str]],
    ) -> None:
        """Add records that are as a forest has them, after all nodes that there are.

        Parameters
        ----------
        ends
            Where the nodes of each record end.
        new
            The labels that were not known before, whose codes come after all others.
        """
        self._pack()
        self._kept.append((label, parent, ends))
        self._before += label.size
        self._packed += ends.size
        for key in new:
            self._codes[key] = len(self._codes)

    def build(self) -> Forest:
        """Return all that was added."""
        self._pack()
        labels = Labels(
            [value for _, value in self._codes],
            np.array([kind for kind, _ in self._codes], dtype=np.int32),
        )
        label = np.concatenate([label for label, _, _ in self._kept])
        parent = np.concatenate([parent for _, parent, _ in self._kept])
        starts = np.concatenate([[0], *(ends for _, _, ends in self._kept)]).astype(np.int64)
        extras = None
        if self._extras:
            extras = Extras(list(self._texts), np.array(self._extras, dtype=np.int32))
        forest = Forest(self.classes, labels, label, parent, starts, extras=extras)
        if self._copies:
            number = np.ones(label.size, dtype=np.int32)
            number[list(self._copies)] = list(self._copies.values())
            forest = replace(forest, number=number)
        return forest

    def _place(self, nodes: Iterable[Node], above: int, kind_above: int) -> None:
        listed = list(nodes)
        copies: Mapping[tuple[str, str], int] = {}
        if len(listed) > 1:
            listed, copies = _merged(listed)
        for name, value, below in listed:
            kind = self._order.get(name, -1)
            if kind <= kind_above:
                raise self._misplaced(name, kind, kind_above)
            key = (kind, value)
            code = self._codes.get(key)
            if code is None:
                code = self._codes[key] = len(self._codes)
            here = self._before + len(self._label)
            self._label.append(code)
            self._parent.append(above)
            if copies and copies[name, value] > 1:
                self._copies[here] = copies[name, value]
            if below:
                self._place(below, here, kind)

    def _misplaced(self, name: str, kind: int, above: int) -> NotATreeError:
        if kind < 0:
            return NotATreeError(
                f"there is no class {name!r}", f"Classes: {', '.join(self.classes)}."
            )
        if kind == above:
            return NotATreeError(
                f"class {name!r} occurs twice on one path",
                "Give the lower node a class of its own, or put it beside the upper one.",
            )
        return NotATreeError(
            f"class {name!r} stands below {self.classes[above]!r}, which comes after it",
            f"On a path classes follow the plan's order: {', '.join(self.classes)}.",
        )

    def _pack(self) -> None:
        nodes = np.array([self._label, self._parent], dtype=np.int32)
        self._kept.append((*nodes, np.array(self._ends, dtype=np.int64)))
        self._before, self._packed = self.nodes, self.size
        self._label, self._parent, self._ends = [], [], []


def _merged(nodes: list[Node]) -> tuple[list[Node], Mapping[tuple[str, str], int]]:
    """Make one node of equal siblings, with the children of all, and count them if some are."""
    if len({(name, value) for name, value, _ in nodes}) == len(nodes):
        return nodes, {}
    children_of: dict[tuple[str, str], list[Node]] = {}
    for name, value, below in nodes:
        children_of.setdefault((name, value), []).extend(below)
    merged: list[Node] = [(name, value, below) for (name, value), below in children_of.items()]
    return merged, Counter((name, value) for name, value, _ in nodes)
