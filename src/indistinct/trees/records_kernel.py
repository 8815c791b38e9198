"""Recoding records one by one: labels generalized, equal siblings merged, relations broken.

The two operations of Gkountouna and Terrovitis (2013), section II-D: generalization to a cut, and
disassociation (Definition 2), which `synopsis_kernel.disassociate` does to a single record as it
does to a synopsis. Records come out in preorder, siblings in the order of their labels, so that
nothing shows how they stood before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.trees.synopsis_kernel import Paths, disassociate

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NO_NODE, _EMPTY = np.int64(-1), np.int64(0)


class Records(NamedTuple):
    """Records one after the other: labels and parents of their nodes, and where each begins.

    `number` says how many private nodes each node stands for; it is empty where nobody counts.
    """

    label: NDArray[np.int32]
    parent: NDArray[np.int32]
    starts: NDArray[np.int64]
    number: NDArray[np.int32]


class Broken(NamedTuple):
    """The relations to break, in order.

    Attributes
    ----------
    upper, lower
        Their labels.
    rank, compact
        For two labels, as `compact` numbers them, which of the relations they are; -1 if none.
    """

    upper: NDArray[np.int64]
    lower: NDArray[np.int64]
    rank: NDArray[np.int32]
    compact: NDArray[np.int32]


@njit
def recode(
    old: Records, new: Records, image: NDArray[np.int32], broken: Broken, record_paths: Paths,
    became: NDArray[np.int32], tally: NDArray[np.int32],
) -> None:  # fmt: skip
    """Write all records after a cut and disassociations, and where each begins.

    The relations are broken in the order of their ranks, which is as good as one after the other,
    because breaking a relation never makes one.

    Parameters
    ----------
    image
        The new label of each label, -1 to leave a node out.
    record_paths, became, tally
        Scratch for the longest record: its paths, the node that each old node becomes, and how many
        private nodes each of these stands for.
    """
    filled = new.starts[0]
    for record in range(old.starts.size - 1):
        start, stop = old.starts[record], old.starts[record + 1]
        nodes = _merged(old, start, stop, image, record_paths, became, tally)
        for node in range(nodes):  # of each node the chain of those that become one with it
            record_paths.head[node], record_paths.tail[node] = node, node
            record_paths.then[node] = -1
        if broken.upper.size:
            _break_all(nodes, broken, record_paths)
        filled = _emit(nodes, record_paths, new, filled, tally)
        new.starts[record + 1] = filled


@inner
def _merged(old, start, stop, image, paths, became, tally):
    """Lay the nodes of one record out under their new labels; return how many there are.

    The first child of the root stands at the place after the last node.
    """
    label, parent, first, after = paths.label, paths.parent, paths.first, paths.after
    root = np.int32(-1)
    count = 0
    for node in range(start, stop):
        above = np.int32(-1) if old.parent[node] < 0 else became[old.parent[node] - start]
        to = image[old.label[node]]
        if to < 0:
            became[node - start] = above
            continue
        twin = root if above < 0 else first[above]
        while twin >= 0 and label[twin] != to:
            twin = after[twin]
        if twin < 0:
            twin = np.int32(count)
            label[twin], parent[twin], first[twin] = to, above, -1
            tally[twin] = 0
            if above < 0:
                after[twin] = root
                root = twin
            else:
                after[twin] = first[above]
                first[above] = twin
            count += 1
        became[node - start] = twin
        if old.number.size:
            tally[twin] += old.number[node]
    first[count] = root
    return count


@inner
def _break_all(nodes, broken, paths):
    """Break the relations of one record in the order of their ranks."""
    own = Paths(
        paths.label[:nodes], paths.parent[:nodes], paths.alive[:nodes], paths.first[: nodes + 1],
        paths.after[:nodes], paths.head[:nodes], paths.tail[:nodes], paths.then[:nodes],
        paths.stack,
    )  # fmt: skip
    for node in range(nodes):
        own.alive[node] = True
    last = np.int32(-1)
    while True:
        best = _next_rank(broken, own, last)
        if best < 0:
            return
        disassociate(broken.upper[best], broken.lower[best], own)
        last = best


@inner
def _next_rank(broken, paths, last):
    """Return the least rank above the last one of the relations that a record has; -1 if none."""
    rank, compact, label = broken.rank, broken.compact, paths.label
    best = np.int32(-1)
    for node in range(label.size):
        if not paths.alive[node]:
            continue
        above = paths.parent[node]
        while above >= 0:
            here = rank[compact[label[above]], compact[label[node]]]
            if here > last and (best < 0 or here < best):
                best = here
            above = paths.parent[above]
    return best


@inner
def _emit(nodes, paths, new, filled, tally):
    """Write the nodes of one record in preorder; return how many nodes are written in all."""
    stack = paths.stack
    waiting = _push(paths.first[nodes], _NO_NODE, paths, _EMPTY)
    while waiting:
        waiting -= 1
        node, above = stack[waiting, 0], stack[waiting, 1]
        new.label[filled] = paths.label[node]
        new.parent[filled] = above
        if new.number.size:
            new.number[filled] = 0
            member = paths.head[node]
            while member >= 0:
                new.number[filled] += tally[member]
                member = paths.then[member]
        waiting = _push(paths.first[node], filled, paths, waiting)
        filled += 1
    return filled


@inner
def _push(child, above, paths, waiting):
    """Put a node's children on the stack, the one with the smallest label on top."""
    label, stack = paths.label, paths.stack
    base = waiting
    while child >= 0:
        place = waiting
        while place > base and label[stack[place - 1, 0]] < label[child]:
            stack[place, 0] = stack[place - 1, 0]
            place -= 1
        stack[place, 0] = child
        waiting += 1
        child = paths.after[child]
    for place in range(base, waiting):
        stack[place, 1] = above
    return waiting
