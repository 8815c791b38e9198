"""The searches of `best-cut-search`, and the best cut that they have found so far."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import CannotMeetError
from indistinct.trees.methods.cut_walk import Place
from indistinct.trees.methods.fitting import Fitting
from indistinct.trees.methods.search import best_cut, best_of_both
from indistinct.trees.objectives import InformationLoss

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indistinct.methods.common.deadline import Deadline
    from indistinct.trees.checks import Solution
    from indistinct.trees.cuts import Cut
    from indistinct.trees.methods.cut_walk import CutWalk
    from indistinct.trees.methods.fitting import Order

FEW_CUTS = 200
"""Up to how many cuts all are examined."""
SMALL = 1 << 16
"""Up to how many labels times paths the paper's searches are tried beside ours."""
LARGE = 1 << 26
"""Up to how many labels times records cuts are made from below, too."""
STEPS, LOOKS_TIMES_RECORDS = 600, 1 << 27
"""How many steps to something better are tried at most, and how many looks they may take."""
HASTY = 3
"""In how many orders labels have their turn where the search shall be short."""
FIRST, OFFERS_TIMES_RECORDS = 4, 1 << 21
"""How many of the first cuts have their structure fixed, and how many on the way to better ones."""
BESIDE = 40
"""How many labels are considered in each round of such steps."""


class Contest:
    """Searches for one problem, one after the other.

    Attributes
    ----------
    walk
        The checked way through the cuts.
    best
        The cheapest solution so far; after a tie the last one.
    """

    best: Solution

    def __init__(self, walk: CutWalk, deadline: Deadline) -> None:
        self.walk = walk
        self._deadline = deadline

    def run(self) -> None:
        """Run all searches."""
        start, self.best = self.walk.start()
        objective = self.walk.checks.objective
        if isinstance(objective, InformationLoss):
            self._fitted(start.cut, objective)
            small = self._sized() <= SMALL and not self.walk.problem.hasty
            if small or self.walk.problem.knowledge.l > 1:
                self._papers()
        else:
            self._papers()

    def _sized(self) -> int:
        return len(self.walk.problem.hierarchies.labels) * self.walk.checks.synopsis.size

    def _papers(self) -> None:
        """Try the searches of the paper, in our steps and in its own."""
        for levels in (True, False):
            walk = self.walk.stepping(levels=levels)
            with suppress(CannotMeetError):
                walk, solution = best_of_both(walk, 2, self._deadline)
                self._take(solution, walk)
        if self._cuts() <= FEW_CUTS:
            walk = self.walk.stepping(levels=False)
            self._take(best_cut(walk, None, self._deadline), walk)

    def _take(self, solution: Solution, walk: CutWalk) -> None:
        comparable = walk.left_out == self.walk.left_out
        measured = isinstance(walk.checks.objective, InformationLoss)
        if solution.cost < self.best.cost and (measured or comparable):
            self.best, self.walk = solution, walk

    def _cuts(self) -> int:
        """Count the cuts of all classes that are published."""
        children = self.walk.problem.hierarchies.children
        ways = [1] * len(children)
        for code in range(len(children) - 1, -1, -1):
            if children[code]:
                product = 1
                for child in children[code]:
                    product = min(product * ways[child], FEW_CUTS + 1)
                ways[code] = product + 1
        total = 1
        for top in self.walk.problem.hierarchies.tops.tolist():
            total = min(total * ways[top], FEW_CUTS + 1)
        return total

    def _fitted(self, tops: Cut, objective: InformationLoss) -> None:
        """Make finest cuts, take the best, and better it."""
        knowledge = self.walk.problem.knowledge
        problem = self.walk.problem
        fitting = Fitting(
            self.walk.checks,
            objective,
            self._deadline,
            open_cuts=not (knowledge.absent or knowledge.unrelated),
            room=int(problem.suppression * problem.forest.nodes),
        )
        orders = list(self._orders(objective))
        cuts = {fitting.from_above(tops, orders[0]): None}
        enough = 4 * fitting.looks
        others = orders[1 : HASTY if problem.hasty else None]
        cuts.update((fitting.from_above(tops, order, enough), None) for order in others)
        if self._wide() <= LARGE and not problem.hasty:
            below = fitting.from_below(tops)
            if below is not None:
                cuts.setdefault(fitting.from_above(below, orders[0]))
        for cut in sorted(cuts, key=objective.of_labels)[:FIRST]:
            if objective.of_labels(cut) < self.best.cost:
                self.offer(cut)
        if not problem.hasty:
            _Bettering(self, fitting, orders[0], objective).run()

    def _wide(self) -> int:
        return len(self.walk.problem.hierarchies.labels) * self.walk.problem.forest.size

    def _orders(self, objective: InformationLoss) -> Iterator[Order]:
        """Yield the orders in which labels have their turn."""
        hierarchies = self.walk.problem.hierarchies
        children, level = hierarchies.children, hierarchies.level.tolist()
        of_class = hierarchies.labels.of_class.tolist()
        gains = [-objective.gained(label, children[label]) for label in range(len(children))]
        yield lambda label: (gains[label],)
        yield lambda label: (gains[label] / len(children[label]),)
        yield lambda label: (-level[label], gains[label])

        def by_class(kind: int, *, first: bool) -> Order:
            return lambda label: ((of_class[label] == kind) != first, gains[label])

        for kind in range(len(self.walk.problem.forest.classes)):
            yield by_class(kind, first=True)
            yield by_class(kind, first=False)

    @property
    def timed_out(self) -> bool:
        """Whether it is time to stop."""
        return self._deadline.passed

    def offer(self, cut: Cut) -> bool:
        """Fix the structure of a cut, and keep it if it is the best; return whether it is."""
        checks = self.walk.checks
        checks.prepare(cut)
        [solution] = self.walk.solutions([checks.drafted(cut)], [Place(cut)])
        if solution is None or solution.cost >= self.best.cost:
            return False
        self.best = solution
        return True


class _Bettering:
    """Steps from a cut to a better one."""

    def __init__(
        self, contest: Contest, fitting: Fitting, order: Order, objective: InformationLoss
    ) -> None:
        self._contest, self._fitting = contest, fitting
        self._order, self._objective = order, objective
        records = contest.walk.problem.forest.size
        self._left = STEPS
        self._end = fitting.looks + LOOKS_TIMES_RECORDS // max(records, 1)
        self._offers = OFFERS_TIMES_RECORDS // max(records, 1)
        self._hierarchies = contest.walk.problem.hierarchies

    def run(self) -> None:
        """Take steps until none is better, or enough were tried."""
        while not self._over and self._step():
            pass

    @property
    def _over(self) -> bool:
        """Whether enough was tried, or time is up."""
        tried = min(self._left, self._offers) <= 0 or self._fitting.looks >= self._end
        return tried or self._contest.timed_out

    def _step(self) -> bool:
        for cut in self._neighbours():
            self._left -= 1
            if cut is not None and self._promises(cut) and self._contest.offer(cut):
                return True
            if self._over:
                return False
        return False

    def _promises(self, cut: Cut) -> bool:
        """Return whether a cut would be better if no relation had to be broken."""
        promises = self._objective.of_labels(cut) < self._contest.best.cost
        self._offers -= promises
        return promises

    def _neighbours(self) -> Iterator[Cut | None]:
        best = self._contest.best
        for label in self._unpublished(best.cut):
            cut = self._fitting.coarsened({*best.cut, label}, frozenset({label}))
            yield cut and self._fitting.from_above(cut, self._order)
        for label in self._strained(best):
            under = set(self._fitting.under(label))
            yield tuple(sorted({label}.union(best.cut).difference(under)))

    def _unpublished(self, cut: Cut) -> list[int]:
        """Return the labels right below published ones that would gain most."""
        image = self._contest.walk.cuts.image(cut)
        parent, told = self._hierarchies.parent, self._objective.told
        own = np.flatnonzero((parent >= 0) & (image == parent))
        gain = self._objective.share_under[own] * (told[own] - told[parent[own]])
        order = np.lexsort((own, -gain))[:BESIDE]
        return [int(own[place]) for place in order if gain[place] > 0]

    def _strained(self, best: Solution) -> list[int]:
        """Return the labels under which relations lose more than coarser labels would."""
        parent, told = self._hierarchies.parent, self._objective.told
        share = self._objective.share_under
        saved: dict[int, float] = {}
        for label in best.cut:
            above, strain = int(parent[label]), best.strain.get(label, 0.0)
            while above >= 0:
                spent = share[label] * (told[label] - told[above])
                saved[above] = saved.get(above, 0.0) + strain - spent
                above = int(parent[above])
        good = [label for label, gain in saved.items() if gain > 0]
        return sorted(good, key=lambda label: (-saved[label], label))[:BESIDE]
