"""The synopsis tree (paper 004, section III-A): all records laid on top of each other.

A node stands for a path of labels and knows the records that hold the path; its sidelinks are the
nodes that share a label. A projection to a cut is made from another synopsis, never from records.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from coarsen._kernels.tree_fixing import chained
from coarsen._kernels.tree_synopsis import (
    gathered,
    record_lists,
    strung,
    superimpose,
    supports,
    united,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coarsen.trees.forest import Forest


@dataclass(frozen=True, eq=False)
class Synopsis:
    """A synopsis tree as arrays over its nodes, parents before children.

    Attributes
    ----------
    label, parent
        The label of each node and the node above it, -1 below the root.
    ptr, ids
        The records of a node are `ids[ptr[node] : ptr[node + 1]]`.
    records
        How many records there are.
    """

    label: NDArray[np.int32]
    parent: NDArray[np.int32]
    ptr: NDArray[np.int64]
    ids: NDArray[np.int32]
    records: int

    @classmethod
    def of(cls, forest: Forest) -> Synopsis:
        """Lay all records on top of each other."""
        every = np.arange(len(forest.labels), dtype=np.int32)
        became, label, parent = superimpose(forest.label, forest.parent, every, every.size)
        ptr, ids = record_lists(became, forest.starts, label.size)
        return cls(label, parent, ptr, ids, forest.size)

    @property
    def size(self) -> int:
        """How many nodes there are below the root."""
        return self.label.size

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
        found: list[int] = []
        while node >= 0:
            found.append(int(self.label[node]))
            node = int(self.parent[node])
        return found[::-1]

    def projection(self, image: NDArray[np.int32], width: int) -> Projection:
        """Project to a cut, given as the new label of each label; -1 leaves a label out.

        Parameters
        ----------
        image
            The label of the cut for each of this synopsis's labels.
        width
            One more than the largest label of the cut.
        """
        became, label, parent = superimpose(self.label, self.parent, image, max(1, width))
        left_out = image[self.label] < 0
        member_ptr, members = gathered(became, left_out, label.size)
        return Projection(self, label, parent, member_ptr, members)


@dataclass(frozen=True, eq=False)
class Projection:
    """A synopsis projected to a cut, whose nodes still are sets of nodes of the finer one.

    Attributes
    ----------
    source
        The finer synopsis, which knows the records.
    label, parent
        As of a synopsis.
    member_ptr, members
        The nodes of the source that became a node.
    """

    source: Synopsis
    label: NDArray[np.int32]
    parent: NDArray[np.int32]
    member_ptr: NDArray[np.int64]
    members: NDArray[np.int32]

    @cached_property
    def support(self) -> NDArray[np.int64]:
        """How many records hold each node."""
        counted: NDArray[np.int64] = supports(
            self.member_ptr, self.members, self.source.ptr, self.source.ids, self.source.records
        )
        return counted

    def chains(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return the members of each node as chains that can be joined: first, last, next."""
        head, tail, then = chained(self.member_ptr, self.members, self.source.size)
        return head, tail, then

    def strung(self, ptr: NDArray[np.int64], ids: NDArray[np.int32]) -> Synopsis:
        """Forget the source, and string lists of its nodes together; records may repeat."""
        ptr, ids = strung(self.member_ptr, self.members, ptr, ids)
        return Synopsis(self.label, self.parent, ptr, ids, self.source.records)

    def settled(self) -> Synopsis:
        """Unite the lists of records, and forget the source."""
        source = self.source
        ptr, ids = united(self.member_ptr, self.members, source.ptr, source.ids, source.records)
        return Synopsis(self.label, self.parent, ptr, ids, source.records)
