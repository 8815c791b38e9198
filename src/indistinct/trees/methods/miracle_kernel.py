"""Matching trees one-to-one, and clustering records by it (MiRaCle).

A tree is its labels and the sizes of its subtrees, in preorder; children of a node are found by
stepping over subtrees. A label's parent has a smaller code, which makes common ancestors a walk.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.arrays import copy_into
from indistinct.kernels.compiled import inner, njit


@njit
def subtree_sizes(parent):
    """Count for each node the nodes of its subtree."""
    size = np.ones(parent.size, dtype=np.int32)
    for node in range(parent.size - 1, -1, -1):
        if parent[node] >= 0:
            size[parent[node]] += size[node]
    return size


@njit
def parents_within(size, starts):
    """Return for each node the place of its parent within its tree, -1 for the top ones."""
    parent = np.full(size.size, -1, dtype=np.int64)
    for tree in range(starts.size - 1):
        for node in range(starts[tree], starts[tree + 1]):
            child = node + 1
            while child < node + size[node]:
                parent[child] = node - starts[tree]
                child += size[child]
    return parent


@njit
def common(a, b, above):
    """Return the lowest label that generalizes two labels of a class."""
    while a != b:
        if a > b:
            a = above[a]
        else:
            b = above[b]
    return a


@njit
def _weigh(label, size, count, loss, weight, kept):
    """Fill in for each subtree what would be lost if it were suppressed."""
    for node in range(count - 1, -1, -1):
        code = label[node]
        kept[node] = weight[code] * (1.0 - loss[code])
        child = node + 1
        while child < node + size[node]:
            kept[node] += kept[child]
            child += size[child]


@inner
def _pair_up(x, x_end, y, y_end, a, a_size, b, b_size, of_class, gain, partner, work):
    """Match two rows of siblings one-to-one, the best pair first; return what is saved."""
    saved = 0.0
    pairs = 0
    i = x
    while i < x_end:
        j = y
        while j < y_end:
            if of_class[a[i]] == of_class[b[j]] and gain[i, j] > 0.0:
                work[pairs, 0] = i
                work[pairs, 1] = j
                pairs += 1
            j += b_size[j]
        i += a_size[i]
    while pairs:
        best = 0
        for pair in range(1, pairs):
            if gain[work[pair, 0], work[pair, 1]] > gain[work[best, 0], work[best, 1]]:
                best = pair
        i, j = work[best, 0], work[best, 1]
        saved += gain[i, j]
        partner[i] = j
        left = 0
        for pair in range(pairs):
            if work[pair, 0] != i and work[pair, 1] != j:
                work[left, 0] = work[pair, 0]
                work[left, 1] = work[pair, 1]
                left += 1
        pairs = left
    return saved


@njit
def match(a, a_size, a_count, b, b_size, b_count, tree, gain, a_kept, b_kept, partner, work):
    """Return what is lost if two trees are published as one; `gain` holds every pair's saving.

    `tree` is what is known of labels: their parents, classes, losses and weights. Pairs are taken
    from below, so what matching a pair saves with its subtrees is known when it is needed.
    """
    above, of_class, loss, weight = tree
    _weigh(a, a_size, a_count, loss, weight, a_kept)
    _weigh(b, b_size, b_count, loss, weight, b_kept)
    for i in range(a_count - 1, -1, -1):
        for j in range(b_count - 1, -1, -1):
            if of_class[a[i]] != of_class[b[j]]:
                continue
            code = common(a[i], b[j], above)
            gain[i, j] = 2.0 * weight[code] * (1.0 - loss[code])
            if a_size[i] > 1 and b_size[j] > 1:
                gain[i, j] += _pair_up(
                    i + 1, i + a_size[i], j + 1, j + b_size[j],
                    a, a_size, b, b_size, of_class, gain, partner, work,
                )  # fmt: skip
    total = 0.0
    i = 0
    while i < a_count:
        total += a_kept[i]
        i += a_size[i]
    j = 0
    while j < b_count:
        total += b_kept[j]
        j += b_size[j]
    return total - _pair_up(
        0, a_count, 0, b_count, a, a_size, b, b_size, of_class, gain, partner, work
    )


@njit
def merge(a, a_size, a_count, b, b_size, b_count, tree, gain, a_kept, b_kept, partner, work):
    """Make the first tree what both have in common; return how many nodes it keeps."""
    above, of_class, _, _ = tree
    match(a, a_size, a_count, b, b_size, b_count, tree, gain, a_kept, b_kept, partner, work)
    to = np.full(a_count, -1, dtype=np.int32)
    whole = np.full(a_count, -1, dtype=np.int32)
    for node in range(a_count):
        partner[node] = -1
    _pair_up(0, a_count, 0, b_count, a, a_size, b, b_size, of_class, gain, partner, work)
    i = 0
    while i < a_count:
        if partner[i] < 0:
            i += a_size[i]
            continue
        j = partner[i]
        to[i] = common(a[i], b[j], above)
        _pair_up(
            i + 1, i + a_size[i], j + 1, j + b_size[j],
            a, a_size, b, b_size, of_class, gain, partner, work,
        )  # fmt: skip
        i += 1
    kept = 0
    for i in range(a_count):
        if to[i] >= 0:
            whole[i] = kept
            kept += 1
    for i in range(a_count):
        if to[i] < 0:
            continue
        size = 0
        for k in range(i, i + a_size[i]):
            if to[k] >= 0:
                size += 1
        a[whole[i]] = to[i]
        a_size[whole[i]] = size
    return kept


@inner
def _differ(a_classes, b_classes, class_weight):
    """Bound from below what matching loses: nodes of a class that one tree has too many of."""
    least = 0.0
    for kind in range(a_classes.size):
        least += class_weight[kind] * abs(a_classes[kind] - b_classes[kind])
    return least


@inner
def _count_classes(label, count, of_class, loss, counts):
    """Count nodes by class, each as much as it still tells."""
    counts[:] = 0.0
    for node in range(count):
        counts[of_class[label[node]]] += 1.0 - loss[label[node]]


@njit
def cluster(label, size, starts, order, tree, class_weight, k, climit, threshold):
    """Put records into clusters, one after the other in the given order.

    At most `climit` clusters are open; a record joins the nearest one if it is near enough or no
    more may be opened; a cluster of k is closed. Returns for each record its cluster, and the
    tree that each cluster has in common.
    """
    _, of_class, loss, _ = tree
    records = order.size
    longest = 1
    for record in range(records):
        longest = max(longest, starts[record + 1] - starts[record])
    rep = np.empty((climit, longest), dtype=np.int32)
    rep_size = np.empty((climit, longest), dtype=np.int32)
    count = np.zeros(climit, dtype=np.int64)
    members = np.zeros(climit, dtype=np.int64)
    number = np.zeros(climit, dtype=np.int64)
    kinds = np.zeros((climit, class_weight.size))
    mine = np.zeros(class_weight.size)
    gain = np.zeros((longest, longest))
    a_kept, b_kept = np.empty(longest), np.empty(longest)
    partner = np.empty(longest, dtype=np.int32)
    work = np.empty((longest * longest, 2), dtype=np.int32)
    joined = np.empty(records, dtype=np.int64)
    out = np.empty(label.size, dtype=np.int32)
    out_size = np.empty(label.size, dtype=np.int32)
    out_starts = np.zeros(records + 1, dtype=np.int64)
    finished = np.empty(records, dtype=np.int64)
    opened, closed, used = 0, 0, 0
    for step in range(records):
        record = order[step]
        first, last = starts[record], starts[record + 1]
        b, b_size, nodes = label[first:last], size[first:last], last - first
        _count_classes(b, nodes, of_class, loss, mine)
        best, nearest = np.inf, -1
        for slot in range(used):
            length = max(1, nodes + count[slot])
            if _differ(mine, kinds[slot], class_weight) / length >= best:
                continue
            lost = match(
                rep[slot], rep_size[slot], count[slot], b, b_size, nodes,
                tree, gain, a_kept, b_kept, partner, work,
            )  # fmt: skip
            if lost / length < best:
                best, nearest = lost / length, slot
        if nearest < 0 or (best > threshold and used < climit):
            nearest = used
            used += 1
            copy_into(rep[nearest], b)
            copy_into(rep_size[nearest], b_size)
            count[nearest] = nodes
            members[nearest] = 0
            number[nearest] = opened
            opened += 1
        else:
            count[nearest] = merge(
                rep[nearest], rep_size[nearest], count[nearest], b, b_size, nodes,
                tree, gain, a_kept, b_kept, partner, work,
            )  # fmt: skip
        _count_classes(rep[nearest], count[nearest], of_class, loss, kinds[nearest])
        joined[record] = number[nearest]
        members[nearest] += 1
        if members[nearest] == k:
            closed = _close(
                nearest, number, rep, rep_size, count, out, out_size, out_starts, finished, closed
            )
            used -= 1
            _move(used, nearest, number, rep, rep_size, count, members, kinds)
    whole = closed
    for slot in range(used):
        closed = _close(
            slot, number, rep, rep_size, count, out, out_size, out_starts, finished, closed
        )
    place = np.empty(opened, dtype=np.int64)
    for at in range(closed):
        place[finished[at]] = at
    for record in range(records):
        joined[record] = place[joined[record]]
    filled = out_starts[closed]
    return joined, whole, out[:filled], out_size[:filled], out_starts[: closed + 1]


@inner
def _close(slot, number, rep, rep_size, count, out, out_size, out_starts, finished, closed):
    """Lay the tree of a cluster behind those of the clusters closed before."""
    first = out_starts[closed]
    for node in range(count[slot]):
        out[first + node] = rep[slot, node]
        out_size[first + node] = rep_size[slot, node]
    out_starts[closed + 1] = first + count[slot]
    finished[closed] = number[slot]
    return closed + 1


@inner
def _move(source, target, number, rep, rep_size, count, members, kinds):
    """Keep the open clusters together."""
    if source == target:
        return
    number[target] = number[source]
    members[target] = members[source]
    count[target] = count[source]
    kinds[target] = kinds[source]
    for node in range(count[source]):
        rep[target, node] = rep[source, node]
        rep_size[target, node] = rep_size[source, node]


@njit
def nearest_tree(a, a_size, label, size, starts, allowed, tree):
    """Find among trees that are allowed the one that is cheapest to publish as one with `a`."""
    longest = a.size + 1
    for at in range(starts.size - 1):
        longest = max(longest, starts[at + 1] - starts[at])
    gain = np.zeros((longest, longest))
    a_kept, b_kept = np.empty(longest), np.empty(longest)
    partner = np.empty(longest, dtype=np.int32)
    work = np.empty((longest * longest, 2), dtype=np.int32)
    best, nearest = np.inf, -1
    for at in range(starts.size - 1):
        if not allowed[at]:
            continue
        first, last = starts[at], starts[at + 1]
        nodes = last - first
        lost = match(
            a, a_size, a.size, label[first:last], size[first:last], nodes,
            tree, gain, a_kept, b_kept, partner, work,
        )  # fmt: skip
        length = max(1, a.size + nodes)
        if lost / length < best:
            best, nearest = lost / length, at
    return nearest


@njit
def in_common(a, a_size, b, b_size, tree):
    """Return the labels and subtree sizes of what two trees have in common."""
    longest = max(a.size, b.size) + 1
    label, size = a.copy(), a_size.copy()
    kept = merge(
        label, size, a.size, b, b_size, b.size, tree,
        np.zeros((longest, longest)), np.empty(longest), np.empty(longest),
        np.empty(longest, dtype=np.int32), np.empty((longest * longest, 2), dtype=np.int32),
    )  # fmt: skip
    return label[:kept].copy(), size[:kept].copy()
