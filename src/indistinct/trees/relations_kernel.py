"""Ancestor-descendant relations between the labels of a cut, and the records that have each.

Gkountouna and Terrovitis (2013), Definition 2: attackers may know that one label stands above
another. What is too rare is broken by `fixing_kernel.py`.

The records of a relation are a set of bits in a row. It belongs to a pool that many cuts share, and
is only read, unless a disassociation has changed it (`RelationSets`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.trees.bits_kernel import set_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.synopsis_kernel import Paths, RecordLists


class Relations(NamedTuple):
    """The relations between labels of a cut, numbered.

    Attributes
    ----------
    number
        The relation of each pair (upper, lower) of labels, -1 where there is none.
    upper, lower
        The labels of each.
    opposite
        For a relation that is known to be absent, the one that would be present; -1 for others.
    """

    number: NDArray[np.int32]
    upper: NDArray[np.int64]
    lower: NDArray[np.int64]
    opposite: NDArray[np.int64]


class RelationSets(NamedTuple):
    """The records of each relation.

    Attributes
    ----------
    pool, at
        Its row is `pool[at[relation]]`, which other cuts share, unless that is -1.
    own
        Rows of relations that a disassociation has changed.
    size_of
        How many records there are.
    """

    pool: NDArray[np.uint64]
    at: NDArray[np.int64]
    own: NDArray[np.uint64]
    size_of: NDArray[np.int64]


@njit
def mark_pairs(
    label: NDArray[np.int32], parent: NDArray[np.int32], present: NDArray[np.bool_]
) -> None:
    """Mark the pairs (upper, lower) of labels that stand on one path somewhere."""
    for node in range(label.size):
        above = parent[node]
        while above >= 0:
            present[label[above], label[node]] = True
            above = parent[above]


@njit
def relation_rows(
    paths: Paths, lists: RecordLists, number: NDArray[np.int32], row_of: NDArray[np.int64],
    rows: NDArray[np.uint64],
) -> None:  # fmt: skip
    """Put the records of relations into rows, by a walk up from every node.

    `row_of` is the row of each relation, -1 for one that is not wanted. `lists` are the records
    of each member of a node.
    """
    label, parent, alive, head, then = (
        paths.label, paths.parent, paths.alive, paths.head, paths.then,
    )  # fmt: skip
    for node in range(label.size):
        if not alive[node]:
            continue
        above = parent[node]
        while above >= 0:
            pair = number[label[above], label[node]]
            if pair >= 0 and row_of[pair] >= 0:
                _add_records(rows[row_of[pair]], head[node], then, lists)
            above = parent[above]


@njit
def lost_relations(
    paths: Paths, lists: RecordLists, number: NDArray[np.int32], sets: RelationSets,
    before: NDArray[np.int64], counts: NDArray[np.int64],
) -> None:  # fmt: skip
    """Count for each relation the pairs of private nodes in records that have it no more.

    `paths` are those with all relations, `before` says how many records had each.
    """
    label, parent, head, then = paths.label, paths.parent, paths.head, paths.then
    member_ptr, members, ptr, ids = lists
    pool, at, own, size_of = sets
    for node in range(label.size):
        above = parent[node]
        while above >= 0:
            pair = number[label[above], label[node]]
            if pair >= 0 and size_of[pair] < before[pair]:
                row = records_of(pair, pool, at, own)
                bundle = head[node]
                while bundle >= 0:
                    for place in range(member_ptr[bundle], member_ptr[bundle + 1]):
                        for i in range(ptr[members[place]], ptr[members[place] + 1]):
                            word = row[ids[i] >> 6] >> np.uint64(ids[i] & 63)
                            counts[pair] += np.int64(1) - np.int64(word & np.uint64(1))
                    bundle = then[bundle]
            above = parent[above]


@inner
def _add_records(row, head, then, lists):
    """Put the records of a chain of members into a set."""
    member_ptr, members, ptr, ids = lists
    bundle = head
    while bundle >= 0:
        for place in range(member_ptr[bundle], member_ptr[bundle + 1]):
            set_bits(row, ids, ptr[members[place]], ptr[members[place] + 1])
        bundle = then[bundle]


@inner
def records_of(pair, pool, at, own):
    """Return the row of a relation."""
    return pool[at[pair]] if at[pair] >= 0 else own[pair]
