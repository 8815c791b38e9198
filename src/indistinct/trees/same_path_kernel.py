"""Knowledge of the same nodes: labels of a record with facts that are true of them at once.

Part of the independent check. A fact is that one node is above another, or that two stand directly
below the same node. Of each record all sets of up to m nodes with different labels are gone
through, and of each set all up to n facts; what Definition 1 of Gkountouna and Terrovitis (2013)
counts already, labels with one relation, is passed over. Nothing here is shared with the searches.

A pattern is three numbers: labels in ascending order, 21 bits each, three to a number (the first
two), and the facts, two bits for each pair: bit 2 (j (j - 1) / 2 + i) if one of the i-th and the
j-th label is above the other, the next if they are beside each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

LABEL_BITS = 21
LABELS_TO_A_NUMBER = 3
_ABOVE, _BESIDE = np.int64(1), np.int64(2)


class PathScratch(NamedTuple):
    """Scratch for the longest record.

    Attributes
    ----------
    node
        The nodes of a record that may be known, in the order of their labels.
    fact
        For two of them (places in `node`) what is true of them.
    chosen
        The nodes of a set, as places in `node`.
    bit
        The bit of each fact of a set.
    """

    node: NDArray[np.int64]
    fact: NDArray[np.int64]
    chosen: NDArray[np.int64]
    bit: NDArray[np.int64]


@njit
def find_patterns(
    label: NDArray[np.int64], parent: NDArray[np.int32], starts: NDArray[np.int64], m: int, n: int,
    only: tuple[int, int], found: NDArray[np.int64], owner: NDArray[np.int32],
    scratch: PathScratch,
) -> int:  # fmt: skip
    """Write the patterns of all records, and whose they are, if there is room; return how many.

    Labels that nobody may know are -1. `only` is a part and of how many: patterns whose smallest
    label leaves this remainder.
    """
    node, fact, chosen, bit = scratch
    count = 0
    for record in range(starts.size - 1):
        size = _sorted_nodes(label, starts[record], starts[record + 1], node)
        _find_facts(label, parent, node, size, fact)
        depth = 0
        chosen[0] = -1
        while depth >= 0:
            chosen[depth] += 1
            if chosen[depth] >= size:
                depth -= 1
                continue
            here = label[node[chosen[depth]]]
            if depth == 0 and here % only[1] != only[0]:
                continue
            if depth > 0 and here == label[node[chosen[depth - 1]]]:
                continue
            if depth > 0:
                facts = _facts_of(chosen, depth + 1, fact, bit)
                count = _write_all(
                    record, label, node, chosen, depth + 1, bit, facts, n, found, owner, count
                )
            if depth + 1 < m:
                depth += 1
                chosen[depth] = chosen[depth - 1]
    return count


@inner
def _sorted_nodes(label, start, stop, node):
    """List the nodes of a record that may be known by their labels; return how many."""
    size = 0
    for at in range(start, stop):
        if label[at] < 0:
            continue
        place = size
        while place > 0 and label[node[place - 1]] > label[at]:
            node[place] = node[place - 1]
            place -= 1
        node[place] = at
        size += 1
    return size


@inner
def _find_facts(label, parent, node, size, fact):
    """Find what is true of each two nodes of a record."""
    for j in range(size):
        for i in range(size):
            fact[i, j] = 0
            if parent[node[i]] >= 0 and parent[node[i]] == parent[node[j]]:
                fact[i, j] = _BESIDE
    for j in range(size):
        above = parent[node[j]]
        while above >= 0:
            if label[above] >= 0:
                for i in range(size):
                    if node[i] == above:
                        fact[i, j] = _ABOVE
                        fact[j, i] = _ABOVE
            above = parent[above]


@inner
def _facts_of(chosen, size, fact, bit):
    """List the facts of a set of nodes; return how many."""
    facts = 0
    for j in range(1, size):
        for i in range(j):
            kind = fact[chosen[i], chosen[j]]
            if kind:
                bit[facts] = 2 * (j * (j - 1) // 2 + i) + kind - 1
                facts += 1
    return facts


@inner
def _write_all(record, label, node, chosen, size, bit, facts, n, found, owner, count):
    """Write a pattern for each up to n facts of a set of nodes; return how many there are now."""
    for subset in range(1, 1 << facts):
        known = 0
        mask = np.int64(0)
        beside = False
        for place in range(facts):
            if subset >> place & 1:
                known += 1
                mask |= np.int64(1) << bit[place]
                beside = beside or bit[place] & 1
        if known > n or (known == 1 and not beside):
            continue
        if count < owner.size:
            owner[count] = record
            for number in range(2):
                packed = np.int64(0)
                for place in range(3 * number, min(3 * number + 3, size)):
                    code = label[node[chosen[place]]] + 1
                    packed |= code << (LABEL_BITS * (place - 3 * number))
                found[count, number] = packed
            found[count, 2] = mask
        count += 1
    return count
