"""StructureCheck and FixStructure on a projected synopsis.

Gkountouna and Terrovitis (2013), Algorithms 2 and 3: a cut that is k^m-anonymous may still fail
where attackers know up to n ancestor-descendant relations among their m labels. As long as there is
such knowledge that some but fewer than k records agree with, its rarest relation is disassociated
in all paths (Definition 2).

What is kept all the while:
- The records of a relation are a row of the pool that many cuts share, until a disassociation
  changes them; then a row of our own (`RelationSets` in `relations_kernel.py`).
- A relation is `dirty` as long as knowledge with it may be too rare. Breaking a relation never
  makes one; it changes the records of relations of the label that moved, and of no others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.trees.bits_kernel import (
    NONE,
    Intersections,
    begin,
    meet,
    meet_up_to,
    ones,
    too_few,
)
from indistinct.trees.relations_kernel import records_of, relation_rows
from indistinct.trees.synopsis_kernel import disassociate, link_families

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.relations_kernel import Relations, RelationSets
    from indistinct.trees.synopsis_kernel import Paths, RecordLists


class Knowable(NamedTuple):
    """What attackers may know: up to m labels and n relations; and what k must agree with it.

    Attributes
    ----------
    rows
        The records of labels.
    picks
        The rows of the cut's labels, and of those that may be known to be absent.
    fresh
        Those of the picks with which something may be too rare that was not so before.
    """

    rows: NDArray[np.uint64]
    picks: NDArray[np.int64]
    fresh: NDArray[np.int64]
    k: int
    m: int
    n: int


class Agenda(NamedTuple):
    """Which relations are to be looked at.

    Attributes
    ----------
    order
        All relations, in the order in which they are looked at.
    dirty
        Whether knowledge with a relation may be too rare.
    proven
        Whether that can only be so together with a fresh label, because the cut above this one
        holds; with m up to 3, that is a relation and one label.
    broken
        Those that were broken, in order.
    """

    order: NDArray[np.int64]
    dirty: NDArray[np.bool_]
    proven: NDArray[np.bool_]
    broken: NDArray[np.int64]


class Scratch(NamedTuple):
    """Scratch of FixStructure.

    Attributes
    ----------
    sets
        Intersections of m + n rows.
    chosen, taken
        The labels and the relations of the knowledge at hand.
    tried
        For each relation taken: the next one to try, the words of its set, and its labels.
    changed, row_of
        For each relation, whether a disassociation takes it from some path, and its row of our own.
    """

    sets: Intersections
    chosen: NDArray[np.int64]
    taken: NDArray[np.int64]
    tried: NDArray[np.int64]
    changed: NDArray[np.bool_]
    row_of: NDArray[np.int64]

    @classmethod
    def of(cls, m: int, n: int, words: int, relations: int) -> Scratch:
        """Return scratch for knowledge of m labels and n relations."""
        return cls(
            Intersections.of(m + n + 1, words),
            np.empty(m + 2, dtype=np.int64),
            np.empty(n + 1, dtype=np.int64),
            np.empty((3, m + n + 1), dtype=np.int64),
            np.zeros(relations, dtype=np.bool_),
            np.full(relations, -1, dtype=np.int64),
        )


@inner
def _with_labels(chosen, held, upper, lower):
    """Add the labels of a relation to those chosen; return how many there are."""
    for end in (upper, lower):
        new = True
        for i in range(held):
            new = new and chosen[i] != end
        if new:
            chosen[held] = end
            held += 1
    return held


@inner
def _scarce(pair, relations, sets, knowable, scratch):
    """Return how many relations too rare knowledge with this relation has, 0 if there is none.

    This is StructureCheck. The relations are in `taken`, this one first. Others are added in the
    order of their numbers, as long as their labels are no more than m; then labels, up to m.
    """
    rows, picks, _, k, m, n = knowable
    _, upper, lower, _ = relations
    pool, at, own, count = sets
    meeting, chosen, taken, tried, _, _ = scratch
    where, words = meeting.where, meeting.words
    if count[pair] == 0 or m < 2 or n < 1:
        return 0
    taken[0] = pair
    if count[pair] < k:
        return 1
    size, _ = begin(records_of(pair, pool, at, own), where[0], words[0])
    chosen[0], chosen[1] = upper[pair], lower[pair]
    if m > 2 and too_few(rows, picks, NONE, m - 2, meeting, size, NONE, k):
        return 1
    level = np.int64(0)
    tried[0, 0], tried[1, 0], tried[2, 0] = 0, size, 2
    while level >= 0:
        other = tried[0, level]
        if other >= count.size or level + 1 >= n:
            level -= 1
            continue
        tried[0, level] += 1
        if count[other] == 0 or other == pair:
            continue
        held = _with_labels(chosen, tried[2, level], upper[other], lower[other])
        if held > m:
            continue
        row = records_of(other, pool, at, own)
        taken[level + 1] = other
        if held == m and level + 2 >= n:  # nothing can be added any more: counting will do
            if 0 < meet_up_to(where, words, level, tried[1, level], row, k) < k:
                return level + 2
            continue
        kept, left = meet(where, words, level, tried[1, level], row)
        if left == 0:
            continue
        if left < k:
            return level + 2
        level += 1
        if held < m and too_few(rows, picks, NONE, m - held, meeting, kept, level, k):
            return level + 1
        tried[0, level], tried[1, level], tried[2, level] = other + 1, kept, held
    return 0


@inner
def _scarce_with_fresh(pair, sets, knowable, scratch):
    """Return 1 if this relation and one fresh label are known of too few records, else 0."""
    if knowable.m < 3:
        return 0
    rows, fresh = knowable.rows, knowable.fresh
    where, words = scratch.sets.where, scratch.sets.words
    scratch.taken[0] = pair
    size, _ = begin(records_of(pair, sets.pool, sets.at, sets.own), where[0], words[0])
    for i in range(fresh.size):
        if 0 < meet_up_to(where, words, NONE, size, rows[fresh[i]], knowable.k) < knowable.k:
            return 1
    return 0


@inner
def _rarest(count, opposite, taken, size):
    """Choose the relation to break: the least frequent; one known as absent by its opposite."""
    best = np.int64(-1)
    for i in range(size):
        pair = taken[i] if opposite[taken[i]] < 0 else opposite[taken[i]]
        if count[pair] and (best < 0 or count[pair] < count[best]):
            best = pair
    return best


@njit
def fix_structure(
    paths: Paths, lists: RecordLists, relations: Relations, sets: RelationSets, knowable: Knowable,
    agenda: Agenda, scratch: Scratch, most: int,
) -> int:  # fmt: skip
    """Disassociate relations until no knowledge with relations is too rare; return how many.

    Stops after `most` + 1 relations, and can be called again to go on. Paths, sets and agenda are
    changed.
    """
    link_families(paths)
    done = 0
    again = True
    while again and done <= most:
        again = False
        for place in range(agenda.order.size):
            pair = agenda.order[place]
            if not agenda.dirty[pair] or done > most:
                continue
            agenda.dirty[pair] = False
            while done <= most:
                if agenda.proven[pair]:
                    size = _scarce_with_fresh(pair, sets, knowable, scratch)
                else:
                    size = _scarce(pair, relations, sets, knowable, scratch)
                rarest = _rarest(sets.size_of, relations.opposite, scratch.taken, size)
                if rarest < 0:
                    break
                agenda.broken[done] = rarest
                done += 1
                again = True
                _mark_changed(rarest, paths, relations, scratch.changed)
                disassociate(relations.upper[rarest], relations.lower[rarest], paths)
                _renew(relations.lower[rarest], paths, lists, relations, sets, scratch)
                _recount(relations, sets, knowable, agenda, scratch)
    return done


@inner
def _mark_changed(broken, paths, relations, changed):
    """Mark the relations that a disassociation takes from some path, all with its lower label."""
    label, parent = paths.label, paths.parent
    upper, lower = relations.upper[broken], relations.lower[broken]
    for pair in range(changed.size):
        changed[pair] = False
    for node in range(label.size):
        if not paths.alive[node] or label[node] != lower:
            continue
        above = parent[node]
        while above >= 0 and label[above] != upper:
            above = parent[above]
        if above < 0:
            continue
        between = node
        while between != above:
            between = parent[between]
            pair = relations.number[label[between], lower]
            if pair >= 0:
                changed[pair] = True


@inner
def _renew(moved, paths, lists, relations, sets, scratch):
    """Collect the relations of a label anew after its nodes moved: those that changed, or below it.

    Then those known to be absent, of the records that have the upper label.
    """
    for pair in range(sets.size_of.size):
        scratch.row_of[pair] = -1
        if (
            relations.opposite[pair] < 0
            and sets.size_of[pair]
            and (scratch.changed[pair] or relations.upper[pair] == moved)
        ):
            scratch.row_of[pair] = pair
            sets.at[pair] = -1
            for word in range(sets.own.shape[1]):
                sets.own[pair, word] = 0
    relation_rows(paths, lists, relations.number, scratch.row_of, sets.own)


@inner
def _recount(relations, sets, knowable, agenda, scratch):
    """Count the relations that were collected anew; those whose records are others are dirty."""
    own = sets.own
    for pair in range(sets.size_of.size):
        opposite = relations.opposite[pair]
        if opposite >= 0 and scratch.row_of[opposite] >= 0:
            scratch.row_of[pair] = pair
            sets.at[pair] = -1
            above = knowable.picks[relations.upper[pair]]
            for word in range(own.shape[1]):
                own[pair, word] = knowable.rows[above, word] & ~own[opposite, word]
        if scratch.row_of[pair] < 0:
            continue
        now = 0
        for word in range(own.shape[1]):
            now += ones(own[pair, word])
        if now != sets.size_of[pair]:
            agenda.dirty[pair] = True
            agenda.proven[pair] = False
            sets.size_of[pair] = now
