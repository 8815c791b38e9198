"""The independent check of published tree records: Definition 1, record by record.

Nothing of the searches is used here: no synopsis, no cut, no hierarchy. Labels are what stands in
the release.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.alike import alike_at_root
from indistinct.trees.items_kernel import (
    Items,
    equal_records,
    inverted,
    items_of,
    related_items,
)
from indistinct.trees.judging_kernel import (
    Descent,
    JudgedRecords,
    Limits,
    judge,
)
from indistinct.trees.knowledge_kernel import HASH_BITS, Choice, Chosen, Kinds, Secrets
from indistinct.trees.same_path import at_risk_by_paths, first_rare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.knowledge import Knowledge


_NOBODY = np.empty(0, dtype=np.bool_)
_LEAST_CAPACITY = 1 << 16
_FEW, _PARTS = 1 << 16, 32
"""From how many holders on labels are parted, and into how many parts, for all processors."""
_MOST_COUNTED, _LARGEST_TABLE = 4, 1 << 21
"""Up to how many labels the last ones are counted in tables, and how large these may be."""


@dataclass(frozen=True)
class Violation:
    """Knowledge that singles people out, or betrays them.

    Attributes
    ----------
    labels
        The labels known; -1 - label for one known to be absent.
    relations
        The pairs (upper, lower) of them known to be on one path.
    support
        How many records match.
    unrelated
        The pairs known not to be on one path.
    betrayed
        A sensitive label that too many of the matching records have.
    root
        The labels known at the root; None where nothing is asked of those.
    same_path
        Whether all this is known of the same nodes.
    beside
        The pairs of labels known to be directly below the same node.
    """

    labels: tuple[int, ...]
    relations: tuple[tuple[int, int], ...]
    support: int
    unrelated: tuple[tuple[int, int], ...] = ()
    betrayed: int | None = None
    root: tuple[int, ...] | None = None
    same_path: bool = False
    beside: tuple[tuple[int, int], ...] = ()

    def in_words(self, forest: Forest) -> str:
        """Say in words what is known and how many match."""
        values = forest.labels.values
        classes, kinds = forest.classes, forest.labels.of_class
        parts = [f"{classes[kinds[code]]} {values[code]}" for code in self.root or ()]
        parts += [values[code] if code >= 0 else f"no {values[-1 - code]}" for code in self.labels]
        parts += [f"{values[a]} above {values[b]}" for a, b in self.relations]
        parts += [f"{values[a]} not above {values[b]}" for a, b in self.unrelated]
        parts += [f"{values[a]} and {values[b]} below the same node" for a, b in self.beside]
        parts += ["all of the same nodes"] if self.same_path else []
        knowledge = ", ".join(parts) or "nothing"
        if self.betrayed is None:
            return f"({knowledge}) matches {self.support} records"
        return f"({knowledge}) betrays {values[self.betrayed]}"


def first_violation(
    forest: Forest, knowledge: Knowledge, counts: NDArray[np.int64] | None = None
) -> Violation | None:
    """Return knowledge that matches some but fewer than k records, as little as there is, or None.

    With `l`, also knowledge behind which a sensitive label is more frequent than 1/l. Where
    `counts` are given, each record stands for so many that are equal. With `roots`, what stands
    at the root is known beside it.
    """
    if knowledge.roots:
        return _first_beside_a_root(forest, knowledge, counts)
    case = _Case(forest, knowledge, counts)
    violation = case.judged(knowledge.m, knowledge.n)
    if violation is None:
        return _first_of_same_path(forest, knowledge, counts) if knowledge.same_path else None
    for labels in range(1, knowledge.m + 1):
        for relations in range(min(knowledge.n, labels * (labels - 1) // 2) + 1):
            smaller = case.judged(labels, relations)
            if smaller is not None:
                return smaller
    return violation


def _first_of_same_path(
    forest: Forest, knowledge: Knowledge, counts: NDArray[np.int64] | None
) -> Violation | None:
    rare = first_rare(forest, knowledge, counts)
    if rare is None:
        return None
    labels, above, beside, support = rare
    return Violation(labels, above, support, same_path=True, beside=beside)


def _first_beside_a_root(
    forest: Forest, knowledge: Knowledge, counts: NDArray[np.int64] | None
) -> Violation | None:
    """Judge the records that are alike at the root by themselves, and how many they are."""
    below = replace(knowledge, roots=frozenset())
    for members, root, trees in alike_at_root(forest, knowledge.roots):
        own = None if counts is None else counts[members]
        support = members.size if own is None else int(own.sum())
        if support < knowledge.k:
            return Violation((), (), support, root=root)
        violation = first_violation(trees, below, own)
        if violation is not None:
            return replace(violation, root=root)
    return None


def at_risk(forest: Forest, knowledge: Knowledge, m: int, n: int) -> NDArray[np.bool_]:
    """Mark the records that some knowledge of up to m labels and n relations singles out.

    With `roots`, beside what stands at the root, which alone is what m = 0 asks for.
    """
    if knowledge.roots:
        marks = np.ones(forest.size, dtype=np.bool_)
        below = replace(knowledge, roots=frozenset())
        for members, _, trees in alike_at_root(forest, knowledge.roots):
            if members.size >= knowledge.k:
                marks[members] = at_risk(trees, below, m, n) if m else False
        return marks
    marks = _Case(forest, replace(knowledge, l=1)).marked(m, n)
    if knowledge.same_path:
        marks |= at_risk_by_paths(forest, knowledge, m, n)
    return marks


class _Case:
    """Published records, ready to be judged for any m and n up to those of the knowledge.

    Records that read the same are judged as one that counts several times.
    """

    def __init__(
        self, forest: Forest, knowledge: Knowledge, counts: NDArray[np.int64] | None = None
    ) -> None:
        first, self._same = np.unique(
            equal_records(forest.label, forest.parent, forest.starts), return_inverse=True
        )
        weights = np.bincount(self._same, weights=counts, minlength=first.size)
        self._weight = weights.astype(np.int64)
        self._total = int(self._weight.sum())
        # More than all records cannot be had: larger numbers ask for the same, and may not fit.
        self._k, self._l = (min(asked, self._total + 1) for asked in (knowledge.k, knowledge.l))
        forest = forest.taken(first) if first.size < forest.size else forest
        self._forest = forest
        self._knowledge = knowledge
        width = len(forest.labels)
        sensitive = np.isin(forest.labels.of_class, list(knowledge.sensitive))
        items, holders = items_of(forest.label, forest.parent, forest.starts, ~sensitive)
        self._needs = np.full(width, -1, dtype=np.int64)
        self._of: NDArray[np.int64] = np.arange(width)
        if knowledge.absent or knowledge.unrelated:
            items = self._with_denials(items)
            holders = inverted(items.label, items.ptr, self._needs.size)
            related = np.empty(0, dtype=np.uint64)
        else:
            related = related_items(items)
        occurs = np.diff(holders.first) > 0
        rank = (np.cumsum(occurs, dtype=np.int32) - 1)[items.label].astype(np.int32)
        self._records = JudgedRecords(
            items, holders, self._weight, self._needs, related, rank, int(occurs.sum())
        )
        self._secrets = self._sensitive_labels(sensitive)

    def judged(self, m: int, n: int) -> Violation | None:
        """Judge by some m and n."""
        overall = self._overall()
        if overall is not None:
            return overall
        labels, mask, support, betrayed = self._walked(m, n, self._secrets, _NOBODY)
        return self._violation(labels, mask, support, betrayed) if labels else None

    def marked(self, m: int, n: int) -> NDArray[np.bool_]:
        """Mark the records that fewer than k share some knowledge with."""
        marks = np.zeros(self._forest.size, dtype=np.bool_)
        self._walked(m, n, None, marks)
        shared: NDArray[np.bool_] = marks[self._same]
        return shared

    def _walked(
        self, m: int, n: int, secrets: Secrets | None, marks: NDArray[np.bool_]
    ) -> tuple[list[int], int, int, int]:
        """Walk through all knowledge; return labels, relations, records and a label betrayed.

        Of several that are too rare the one with the least first label, whoever comes upon it.
        """
        parts = self._parts()
        if len(parts) == 1:
            return self._walked_from(parts[0], m, n, secrets, marks)
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            walks = [
                workers.submit(self._walked_from, part, m, n, secrets, marks) for part in parts
            ]
            for walk in walks:
                result = walk.result()
                if result[0]:
                    workers.shutdown(wait=False, cancel_futures=True)
                    return result
        return [], 0, 0, -1

    def _parts(self) -> list[tuple[int, int]]:
        """Cut the labels where as many holders come before as after, again and again."""
        first = self._records.holders.first
        width, total = first.size - 1, int(first[-1])
        if total < _FEW:
            return [(0, width)]
        cuts = np.searchsorted(first, np.linspace(0, total, _PARTS + 1)[1:-1])
        ends = np.unique([0, *cuts.tolist(), width]).tolist()
        return list(pairwise(ends))

    def _walked_from(
        self,
        codes: tuple[int, int],
        m: int,
        n: int,
        secrets: Secrets | None,
        marks: NDArray[np.bool_],
    ) -> tuple[list[int], int, int, int]:
        """Walk through all knowledge whose first label is among some."""
        holders = self._records.holders
        capacity = max(_LEAST_CAPACITY, 2 * int(np.diff(holders.first).max(initial=0)))
        width = self._needs.size
        chosen, absent, bucket, end = np.zeros((4, m + 1), dtype=np.int64)
        size_of, start_of = np.zeros((2, width), dtype=np.int64)
        choice = Choice(np.empty(64, dtype=np.int64), np.empty(n + 1, dtype=np.int64))
        label, start = np.empty((2, (m + 1) * (width + 2)), dtype=np.int64)
        tallies = (np.empty(0, dtype=np.int64),) * 2
        if secrets is None and self._records.related.size:
            tallies = _tallies(m, self._records.labels)
        walk = Descent(
            chosen, absent, bucket, end, label, start, size_of, start_of, choice, *tallies
        )
        entry, above, share, count, before = np.empty((5, capacity), dtype=np.int64)
        masks, kinds = np.empty((2, capacity), dtype=np.uint64)
        own = None if secrets is None else secrets._replace(tally=np.zeros_like(secrets.tally))
        labels, mask, support, betrayed = judge(
            self._records,
            Limits(self._k, m, n),
            own,
            marks,
            walk,
            Chosen(entry, above, masks, share),
            Kinds(kinds, count, before, np.zeros(1 << HASH_BITS, dtype=np.int64)),
            codes,
        )
        return chosen[:labels].tolist(), int(mask), int(support), int(betrayed)

    def _overall(self) -> Violation | None:
        """Judge what is known by those who know nothing: how frequent sensitive labels are."""
        if self._secrets is None or not self._secrets.label.size:
            return None
        ptr, secret, tally, _ = self._secrets
        owner = np.repeat(self._weight, np.diff(ptr))
        frequent = np.bincount(secret, weights=owner, minlength=tally.size).astype(np.int64)
        worst = int(frequent.argmax())
        if frequent[worst] * self._l <= self._total:
            return None
        return Violation((), (), self._total, betrayed=worst)

    def _violation(self, labels: list[int], mask: int, support: int, betrayed: int) -> Violation:
        width = len(self._forest.labels)
        order = self._forest.labels.of_class
        relations = []
        for lower in range(1, len(labels)):
            for upper in range(lower):
                if mask >> (lower * (lower - 1) // 2 + upper) & 1:
                    pair = labels[upper], labels[lower]
                    relations.append(pair if order[pair[0]] < order[pair[1]] else pair[::-1])
        named = [int(self._of[code]) for code in labels]
        return Violation(
            tuple(
                own if code < width else -1 - own
                for code, own in zip(labels, named, strict=True)
                if self._needs[code] < 0
            ),
            tuple(relations),
            support,
            tuple(
                (int(self._needs[code]), own)
                for code, own in zip(labels, named, strict=True)
                if self._needs[code] >= 0
            ),
            betrayed if betrayed >= 0 else None,
        )

    def _sensitive_labels(self, sensitive: NDArray[np.bool_]) -> Secrets | None:
        """List the sensitive labels of every record; None if their frequency does not matter."""
        if self._l == 1:
            return None
        forest = self._forest
        items, _ = items_of(forest.label, forest.parent, forest.starts, sensitive)
        tally = np.zeros(sensitive.size, dtype=np.int64)
        return Secrets(items.ptr, items.label, tally, self._l)

    def _with_denials(self, held: Items) -> Items:
        """Give records a label for each label that they lack and an attacker may know to lack.

        The new labels come after all others, and have no relations.
        """
        ptr, items, bits_ptr, bits = held
        present = set(np.unique(items).tolist())
        denials = [(-1, code) for code in sorted(self._knowledge.absent & present)]
        denials += [(a, b) for a, b in sorted(self._knowledge.unrelated) if {a, b} <= present]
        width = self._needs.size
        self._needs = np.array([*[-1] * width, *[a for a, _ in denials]], dtype=np.int64)
        self._of = np.array([*range(width), *[b for _, b in denials]], dtype=np.int64)
        new_items: list[list[int]] = []
        for record in range(ptr.size - 1):
            low, high = int(ptr[record]), int(ptr[record + 1])
            own = items[low:high].tolist()
            more = [
                width + place
                for place, (upper, lower) in enumerate(denials)
                if _lacks(own, bits[bits_ptr[low] : bits_ptr[high]], upper, lower)
            ]
            new_items.append(own + more)
        return _repacked(held, new_items)


def _lacks(own: list[int], bits: NDArray[np.uint64], upper: int, lower: int) -> bool:
    """Return whether a record lacks a label, or has a label but nothing of another below it."""
    if upper < 0:
        return lower not in own
    if upper not in own:
        return False
    if lower not in own:
        return True
    words = (len(own) + 63) // 64
    place = own.index(upper)
    word = int(bits[own.index(lower) * words + place // 64])
    return not word >> (place % 64) & 1


def _repacked(held: Items, lists: list[list[int]]) -> Items:
    """Lay longer lists of items out anew; the bits of the old items stay what they are."""
    ptr, _, bits_ptr, bits = held
    sizes = np.array([len(own) for own in lists], dtype=np.int64)
    new_ptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    items = np.array([code for own in lists for code in own], dtype=np.int32)
    words = (sizes + 63) // 64
    new_bits_ptr = np.concatenate(([0], np.cumsum(np.repeat(words, sizes)))).astype(np.int64)
    new_bits = np.zeros(int(new_bits_ptr[-1]), dtype=np.uint64)
    for record in range(sizes.size):
        for place in range(int(ptr[record + 1] - ptr[record])):
            old = int(ptr[record]) + place
            to = int(new_bits_ptr[new_ptr[record] + place])
            own = bits[bits_ptr[old] : bits_ptr[old + 1]]
            new_bits[to : to + own.size] = own
    return Items(new_ptr, items, new_bits_ptr, new_bits)


def _tallies(m: int, width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return empty tables for the last label of m, and for the last two if m is above 2."""
    depth = max(m - 2, 1)
    of_one = width << depth * (depth + 1) // 2
    of_two = width * width << m * (m - 1) // 2 if m > 2 else 0
    if not 2 <= m <= _MOST_COUNTED or max(of_one, of_two) > _LARGEST_TABLE:
        of_one = of_two = 0
    return np.zeros(of_one, dtype=np.int64), np.zeros(of_two, dtype=np.int64)
