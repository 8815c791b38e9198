"""Synopsis trees: records laid on top of each other, projected to cuts, disassociated.

A synopsis is arrays over its nodes: label and parent (-1 below the root), parents before children.
Record ids of the nodes are one array in slices: `ids[ptr[node] : ptr[node + 1]]`.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.arrays import doubled
from indistinct.kernels.compiled import inner, njit

_MIX = np.uint64(0x9E3779B97F4A7C15)


@njit
def superimpose(label, parent, image, width):
    """Lay trees on top of each other: nodes with the same path of labels become one.

    `image` maps a label to the one to use, or to -1: the node is left out and its children go to
    its parent. Returns the node that each input node became (its parent's where left out), and the
    labels and parents of the new nodes.
    """
    size = label.size
    bits = 4
    while (1 << bits) < 2 * size:
        bits += 1
    shift = np.uint64(64 - bits)
    mask = (1 << bits) - 1
    keys = np.full(1 << bits, -1, dtype=np.int64)
    found = np.empty(1 << bits, dtype=np.int32)
    became = np.empty(size, dtype=np.int32)
    new_label = np.empty(size, dtype=np.int32)
    new_parent = np.empty(size, dtype=np.int32)
    count = 0
    for node in range(size):
        above = np.int32(-1) if parent[node] < 0 else became[parent[node]]
        to = image[label[node]]
        if to < 0:
            became[node] = above
            continue
        key = np.int64(above + 1) * width + to
        place = np.int64((np.uint64(key) * _MIX) >> shift)
        while keys[place] != key and keys[place] >= 0:
            place = (place + 1) & mask
        if keys[place] < 0:
            keys[place] = key
            found[place] = count
            new_label[count] = to
            new_parent[count] = above
            count += 1
        became[node] = found[place]
    return became, new_label[:count].copy(), new_parent[:count].copy()


@njit
def record_lists(became, starts, nodes):
    """List the records that hold each node of the synopsis of all records."""
    ptr = np.zeros(nodes + 1, dtype=np.int64)
    for i in range(became.size):
        ptr[became[i] + 1] += 1
    for node in range(nodes):
        ptr[node + 1] += ptr[node]
    filled = ptr[:-1].copy()
    ids = np.empty(became.size, dtype=np.int32)
    for record in range(starts.size - 1):
        for i in range(starts[record], starts[record + 1]):
            ids[filled[became[i]]] = record
            filled[became[i]] += 1
    return ptr, ids


@njit
def gathered(became, left_out, nodes):
    """Order old nodes by the new node they became; those left out are nobody's."""
    ptr = np.zeros(nodes + 1, dtype=np.int64)
    for old in range(became.size):
        if not left_out[old]:
            ptr[became[old] + 1] += 1
    for node in range(nodes):
        ptr[node + 1] += ptr[node]
    filled = ptr[:-1].copy()
    members = np.empty(ptr[nodes], dtype=np.int32)
    for old in range(became.size):
        if not left_out[old]:
            members[filled[became[old]]] = old
            filled[became[old]] += 1
    return ptr, members


@njit
def united(member_ptr, members, ptr, ids, records):
    """List the records of each new node: the union of the lists of its members."""
    nodes = member_ptr.size - 1
    stamp = np.full(records, -1, dtype=np.int32)
    new_ptr = np.zeros(nodes + 1, dtype=np.int64)
    total = np.int64(0)
    for i in range(members.size):
        total += ptr[members[i] + 1] - ptr[members[i]]
    new_ids = np.empty(total, dtype=np.int32)
    filled = np.int64(0)
    for node in range(nodes):
        first, last = member_ptr[node], member_ptr[node + 1]
        if last - first == 1:
            old = members[first]
            for i in range(ptr[old], ptr[old + 1]):
                new_ids[filled] = ids[i]
                filled += 1
        else:
            for place in range(first, last):
                old = members[place]
                for i in range(ptr[old], ptr[old + 1]):
                    record = ids[i]
                    if stamp[record] != node:
                        stamp[record] = node
                        new_ids[filled] = record
                        filled += 1
        new_ptr[node + 1] = filled
    return new_ptr, new_ids[:filled].copy()


@njit
def strung(member_ptr, members, ptr, ids):
    """List the records of each new node, those of one member after the other; some may repeat."""
    nodes = member_ptr.size - 1
    new_ptr = np.zeros(nodes + 1, dtype=np.int64)
    for node in range(nodes):
        total = np.int64(0)
        for place in range(member_ptr[node], member_ptr[node + 1]):
            total += ptr[members[place] + 1] - ptr[members[place]]
        new_ptr[node + 1] = new_ptr[node] + total
    new_ids = np.empty(new_ptr[nodes], dtype=np.int32)
    filled = np.int64(0)
    for place in range(members.size):
        for i in range(ptr[members[place]], ptr[members[place] + 1]):
            new_ids[filled] = ids[i]
            filled += 1
    return new_ptr, new_ids


@njit
def supports(member_ptr, members, ptr, ids, records):
    """Count the records of each new node, without listing them."""
    nodes = member_ptr.size - 1
    stamp = np.full(records, -1, dtype=np.int32)
    count = np.zeros(nodes, dtype=np.int64)
    for node in range(nodes):
        first, last = member_ptr[node], member_ptr[node + 1]
        if last - first == 1:
            old = members[first]
            count[node] = ptr[old + 1] - ptr[old]
            continue
        held = 0
        for place in range(first, last):
            old = members[place]
            for i in range(ptr[old], ptr[old + 1]):
                record = ids[i]
                if stamp[record] != node:
                    stamp[record] = node
                    held += 1
        count[node] = held
    return count


@inner
def families(parent, alive):
    """Return the first child and the next sibling of each node; the last entry is the root."""
    nodes = parent.size
    first = np.full(nodes + 1, -1, dtype=np.int32)
    after = np.full(nodes, -1, dtype=np.int32)
    for node in range(nodes - 1, -1, -1):
        if not alive[node]:
            continue
        above = parent[node] if parent[node] >= 0 else nodes
        after[node] = first[above]
        first[above] = node
    return first, after


@inner
def _unlink(node, parent, first, after):
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
    parent[node] = above
    to = above if above >= 0 else parent.size
    after[node] = first[to]
    first[to] = node


@inner
def _attach(node, above, label, parent, alive, first, after, head, tail, then, stack):
    """Put an unlinked node below another; it merges with a child of the same label.

    Of two that merge the one with the smaller number stays, so parents stay before children.
    """
    stack[0, 0] = node
    stack[0, 1] = above
    waiting = 1
    while waiting:
        waiting -= 1
        node, above = stack[waiting]
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
        if tail[stays] >= 0:
            then[tail[stays]] = head[goes]
        else:
            head[stays] = head[goes]
        if tail[goes] >= 0:
            tail[stays] = tail[goes]
        child = first[goes]
        first[goes] = -1
        while child >= 0:
            following = after[child]
            stack[waiting, 0] = child
            stack[waiting, 1] = stays
            waiting += 1
            child = following


@njit
def disassociate(upper, lower, label, parent, alive, first, after, head, tail, then, stack):
    """Break a relation in all paths (Definition 2): `lower` moves beside `upper`, alone.

    Children of the moved node go to the node it stood below.
    """
    for node in range(label.size):
        if not alive[node] or label[node] != lower:
            continue
        above = parent[node]
        while above >= 0 and label[above] != upper:
            above = parent[above]
        if above < 0:
            continue
        below = parent[node]
        _unlink(node, parent, first, after)
        child = first[node]
        first[node] = -1
        while child >= 0:
            following = after[child]
            _attach(child, below, label, parent, alive, first, after, head, tail, then, stack)
            child = following
        _attach(node, parent[above], label, parent, alive, first, after, head, tail, then, stack)


@njit
def sampled_lists(ptr, ids, place, size):
    """Keep of each node's records those that have a place in a sample, as these places."""
    new_ptr = np.zeros(ptr.size, dtype=np.int64)
    new_ids = np.empty(size, dtype=np.int32)
    filled = 0
    for node in range(ptr.size - 1):
        for i in range(ptr[node], ptr[node + 1]):
            if place[ids[i]] >= 0:
                if filled == new_ids.size:
                    new_ids = doubled(new_ids)
                new_ids[filled] = place[ids[i]]
                filled += 1
        new_ptr[node + 1] = filled
    return new_ptr, new_ids[:filled].copy()


@njit
def mean_rpd(label, parent, alive, head, then, ptr, ids, records, level_size, weight):
    """Return the mean over records of the mean RPD of their paths (equations 1 to 3).

    The records of a node are those of its chained members. `level_size` and `weight` are per label;
    a path counts with the mean weight of its nodes. A record without nodes has RPD 1.
    """
    nodes = label.size
    depth = np.zeros(nodes, dtype=np.int64)
    domain = np.ones(nodes)
    weighed = np.zeros(nodes)
    first = np.full(nodes, -1, dtype=np.int32)
    after = np.full(nodes, -1, dtype=np.int32)
    for node in range(nodes):
        if not alive[node]:
            continue
        above = parent[node]
        depth[node] = 1
        weighed[node] = weight[label[node]]
        if above >= 0:
            depth[node] += depth[above]
            domain[node] = domain[above]
            weighed[node] += weighed[above]
            after[node] = first[above]
            first[above] = node
        domain[node] *= depth[node] * level_size[label[node]]
    seen = np.full(records, -1, dtype=np.int32)
    total = np.zeros(records)
    paths = np.zeros(records, dtype=np.int64)
    for node in range(nodes):
        if not alive[node]:
            continue
        child = first[node]
        while child >= 0:
            old = head[child]
            while old >= 0:
                for i in range(ptr[old], ptr[old + 1]):
                    seen[ids[i]] = node
                old = then[old]
            child = after[child]
        value = weighed[node] / depth[node] / domain[node]
        old = head[node]
        while old >= 0:
            for i in range(ptr[old], ptr[old + 1]):
                if seen[ids[i]] != node:
                    seen[ids[i]] = node
                    total[ids[i]] += value
                    paths[ids[i]] += 1
            old = then[old]
    summed = 0.0
    for record in range(records):
        summed += total[record] / paths[record] if paths[record] else 1.0
    return summed / max(records, 1)
