"""What the cut searches share: where they start, and which specializations of a cut hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coarsen.errors import CannotMeetError, Fault
from coarsen.trees.checks import WITHOUT_END, Checks
from coarsen.trees.cuts import Cuts
from coarsen.trees.operations import recoded
from coarsen.trees.verification import first_violation

if TYPE_CHECKING:
    from coarsen.trees.checks import Draft, Solution
    from coarsen.trees.cuts import Cut
    from coarsen.trees.methods.base import TreeProblem


@dataclass(frozen=True)
class Place:
    """A cut on the way down, and the labels that cannot be specialized in it or below it.

    Once a label's specialization breaks k^m it does so in every finer cut: records that share a
    rare combination still share a finer one.
    """

    cut: Cut
    closed: frozenset[int]


class Walk:
    """The checked way through the cuts of one problem."""

    def __init__(self, problem: TreeProblem, *, most: int = WITHOUT_END) -> None:
        self.problem = problem
        self.cuts = Cuts(problem.hierarchies, problem.knowledge.sensitive)
        self.checks = Checks(problem, self.cuts)
        self.left_out: list[int] = []
        self._most = most
        self._monotone = not problem.knowledge.absent

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
        support = self.checks.labels.support(tops)
        tops = [top for top, count in zip(tops, support.tolist(), strict=True) if count]
        while tops:
            cut = tuple(tops)
            if self.checks.values_hold(cut, cut):
                self.checks.prepare(cut)
                solution = self.solution(self.checks.drafted(cut))
                if solution is not None:
                    return Place(cut, frozenset()), solution
            self._leave_out(tops)
        raise CannotMeetError(
            Fault(
                "require",
                f"no class of labels is in {knowledge.k} records or in none",
                "Give more records, or a smaller k.",
            )
        )

    def _leave_out(self, tops: list[int]) -> None:
        support = self.checks.labels.support(tops).tolist()
        rarest = tops[min(range(len(tops)), key=lambda i: (support[i], -tops[i]))]
        tops.remove(rarest)
        self.left_out.append(int(self.problem.hierarchies.labels.of_class[rarest]))

    def steps(self, place: Place) -> list[Place]:
        """Return the specializations of a cut that keep k^m."""
        closed = set(place.closed)
        found = []
        for label in self.cuts.open_labels(place.cut):
            if label in closed:
                continue
            cut = self.cuts.specialized(place.cut, label)
            if self.checks.values_hold(cut, self.problem.hierarchies.children[label]):
                found.append(cut)
            elif self._monotone:
                closed.add(label)
        shut = frozenset(closed)
        return [Place(cut, shut) for cut in found]

    def solution(self, draft: Draft) -> Solution | None:
        """Fix the structure of a cut; None if it cannot be had that way."""
        found = self.checks.fixed(draft, self._most)
        if found is None or self.problem.knowledge.l == 1:
            return found
        return found if self._diverse(found) else None

    def _diverse(self, solution: Solution) -> bool:
        """Tell whether no sensitive label is too frequent behind any knowledge (III-F)."""
        image = self.cuts.image(solution.cut)
        forest = recoded(self.problem.forest, image, solution.broken)
        return first_violation(forest, self.problem.knowledge) is None

    def tell(self, kept: list[Solution]) -> None:
        """Say how far down the cuts of a round are."""
        labels = len(self.problem.hierarchies.labels)
        reached = max((len(solution.cut) for solution in kept), default=0)
        self.problem.progress.advance(reached / labels)
