"""Applying a recoding to later tree records, one stage after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import (
    CannotMeetError,
    DataError,
    DoesNotHoldError,
    Fault,
    HierarchyError,
    OutputError,
    PlanError,
)
from indistinct.publishing.randomness import Randomness
from indistinct.running.progress import Stages
from indistinct.trees.applying.applied import TreeApplied
from indistinct.trees.applying.coarsening import coarsened
from indistinct.trees.applying.holding import publishable
from indistinct.trees.applying.learnt import ReleasedRecords
from indistinct.trees.applying.newcomers import Newcomers
from indistinct.trees.forest import Labels
from indistinct.trees.knowledge import Knowledge
from indistinct.trees.operations import generalized, recoded, relabelled
from indistinct.trees.promises import does_not_hold
from indistinct.trees.roots import stacked
from indistinct.trees.verification import first_violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from indistinct.running.progress import Progress
    from indistinct.trees.applying.learnt import TreeLearnt
    from indistinct.trees.forest import Forest

UNKNOWN, UNCOVERED, BREAKING = range(3)


class TreeApplication(Stages):
    """New records on their way through a learnt recoding.

    Attributes
    ----------
    forest
        The records that are published, shuffled.
    held
        For each new record -1 if it is published, else why not.
    """

    forest: Forest
    held: NDArray[np.int8]

    def __init__(
        self,
        learnt: TreeLearnt,
        others: Iterable[tuple[str, Forest]],
        progress: Progress,
        *,
        as_one: bool = False,
        coarsen: bool = False,
    ) -> None:
        super().__init__(progress)
        if as_one and coarsen:
            problem = "records are coarsened until they hold by themselves"
            raise PlanError(Fault("coarsen, as one", problem, "Leave one of the two out."))
        self.learnt, self.plan, self.as_one = learnt, learnt.plan, as_one
        self._others, self._coarsen = list(others), coarsen

    def run(self, forest: Forest, *, unknown: str = "hold") -> None:
        """Recode new records, and hold back those that cannot be published."""
        self.interruptibly(self._run, forest, unknown)

    def _run(self, forest: Forest, unknown: str) -> None:
        with self.timed("place"):
            self._private = forest
            self._new = Newcomers.of(forest.labels, self.learnt, coarsen=self._coarsen)
            if self._new.faults and unknown == "error":
                raise HierarchyError(self._new.faults)
            self._number_labels()
            self._earlier = self._released_before()
            shown = self._recoded()
            self._hold(shown)
        kept = shown.taken(np.flatnonzero(self.held < 0))
        if self._coarsen:
            with self.timed("search"):
                kept = self._coarsened(kept)
        with self.timed("publish"):
            order = Randomness(
                self.plan.seed, "order of tree records", kept.label.data, kept.starts.data
            ).order(kept.size)
            self.forest = kept.taken(order)

    def _number_labels(self) -> None:
        """Number what can be published: labels of the recoding and above, values as they are."""
        named = dict.fromkeys(self.learnt.published)
        for kind, chains in enumerate(self._new.chains):
            texts = sorted({text for chain in chains for text in chain})
            named.update(dict.fromkeys((kind, text) for text in texts))
        named.update(dict.fromkeys(self.learnt.released.labels))
        for _, forest in self._others:
            pairs = zip(forest.labels.of_class.tolist(), forest.labels.values, strict=True)
            named.update(dict.fromkeys(sorted(pairs)))
        listed = sorted(named, key=lambda pair: pair[0])
        self._labels = Labels(
            [value for _, value in listed], np.array([kind for kind, _ in listed], dtype=np.int32)
        )

    def _released_before(self) -> Forest:
        """Return the records published by this recoding so far, and those published since."""
        first = self._sorted(self.learnt.released.forest(self.plan.tree.classes, self._labels))
        own = {(kind, label) for kind, label in self.learnt.published}
        faults: list[Fault] = []
        since = []
        for place, forest in self._others:
            since.append(self._sorted(relabelled(forest, self._labels, self._codes(forest.labels))))
            if own.isdisjoint(forest.labels.codes):
                problem = "it has no label that the recoding publishes"
                faults.append(Fault(place, problem, "Give a release made by this recoding."))
            elif _counts_alike(first, since[-1]):
                problem = "its records are counted in the recoding already"
                faults.append(Fault(place, problem, "Leave it out."))
        if faults:
            raise DataError(faults)
        return stacked([first, *since])

    def _codes(self, labels: Labels) -> NDArray[np.int32]:
        """Return the codes of other labels among those that can be published, -1 for none."""
        pairs = zip(labels.of_class.tolist(), labels.values, strict=True)
        return np.array([self._labels.codes.get(pair, -1) for pair in pairs], dtype=np.int32)

    def _sorted(self, forest: Forest) -> Forest:
        """Return records with siblings in the order of labels."""
        return generalized(forest, np.arange(len(forest.labels), dtype=np.int32))

    def _recoded(self) -> Forest:
        """Return what all new records would be published as."""
        private, codes = self._private.labels, self._labels.codes
        before = len(self._labels)
        image = np.full(before + len(private), -1, dtype=np.int32)
        image[:before] = np.arange(before)
        for code, text in enumerate(self._new.image):
            if text is not None:
                image[before + code] = codes[int(private.of_class[code]), text]
        both = Labels(
            [*self._labels.values, *private.values],
            np.concatenate([self._labels.of_class, private.of_class]).astype(np.int32),
        )
        own = np.arange(before, before + len(private), dtype=np.int32)
        self._left_out = image[before:] < 0
        forest = relabelled(self._private, both, own)
        if self.plan.tree.counts == "merge":
            forest = replace(forest, number=None)
        elif forest.number is None:
            forest = replace(forest, number=np.ones(forest.nodes, dtype=np.int32))
        broken = [(codes[upper], codes[lower]) for upper, lower in self.learnt.broken]
        return replace(recoded(forest, image, broken), labels=self._labels)

    def _hold(self, shown: Forest) -> None:
        """Decide which records are held back, and why."""
        private = self._private
        owner = np.repeat(np.arange(private.size), np.diff(private.starts))

        def having(labels: NDArray[np.bool_]) -> NDArray[np.bool_]:
            marks = np.zeros(private.size, dtype=np.bool_)
            marks[owner[labels[private.label]]] = True
            return marks

        unknown = having(self._new.unknown)
        uncovered = having(self._uncovered()) & ~unknown
        kept = ~(unknown | uncovered)
        if not self._coarsen:
            kept = publishable(shown, self._earlier, self._knowledge(), kept, as_one=self.as_one)
        self.held = np.select(
            [unknown, uncovered, ~kept], [UNKNOWN, UNCOVERED, BREAKING], -1
        ).astype(np.int8)
        if not kept.any() or not np.diff(shown.starts)[kept].any():
            problem = "every new record would have to be held back"
            remedy = "Bring more records, or let them be coarser than in the release: coarsen."
            raise CannotMeetError(Fault("requirements", problem, remedy))

    def _uncovered(self) -> NDArray[np.bool_]:
        """Return the labels whose records cannot be published, because nothing covers them.

        Classes of which nothing is published are left out, as in the release; so are labels that
        nothing covers, where the plan lets so many nodes be left out.
        """
        published = np.array([bool(own.labels) for own in self.learnt.classes])
        private = self._private
        bare = self._left_out & ~self._new.unknown & published[private.labels.of_class]
        share = bare[private.label].mean()
        return bare if share > self.plan.limits.suppression else np.zeros_like(bare)

    def _coarsened(self, kept: Forest) -> Forest:
        """Coarsen the records that may be published until they hold by themselves."""
        tree = self.plan.tree
        weights = np.array([tree.weights.get(name, 1.0) for name in tree.classes])
        chains = self._new.chains
        forest = coarsened(kept, chains, self._knowledge(), weights, self.progress.quiet())
        return self._sorted(relabelled(forest, self._labels, self._codes(forest.labels)))

    def _knowledge(self) -> Knowledge:
        """Say what an attacker may know in the labels of the recoding."""
        asked, tree, codes = self.plan.anonymity, self.plan.tree, self._labels.codes
        return Knowledge(
            asked.k,
            asked.m,
            asked.relations,
            sensitive=frozenset(map(tree.classes.index, tree.sensitive)),
            l=self.plan.diversity,
            absent=frozenset(codes[label] for label in self.learnt.absent),
            unrelated=frozenset((codes[a], codes[b]) for a, b in self.learnt.unrelated),
            same_path=asked.same_path,
        )

    def check(self, again: Forest, counts: NDArray[np.int64]) -> None:
        """Hold what is read back to what was meant, and to the promises, alone and together."""
        codes = self._codes(again.labels)
        meant = codes[np.unique(again.label)].min(initial=0) >= 0
        if meant:
            back = self._sorted(relabelled(again, self._labels, codes))
            all_back = back.taken(np.repeat(np.arange(back.size), counts))
            meant = _counts_alike(replace(self.forest, number=None), replace(all_back, number=None))
        if not meant:
            problem = "the written file does not hold what was meant"
            raise OutputError(Fault("release", problem, "Report this."))
        knowledge = self._knowledge()
        everyone = stacked([self._earlier, all_back])
        for records in (everyone,) if self.as_one else (all_back, everyone):
            violation = first_violation(records, knowledge)
            if violation is not None:
                raise DoesNotHoldError(does_not_hold(violation, records, self.plan))

    def applied(self) -> TreeApplied:
        """Put the result together."""
        everyone = stacked([self._earlier, replace(self.forest, number=None)])
        return TreeApplied(
            forest=self.forest,
            held=self.held,
            plan=self.plan,
            earlier_records=self._earlier.size,
            left_out_nodes=self._nodes_left_out(),
            input_nodes=self._private.nodes,
            recoding=self.learnt.model_copy(update={"released": ReleasedRecords.of(everyone)}),
            as_one=self.as_one,
            warnings=tuple(self._warnings()),
            seconds=self.seconds,
        )

    def _nodes_left_out(self) -> int:
        """Count the nodes of published records of which nothing is published."""
        private = self._private
        published = np.repeat(self.held < 0, np.diff(private.starts))
        return int((self._left_out[private.label] & published).sum())

    def _warnings(self) -> Iterator[str]:
        yield from self._private.notes
        share = float(np.mean(self.held >= 0))
        if share > self.plan.limits.suppression:
            yield (
                f"{share:.1%} of the new records are held back, where the plan lets "
                f"{self.plan.limits.suppression:.1%} be left out: the recoding no longer fits, "
                "or there are too few new records"
            )
        if self.as_one:
            yield (
                "new records were not held to the requirements by themselves: anyone who has the "
                "earlier release, or knows who is new, can tell them apart"
            )


def _counts_alike(one: Forest, other: Forest) -> bool:
    """Return whether two forests with the same labels hold the same records, in any order."""
    from indistinct.trees.items_kernel import equal_records

    if one.size != other.size or one.nodes != other.nodes:
        return False
    both = stacked([one, other])
    same = equal_records(both.label, both.parent, both.starts)
    ours, theirs = (np.bincount(half, minlength=both.size) for half in np.split(same, [one.size]))
    return bool(np.array_equal(ours, theirs))
