"""Recoding records one by one: labels generalized, equal siblings merged, relations broken."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.trees.synopsis_kernel import disassociate


@njit
def recode(label, parent, starts, image, rank, compact, upper, lower):
    """Return the labels, parents and starts of all records after a cut and disassociations.

    `image` is the new label of each label, -1 to leave a node out. `rank` tells for pairs
    of labels, as `compact` numbers them, which of the relations (`upper`, `lower`) they are, -1 if
    none. The relations are broken in the order of their ranks, which is as good as one after the
    other, because breaking a relation never makes one. Records come out in preorder.
    """
    longest = np.int64(0)
    for record in range(starts.size - 1):
        longest = max(longest, starts[record + 1] - starts[record])
    work = np.empty((10, longest + 1), dtype=np.int32)
    stack = np.empty((longest + 1, 2), dtype=np.int32)
    alive = np.empty(longest + 1, dtype=np.bool_)
    new_label = np.empty(label.size, dtype=np.int32)
    new_parent = np.empty(label.size, dtype=np.int32)
    new_starts = np.zeros(starts.size, dtype=np.int64)
    filled = np.int64(0)
    for record in range(starts.size - 1):
        start, stop = starts[record], starts[record + 1]
        nodes = _merged(label, parent, start, stop, image, work)
        alive[:nodes] = True
        if upper.size:
            _break_all(nodes, rank, compact, upper, lower, work, alive, stack)
        filled = _emit(nodes, work, filled, new_label, new_parent, stack)
        new_starts[record + 1] = filled
    return new_label[:filled].copy(), new_parent[:filled].copy(), new_starts


@njit
def _merged(label, parent, start, stop, image, work):
    """Lay the nodes of one record into `work` under their new labels; return how many there are.

    Rows of work: label, parent, first child (the root's is entry `nodes`), next sibling, the node
    that each old node became.
    """
    labels, parents, first, after, became = work[0], work[1], work[2], work[3], work[4]
    root = np.int32(-1)
    count = 0
    for node in range(start, stop):
        above = np.int32(-1) if parent[node] < 0 else became[parent[node] - start]
        to = image[label[node]]
        if to < 0:
            became[node - start] = above
            continue
        twin = root if above < 0 else first[above]
        while twin >= 0 and labels[twin] != to:
            twin = after[twin]
        if twin < 0:
            twin = np.int32(count)
            labels[twin], parents[twin], first[twin] = to, above, -1
            if above < 0:
                after[twin] = root
                root = twin
            else:
                after[twin] = first[above]
                first[above] = twin
            count += 1
        became[node - start] = twin
    first[count] = root
    return count


@inner
def _break_all(nodes, rank, compact, upper, lower, work, alive, stack):
    """Break the relations of one record in the order of their ranks."""
    label, parent = work[0, :nodes], work[1, :nodes]
    first, after = work[2, : nodes + 1], work[3, :nodes]
    head, tail, then = work[5, :nodes], work[6, :nodes], work[7, :nodes]
    head[:] = -1
    tail[:] = -1
    last = np.int32(-1)
    while True:
        best = np.int32(-1)
        for node in range(nodes):
            if not alive[node]:
                continue
            above = parent[node]
            while above >= 0:
                found = rank[compact[label[above]], compact[label[node]]]
                if found > last and (best < 0 or found < best):
                    best = found
                above = parent[above]
        if best < 0:
            return
        disassociate(
            upper[best], lower[best], label, parent, alive[:nodes], first, after, head, tail, then,
            stack,
        )  # fmt: skip
        last = best


@inner
def _emit(nodes, work, filled, new_label, new_parent, stack):
    """Write the nodes of one record in preorder; return how many nodes are written in all.

    Siblings come in the order of their labels, so that nothing tells how they stood before.
    """
    label, first = work[0], work[2]
    waiting = _push(first[nodes], -1, work, stack, 0)
    while waiting:
        waiting -= 1
        node, above = stack[waiting, 0], stack[waiting, 1]
        new_label[filled] = label[node]
        new_parent[filled] = above
        waiting = _push(first[node], filled, work, stack, waiting)
        filled += 1
    return filled


@njit
def _push(child, above, work, stack, waiting):
    """Put a node's children on the stack, the one with the smallest label on top."""
    label, after = work[0], work[3]
    base = waiting
    while child >= 0:
        place = waiting
        while place > base and label[stack[place - 1, 0]] < label[child]:
            stack[place, 0] = stack[place - 1, 0]
            place -= 1
        stack[place, 0] = child
        waiting += 1
        child = after[child]
    for place in range(base, waiting):
        stack[place, 1] = above
    return waiting
