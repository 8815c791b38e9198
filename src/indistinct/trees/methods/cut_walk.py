"""What the cut searches share: where they start, and which specializations of a cut hold."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import CannotMeetError, Fault
from indistinct.trees.checks import WITHOUT_END, Checks
from indistinct.trees.cuts import LabelCuts
from indistinct.trees.operations import recoded
from indistinct.trees.verification import first_violation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indistinct.trees.checks import Draft, Solution
    from indistinct.trees.cuts import Cut
    from indistinct.trees.methods.base import ObjectiveName, TreeProblem


@dataclass(frozen=True)
class Place:
    """A cut on the way down, and what cannot be specialized in it or below it.

    Once a specialization breaks k^m it does so in every finer cut: records that share a rare
    combination still share a finer one.

    Attributes
    ----------
    closed
        Labels that cannot be specialized.
    shut
        Classes whose labels cannot be specialized all at once.
    fresh
        The labels by which it differs from a cut that holds without any broken relation; none if
        it comes from another.
    holds
        Whether it holds itself without any broken relation.
    above, moved
        The cut it comes from, and the labels of that which it specializes.
    """

    cut: Cut
    closed: frozenset[int] = frozenset()
    shut: frozenset[int] = frozenset()
    fresh: frozenset[int] = frozenset()
    holds: bool = False
    above: Cut = ()
    moved: tuple[int, ...] = ()


class CutWalk:
    """The checked way through the cuts of one problem."""

    def __init__(
        self,
        problem: TreeProblem,
        *,
        objective: ObjectiveName = "loss",
        most: int = WITHOUT_END,
        levels: bool = False,
    ) -> None:
        self.problem = problem
        self.cuts = LabelCuts(problem.hierarchies, problem.knowledge.sensitive)
        self.checks = Checks(problem, self.cuts, objective)
        self.left_out: list[int] = []
        self.most = most
        self._levels = levels
        self._monotone = not problem.knowledge.absent

    def unbroken(self) -> CutWalk:
        """Return the way through the cuts that hold without any broken relation."""
        other = copy(self)
        other.left_out, other.most = [], 0
        return other

    def stepping(self, *, levels: bool) -> CutWalk:
        """Return a way with the same checks, by whole levels too or by single labels alone."""
        other = copy(self)
        other.left_out, other._levels = [], levels  # noqa: SLF001 - its own class
        return other

    def start(self) -> tuple[Place, Solution]:
        """Return the coarsest cut that holds: every class at its top, the rarest left out.

        Raises
        ------
        CannotMeetError
            If nothing at all can be published.
        """
        knowledge = self.problem.knowledge
        tops = [
            int(top)
            for kind, top in enumerate(self.problem.hierarchies.tops)
            if kind not in knowledge.sensitive
        ]
        support = self.checks.labels.support(np.array(tops, dtype=np.int64))
        tops = [top for top, count in zip(tops, support.tolist(), strict=True) if count]
        while tops:
            cut = tuple(tops)
            if self.checks.values_hold(cut, cut):
                self.checks.prepare(cut)
                place = Place(cut)
                [solution] = self.solutions([self.checks.drafted(cut)], [place])
                if solution is not None:
                    return replace(place, holds=not solution.broken), solution
            self._leave_out(tops)
        raise CannotMeetError(
            Fault(
                "require",
                f"no class of labels is in {knowledge.k} records or in none",
                "Give more records, or a smaller k.",
            )
        )

    def _leave_out(self, tops: list[int]) -> None:
        support = self.checks.labels.support(np.array(tops, dtype=np.int64)).tolist()
        rarest = tops[min(range(len(tops)), key=lambda i: (support[i], -tops[i]))]
        tops.remove(rarest)
        self.left_out.append(int(self.problem.hierarchies.labels.of_class[rarest]))

    def steps(self, place: Place) -> list[Place]:
        """Return the specializations of a cut that keep k^m: of a label, then of whole levels."""
        labels = [code for code in self.cuts.open_labels(place.cut) if code not in place.closed]
        steps = self._hold(place, [(label,) for label in labels])
        if self._monotone:
            failed = (label for label in labels if (label,) not in steps)
            place = replace(place, closed=place.closed.union(failed))
        if self._levels:
            levels = self._whole_levels(place)
            held = self._hold(place, list(levels.values()))
            if self._monotone:
                failed = (kind for kind, level in levels.items() if level not in held)
                place = replace(place, shut=place.shut.union(failed))
            steps |= held
        below = replace(place, holds=False, above=place.cut)
        new = {moved: frozenset(self.cuts.below(moved) if place.holds else ()) for moved in steps}
        return [
            replace(below, cut=cut, fresh=new[moved], moved=moved) for moved, cut in steps.items()
        ]

    def onwards(self, place: Place, dear: Sequence[Place], *, holds: bool) -> Place:
        """Return where to go on from a step; what was too dear beside it is not tried again.

        Knowledge that is too rare stays so in a finer cut, so that relations are to be broken there
        too, while the cut to be beaten costs less.
        """
        beside = [step.moved for step in dear if step.above == place.above and self._monotone]
        of_class = self.problem.hierarchies.labels.of_class
        return replace(
            place,
            closed=place.closed.union(moved[0] for moved in beside if len(moved) == 1),
            shut=place.shut.union(int(of_class[moved[0]]) for moved in beside if len(moved) > 1),
            holds=holds,
        )

    def _hold(self, place: Place, moves: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], Cut]:
        """Return which labels can be specialized together, and the cuts that this makes."""
        cuts = [self.cuts.specialized(place.cut, moved) for moved in moves]
        held = self.checks.all_values_hold(
            (cut, self.cuts.below(moved)) for cut, moved in zip(cuts, moves, strict=True)
        )
        return {moved: cut for moved, cut, holds in zip(moves, cuts, held, strict=True) if holds}

    def _whole_levels(self, place: Place) -> dict[int, tuple[int, ...]]:
        """Return the highest labels of each class, where there are several and none is closed."""
        labels = self.cuts.open_labels(place.cut)
        classes = range(len(self.problem.forest.classes))
        levels = {kind: self.cuts.highest_level(kind, labels) for kind in classes}
        return {
            kind: level
            for kind, level in levels.items()
            if kind not in place.shut and len(level) > 1 and place.closed.isdisjoint(level)
        }

    def in_turn(self, steps: Mapping[Cut, Place]) -> list[Mapping[Cut, Place]]:
        """Return the steps in the turns they are tried: first those that bring a class off its top.

        A cost may be least where one class is published in detail and the others not at all.
        """
        if not self._levels:
            return [steps]
        tops = set(self.problem.hierarchies.tops.tolist())
        left = {cut: len(tops.intersection(cut)) for cut in steps}
        turns = sorted(set(left.values()))
        return [{cut: steps[cut] for cut in steps if left[cut] == turn} for turn in turns]

    def solutions(
        self, drafts: Sequence[Draft], places: Sequence[Place], bar: float = inf
    ) -> list[Solution | None]:
        """Fix the structure of some cuts; None for one that cannot be had, or not for the bar."""
        fixed = self.checks.fixed(drafts, [place.fresh for place in places], self.most, bar)
        if self.problem.knowledge.l == 1:
            return fixed
        return [one if one is not None and self._diverse(one) else None for one in fixed]

    def _diverse(self, solution: Solution) -> bool:
        """Return whether no sensitive label is too frequent behind any knowledge (III-F)."""
        image = self.cuts.image(solution.cut)
        forest = recoded(self.problem.forest, image, solution.broken)
        return first_violation(forest, self.problem.knowledge) is None

    def report_progress(self, kept: list[Solution]) -> None:
        """Report how far down the cuts of a round are."""
        labels = len(self.problem.hierarchies.labels)
        reached = max((len(solution.cut) for solution in kept), default=0)
        self.problem.progress.advance(reached / labels)
