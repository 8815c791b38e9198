"""The check of knowledge about the same nodes (`same_path`), by going through all of it.

An attacker knows up to m labels of a person, each of one node, and up to n facts about these nodes:
that one is above another, or that two stand directly below the same node, such as two diagnoses of
one stay. A record agrees if it has nodes with these labels of which all facts are true at once.
Nothing of the searches is used here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.trees.same_path_kernel import (
    LABEL_BITS,
    LABELS_TO_A_NUMBER,
    PathScratch,
    find_patterns,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.knowledge import Knowledge

AT_ONCE = 1 << 22
"""About how many patterns are counted at a time."""


class RarePattern(NamedTuple):
    """What some but fewer than k records agree with.

    Attributes
    ----------
    labels
        The labels known.
    above, beside
        Pairs of them, of which the first is above the second, or that are below the same node.
    support
        How many records agree.
    """

    labels: tuple[int, ...]
    above: tuple[tuple[int, int], ...]
    beside: tuple[tuple[int, int], ...]
    support: int


class Limits(NamedTuple):
    """The numbers of the requirement."""

    k: int
    m: int
    n: int


class _Rare(NamedTuple):
    """Rare patterns as numbers, how many records agree with each, and which."""

    pattern: NDArray[np.int64]
    support: NDArray[np.int64]
    owner: NDArray[np.int32]


def rare_patterns(
    forest: Forest,
    knowledge: Knowledge,
    counts: NDArray[np.int64] | None = None,
    *,
    m: int,
    n: int,
) -> Iterator[RarePattern]:
    """Yield all knowledge of the same nodes that some but fewer than k records agree with."""
    codes, known = _codes(forest, knowledge)
    for rare in _rare(forest, known, Limits(knowledge.k, m, n), counts):
        for pattern, support in zip(rare.pattern, rare.support.tolist(), strict=True):
            yield _read(pattern, support, codes, forest.labels.of_class)


def first_rare(
    forest: Forest, knowledge: Knowledge, counts: NDArray[np.int64] | None = None
) -> RarePattern | None:
    """Return such knowledge of as few labels and facts as there is, or None."""
    if next(rare_patterns(forest, knowledge, counts, m=knowledge.m, n=knowledge.n), None) is None:
        return None
    steps = ((m, n) for m in range(2, knowledge.m + 1) for n in range(1, knowledge.n + 1))
    found = (rare_patterns(forest, knowledge, counts, m=m, n=n) for m, n in steps)
    return next(first for patterns in found if (first := next(patterns, None)) is not None)


def at_risk_by_paths(forest: Forest, knowledge: Knowledge, m: int, n: int) -> NDArray[np.bool_]:
    """Mark the records that such knowledge singles out."""
    marks = np.zeros(forest.size, dtype=np.bool_)
    for rare in _rare(forest, _codes(forest, knowledge)[1], Limits(knowledge.k, m, n), None):
        marks[rare.owner] = True
    return marks


def _codes(forest: Forest, knowledge: Knowledge) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the labels that stand in records anew; return them, and each node's number or -1."""
    secret = np.isin(forest.labels.of_class, list(knowledge.sensitive))[forest.label]
    codes, known = np.unique(forest.label, return_inverse=True)
    return codes.astype(np.int64), np.where(secret, -1, known.reshape(-1)).astype(np.int64)


def _rare(
    forest: Forest, known: NDArray[np.int64], asked: Limits, counts: NDArray[np.int64] | None
) -> Iterator[_Rare]:
    """Yield the rare patterns of a part of all labels after the other."""
    k, m, n = asked
    if m < 2 or n < 1:
        return
    weight = np.ones(forest.size, dtype=np.int64) if counts is None else counts
    longest = int(np.diff(forest.starts).max(initial=0)) + 1
    pairs = m * (m - 1) // 2
    node, chosen = np.empty(longest, dtype=np.int64), np.empty(m + 1, dtype=np.int64)
    fact, bit = np.empty((longest, longest), np.int64), np.empty(pairs + 1, np.int64)
    scratch = PathScratch(node, fact, chosen, bit)
    nothing = np.empty((0, 3), dtype=np.int64), np.empty(0, dtype=np.int32)
    trees = known, forest.parent, forest.starts
    parts = find_patterns(*trees, m, n, (0, 1), *nothing, scratch) // AT_ONCE + 1
    for part in range(parts):
        size = find_patterns(*trees, m, n, (part, parts), *nothing, scratch)
        pattern, owner = np.empty((size, 3), dtype=np.int64), np.empty(size, dtype=np.int32)
        find_patterns(*trees, m, n, (part, parts), pattern, owner, scratch)
        rare = _counted(pattern, owner, weight, k)
        if rare.support.size:
            yield rare


def _counted(
    pattern: NDArray[np.int64], owner: NDArray[np.int32], weight: NDArray[np.int64], k: int
) -> _Rare:
    """Count the records of each pattern, each once, and keep those that are too few."""
    order = np.lexsort((owner, *pattern.T))
    pattern, owner = pattern[order], owner[order]
    other = np.ones(owner.size, dtype=np.bool_)
    other[1:] = (pattern[1:] != pattern[:-1]).any(axis=1)
    again = np.zeros(owner.size, dtype=np.bool_)
    again[1:] = ~other[1:] & (owner[1:] == owner[:-1])
    group = np.cumsum(other) - 1
    support = np.bincount(group, np.where(again, 0, weight[owner])).astype(np.int64)
    few = support < k
    first = np.flatnonzero(other)
    return _Rare(pattern[first[few]], support[few], owner[few[group]])


def _read(
    pattern: NDArray[np.int64],
    support: int,
    codes: NDArray[np.int64],
    of_class: NDArray[np.int32],
) -> RarePattern:
    """Turn the three numbers of a pattern into labels and facts."""
    labels: list[int] = []
    for packed in pattern[:2].tolist():
        for place in range(LABELS_TO_A_NUMBER):
            code = packed >> (LABEL_BITS * place) & ((1 << LABEL_BITS) - 1)
            if code:
                labels.append(int(codes[code - 1]))
    above, beside = [], []
    mask = int(pattern[2])
    for j in range(1, len(labels)):
        for i in range(j):
            pair = labels[i], labels[j]
            both = mask >> 2 * (j * (j - 1) // 2 + i)
            if both & 1:
                above.append(pair if of_class[pair[0]] < of_class[pair[1]] else pair[::-1])
            if both & 2:
                beside.append(pair)
    return RarePattern(tuple(labels), tuple(above), tuple(beside), support)
