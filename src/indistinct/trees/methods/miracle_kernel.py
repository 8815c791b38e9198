"""Clustering records one after the other (MiRaCle).

Nergiz, Clifton and Nergiz (2009), multirelational k-anonymity; Gkountouna and Terrovitis (2013,
section IV) compare with it. The distance of a record to a cluster is the share of information that
both lose when they are published as one tree (`matching_kernel`).

Invariants: at most `climit` clusters are open, in the first slots; the tree of a cluster is what
all its records have in common, and only gets smaller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.arrays import copy_into
from indistinct.kernels.compiled import inner, njit
from indistinct.trees.methods.matching_kernel import match, merge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.methods.matching_kernel import LabelFacts, Matching


class Trees(NamedTuple):
    """Trees one after the other: labels, sizes of subtrees, and where each begins."""

    label: NDArray[np.int32]
    size: NDArray[np.int32]
    starts: NDArray[np.int64]


@njit
def subtree_sizes(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Count for each node the nodes of its subtree."""
    size = np.ones(parent.size, dtype=np.int32)
    for node in range(parent.size - 1, -1, -1):
        if parent[node] >= 0:
            size[parent[node]] += size[node]
    return size


@njit
def parents_within(size: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each node the place of its parent within its tree, -1 for the top ones."""
    parent = np.full(size.size, -1, dtype=np.int64)
    for tree in range(starts.size - 1):
        for node in range(starts[tree], starts[tree + 1]):
            child = node + 1
            while child < node + size[node]:
                parent[child] = node - starts[tree]
                child += size[child]
    return parent


@inner
def _differ(a_classes, b_classes, class_weight):
    """Bound from below what matching loses: nodes of a class that one tree has too many of."""
    least = 0.0
    for kind in range(a_classes.size):
        least += class_weight[kind] * abs(a_classes[kind] - b_classes[kind])
    return least


@inner
def _count_classes(label, count, facts, counts):
    """Count nodes by class, each as much as it still tells."""
    counts[:] = 0.0
    for node in range(count):
        counts[facts.of_class[label[node]]] += 1.0 - facts.loss[label[node]]


class OpenClusters(NamedTuple):
    """The open clusters, each in a slot: those in use come first.

    Attributes
    ----------
    label, size, nodes
        The tree that its records have in common, and of how many nodes.
    members, number
        How many records it has, and its number among all that were opened.
    kinds
        Its nodes by class, each as much as it still tells.
    """

    label: NDArray[np.int32]
    size: NDArray[np.int32]
    nodes: NDArray[np.int64]
    members: NDArray[np.int64]
    number: NDArray[np.int64]
    kinds: NDArray[np.float64]


class ClosedClusters(NamedTuple):
    """Clusters that take no more records: their trees, and their numbers among all opened."""

    trees: Trees
    number: NDArray[np.int64]


@njit
def cluster(
    records: Trees,
    order: NDArray[np.int64],
    facts: LabelFacts,
    class_weight: NDArray[np.float64],
    k: int,
    climit: int,
    threshold: float,
    matching: Matching,
) -> tuple[NDArray[np.int64], int, NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Put records into clusters, one after the other in the given order.

    At most `climit` clusters are open; a record joins the nearest one if it is near enough or no
    more may be opened; a cluster of k is closed.

    Returns
    -------
    tuple
        For each record its cluster; how many clusters were closed by then, which come first; and
        the tree that each cluster has in common.
    """
    label, starts = records.label, records.starts
    count, longest = order.size, matching.partner.size
    slots = OpenClusters(
        np.empty((climit, longest), dtype=np.int32), np.empty((climit, longest), dtype=np.int32),
        np.zeros(climit, dtype=np.int64), np.zeros(climit, dtype=np.int64),
        np.zeros(climit, dtype=np.int64), np.zeros((climit, class_weight.size)),
    )  # fmt: skip
    closed = ClosedClusters(
        Trees(
            np.empty(label.size, dtype=np.int32), np.empty(label.size, dtype=np.int32),
            np.zeros(count + 1, dtype=np.int64),
        ),
        np.empty(count, dtype=np.int64),
    )  # fmt: skip
    kinds = np.zeros(class_weight.size)
    joined = np.empty(count, dtype=np.int64)
    opened, done, used = 0, np.int64(0), 0
    for step in range(count):
        record = order[step]
        first, last = starts[record], starts[record + 1]
        b, b_size, nodes = label[first:last], records.size[first:last], last - first
        _count_classes(b, nodes, facts, kinds)
        slot, distance = _nearest_slot(slots, used, b, b_size, kinds, facts, class_weight, matching)
        if slot < 0 or (distance > threshold and used < climit):
            slot = used
            used += 1
            copy_into(slots.label[slot], b)
            copy_into(slots.size[slot], b_size)
            slots.nodes[slot] = nodes
            slots.members[slot] = 0
            slots.number[slot] = opened
            opened += 1
        else:
            slots.nodes[slot] = merge(
                slots.label[slot], slots.size[slot], slots.nodes[slot], b, b_size, nodes,
                facts, matching,
            )  # fmt: skip
        _count_classes(slots.label[slot], slots.nodes[slot], facts, slots.kinds[slot])
        joined[record] = slots.number[slot]
        slots.members[slot] += 1
        if slots.members[slot] == k:
            _close(slot, slots, closed, done)
            done += 1
            used -= 1
            _move(used, slot, slots)
    whole = done
    for slot in range(used):
        _close(slot, slots, closed, done)
        done += 1
    place = np.empty(opened, dtype=np.int64)
    for at in range(done):
        place[closed.number[at]] = at
    for record in range(count):
        joined[record] = place[joined[record]]
    filled = closed.trees.starts[done]
    return (
        joined, int(whole), closed.trees.label[:filled], closed.trees.size[:filled],
        closed.trees.starts[: done + 1],
    )  # fmt: skip


@inner
def _nearest_slot(slots, used, b, b_size, kinds, facts, class_weight, matching):
    """Return the open cluster that a tree is nearest to, and how far it is; -1 if none is open."""
    best, nearest = np.inf, -1
    for slot in range(used):
        length = max(1, b.size + slots.nodes[slot])
        if _differ(kinds, slots.kinds[slot], class_weight) / length >= best:
            continue
        lost = match(
            slots.label[slot], slots.size[slot], slots.nodes[slot], b, b_size, b.size, facts,
            matching,
        )  # fmt: skip
        if lost / length < best:
            best, nearest = lost / length, slot
    return nearest, best


@inner
def _close(slot, slots, closed, done):
    """Lay the tree of a cluster behind those of the clusters closed before."""
    first = closed.trees.starts[done]
    for node in range(slots.nodes[slot]):
        closed.trees.label[first + node] = slots.label[slot, node]
        closed.trees.size[first + node] = slots.size[slot, node]
    closed.trees.starts[done + 1] = first + slots.nodes[slot]
    closed.number[done] = slots.number[slot]


@inner
def _move(source, target, slots):
    """Move the last open cluster into the slot of one that was closed."""
    if source == target:
        return
    slots.number[target] = slots.number[source]
    slots.members[target] = slots.members[source]
    slots.nodes[target] = slots.nodes[source]
    copy_into(slots.kinds[target], slots.kinds[source])
    for node in range(slots.nodes[source]):
        slots.label[target, node] = slots.label[source, node]
        slots.size[target, node] = slots.size[source, node]


@njit
def nearest_tree(
    a: NDArray[np.int32],
    a_size: NDArray[np.int32],
    trees: Trees,
    allowed: NDArray[np.bool_],
    facts: LabelFacts,
    matching: Matching,
) -> int:
    """Find among trees that are allowed the one that is cheapest to publish as one with `a`."""
    best, nearest = np.inf, -1
    for at in range(trees.starts.size - 1):
        if not allowed[at]:
            continue
        first, last = trees.starts[at], trees.starts[at + 1]
        nodes = last - first
        lost = match(
            a, a_size, a.size, trees.label[first:last], trees.size[first:last], nodes,
            facts, matching,
        )  # fmt: skip
        length = max(1, a.size + nodes)
        if lost / length < best:
            best, nearest = lost / length, at
    return nearest


@njit
def in_common(
    a: NDArray[np.int32],
    a_size: NDArray[np.int32],
    b: NDArray[np.int32],
    b_size: NDArray[np.int32],
    facts: LabelFacts,
    matching: Matching,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the labels and subtree sizes of what two trees have in common."""
    label, size = a.copy(), a_size.copy()
    kept = merge(label, size, a.size, b, b_size, b.size, facts, matching)
    return label[:kept].copy(), size[:kept].copy()
