"""Local recoding: whole-column levels fitted again and again to the rows left, then cuts."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import CannotMeetError
from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.clusters import Clusters
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.groups import cost_of
from indistinct.methods.common.judge import judges
from indistinct.methods.common.repair import repaired
from indistinct.methods.partition.cutting import cut_where_cheaper, seconds_to_cut
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.methods.partition.rounds import Pace, Rounds
from indistinct.model.recoding import Partition
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

GROWTH, TRIAL_GROWTH = 1.25, 4.0
EFFORT, TRIAL_EFFORT, ROUND_EFFORT = 1e9, 2e8, 2e7
SEARCHING, TRIAL = 0.8, 0.2
EASES = (0.3, 1.0)
SPARE, MANY = 2, 20


class LocalRecoding(Method):
    """Repeated full-domain search over the rows that are left, then cuts.

    Each round finds the level vector of least loss for the rows left, where a row that does not fit
    costs only a part of what a suppressed row costs; so a fine vector that fits some rows is
    preferred to a coarse one that fits all. The classes that satisfy become groups, and the rest is
    searched again, until fewer than k rows are left, which join the group whose loss they raise
    least. Then groups are cut in two wherever that is cheapest, as long as it is cheaper. Groups
    are published as what their rows span, not at the levels of the round.

    A column published as ranges is cut finer than its levels are; the one of most values counts
    less in the rounds where a few quick ones show that this loses less. Where quick rounds lose
    more than cutting one group of all rows does, the cuts are the answer: so it is with very many
    columns, which no vector fits. Rounds are solved exactly unless they count too long; the rows
    left when all of them do are one group that is cut.

    Parameters
    ----------
    left_out
        What a cell of a row that does not fit the first round costs, as a share of a suppressed
        one. Classes whose rows would cost more are not released in that round.
    growth
        By how much that share grows when no class is worth it any more; smaller takes more, finer
        rounds. With requirements on sensitive columns, which make rounds slow, it also grows after
        a round that fits less than 3 % of the rows left.
    time_limit
        Stop after so many seconds; rows still left then are one group that is cut, by Mondrian
        where time is short.

    References
    ----------
    Prasser, Bild, Eicher, Spengler, Kuhn: Lightning; and ARX, "local recoding", which repeats its
    full-domain search in this way. The cuts, and what counts less in rounds, are our own.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(method={"name": "local-recoding"})
    >>> anonymize(medical(), plan).verified.holds
    True
    """

    decides: ClassVar[str] = "groups of rows, by repeated search for whole columns, and cuts"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "as ARX does (Prasser et al.); the cuts are our own"

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "together"
    copies_judged: ClassVar[Copies] = "together"

    name: Literal["local-recoding"] = "local-recoding"
    left_out: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.03
    growth: Annotated[float, Field(gt=1, allow_inf_nan=False)] = GROWTH
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    def search(self, problem: Problem) -> Partition:
        """Cut all rows; try quick rounds; where they lose less than cuts, make all rounds."""
        until = problem.deadline(self.time_limit)
        require_possible(problem)
        race = Race(problem, until)
        race.enter(Rounds(problem))
        searching = until.part(SEARCHING)
        pace = Pace(self.left_out, self.growth, bool(judges(problem)), EFFORT, ROUND_EFFORT)
        quick = pace._replace(growth=max(pace.growth, TRIAL_GROWTH), effort=TRIAL_EFFORT)
        eases = [ease for ease in EASES if ease == 1 or _to_be_cut(problem) is not None]
        lost = [
            race.enter(Rounds(_eased(problem, ease)).run(quick, searching.part(TRIAL)))
            for ease in eases
        ]
        if race.best_rounds.number and not searching.passed:
            ease = eases[lost.index(min(lost))]
            race.enter(Rounds(_eased(problem, ease)).run(pace, searching))
        rounds = race.best_rounds
        report = {
            "rounds": rounds.number,
            "rows_fitted": problem.table.rows - rounds.rows_left,
            "timed_out": searching.passed,
        }
        return Partition(race.best_groups, report)


class Race:
    """The groups that lose least of several."""

    def __init__(self, problem: Problem, deadline: Deadline) -> None:
        self.problem = problem
        self._deadline = deadline
        self._least = inf
        self.best_rounds = Rounds(problem)
        self.best_groups = np.zeros(problem.table.entries, dtype=np.int32)

    def enter(self, rounds: Rounds) -> float:
        """Cut what rounds have made, and return what that loses."""
        groups = _cut(self.problem, rounds, self._deadline)
        lost = cost_of(self.problem, groups)
        if lost < self._least:
            self._least, self.best_rounds, self.best_groups = lost, rounds, groups
        return lost


def _to_be_cut(problem: Problem) -> int | None:
    """Return the column of most values among those published as ranges, if there is one."""
    ranged = [place for place, form in enumerate(problem.spans.forms) if form == "range"]
    values = [np.unique(problem.table.quasi[place].codes).size for place in ranged]
    return ranged[int(np.argmax(values))] if ranged else None


def _eased(problem: Problem, ease: float) -> Problem:
    """Let the cells of the column that cuts suit best cost less."""
    column = _to_be_cut(problem)
    if column is None or ease == 1:
        return problem
    costs = list(problem.costs)
    costs[column] = tuple(ease * level for level in costs[column])
    return replace(problem, costs=tuple(costs))


def _cut(problem: Problem, rounds: Rounds, deadline: Deadline) -> NDArray[np.int32]:
    """Make groups of what rounds released and of the rows left, and cut all of them.

    Few rows that are left join the nearest groups; many are one group, or what Mondrian makes of
    them where time is too short to cut that.
    """
    groups = rounds.groups.copy()
    left = np.flatnonzero(groups < 0)
    first = int(groups.max(initial=-1)) + 1
    if rounds.rows_left >= MANY * least_respondents(problem.requirements):
        hurried = deadline.left < SPARE * seconds_to_cut(problem)
        groups[left] = first + (_mondrian(problem, left) if hurried else np.int32(0))
    groups = repaired(problem, with_rest(problem, groups))
    return repaired(problem, cut_where_cheaper(problem, groups, deadline))


def _mondrian(problem: Problem, rows: NDArray[np.intp]) -> NDArray[np.int32]:
    """Group some rows by Mondrian, or as one if they can be no class of their own."""
    part = replace(
        problem,
        table=problem.table.part(rows),
        max_suppressed=0,
        progress=problem.progress.quiet(),
    )
    try:
        return Mondrian().search(part).groups
    except CannotMeetError:
        return np.zeros(rows.size, dtype=np.int32)


def with_rest(problem: Problem, groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Let rows in no group join the nearest one; make them a group if there is none."""
    rest = np.flatnonzero(groups < 0)
    if rest.size == groups.size:
        return np.zeros_like(groups)
    clusters = Clusters(problem, groups)
    of_row = problem.table.frequency_set.inverse[rest]
    for row in np.unique(of_row):
        alike = rest[of_row == row]
        clusters.add(alike, clusters.nearest_to(alike))
    return clusters.groups()
