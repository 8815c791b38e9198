"""Synopsis trees: records laid on top of each other, projected to cuts, disassociated.

Gkountouna and Terrovitis (2013), section III-A: the synopsis has a node for every path of labels
that some record holds, and lists the records of each. Definition 2 is disassociation; equations 1
to 3 are RPD, which a search minimizes if its objective says so.

A synopsis is arrays over its nodes: label and parent (-1 below the root). Parents stand before
children, and no two siblings have the same label; every function here keeps both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MIX = np.uint64(0x9E3779B97F4A7C15)


class RecordLists(NamedTuple):
    """The records of bundles of nodes.

    Attributes
    ----------
    member_ptr, members
        The nodes of a bundle are `members[member_ptr[bundle] : member_ptr[bundle + 1]]`.
    ptr, ids
        The records of a node are `ids[ptr[node] : ptr[node + 1]]`.
    """

    member_ptr: NDArray[np.int64]
    members: NDArray[np.int32]
    ptr: NDArray[np.int64]
    ids: NDArray[np.int32]


class Paths(NamedTuple):
    """The paths of a synopsis, or of a record: a tree whose nodes can move and merge.

    Attributes
    ----------
    label, parent
        Of each node.
    alive
        False for nodes that were merged into others.
    first, after
        The first child of each node (of the root, last) and the next sibling; -1 if there is none.
    head, tail, then
        The members of each node as a chain, which joins another at once: its first and last, and
        which one comes after each; -1 if there is none.
    stack
        Scratch: nodes that are to be attached, and where.
    """

    label: NDArray[np.int32]
    parent: NDArray[np.int32]
    alive: NDArray[np.bool_]
    first: NDArray[np.int32]
    after: NDArray[np.int32]
    head: NDArray[np.int32]
    tail: NDArray[np.int32]
    then: NDArray[np.int32]
    stack: NDArray[np.int32]


class Sample(NamedTuple):
    """Records on which costs are measured: those of each node, and how many there are in all."""

    ptr: NDArray[np.int64]
    ids: NDArray[np.int32]
    records: int


class LabelCosts(NamedTuple):
    """What RPD knows of each label: how many labels its level has, and what it weighs."""

    level_size: NDArray[np.int64]
    weight: NDArray[np.float64]


@njit
def superimpose(
    label: NDArray[np.int32],
    parent: NDArray[np.int32],
    image: NDArray[np.int32],
    new_label: NDArray[np.int32],
    new_parent: NDArray[np.int32],
) -> tuple[NDArray[np.int32], int]:
    """Lay trees on top of each other: nodes with the same path of labels become one.

    `image` maps a label to the one to use, or to -1: the node is left out and its children go to
    its parent. Writes labels and parents of the new nodes, in the order in which they are first
    met; returns the node that each node became (its parent's where left out), and how many there
    are.
    """
    size = label.size
    bits = 4
    while (1 << bits) < 2 * size:
        bits += 1
    shift = np.uint64(64 - bits)
    mask = (1 << bits) - 1
    slots = np.zeros(1 << bits, dtype=np.int32)  # a hash table of new nodes, counted from 1
    became = np.empty(size, dtype=np.int32)
    count = 0
    for node in range(size):
        above = np.int32(-1) if parent[node] < 0 else became[parent[node]]
        to = image[label[node]]
        if to < 0:
            became[node] = above
            continue
        mixed = (np.uint64(above + 1) * _MIX) ^ np.uint64(to)
        place = np.int64((mixed * _MIX) >> shift)
        twin = slots[place] - 1
        while twin >= 0 and (new_label[twin] != to or new_parent[twin] != above):
            place = (place + 1) & mask
            twin = slots[place] - 1
        if twin < 0:
            twin = count
            new_label[count] = to
            new_parent[count] = above
            count += 1
            slots[place] = count
        became[node] = twin
    return became, count


@njit
def gathered(
    became: NDArray[np.int32], left_out: NDArray[np.bool_], nodes: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Order old nodes by the new node they became; those left out are nobody's.

    Returns where the old nodes of each new one begin, and the old nodes.
    """
    ptr = np.zeros(nodes + 1, dtype=np.int64)
    for old in range(became.size):
        if not left_out[old]:
            ptr[became[old]] += 1
    total = np.int64(0)
    for node in range(nodes + 1):
        total += ptr[node]
        ptr[node] = total
    members = np.empty(total, dtype=np.int32)
    for old in range(became.size - 1, -1, -1):  # from the back: each ptr is moved to its beginning
        if not left_out[old]:
            ptr[became[old]] -= 1
            members[ptr[became[old]]] = old
    return ptr, members


@njit
def united(
    lists: RecordLists, records: int, new_ids: NDArray[np.int32]
) -> tuple[NDArray[np.int64], int]:
    """List the records of each bundle: the union of the lists of its members.

    Returns where the records of each begin in `new_ids`, and how many there are in all.
    """
    nodes = lists.member_ptr.size - 1
    last = np.zeros(records, dtype=np.int64)  # the last bundle that a record was met in, plus one
    new_ptr = np.zeros(nodes + 1, dtype=np.int64)
    filled = np.int64(0)
    for node in range(nodes):
        for place in range(lists.member_ptr[node], lists.member_ptr[node + 1]):
            member = lists.members[place]
            for i in range(lists.ptr[member], lists.ptr[member + 1]):
                record = lists.ids[i]
                if last[record] != node + 1:
                    last[record] = node + 1
                    new_ids[filled] = record
                    filled += 1
        new_ptr[node + 1] = filled
    return new_ptr, int(filled)


@inner
def link_families(paths):
    """Write the first child and the next sibling of every node that is alive."""
    nodes = paths.parent.size
    for node in range(nodes):
        paths.first[node] = -1
        paths.after[node] = -1
    paths.first[nodes] = -1
    for node in range(nodes - 1, -1, -1):
        if paths.alive[node]:
            above = paths.parent[node] if paths.parent[node] >= 0 else nodes
            paths.after[node] = paths.first[above]
            paths.first[above] = node


@inner
def _unlink(node, parent, first, after):
    """Take a node out of the children of its parent."""
    above = parent[node] if parent[node] >= 0 else parent.size
    if first[above] == node:
        first[above] = after[node]
        return
    other = first[above]
    while after[other] != node:
        other = after[other]
    after[other] = after[node]


@inner
def _link(node, above, parent, first, after):
    """Put a node among the children of another one."""
    parent[node] = above
    to = above if above >= 0 else parent.size
    after[node] = first[to]
    first[to] = node


@inner
def _attach(node, above, paths):
    """Put an unlinked node below another; it merges with a child of the same label.

    Of two that merge the one with the smaller number stays, so parents stay before children.
    """
    label, parent, alive, first, after, head, tail, then, stack = paths
    stack[0, 0] = node
    stack[0, 1] = above
    waiting = 1
    while waiting:
        waiting -= 1
        node, above = stack[waiting, 0], stack[waiting, 1]
        twin = first[above if above >= 0 else parent.size]
        while twin >= 0 and label[twin] != label[node]:
            twin = after[twin]
        if twin < 0:
            _link(node, above, parent, first, after)
            continue
        stays, goes = min(twin, node), max(twin, node)
        if stays == node:
            _unlink(twin, parent, first, after)
            _link(node, above, parent, first, after)
        alive[goes] = False
        if tail[stays] >= 0:  # the chain of members of the one joins that of the other
            then[tail[stays]] = head[goes]
        else:
            head[stays] = head[goes]
        if tail[goes] >= 0:
            tail[stays] = tail[goes]
        child = first[goes]  # so do its children, which may merge in turn
        first[goes] = -1
        while child >= 0:
            following = after[child]
            stack[waiting, 0] = child
            stack[waiting, 1] = stays
            waiting += 1
            child = following


@inner
def disassociate(upper, lower, paths):
    """Break a relation in all paths (Definition 2): `lower` moves beside `upper`, alone.

    Children of the moved node go to the node it stood below.
    """
    label, parent, first, after = paths.label, paths.parent, paths.first, paths.after
    for place in range(label.size):
        if not paths.alive[place] or label[place] != lower:
            continue
        above = parent[place]
        while above >= 0 and label[above] != upper:
            above = parent[above]
        if above < 0:
            continue
        node = np.int32(place)
        below = parent[node]
        _unlink(node, parent, first, after)
        child = first[node]
        first[node] = -1
        while child >= 0:
            following = after[child]
            _attach(child, below, paths)
            child = following
        _attach(node, parent[above], paths)


@njit
def mean_rpd(
    paths: Paths, sample: Sample, costs: LabelCosts, nodes: NDArray[np.float64],
    records: NDArray[np.float64], seen: NDArray[np.int64],
) -> float:  # fmt: skip
    """Return the mean over records of the mean RPD of their paths (equations 1 to 3).

    A path of a record ends at a node below which the record has no other; it counts with the mean
    weight of its nodes. A record without nodes has RPD 1. Families are linked anew.

    Parameters
    ----------
    nodes
        Scratch, zeros: for each node its depth, the domain of its path, and the path's weight.
    records, seen
        Scratch, zeros: for each record the sum over its paths and their number; and the last node
        that it was met at or below, counted from 1.
    """
    link_families(paths)
    label, parent, alive, first, after, head, _, then, _ = paths
    ptr, ids, count = sample
    level_size, weight = costs
    for node in range(label.size):
        if not alive[node]:
            continue
        above, code = parent[node], label[node]
        nodes[node, 0], nodes[node, 1], nodes[node, 2] = 1.0, 1.0, weight[code]
        if above >= 0:
            nodes[node, 0] += nodes[above, 0]
            nodes[node, 1] = nodes[above, 1]
            nodes[node, 2] += nodes[above, 2]
        nodes[node, 1] *= nodes[node, 0] * level_size[code]
    for node in range(label.size):
        if not alive[node]:
            continue
        child = first[node]
        while child >= 0:  # the records of a child have a node below this one
            member = head[child]
            while member >= 0:
                for i in range(ptr[member], ptr[member + 1]):
                    seen[ids[i]] = node + 1
                member = then[member]
            child = after[child]
        value = nodes[node, 2] / nodes[node, 0] / nodes[node, 1]
        member = head[node]
        while member >= 0:
            for i in range(ptr[member], ptr[member + 1]):
                record = ids[i]
                if seen[record] != node + 1:  # here a path of the record ends
                    seen[record] = node + 1
                    records[record, 0] += value
                    records[record, 1] += 1.0
            member = then[member]
    total = 0.0
    for record in range(count):
        ended = records[record, 1]
        total += records[record, 0] / ended if ended > 0.0 else 1.0
    return total / max(count, 1)
