"""Matching two trees one-to-one, and what they have in common.

Nergiz, Clifton and Nergiz (2009), multirelational k-anonymity, as Gkountouna and Terrovitis (2013,
section IV) compare with it. Two trees are published as what they have in common: siblings of the
same class below matched parents are matched, the pairs that save most first; a pair becomes its
lowest common label, the rest is suppressed.

A tree is its labels and the sizes of its subtrees, in preorder; children of a node are found by
stepping over subtrees. A label's parent has a smaller code, which makes common ancestors a walk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LabelFacts(NamedTuple):
    """What matching knows of labels.

    Attributes
    ----------
    above, of_class
        The label above each (-1 at the top), and its class.
    loss
        The share of its class's other ground labels that it could stand for.
    weight
        What a node of its class counts.
    """

    above: NDArray[np.int32]
    of_class: NDArray[np.int32]
    loss: NDArray[np.float64]
    weight: NDArray[np.float64]


class Matching(NamedTuple):
    """Scratch for matching two trees.

    Attributes
    ----------
    gain
        What publishing a node of the first and one of the second as one saves, with all below.
    partner
        For nodes of the first tree, their partners in the second.
    pairs
        The pairs of siblings that could be matched.
    kept
        What would be lost with each subtree if it were suppressed.
    """

    gain: NDArray[np.float64]
    partner: NDArray[np.int32]
    pairs: NDArray[np.int32]
    kept: NDArray[np.float64]

    @classmethod
    def of(cls, longest: int) -> Matching:
        """Return scratch for trees of up to so many nodes."""
        return cls(
            np.zeros((longest, longest)),
            np.empty(longest, dtype=np.int32),
            np.empty((longest * longest, 2), dtype=np.int32),
            np.empty(longest),
        )


@inner
def _common(a, b, above):
    """Return the lowest label that generalizes two labels of a class."""
    while a != b:
        if a > b:
            a = above[a]
        else:
            b = above[b]
    return a


@inner
def _with_lost(total, label, size, count, facts, kept):
    """Add to a total what would be lost if a whole tree were suppressed."""
    for node in range(count - 1, -1, -1):
        code = label[node]
        kept[node] = facts.weight[code] * (1.0 - facts.loss[code])
        child = node + 1
        while child < node + size[node]:
            kept[node] += kept[child]
            child += size[child]
    node = 0
    while node < count:
        total += kept[node]
        node += size[node]
    return total


@inner
def _pair_up(x, x_end, y, y_end, a, a_size, b, b_size, of_class, matching):
    """Match two rows of siblings one-to-one, the best pair first; return what is saved."""
    gain, partner, work = matching.gain, matching.partner, matching.pairs
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


@inner
def match(a, a_size, a_count, b, b_size, b_count, facts, matching):
    """Return what is lost if two trees are published as one; `gain` holds every pair's saving.

    Pairs are taken from below, so what matching a pair saves with its subtrees is known when it is
    needed.
    """
    of_class, gain = facts.of_class, matching.gain
    for i in range(a_count - 1, -1, -1):
        for j in range(b_count - 1, -1, -1):
            if of_class[a[i]] != of_class[b[j]]:
                continue
            code = _common(a[i], b[j], facts.above)
            gain[i, j] = 2.0 * facts.weight[code] * (1.0 - facts.loss[code])
            if a_size[i] > 1 and b_size[j] > 1:
                gain[i, j] += _pair_up(
                    i + 1, i + a_size[i], j + 1, j + b_size[j],
                    a, a_size, b, b_size, of_class, matching,
                )  # fmt: skip
    first, nothing = np.int64(0), np.float64(0.0)
    total = _with_lost(nothing, a, a_size, a_count, facts, matching.kept)
    total = _with_lost(total, b, b_size, b_count, facts, matching.kept)
    return total - _pair_up(
        first, a_count, first, b_count, a, a_size, b, b_size, of_class, matching
    )


@inner
def merge(a, a_size, a_count, b, b_size, b_count, facts, matching):
    """Make the first tree what both have in common; return how many nodes it keeps."""
    partner = matching.partner
    match(a, a_size, a_count, b, b_size, b_count, facts, matching)
    to = np.full(a_count, -1, dtype=np.int32)
    place = np.full(a_count, -1, dtype=np.int32)
    for node in range(a_count):
        partner[node] = -1
    i = np.int64(0)
    _pair_up(i, a_count, i, b_count, a, a_size, b, b_size, facts.of_class, matching)
    while i < a_count:
        if partner[i] < 0:
            i += a_size[i]
            continue
        j = np.int64(partner[i])
        to[i] = _common(a[i], b[j], facts.above)
        _pair_up(
            i + 1, i + a_size[i], j + 1, j + b_size[j],
            a, a_size, b, b_size, facts.of_class, matching,
        )  # fmt: skip
        i += 1
    kept = 0
    for i in range(a_count):
        if to[i] >= 0:
            place[i] = kept
            kept += 1
    for i in range(a_count):
        if to[i] < 0:
            continue
        size = 0
        for k in range(i, i + a_size[i]):
            if to[k] >= 0:
                size += 1
        a[place[i]] = to[i]
        a_size[place[i]] = size
    return kept
