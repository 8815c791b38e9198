"""A race of first partitions: cheap methods, each a few sorts, and what each of them loses.

Which of them loses least depends on the table: runs of a lexicographic order where few columns have
few values, a Hilbert curve where columns are numbers, ever coarser vectors where hierarchies are
good, `diversify` where groups need many sensitive values. So all of them run, those that take
least time first, and a search goes on from what they find.

Of a large table each order is judged by stretches of it: groups along an order are local, so some
thousand rows here and there foretell what all lose. The two best orders are then cut as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from indistinct.errors import CannotMeetError
from indistinct.methods.common.demands import demands
from indistinct.methods.common.groups import mean_cost
from indistinct.methods.common.orders import mapped
from indistinct.methods.partition.diversify import diverse_along, diversest
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.methods.partition.one_dimension import runs_along
from indistinct.methods.partition.topdown import TopDown
from indistinct.model.entries import put_together
from indistinct.model.recoding import Partition

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.methods.common.demands_kernel import DemandArrays

    Way = Callable[[Problem, DemandArrays, NDArray[np.int32]], Partition]

SMALL_ROWS = 5_000
SKETCHED = 1.1
MOST_WHOLE, SKETCHES = 200_000, 2
STRETCHES, STRETCH = 10, 5_000
FEW_COLUMNS, FEW_DISTINCT = 4, 20_000


@dataclass(frozen=True, eq=False)
class Start:
    """A first partition.

    Attributes
    ----------
    name
        What made it.
    groups
        The group of each entry, -1 where it is in none.
    loss
        The mean cost of a cell.
    """

    name: str
    groups: NDArray[np.int32]
    loss: float


class Sketch(NamedTuple):
    """An order and a way to group rows along it, with what stretches of it lost."""

    loss: float
    name: str
    way: Way
    order: NDArray[np.int32]


class Race:
    """Lets first partitions be made one after the other, and keeps what each of them loses.

    Parameters
    ----------
    deadline
        Who is not begun until then takes no part; somebody always does.
    """

    def __init__(self, problem: Problem, deadline: Deadline) -> None:
        self._problem = problem
        self._deadline = deadline
        self._asked = demands(problem)
        self._failed: CannotMeetError | None = None
        self._ways: list[tuple[str, Way]] = [("", runs_along)]
        by_row = problem.table.rows == problem.table.entries
        if by_row and diversest(problem)[0] is not None:
            self._ways.insert(0, ("diversify ", _diverse_along))
        self._sketches: list[Sketch] = []
        self._large = problem.table.entries > MOST_WHOLE
        self.starts: list[Start] = []
        self.told: list[dict[str, Any]] = []

    @property
    def least(self) -> float:
        """The least loss so far."""
        return min((start.loss for start in self.starts), default=inf)

    def try_out(self, name: str, search: Callable[[], NDArray[np.int32]]) -> float:
        """Run a method and note what it finds; return its loss, infinite where it finds nothing."""
        if self.starts and self._deadline.passed:
            return inf
        try:
            groups = search()
        except CannotMeetError as error:
            self._failed = error
            return inf
        loss = mean_cost(self._problem, groups)
        self.starts.append(Start(name, groups, loss))
        self._tell(name, loss)
        return loss

    def try_along(self, name: str, order: Callable[[], NDArray[np.int32]]) -> float:
        """Group the rows along an order in every way there is; return the least loss."""
        if (self.starts or self._sketches) and self._deadline.passed:
            return inf
        rows = order()
        run = self._sketch if self._large else self._run
        return min(run(kind + name, way, rows) for kind, way in self._ways)

    def _run(self, name: str, way: Way, order: NDArray[np.int32]) -> float:
        return self.try_out(name, lambda: way(self._problem, self._asked, order).groups)

    def _sketch(self, name: str, way: Way, order: NDArray[np.int32]) -> float:
        """Group stretches of an order alone, and keep it if they lose less than most others did."""
        some = order[_stretches(order.size)]
        part = _part(self._problem, np.sort(some))
        along = np.searchsorted(np.sort(some), some).astype(np.int32)
        try:
            loss = mean_cost(part, way(part, demands(part), along).groups)
        except CannotMeetError as error:
            self._failed, loss = error, inf
        self._tell(f"{name}, sketched", loss)
        kept = sorted([*self._sketches, Sketch(loss, name, way, order)], key=lambda s: s.loss)
        self._sketches = kept[:SKETCHES]
        return loss

    def run_sketched(self) -> None:
        """Group all rows along the orders whose stretches lost least."""
        for sketch in self._sketches:
            self._run(sketch.name, sketch.way, sketch.order)

    def _tell(self, name: str, loss: float) -> None:
        self.told.append({"start": name, "loss": loss})

    def ranked(self) -> list[Start]:
        """Return all first partitions, those that lose least first.

        Raises
        ------
        CannotMeetError
            If there is none.
        """
        if self._failed is not None and not self.starts:
            raise self._failed
        return sorted(self.starts, key=lambda start: start.loss)


def run_linear(race: Race, problem: Problem, orders: NDArray[np.int32]) -> None:
    """Let every cheap method take part, and each of some orders of the rows."""
    for mapping in ("lexicographic", "hilbert", "hilbert-ranks"):
        race.try_along(mapping, lambda m=mapping: mapped(problem, m).order)  # type: ignore[misc]
    for number, order in enumerate(orders):
        race.try_along(f"order {number + 1}", lambda rows=order: rows)  # type: ignore[misc]
    race.run_sketched()
    race.try_out("mondrian", lambda: Mondrian().search(problem).groups)
    if problem.table.entries <= MOST_WHOLE:
        _run_idistance(race, problem)
    small = problem.table.entries <= SMALL_ROWS
    few = len(problem.table.quasi) <= FEW_COLUMNS
    if small or (few and problem.table.frequency_set.size <= FEW_DISTINCT):
        race.try_out("topdown", lambda: TopDown().search(problem).groups)


def _run_idistance(race: Race, problem: Problem) -> None:
    """Let rows go by their nearest centre; in full only where a sketch of it comes near the best.

    Finding the centres takes ten times as long as any other order.
    """
    if problem.table.entries > SMALL_ROWS:
        best = race.least
        sketch = race.try_along(
            "idistance, one round", lambda: mapped(problem, "idistance", rounds=1).order
        )
        if sketch > best * SKETCHED:
            return
    race.try_along("idistance", lambda: mapped(problem, "idistance").order)


def _diverse_along(problem: Problem, _asked: DemandArrays, order: NDArray[np.int32]) -> Partition:
    """Let `diversify` part entries of rows that are alike, as it is given them, and deal them out.

    Rows of an entry go to its parts in the order given.
    """
    alike = put_together(problem.table)
    whole = replace(problem, table=alike.table)
    whole.__dict__["spans"] = problem.spans
    held = alike.of_row[order]
    first = np.unique(held, return_index=True)[1]
    found = diverse_along(whole, held[np.sort(first)].astype(np.int32))
    if found.parts is None:
        return Partition(found.groups[alike.of_row], found.search)
    by_entry = np.argsort(found.parts.entry, kind="stable")
    groups = np.empty(order.size, dtype=np.int32)
    dealt = np.repeat(found.groups[by_entry], found.parts.rows[by_entry])
    groups[order[np.argsort(held, kind="stable")]] = dealt
    return Partition(groups, found.search)


def _stretches(rows: int) -> NDArray[np.intp]:
    """Return the places of some stretches of an order, evenly spread."""
    begins = np.linspace(0, rows - STRETCH, STRETCHES).astype(np.intp)
    return np.unique(begins[:, None] + np.arange(STRETCH))


def _part(problem: Problem, entries: NDArray[np.int32]) -> Problem:
    """Return the problem of some entries, which cost what they cost among all."""
    part = replace(problem, table=problem.table.part(entries.astype(np.intp)))
    part.__dict__["spans"] = problem.spans
    return part
