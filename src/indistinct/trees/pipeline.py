"""The way of tree records from private ones to a checked release, one stage after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import CannotMeetError, DoesNotHoldError, Fault, OutputError
from indistinct.publishing.randomness import Randomness
from indistinct.running.progress import Stages
from indistinct.trees.cautions import cautions
from indistinct.trees.files import opened
from indistinct.trees.files.in_memory import ways_back
from indistinct.trees.hierarchies import build, closed_upwards
from indistinct.trees.knowledge import Knowledge
from indistinct.trees.measures.evidence import measured, refuse_more
from indistinct.trees.methods.base import TreeProblem
from indistinct.trees.operations import relabelled
from indistinct.trees.promises import does_not_hold
from indistinct.trees.release import TreeRelease
from indistinct.trees.repair import repaired
from indistinct.trees.verification import first_violation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from indistinct.running.progress import Progress
    from indistinct.trees.files import Records
    from indistinct.trees.forest import Forest
    from indistinct.trees.methods.base import TreeRecoding
    from indistinct.trees.plan import TreePlan
    from indistinct.trees.release import Pair
    from indistinct.trees.verification import Violation


class TreeWork(Stages):
    """A release of tree records in the making: what each stage leaves for the next."""

    problem: TreeProblem
    recoding: TreeRecoding
    forest: Forest
    rows_written: dict[str, int] | None = None
    _left_out: tuple[str, ...]

    def __init__(self, plan: TreePlan, progress: Progress) -> None:
        super().__init__(progress)
        self.plan = plan
        self._to_frames: dict[str, Callable[[Any], Any]] = {}

    def recode(self, records: Records) -> None:
        """Read the records, let the method search, and shuffle what it publishes."""
        self.interruptibly(self._read_and_search, records)
        self.forest = self._shuffled()

    def recode_read(self, forest: Forest) -> None:
        """Let the method search in records that were read, and shuffle what it publishes."""
        self._search(forest)
        self.forest = self._shuffled()

    def _read_and_search(self, records: Records) -> None:
        with self.timed("read"):
            forest = opened(records, self.plan)
            if isinstance(records, Mapping) and self.plan.tree.format == "tables":
                self._to_frames = ways_back(records)
        self._search(forest)

    def _search(self, forest: Forest) -> None:
        _refuse_few(forest, self.plan.anonymity.k)
        self._left_out = forest.notes
        with self.timed("search"):
            self.problem = _problem(forest, self.plan, self.progress)
            self.recoding = self._recoded()

    def _recoded(self) -> TreeRecoding:
        plan = self.plan
        if not plan.tree.root:
            return plan.method.search(self.problem)
        from indistinct.trees.methods.mixed import search_mixed

        return search_mixed(self.problem, plan.method, plan.root_method, plan.seed)

    def repair(self) -> None:
        """Mend what the check would object to."""
        with self.timed("verify"):
            self.recoding = repaired(self.recoding, self.problem)
            self.forest = self._shuffled()

    def violation(self, again: Forest, counts: NDArray[np.int64]) -> Violation | None:
        """Judge records that were read back, and how often each stood."""
        labels = self.problem.hierarchies.labels
        pairs = zip(again.labels.of_class.tolist(), again.labels.values, strict=True)
        codes = np.array([labels.codes.get(pair, -1) for pair in pairs], dtype=np.int32)
        if (codes < 0).any() or int(counts.sum()) != self.forest.size:
            raise OutputError(
                Fault("release", "the written file does not hold what was meant", "Report this.")
            )
        return first_violation(relabelled(again, labels, codes), self.problem.knowledge, counts)

    def refuse(self, violation: Violation | None) -> None:
        """Raise if the records break a promise."""
        if violation is not None:
            raise DoesNotHoldError(does_not_hold(violation, self.forest, self.plan))

    def _shuffled(self) -> Forest:
        """Return the published records in random order, with what is released beside them."""
        published = replace(self.recoding.forest, extras=self.problem.forest.extras)
        if self.recoding.suppressed is not None:
            published = published.taken(np.flatnonzero(~self.recoding.suppressed))
        order = Randomness(
            self.plan.seed, "order of tree records", published.label.data, published.starts.data
        ).order(published.size)
        return published.taken(order)

    def release(self) -> TreeRelease:
        """Measure what was lost, and put the release together."""
        private = self.problem.forest
        with self.timed("measure"):
            evidence = measured(self.problem, self.recoding)
            refuse_more(evidence, self.plan)
        return TreeRelease(
            forest=self.forest,
            hierarchies=self.problem.hierarchies,
            plan=self.plan,
            made=(self.problem, self.recoding),
            input_records=private.size,
            input_nodes=private.nodes,
            cut=self._published_labels(),
            disassociated=self._broken(),
            measures=evidence.measures,
            loss_by_class=evidence.loss.of_class,
            suppressed=evidence.suppressed,
            root_groups=self._root_groups(),
            rows=self._rows(),
            notes=(
                *cautions(self.plan, evidence),
                *self._left_out,
                *self.recoding.notes,
            ),
            seconds=self.seconds,
            _to_frames=self._to_frames,
        )

    def _rows(self) -> dict[str, tuple[int, int]] | None:
        """Count the rows of tables before and after, where they are written as such."""
        before, after = self.problem.forest.rows, self.rows_written
        if before is None or after is None:
            return None
        return {name: (before[name], after[name]) for name in after}

    def _root_groups(self) -> tuple[int, ...]:
        """Count the published records of each group."""
        group, gone = self.recoding.group, self.recoding.suppressed
        if group is None:
            return ()
        counts = np.bincount(group if gone is None else group[~gone])
        return tuple(counts[counts > 0].tolist())

    def _broken(self) -> list[Pair]:
        """Name the relations that were broken, each end by its class and value."""
        labels, classes = self.problem.hierarchies.labels, self.problem.forest.classes

        def named(code: int) -> tuple[str, str]:
            return classes[labels.of_class[code]], labels.values[code]

        return [(named(upper), named(lower)) for upper, lower in self.recoding.disassociated]

    def _published_labels(self) -> dict[str, list[str]]:
        """Name the published labels of each class that occur."""
        if self.recoding.cut is None and self.recoding.group is None:
            return {}
        labels, classes = self.problem.hierarchies.labels, self.problem.forest.classes
        published: dict[str, list[str]] = {name: [] for name in classes}
        for code in np.unique(self.recoding.forest.label).tolist():
            published[classes[labels.of_class[code]]].append(labels.values[code])
        return published


def _refuse_few(forest: Forest, k: int) -> None:
    if forest.size < k:
        problem = f"k is {k}, but there are only {forest.size} records"
        raise CannotMeetError(Fault("require", problem, "Give more records, or a smaller k."))


def _problem(forest: Forest, plan: TreePlan, progress: Progress) -> TreeProblem:
    tree = plan.tree
    place = "line" if tree.format == "jsonl" else "record"
    hierarchies, codes = build(forest, tree.ladders, plan.base, place=place)
    absent, unrelated = plan.denied(hierarchies)
    asked = plan.anonymity
    knowledge = Knowledge(
        asked.k,
        asked.m,
        asked.relations,
        sensitive=frozenset(map(tree.classes.index, tree.sensitive)),
        l=plan.diversity,
        absent=closed_upwards(hierarchies, absent),
        unrelated=unrelated,
        roots=tree.roots,
        same_path=asked.same_path,
    )
    weights = np.array([tree.weights.get(name, 1.0) for name in tree.classes])
    coded = relabelled(forest, hierarchies.labels, codes)
    if tree.counts == "merge":
        coded = replace(coded, number=None)
    elif coded.number is None:
        coded = replace(coded, number=np.ones(coded.nodes, dtype=np.int32))
    return TreeProblem(coded, hierarchies, knowledge, weights, progress, plan.limits.suppression)
