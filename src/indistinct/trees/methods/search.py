"""The searches through cuts: all of them, or the g cheapest of every round."""

from __future__ import annotations

from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING

from indistinct.errors import CannotMeetError
from indistinct.trees.checks import AT_ONCE
from indistinct.trees.methods.base import TreeRecoding
from indistinct.trees.operations import recoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indistinct.methods.common.deadline import Deadline
    from indistinct.trees.checks import Draft, Solution
    from indistinct.trees.cuts import Cut
    from indistinct.trees.methods.cut_walk import CutWalk, Place

_TIE = 1e-12
"""Two costs that differ by no more, as a share, differ by rounding alone."""

TIME_IS_UP = "the time limit ended the search; the best cut found so far is published"


def no_dearer(cost: float, bar: float) -> bool:
    """Return whether a cost is at most another: the finer of two cuts is taken at a tie."""
    return cost <= bar + _TIE * abs(bar)


def descend(walk: CutWalk, g: int | None, deadline: Deadline) -> TreeRecoding:
    """Specialize cuts round by round, from the top down, and recode by the best one found."""
    best = best_cut(walk, g, deadline)
    return published(walk, best, timed_out=deadline.passed)


def descend_both_ways(walk: CutWalk, g: int, deadline: Deadline) -> TreeRecoding:
    """Descend, and where that breaks relations again without breaking any; take the cheaper.

    A broken relation that makes a cut the cheapest of its round can cost more in the end. Costs do
    not compare where one of the two has to leave out a class: then the first one stands.
    """
    walk, best = best_of_both(walk, g, deadline)
    return published(walk, best, timed_out=deadline.passed)


def best_of_both(walk: CutWalk, g: int, deadline: Deadline) -> tuple[CutWalk, Solution]:
    """Return the better of two descents, and the walk that found it."""
    best = best_cut(walk, g, deadline)
    if best.broken:
        other_walk = walk.unbroken()
        with suppress(CannotMeetError):
            other = best_cut(other_walk, g, deadline)
            if other.cost < best.cost and other_walk.left_out == walk.left_out:
                walk, best = other_walk, other
    return walk, best


def best_cut(walk: CutWalk, g: int | None, deadline: Deadline) -> Solution:
    """Specialize cuts round by round; go on with the g cheapest of a round.

    Parameters
    ----------
    g
        How many cuts of a round are specialized; None for all of them. Once cuts were left behind,
        the search ends with the first round that finds nothing better.
    """
    start, best = walk.start()
    front = [start]
    seen = {start.cut}
    follows_all = True
    while front and not deadline.passed:
        steps = _steps(walk, front, seen)
        seen.update(steps)
        follows_all = follows_all and (g is None or len(steps) <= g)
        dear: list[Place] = []
        if follows_all:
            kept, _ = _cheapest(walk, steps, g, inf, deadline)
        else:
            kept, dear = _first_better(walk, steps, g, best.cost, deadline)
        if kept and no_dearer(kept[0].cost, best.cost):
            best = kept[0]
        front = [walk.onwards(steps[one.cut], dear, holds=not one.broken) for one in kept]
        walk.report_progress(kept)
    return best


def _first_better(
    walk: CutWalk, steps: Mapping[Cut, Place], g: int | None, bar: float, deadline: Deadline
) -> tuple[list[Solution], list[Place]]:
    """Return the g cheapest of the first turn that finds something below the bar.

    Nothing if none does; and the steps that were given up on the way.
    """
    dear: list[Place] = []
    for turn in walk.in_turn(steps):
        solutions, dropped = _cheapest(walk, turn, g, bar, deadline)
        dear += dropped
        if solutions and no_dearer(solutions[0].cost, bar):
            return solutions, dear
    return [], dear


def _steps(walk: CutWalk, front: Iterable[Place], seen: set[Cut]) -> dict[Cut, Place]:
    """Return the specializations of all cuts of a round that were not met before."""
    steps: dict[Cut, Place] = {}
    for place in front:
        for step in walk.steps(place):
            if step.cut not in seen:
                steps.setdefault(step.cut, step)
    return steps


def _cheapest(
    walk: CutWalk, steps: Mapping[Cut, Place], g: int | None, bar: float, deadline: Deadline
) -> tuple[list[Solution], list[Place]]:
    """Return the g cheapest solutions of some steps by their cost, and the steps given up.

    None has its structure fixed that costs more with all relations than the bar, or than g others
    do with theirs broken; none is fixed to the end that costs more after the first few.
    """
    if not steps:
        return [], []
    walk.checks.prepare({code for cut in steps for code in cut})
    drafts = sorted(walk.checks.at_once(walk.checks.drafted, steps), key=_order)
    solutions: list[Solution] = []
    dropped: list[Place] = []
    for first in range(0, len(drafts), AT_ONCE):
        if g is not None and len(solutions) >= g:
            bar = min(bar, solutions[g - 1].cost)
        batch = [draft for draft in drafts[first : first + AT_ONCE] if no_dearer(draft.cost, bar)]
        if not batch or (solutions and deadline.passed):
            break
        places = [steps[draft.cut] for draft in batch]
        solved = walk.solutions(batch, places, bar)
        solutions += [one for one in solved if one is not None]
        solutions.sort(key=_order)
        dropped += [place for place, one in zip(places, solved, strict=True) if one is None]
    return solutions[:g], dropped


def _order(solution: Solution | Draft) -> tuple[float, Cut]:
    return solution.cost, solution.cut


def published(walk: CutWalk, best: Solution, *, timed_out: bool) -> TreeRecoding:
    """Recode the records as a solution says."""
    image = walk.cuts.image(best.cut)
    forest = recoded(walk.problem.forest, image, best.broken)
    names = walk.problem.forest.classes
    notes = [
        f"class {names[kind]!r} is suppressed: too few records have it" for kind in walk.left_out
    ]
    if timed_out:
        notes.append(TIME_IS_UP)
    cost, kept = walk.checks.objective.measured(forest)
    return TreeRecoding(
        forest=forest,
        cut=image,
        disassociated=best.broken,
        cost=cost,
        notes=tuple(notes),
        kept=kept,
    )
