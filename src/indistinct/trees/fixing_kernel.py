"""StructureCheck and FixStructure (paper 004, Algorithms 2 and 3) on a projected synopsis.

Relations are numbered pairs (upper, lower) of labels. The records of a relation are a row of the
`pool` that many cuts share, at `at[pair]`, until a disassociation changes them; then of `own`.
A relation known to be absent has the `opposite` one, present; others have -1 there.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.trees.bits_kernel import begin, meet, meet_up_to, ones, set_bits, too_few
from indistinct.trees.synopsis_kernel import disassociate, families


@njit
def pairs_present(label, parent, width):
    """Mark the pairs (upper, lower) of labels that stand on one path somewhere."""
    found = np.zeros((width, width), dtype=np.bool_)
    for node in range(label.size):
        above = parent[node]
        while above >= 0:
            found[label[above], label[node]] = True
            above = parent[above]
    return found


@njit
def relation_rows(label, parent, alive, head, then, lists, slot, rows):
    """Put the records of each wanted relation into its row, by a walk up from every node.

    `slot` tells the row of each pair (upper, lower) of labels, -1 where none is wanted.
    `lists` tell the nodes of the whole synopsis in each node, and their records.
    """
    member_ptr, members, ptr, ids = lists
    for node in range(label.size):
        if not alive[node]:
            continue
        above = parent[node]
        while above >= 0:
            row = slot[label[above], label[node]]
            if row >= 0:
                old = head[node]
                while old >= 0:
                    for place in range(member_ptr[old], member_ptr[old + 1]):
                        member = members[place]
                        set_bits(rows[row], ids, ptr[member], ptr[member + 1])
                    old = then[old]
            above = parent[above]


@njit
def chained(member_ptr, members, olds):
    """Turn slices of members into chains: the first and the last of each node, and the next."""
    nodes = member_ptr.size - 1
    head = np.full(nodes, -1, dtype=np.int32)
    tail = np.full(nodes, -1, dtype=np.int32)
    then = np.full(olds, -1, dtype=np.int32)
    for node in range(nodes):
        for place in range(member_ptr[node], member_ptr[node + 1]):
            if head[node] < 0:
                head[node] = members[place]
            else:
                then[tail[node]] = members[place]
            tail[node] = members[place]
    return head, tail, then


@njit
def _row(pool, own, at, pair):
    return pool[at[pair]] if at[pair] >= 0 else own[pair]


@inner
def _with_labels(chosen, held, upper, lower, pair):
    """Add the labels of a relation to those chosen; return how many there are."""
    for end in (upper[pair], lower[pair]):
        new = True
        for i in range(held):
            new = new and chosen[i] != end
        if new:
            chosen[held] = end
            held += 1
    return held


@inner
def scarce(
    pool, own, at, count, upper, lower, values, picks, k, m, n, pair, where, words, chosen, taken,
    stack,
):  # fmt: skip
    """Return how many relations too rare knowledge with this relation has, 0 if there is none.

    The relations are in `taken`, this one first. Rows of `stack`: for each number of relations
    taken, the next one to try, the words of the intersection, the labels; the rest is for labels.
    """
    if count[pair] == 0 or m < 2 or n < 1:
        return 0
    taken[0] = pair
    if count[pair] < k:
        return 1
    size, _ = begin(_row(pool, own, at, pair), where[0], words[0])
    chosen[0], chosen[1] = upper[pair], lower[pair]
    if m > 2 and too_few(values, picks, 0, m - 2, where, words, size, 0, k, stack[3], stack[4]):
        return 1
    level = 0
    stack[0, 0], stack[1, 0], stack[2, 0] = 0, size, 2
    while level >= 0:
        other = stack[0, level]
        if other >= upper.size or level + 1 >= n:
            level -= 1
            continue
        stack[0, level] += 1
        if count[other] == 0 or other == pair:
            continue
        held = _with_labels(chosen, stack[2, level], upper, lower, other)
        if held > m:
            continue
        row = _row(pool, own, at, other)
        size = stack[1, level]
        taken[level + 1] = other
        if held == m and level + 2 >= n:
            if 0 < meet_up_to(where[level], words[level], size, row, k) < k:
                return level + 2
            continue
        kept, found = meet(
            where[level], words[level], size, row, where[level + 1], words[level + 1]
        )
        if found == 0:
            continue
        if found < k:
            return level + 2
        level += 1
        if held < m and too_few(
            values, picks, 0, m - held, where, words, kept, level, k, stack[3], stack[4]
        ):
            return level + 1
        stack[0, level], stack[1, level], stack[2, level] = other + 1, kept, held
    return 0


@inner
def _scarce_with(pool, own, at, values, fresh, k, m, pair, where, words, taken, stack):
    """Return 1 if this relation and one of some labels are known of too few records, else 0."""
    if m < 3:
        return 0
    taken[0] = pair
    size, _ = begin(_row(pool, own, at, pair), where[0], words[0])
    if too_few(values, fresh, 0, 1, where, words, size, 0, k, stack[3], stack[4]):
        return 1
    return 0


@inner
def _rarest(count, opposite, taken, found):
    """Choose the relation to break: the least frequent; one known as absent by its opposite."""
    best = np.int64(-1)
    for i in range(found):
        pair = taken[i] if opposite[taken[i]] < 0 else opposite[taken[i]]
        if count[pair] and (best < 0 or count[pair] < count[best]):
            best = pair
    return best


@njit
def fix_structure(
    label, parent, alive, head, tail, then, lists,
    relation, upper, lower, opposite, pool, own, at, count, values, picks, fresh, k, m, n, most,
):  # fmt: skip
    """Disassociate relations until no knowledge with relations is too rare; return them in order.

    Where `fresh` is given, the places of some picks, no knowledge without one of these labels is
    too rare (and m is at most 3). Then a relation between others is looked at with the fresh ones
    only, until a disassociation changes it.

    The synopsis, `own`, `at` and `count` are changed. Stops after `most` + 1 relations, and can be
    called again to go on.
    """
    first, after = families(parent, alive)
    stack = np.empty((label.size + 1, 2), dtype=np.int32)
    where = np.empty((m + n + 1, values.shape[1]), dtype=np.int32)
    words = np.empty((m + n + 1, values.shape[1]), dtype=np.uint64)
    chosen = np.empty(m + 2, dtype=np.int64)
    taken = np.empty(n + 1, dtype=np.int64)
    depths = np.empty((5, m + n + 1), dtype=np.int64)
    dirty = count > 0
    known = np.zeros(upper.size, dtype=np.bool_)
    if fresh.size:
        new = np.zeros(relation.shape[0] + 1, dtype=np.bool_)
        new[fresh] = True
        for pair in range(upper.size):
            known[pair] = not new[upper[pair]] and not new[lower[pair]]
    broken = np.empty(upper.size, dtype=np.int64)
    done = 0
    order = np.argsort(count)
    while dirty.any() and done <= most:
        for pair in order:
            if not dirty[pair] or done > most:
                continue
            dirty[pair] = False
            while done <= most:
                if known[pair]:
                    found = _scarce_with(
                        pool, own, at, values, picks[fresh], k, m, pair, where, words, taken,
                        depths,
                    )  # fmt: skip
                else:
                    found = scarce(
                        pool, own, at, count, upper, lower, values, picks, k, m, n, pair, where,
                        words, chosen, taken, depths,
                    )  # fmt: skip
                if found == 0:
                    break
                rarest = _rarest(count, opposite, taken, found)
                if rarest < 0:
                    break
                broken[done] = rarest
                done += 1
                changed = _touched(
                    upper[rarest], lower[rarest], label, parent, alive, relation, upper.size
                )
                disassociate(
                    upper[rarest], lower[rarest], label, parent, alive, first, after, head, tail,
                    then, stack,
                )  # fmt: skip
                _renew(
                    changed, lower[rarest], label, parent, alive, head, then, lists, relation,
                    upper, lower, opposite, pool, own, at, count, values, picks, dirty, known,
                )  # fmt: skip
    return broken[:done].copy()


@inner
def _touched(upper, lower, label, parent, alive, relation, pairs):
    """Mark the relations that a disassociation takes from some path, all with `lower` below."""
    changed = np.zeros(pairs, dtype=np.bool_)
    for node in range(label.size):
        if not alive[node] or label[node] != lower:
            continue
        above = parent[node]
        while above >= 0 and label[above] != upper:
            above = parent[above]
        if above < 0:
            continue
        between = parent[node]
        while True:
            pair = relation[label[between], lower]
            if pair >= 0:
                changed[pair] = True
            if between == above:
                break
            between = parent[between]
    return changed


@inner
def _renew(
    changed, moved, label, parent, alive, head, then, lists, relation, upper, lower, opposite,
    pool, own, at, count, values, picks, dirty, old,
):  # fmt: skip
    """Collect the relations of a label anew after its nodes moved; those that changed are dirty."""
    slot = np.full(relation.shape, -1, dtype=np.int32)
    renewed = np.zeros(upper.size, dtype=np.bool_)
    for pair in range(upper.size):
        if opposite[pair] < 0 and count[pair] and (changed[pair] or upper[pair] == moved):
            renewed[pair] = True
            slot[upper[pair], lower[pair]] = pair
            at[pair] = -1
            own[pair] = 0
    relation_rows(label, parent, alive, head, then, lists, slot, own)
    for pair in range(upper.size):
        if opposite[pair] >= 0 and renewed[opposite[pair]]:
            renewed[pair] = True
            at[pair] = -1
            known = _row(pool, own, at, opposite[pair])
            have = values[picks[upper[pair]]]
            for place in range(known.size):
                own[pair, place] = have[place] & ~known[place]
        if renewed[pair]:
            now = 0
            for place in range(own.shape[1]):
                now += ones(own[pair, place])
            dirty[pair] = dirty[pair] or now != count[pair]
            old[pair] = old[pair] and now == count[pair]
            count[pair] = now
