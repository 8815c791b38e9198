"""The synopsis tree: all records laid on top of each other.

Gkountouna and Terrovitis 2013, section III-A.

A node stands for a path of labels and knows the records that hold the path; its sidelinks are the
nodes that share a label. A projection to a cut is made from another synopsis, never from records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.synopsis_kernel import (
    Paths,
    RecordLists,
    gathered,
    superimpose,
    united,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest


@dataclass(frozen=True, eq=False)
class _Tree:
    """Nodes as arrays, parents before children.

    Attributes
    ----------
    label, parent
        The label of each node and the node above it, -1 below the root.
    """

    label: NDArray[np.int32]
    parent: NDArray[np.int32]

    @property
    def size(self) -> int:
        """How many nodes there are below the root."""
        return self.label.size

    def _projected(
        self, image: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Return labels and parents after a projection, and which nodes became each."""
        became, label, parent = _superimposed(self.label, self.parent, image)
        left_out = image[self.label] < 0
        member_ptr, members = gathered(became, left_out, label.size)
        return label, parent, member_ptr, members


@dataclass(frozen=True, eq=False)
class Synopsis(_Tree):
    """A synopsis tree.

    Attributes
    ----------
    ptr, ids
        The records of a node are `ids[ptr[node] : ptr[node + 1]]`.
    records
        How many records there are.
    """

    ptr: NDArray[np.int64]
    ids: NDArray[np.int32]
    records: int

    @classmethod
    def of(cls, forest: Forest) -> Synopsis:
        """Lay all records on top of each other."""
        every = np.arange(len(forest.labels), dtype=np.int32)
        became, label, parent = _superimposed(forest.label, forest.parent, every)
        order, rank = _by_path(label, parent)
        label, above = label[order], parent[order]
        parent = np.where(above >= 0, rank[above], -1).astype(np.int32)
        nobody = np.zeros(became.size, dtype=np.bool_)
        ptr, nodes = gathered(rank[became], nobody, label.size)
        record = np.repeat(np.arange(forest.size, dtype=np.int32), np.diff(forest.starts))
        return cls(label, parent, ptr, record[nodes], forest.size)

    @cached_property
    def support(self) -> NDArray[np.int64]:
        """How many records hold each node."""
        return np.diff(self.ptr)

    def records_of(self, node: int) -> NDArray[np.int32]:
        """Return the records that hold a node, in order."""
        return np.sort(self.ids[self.ptr[node] : self.ptr[node + 1]])

    def sidelinks(self, label: int) -> NDArray[np.intp]:
        """Return the nodes that have a label."""
        return np.flatnonzero(self.label == label)

    def path(self, node: int) -> list[int]:
        """Return the labels from the root down to a node."""
        labels: list[int] = []
        while node >= 0:
            labels.append(int(self.label[node]))
            node = int(self.parent[node])
        return labels[::-1]

    def renumbered(self) -> Synopsis:
        """Number the records anew, by the paths that they hold near the root.

        Packed sets of records then have their bits in few words.
        """
        tops = np.count_nonzero(self.parent < 0)
        below = np.count_nonzero(self.parent < tops)
        holder = np.full(self.records, below, dtype=np.int32)
        nodes = np.repeat(np.arange(below, dtype=np.int32), np.diff(self.ptr[: below + 1]))
        for level in (slice(0, self.ptr[tops]), slice(self.ptr[tops], self.ptr[below])):
            holder[self.ids[level][::-1]] = nodes[level][::-1]  # the first node of each record
        place = np.empty(self.records, dtype=np.int32)
        place[np.argsort(holder, kind="stable")] = np.arange(self.records, dtype=np.int32)
        return replace(self, ids=place[self.ids])

    def projection(self, image: NDArray[np.int32]) -> Projection:
        """Project to a cut, given as the new label of each label; -1 leaves a label out."""
        return Projection(*self._projected(image), self)

    def sampled(self, place: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the lists of a sample: of each node's records those with a place, as places."""
        places = place[self.ids]
        chosen = places >= 0
        before = np.concatenate([[0], np.cumsum(chosen)])
        return before[self.ptr], places[chosen]


def _superimposed(
    label: NDArray[np.int32], parent: NDArray[np.int32], image: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the node that each node becomes in a synopsis, and its nodes' labels and parents."""
    new_label, new_parent = np.empty_like(label), np.empty_like(parent)
    became, count = superimpose(label, parent, image, new_label, new_parent)
    return became, new_label[:count].copy(), new_parent[:count].copy()


def _by_path(
    label: NDArray[np.int32], parent: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Order nodes by depth, then by their paths: what a cut puts together is near in memory then.

    Returns the order, and the place of each node in it.
    """
    order, rank = np.empty(label.size, dtype=np.int32), np.empty(label.size, dtype=np.int32)
    width = int(label.max(initial=0)) + 1
    depth, done = _depths(parent), 0
    for number in range(int(depth.max(initial=-1)) + 1):
        level = np.flatnonzero(depth == number).astype(np.int32)
        above = rank[parent[level]].astype(np.int64) if number else 0
        placed = slice(done, done + level.size)
        order[placed] = level[np.argsort(above * width + label[level])]
        rank[order[placed]] = np.arange(done, placed.stop, dtype=np.int32)
        done = placed.stop
    return order, rank


def _depths(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Count the nodes above each node."""
    depth = np.zeros(parent.size, dtype=np.int32)
    above = parent.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1)
    return depth


@dataclass(frozen=True, eq=False)
class _Bundles(_Tree):
    """A tree whose nodes are bundles of nodes of a finer one.

    Attributes
    ----------
    member_ptr, members
        The finer nodes that became a node.
    """

    member_ptr: NDArray[np.int64]
    members: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Projection(_Bundles):
    """A synopsis projected to a cut.

    Attributes
    ----------
    source
        The synopsis, which knows the records.
    """

    source: Synopsis

    @cached_property
    def support(self) -> NDArray[np.int64]:
        """How many records hold each node."""
        return self.settled().support

    @property
    def lists(self) -> RecordLists:
        """The nodes of the synopsis in each node, and their records."""
        return RecordLists(self.member_ptr, self.members, self.source.ptr, self.source.ids)

    def strung(
        self, ptr: NDArray[np.int64], ids: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """String lists of the synopsis's nodes together for each node; records may repeat."""
        sizes = ptr[self.members + 1] - ptr[self.members]
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if ends.size else 0
        source = np.arange(total) + np.repeat(ptr[self.members] - ends + sizes, sizes)
        return np.concatenate([[0], ends])[self.member_ptr], ids[source]

    def settled(self) -> Synopsis:
        """Unite the lists of records, and forget the source."""
        lists = self.lists
        ids = np.empty(int(self.source.support[self.members].sum()), dtype=np.int32)
        ptr, total = united(lists, self.source.records, ids)
        return Synopsis(self.label, self.parent, ptr, ids[:total].copy(), self.source.records)

    def coarser(self, image: NDArray[np.int32]) -> Coarser:
        """Project once more, to a coarser cut."""
        return Coarser(*self._projected(image), self)


@dataclass(frozen=True, eq=False)
class Coarser(_Bundles):
    """A projection projected once more.

    Attributes
    ----------
    source
        The finer projection.
    """

    source: Projection

    def paths(self) -> Paths:
        """Return the paths, ready to be changed."""
        head, tail = self.members[self.member_ptr[:-1]], self.members[self.member_ptr[1:] - 1]
        then = np.full(self.source.size, -1, dtype=np.int32)
        then[self.members[:-1]] = self.members[1:]
        then[tail] = -1
        return Paths(
            self.label.copy(),
            self.parent.copy(),
            alive=np.ones(self.size, dtype=np.bool_),
            first=np.empty(self.size + 1, dtype=np.int32),
            after=np.empty(self.size, dtype=np.int32),
            head=head,
            tail=tail,
            then=then,
            stack=np.empty((self.size + 1, 2), dtype=np.int32),
        )
