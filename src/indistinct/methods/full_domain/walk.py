"""Walking the lattice of level vectors column by column.

A step of a walk fixes the levels of the first columns of some order and leaves the others at the
top of their hierarchies. What it must drop bounds from below what every vector that agrees on the
fixed columns must drop, and the cost of a step, which counts the columns not yet fixed as free,
bounds their loss.

For requirements closed under supersets (k-anonymity, distinct values) this is Theorem 5.2 of
Samarati 2001: rows dropped at a step stay dropped below it. The others are closed under unions
only: a class that fails may split into parts that satisfy. But those parts together satisfy too, so
they hold at most as many rows as the largest part of the class that satisfies, its capacity; the
rest must be dropped below. A vector that is counted to the end keeps that largest part of each
class, where it is known how to find it: then what a vector drops falls as it rises, whatever is
required.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from indistinct.model.entries import Parts
from indistinct.model.recoding import LevelVector

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem


@dataclass(frozen=True, eq=False)
class Step:
    """A place on a walk.

    Attributes
    ----------
    levels
        The levels of the fixed columns, in the order of the walk.
    dropped
        The rows that must be left out, at least.
    cost
        The summed cost of all cells of fixed columns and of all suppressed cells, at least.
    """

    levels: tuple[int, ...]
    dropped: int
    cost: float
    state: Any

    @property
    def size(self) -> int:
        """How many numbers the state holds, roughly."""
        return sum(getattr(part, "size", 0) for part in self.state)

    def bare(self) -> Step:
        """Return the step without its state, to be counted again when it is needed."""
        return Step(self.levels, self.dropped, self.cost, None)


@dataclass(frozen=True, eq=False)
class Settled:
    """A vector counted to the end.

    Attributes
    ----------
    levels
        The level of each column, in the order of the walk.
    dropped, cost
        The rows that are left out, and the summed cost of all cells.
    classes
        The number of classes that are released.
    """

    levels: tuple[int, ...]
    dropped: int
    cost: float
    classes: int
    state: Any


class LatticeWalk(Protocol):
    """A way to walk the lattice under some requirements.

    Attributes
    ----------
    order
        The columns in the order in which they are fixed.
    monotone
        Whether what a vector drops falls as the vector rises.
    exact
        Whether a vector that is counted to the end drops as few rows as can be.
    """

    order: tuple[int, ...]
    monotone: bool
    exact: bool

    def root(self) -> Step:
        """Stand at the top of the lattice: no column fixed, all rows one class."""

    def child(self, step: Step, level: int) -> Step:
        """Fix the next column at a level."""

    def children(self, step: Step, levels: Iterable[int]) -> Iterator[Step]:
        """Fix the next column at several levels, one after the other."""

    def settle(self, step: Step) -> Settled:
        """Count a vector (all columns fixed) to the end."""

    def kept(self, settled: Settled) -> NDArray[np.int64]:
        """Return how many rows of each entry of the table are released."""


def walk(
    problem: Problem, order: Sequence[int], most: float = inf, *, whole_classes: bool = False
) -> LatticeWalk:
    """Choose the way to walk: the fastest that can count what the requirements need.

    Where it can, it leaves out classes whose rows cost more than `most`. With `whole_classes` a
    class is kept or dropped as a whole.
    """
    from indistinct.methods.common.feasible import require_few_columns
    from indistinct.methods.common.judge import judges
    from indistinct.methods.common.views import knows_some
    from indistinct.methods.full_domain.counting_walk import CountingWalk
    from indistinct.methods.full_domain.general_walk import GeneralWalk
    from indistinct.methods.full_domain.histogram_walk import HistogramWalk

    require_few_columns(problem)
    several = len(problem.table.sets) > 1 or knows_some(problem)
    if several or problem.table.has_respondents or judges(problem, joined=True):
        return GeneralWalk(problem, order)
    if judges(problem):
        return HistogramWalk(problem, order, most, whole_classes=whole_classes)
    return CountingWalk(problem, order, most)


def settled_at(way: LatticeWalk, vector: tuple[int, ...]) -> Settled:
    """Count a vector, given in the order of the table, to the end."""
    step = way.root()
    for column in way.order:
        step = way.child(step, vector[column])
    return way.settle(step)


def released(
    problem: Problem, kept: NDArray[np.int64], vector: tuple[int, ...], report: dict[str, Any]
) -> LevelVector:
    """Make a recoding of a vector, given how many rows of each entry are released.

    An entry of which some rows are released and others not is cut in two.
    """
    weights = problem.table.row_counts
    cut = (kept > 0) & (kept < weights)
    if not cut.any():
        return LevelVector(vector, kept > 0, report)
    entry = np.repeat(np.arange(kept.size), 1 + cut)
    second = np.concatenate([[False], entry[1:] == entry[:-1]])
    rows = np.where(cut, kept, weights)[entry]
    rows[second] = (weights - kept)[entry[second]]
    stays = (kept > 0)[entry] & ~second
    return LevelVector(vector, stays, report, parts=Parts(entry, rows))


def vector_of(way: LatticeWalk, levels: tuple[int, ...]) -> tuple[int, ...]:
    """Put levels in the order of a walk into the order of the table."""
    vector = [0] * len(levels)
    for column, level in zip(way.order, levels, strict=True):
        vector[column] = level
    return tuple(vector)
