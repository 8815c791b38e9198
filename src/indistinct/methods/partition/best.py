"""best: groups of rows that lose as little as we know how, at the speed of a few hundred sorts."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log2, sqrt
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.demands import kept_by_more, least_rows
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.gathering import gathered
from indistinct.methods.common.groups import mean_cost
from indistinct.methods.common.nearness import MOST_BINS
from indistinct.methods.common.repair import repaired
from indistinct.methods.partition.annealing import Annealing, Setting
from indistinct.methods.partition.coarsening import coarsened
from indistinct.methods.partition.cutting import cut_where_cheaper
from indistinct.methods.partition.local_recoding import LocalRecoding
from indistinct.methods.partition.race import MOST_WHOLE, Race, Start, run_linear
from indistinct.model.recoding import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

HEAT, HEAT_OF_COST = 2.5, 1.5
COOLER = (1.0, 0.2)
RECUT_EVERY = 2
COLD_PASSES, LEAST_GAIN = 3, 0.001
SETTLED = 0.5  # of what passes without heat have gained, annealing gains about so much again
FEW_TURNS, PATIENCE = 3_000_000, 4.0
MANY_ROWS = 100_000
MOST_PARTED = 500_000
COARSER, IMPROVED = "coarser vectors", 3
ROWS_OF_ALL_STARTS = 10_000
FIRST = 0.4
MOST_STARTS = 16
FEW_ROUNDS, FEW_COLUMNS = 20_000, 8


class Best(Method):
    """A race of first partitions, then simulated annealing on single rows.

    Our own. All linear methods take part in the race (`race`), and ever coarser vectors, cheapest
    first (`coarsening`), where the few rows left over join the group where they cost least. What
    loses least is improved: rows move to, or swap with rows of, groups that are near them in one of
    several sorted orders; groups are split where that is cheaper and dissolved where their rows fit
    better elsewhere; two near groups are put together and cut anew. First no change for the worse
    is made, until little is gained; then such changes are accepted with a probability that falls to
    nothing (simulated annealing), so the search leaves poor corners; if it ends worse, it is made
    once more with a fifth of the heat. No change makes a group smaller than k or breaks a rule. The
    groups are searched in two halves side by side, cut anew along another order in each pass. Small
    tables are searched from several starts, up to 16, by the three that lose least, each again with
    other draws. Deterministic for a seed, unless a time limit ends it early. Cost: linear in rows
    for each pass.

    Parameters
    ----------
    local_search
        Whether to improve the first partition.
    passes
        How many passes over the rows the search makes; more for larger k by default.
    patience
        How many million looks at a row one percent less loss is worth; a million takes two or three
        processor seconds. A pass that gained less is the last one, and annealing that is expected
        to gain less is not begun. Tables that need less than three million looks in all are always
        searched to the end, as every table is where `passes` is set. Counted, not timed: the answer
        is the same on every machine.
    time_limit
        Stop improving after so many seconds.
    seed
        Of the search; says nothing about the release's row order.
    """

    decides: ClassVar[str] = "groups of rows, each as narrow as its rows; least loss we know"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "our own"

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "loose-ends"

    name: Literal["best"] = "best"
    local_search: bool = True
    passes: Annotated[int, Field(ge=1)] | None = None
    patience: Annotated[float, Field(gt=0, allow_inf_nan=False)] = PATIENCE
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0

    def copies_for(self, problem: Problem) -> Copies:
        """Give copies as methods that cut an order are given them; more together if very many."""
        if problem.table.rows > MOST_PARTED and kept_by_more(problem.requirements):
            return "loose"
        return super().copies_for(problem)

    def search(self, problem: Problem) -> Partition:
        """Group the rows."""
        deadline = problem.deadline(self.time_limit)
        require_possible(problem)
        return self.search_until(problem, deadline)

    def search_until(self, problem: Problem, deadline: Deadline) -> Partition:
        """Group the rows, and stop improving when time is over."""
        first = deadline.part(FIRST)
        setting = Setting(problem)
        race = _raced(setting, self.seed, first)
        starts = race.ranked()
        improved = [self._improved(setting, starts[0], self.seed, deadline)]
        if self.local_search:
            for number in range(1, _tries(problem, starts[0])):
                if deadline.passed:
                    break
                start = _another(setting, starts, self.seed + number, number, deadline)
                seed = self.seed + number // min(len(starts), IMPROVED)
                improved.append(self._improved(setting, start, seed, deadline))
        best = _holding(problem, improved, starts)
        told = {"tried": race.told, "timed_out": deadline.passed}
        return replace(best, search=best.search | told)

    def _improved(self, setting: Setting, start: Start, seed: int, deadline: Deadline) -> Partition:
        """Improve a first partition; keep it if that ends worse."""
        best, passes = start, 0
        if self.local_search:
            fewer = gathered(setting.problem, start.groups)
            if fewer.problem is not setting.problem:
                setting = Setting(fewer.problem)
            first = replace(start, groups=start.groups[fewer.first])
            last, passes = self._search_from(setting, first, seed, deadline)
            best = replace(last, groups=last.groups[fewer.entry])
        report = {"start": start.name, "first_loss": start.loss, "loss": best.loss}
        count = int(best.groups.max(initial=-1)) + 1
        return Partition(best.groups, report | {"passes": passes, "groups": count})

    def _search_from(
        self, setting: Setting, start: Start, seed: int, deadline: Deadline
    ) -> tuple[Start, int]:
        """Settle, then anneal; once more from there, and cooler, if that ends worse.

        Return the best partition, and in how many passes.
        """
        problem = setting.problem
        work = Annealing(setting, start.groups, seed, deadline)
        best, passes = start, 0
        heats = _heats(self.passes or _usual_passes(problem), problem, start.loss)
        if self.passes is None:
            turns = len(heats) * problem.table.entries
            worth = self.patience if turns > FEW_TURNS else inf
            least = _least_gain(problem.table.entries, worth)
            passes, loss = _settle(work, start.loss, least, deadline)
            best = _better(best, work, loss)
            if deadline.passed:
                return best, passes
            gained = 1 - best.loss / start.loss if start.loss else 0.0
            if gained * SETTLED < _least_gain(turns, worth):
                return best, passes
        for cooler in COOLER:
            settled = best
            passes += _anneal(problem, work, [heat * cooler for heat in heats], deadline)
            best = _better(settled, work, work.loss())
            if best is not settled or deadline.passed:
                break
            work = Annealing(setting, settled.groups, seed, deadline)
        return best, passes


def _holding(problem: Problem, improved: list[Partition], starts: list[Start]) -> Partition:
    """Return the partition of least loss whose groups satisfy as they are published.

    Where people have several rows, groups that are published alike may fail together though each of
    them satisfies: they are joined until they do not, or the best start is taken.
    """
    if not problem.table.has_respondents:
        return min(improved, key=lambda partition: partition.search["loss"])
    ways = [*improved, *(Partition(s.groups, {"start": s.name, "loss": s.loss}) for s in starts)]
    mended = []
    for partition in ways:
        groups = repaired(problem, partition.groups)
        told = {"loss": mean_cost(problem, groups), "groups": int(groups.max(initial=-1)) + 1}
        mended.append(replace(partition, groups=groups, search=partition.search | told))
    return min(mended, key=lambda partition: partition.search["loss"])


def _better(best: Start, work: Annealing, loss: float) -> Start:
    """Return what loses less: the best so far, or what a search has come to."""
    return replace(best, groups=work.numbered(), loss=loss) if loss < best.loss else best


def _anneal(problem: Problem, work: Annealing, heats: list[float], deadline: Deadline) -> int:
    """Improve a partition; return in how many passes."""
    for done, heat in enumerate(heats):
        if not work.improve(heat, deadline):
            return done
        if done % RECUT_EVERY == 0 or heat == 0.0:
            work.recut(deadline)
        problem.progress.advance((done + 1) / len(heats))
    return len(heats)


def _settle(work: Annealing, loss: float, least: float, deadline: Deadline) -> tuple[int, float]:
    """Make passes that accept nothing worse, while they gain enough.

    Return how many, and what is lost then.
    """
    for done in range(COLD_PASSES):
        if not work.improve(0.0, deadline):
            return done, loss
        work.recut(deadline)
        before, loss = loss, work.loss()
        if loss > before * (1 - max(least, LEAST_GAIN)):
            return done + 1, loss
    return COLD_PASSES, loss


def _least_gain(turns: int, patience: float) -> float:
    """Return which share of the loss so many looks at a row must save to be worth it."""
    return turns / 1e6 / patience / 100


def _raced(setting: Setting, seed: int, deadline: Deadline) -> Race:
    """Let all first partitions race."""
    race = Race(setting.problem, deadline)
    run_linear(race, setting.problem, setting.near)
    race.try_out(COARSER, lambda: _coarsened(setting, seed, deadline))
    problem = setting.problem
    if problem.table.entries <= MOST_WHOLE:
        whole = np.zeros(problem.table.entries, dtype=np.int32)
        race.try_out("cuts", lambda: repaired(problem, cut_where_cheaper(problem, whole, deadline)))
    if _seen_in_bins(problem):
        local = LocalRecoding(time_limit=deadline.seconds_left or None)
        race.try_out("local-recoding", lambda: local.search(problem).groups)
    return race


def _seen_in_bins(problem: Problem) -> bool:
    """Return whether the search sees a column in bins, which may hide all that it could gain.

    Then rounds of local recoding, which see every value, are worth their time on small tables.
    """
    table = problem.table
    small = table.entries <= FEW_ROUNDS and len(table.quasi) <= FEW_COLUMNS
    return small and max(column.hierarchy.size for column in table.quasi) > MOST_BINS


def _tries(problem: Problem, start: Start) -> int:
    """Return how often to search: small tables from several starts."""
    if problem.table.frequency_set.size > ROWS_OF_ALL_STARTS // 2:
        return 1
    entries = gathered(problem, start.groups).first.size
    return min(max(ROWS_OF_ALL_STARTS // entries, 1), MOST_STARTS)


def _another(
    setting: Setting, starts: list[Start], seed: int, number: int, deadline: Deadline
) -> Start:
    """Take the next best first partition in turn; ever coarser vectors are drawn anew."""
    start = starts[number % min(len(starts), IMPROVED)]
    if start.name != COARSER:
        return start
    groups = _coarsened(setting, seed, deadline)
    return replace(start, groups=groups, loss=mean_cost(setting.problem, groups))


def _coarsened(setting: Setting, seed: int, deadline: Deadline) -> NDArray[np.int32]:
    """Cover the rows; where more are left than may be, join groups until they fit in."""
    problem = setting.problem
    work = Annealing(setting, coarsened(problem, seed, deadline), seed, deadline)
    groups = work.numbered()
    if work.left_out > problem.max_suppressed or not work.alive:
        return repaired(problem, np.where(groups < 0, work.alive, groups).astype(np.int32))
    return groups


def _usual_passes(problem: Problem) -> int:
    """Large groups change slowly and are few: they get more passes in the same time.

    Tables of very many rows get fewer, lest their users wait.
    """
    k = max(least_rows(problem), 2)
    fewer = sqrt(sqrt(min(1.0, MANY_ROWS / problem.table.entries)))
    return max(12, round(fewer * min(12 * log2(k), 64)))


def _heats(passes: int, problem: Problem, loss: float) -> list[float]:
    """Cool down from about what a row costs, at which most changes are made, then settle."""
    row_cost = loss * sum(problem.suppressed_cell)
    hottest = min(HEAT, row_cost * HEAT_OF_COST)
    warm = max(passes - COLD_PASSES, 1)
    falling = [hottest * (1 - place / warm) ** 2 for place in range(warm)]
    return [*falling, *[0.0] * (passes - warm)]
