"""best: groups of rows that lose as little as we know how, at the speed of a few hundred sorts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from math import log2, sqrt
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import CannotMeetError
from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.demands import kept_by_more, least_rows
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.repair import repaired
from indistinct.methods.partition.annealing import Annealing, Setting
from indistinct.methods.partition.coarsening import coarsened
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.methods.partition.one_dimension import Hilbert
from indistinct.methods.partition.topdown import TopDown
from indistinct.model.recoding import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

HEAT = 0.3
HEAT_OF_COST = 2
COLD_PASSES, LEAST_GAIN = 3, 0.001
FEW_TURNS, WORTHY_TURNS = 3_000_000, 4_000_000
MANY_ROWS = 100_000
FEW_COLUMNS, FEW_DISTINCT = 4, 20_000
SMALL_ROWS, TINY_ROWS = 5_000, 500
ROWS_OF_ALL_STARTS = 10_000
FIRST = 0.4
MOST_STARTS = 16


class Best(Method):
    """A first partition by ever coarser vectors, then simulated annealing on single rows.

    Our own. Rows are first released at ever coarser vectors, cheapest first (see `coarsening`), and
    the few left over join the group where they cost least; with up to four columns, and for small
    tables, `hilbert`, `topdown` or `mondrian` begin instead if they lose less. Then
    rows move to, or swap with rows of, groups that are near them in one of several sorted orders;
    groups are split where that is cheaper and dissolved where their rows fit better elsewhere.
    Changes for the worse are accepted with a probability that falls to nothing (simulated
    annealing), so the search leaves poor corners. No change makes a group smaller than k or breaks
    a rule. The groups are searched in two halves side by side, cut anew along another order in each
    pass. Small tables are searched from several starts, up to 16, each by the next best of these
    methods. Deterministic for a seed, unless a time limit ends it early. Cost: linear in rows for
    each pass.

    Parameters
    ----------
    local_search
        Whether to improve the first partition.
    passes
        How many passes over the rows the search makes; more for larger k by default.
    time_limit
        Stop improving after so many seconds.
    seed
        Of the search; says nothing about the release's row order.
    """

    decides: ClassVar[str] = "groups of rows, each as narrow as its rows; least loss we know"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "our own"

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "loose"

    name: Literal["best"] = "best"
    local_search: bool = True
    passes: Annotated[int, Field(ge=1)] | None = None
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0

    def copies_for(self, problem: Problem) -> Copies:
        """Give rows apart where more rows of a value may break what is asked."""
        return self.copies if kept_by_more(problem.requirements) else "apart"

    def search(self, problem: Problem) -> Partition:
        """Group the rows."""
        require_possible(problem)
        return self.search_until(problem, problem.deadline(self.time_limit))

    def search_until(self, problem: Problem, deadline: Deadline) -> Partition:
        """Group the rows, and stop improving when time is over."""
        starts = min(max(ROWS_OF_ALL_STARTS // problem.table.entries, 1), MOST_STARTS)
        first = deadline.part(FIRST)
        others = _other_starts(problem, first)
        setting = Setting(problem)
        improved: list[Partition] = []
        for number in range(starts if self.local_search else 1):
            if improved and deadline.passed:
                break
            work = _started(
                setting, others, self.seed + number, number, deadline if improved else first
            )
            improved.append(self._improved(problem, work, deadline))
        best = min(improved, key=lambda partition: partition.search["loss"])
        return replace(best, search=best.search | {"timed_out": deadline.passed})

    def _improved(self, problem: Problem, work: Annealing, deadline: Deadline) -> Partition:
        """Anneal a first partition; keep it if that ends worse."""
        first, start = work.loss(), work.numbered()
        cost = first * sum(problem.suppressed_cell)
        heats = _heats(self.passes or _usual_passes(problem), cost) if self.local_search else []
        turns, settling = len(heats) * problem.table.entries, 0
        if turns > FEW_TURNS and self.passes is None:
            settling = _settle(work, deadline)
            heats = heats if _worth_it(1 - work.loss() / first, turns) else []
        done = 0
        for heat in heats:
            if not work.improve(heat, deadline):
                break
            done += 1
            problem.progress.advance(done / len(heats))
        last = work.loss()
        groups = work.numbered() if last <= first else start
        report = {"first_loss": first, "loss": min(first, last), "passes": settling + done}
        return Partition(groups, {**report, "groups": int(groups.max(initial=-1)) + 1})


def _settle(work: Annealing, deadline: Deadline) -> int:
    """Make passes that accept nothing worse, while they gain something; return how many."""
    before = work.loss()
    for done in range(COLD_PASSES):
        if not work.improve(0.0, deadline):
            return done
        after = work.loss()
        if after > before * (1 - LEAST_GAIN):
            return done + 1
        before = after
    return COLD_PASSES


def _worth_it(gained: float, turns: int) -> bool:
    """Return whether to anneal a large table, given what passes without heat have gained.

    It gains about half as much again (docs/decisions.md), and must gain 1 % for each
    `WORTHY_TURNS`, about ten processor seconds; 3 % are worth any. What decides is not the clock:
    the same table has the same answer on every machine.
    """
    return gained / 2 >= min(turns / WORTHY_TURNS, 3) / 100


def _started(
    setting: Setting,
    others: list[NDArray[np.int32]],
    seed: int,
    number: int,
    deadline: Deadline,
) -> Annealing:
    """Take what loses least of all first partitions; later starts take the next best in turn."""
    firsts = [_coarsened(setting, seed, deadline)]
    firsts += [Annealing(setting, groups, seed, deadline) for groups in others]
    return sorted(firsts, key=Annealing.loss)[number % len(firsts)]


def _other_starts(problem: Problem, deadline: Deadline) -> list[NDArray[np.int32]]:
    """Group the rows by what may lose less than ever coarser vectors: of few columns, or rows.

    Tiny tables are searched from many starts anyway, and each method has to be compiled once:
    these begin with fewer of them.
    """
    rows, few = problem.table.entries, len(problem.table.quasi) <= FEW_COLUMNS
    middling = TINY_ROWS < rows <= SMALL_ROWS
    methods: list[Hilbert | Mondrian | TopDown] = [Hilbert()] if rows <= SMALL_ROWS or few else []
    if middling or (few and problem.table.frequency_set.size <= FEW_DISTINCT):
        methods.append(TopDown())
    if middling:
        methods.append(Mondrian())
    firsts = []
    for method in methods:
        if deadline.passed:
            break
        with suppress(CannotMeetError):
            firsts.append(method.search(problem).groups)
    return firsts


def _coarsened(setting: Setting, seed: int, deadline: Deadline) -> Annealing:
    """Cover the rows; where more are left than may be, join groups until they fit in."""
    problem = setting.problem
    work = Annealing(setting, coarsened(problem, seed, deadline), seed, deadline)
    if work.left_out <= problem.max_suppressed and work.alive:
        return work
    groups = work.numbered()
    joined = repaired(problem, np.where(groups < 0, work.alive, groups).astype(np.int32))
    return Annealing(setting, joined, seed, deadline)


def _usual_passes(problem: Problem) -> int:
    """Large groups change slowly and are few: they get more passes in the same time.

    Tables of very many rows get fewer, lest their users wait.
    """
    k = max(least_rows(problem), 2)
    patience = sqrt(sqrt(min(1.0, MANY_ROWS / problem.table.entries)))
    return max(12, round(patience * min(9 * log2(k), 48)))


def _heats(passes: int, row_cost: float) -> list[float]:
    """Cool down to nothing, then settle; where rows cost little, begin cooler."""
    hottest = min(HEAT, row_cost * HEAT_OF_COST)
    warm = max(passes - COLD_PASSES, 1)
    falling = [hottest * (1 - place / warm) ** 2 for place in range(warm)]
    return [*falling, *[0.0] * (passes - warm)]
