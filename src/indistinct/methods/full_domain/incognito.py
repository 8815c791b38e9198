"""Incognito: every vector that satisfies, by lattices of ever larger subsets of columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from math import log10, prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from indistinct.errors import Fault, PlanError
from indistinct.methods.base import ALL_MODELS
from indistinct.methods.common.feasible import nothing_found, require_possible
from indistinct.methods.common.judge import judges
from indistinct.methods.full_domain.frequencies import Frequencies, Roller
from indistinct.methods.full_domain.minimal import (
    few_values_first,
    non_dominated,
    one_below,
    recoded,
)
from indistinct.methods.full_domain.preferences import Candidate, Choosing, Preference, preferred
from indistinct.methods.full_domain.walk import vector_of, walk
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.full_domain.walk import LatticeWalk, Step
    from indistinct.model.recoding import LevelVector

    Columns = tuple[int, ...]
    Vector = tuple[int, ...]
    Lattice = NDArray[np.bool_]

MOST_VERTICES = 1 << 24
_COUNTABLE = 10**12
MOST_HELD = 1 << 25


class Incognito(Choosing):
    """Find every satisfying vector; release the preferred of the minimal ones.

    Iteration i looks at all subsets of i columns. Compose keeps the vertices that satisfied on
    every subset of i - 1 columns (subset property); the others are searched upwards, and what is
    above a satisfying vertex satisfies unseen (generalization property). One frequency set for each
    subset is counted from the table, at the meet of its roots (super-root); the others are rolled
    up from a finer vertex of the same subset.

    Where we differ: the lattice of a subset is an array of truth values, so that composing and
    marking are single array operations. Both properties hold for requirements closed under
    supersets, and for all others while nothing is suppressed and each row is another person's.
    Otherwise only what is closed under supersets (class sizes, distinct values) rules vertices
    out, and every vector that is left is counted to the end. Cost: in the worst case every vertex
    of every subset is counted once, over the classes of a finer one.

    Parameters
    ----------
    preference, weights
        How to choose among the minimal vectors, as for `samarati`.
    list_all
        List in `search` not only the minimal vectors but all that satisfy.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan, *Incognito: Efficient Full-Domain K-Anonymity*, SIGMOD 2005;
    Ciriani et al., *k-Anonymity*, section 3.2.2, Figures 10 and 11.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(method={"name": "incognito"}, limits={"suppression": 0.2})
    >>> release = anonymize(medical(), plan)
    >>> release.recoding.search["minimal"], release.levels
    ([[0, 2, 1], [1, 1, 0]], {'zip': 1, 'marital': 1, 'sex': 0})
    """

    decides: ClassVar[str] = "a level for each whole column, and rows to suppress; all vectors"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005"
    draws_rows: ClassVar[bool] = True

    name: Literal["incognito"] = "incognito"
    preference: Preference = "absolute-distance"
    list_all: bool = False

    def search(self, problem: Problem) -> LevelVector:
        """Find all satisfying vectors and release the preferred minimal one."""
        require_possible(problem)
        policy = self.policy(problem.table)
        lattice = satisfying_lattice(problem)
        if not lattice.minimal:
            raise nothing_found(problem)
        ties = preferred(lattice.minimal, policy)
        report: dict[str, Any] = {
            "vectors": lattice.satisfying.size,
            "satisfying": int(np.count_nonzero(lattice.satisfying)),
            "minimal": [list(candidate.vector) for candidate in lattice.minimal],
            "preferred": [list(candidate.vector) for candidate in ties],
            "vertices_counted": lattice.counted,
        }
        if self.list_all:
            report["all"] = np.argwhere(lattice.satisfying).tolist()
        return recoded(problem, ties[0].vector, report)


@dataclass(eq=False)
class SatisfyingLattice:
    """What Incognito finds.

    Attributes
    ----------
    satisfying
        For each vector of the lattice, whether it satisfies.
    minimal
        The minimal ones, in lexicographic order.
    surviving
        For each subset of columns, the vertices that were not ruled out.
    counted
        How many vertices were counted.
    """

    satisfying: Lattice
    minimal: list[Candidate] = field(default_factory=list)
    surviving: dict[Columns, Lattice] = field(default_factory=dict)
    counted: int = 0


def surviving(problem: Problem) -> dict[tuple[str, ...], set[tuple[int, ...]]]:
    """Return for each subset of columns the vertices that satisfy (Ciriani et al. 2007, Figure 11).

    Where the subset property does not hold, these are the vertices that may belong to a vector
    that satisfies.
    """
    names = [column.name for column in problem.table.quasi]
    return {
        tuple(names[column] for column in columns): set(map(tuple, np.argwhere(marked).tolist()))
        for columns, marked in satisfying_lattice(problem, keep=True).surviving.items()
    }


def satisfying_lattice(problem: Problem, *, keep: bool = False) -> SatisfyingLattice:
    """Run the algorithm; with `keep`, remember the survivors of all subsets, not of the last."""
    heights = problem.table.heights
    _require_small(heights)
    subsets = _Subsets(problem)
    marked: dict[Columns, Lattice] = {}
    lattice = SatisfyingLattice(np.zeros(0, dtype=bool))
    for size in range(1, len(heights) + 1):
        smaller, marked = marked, {}
        for columns in combinations(range(len(heights)), size):
            alive = compose(columns, heights, smaller)
            marked[columns] = subsets.mark(columns, alive)
        lattice.surviving = {**lattice.surviving, **marked} if keep else marked
        problem.progress.advance(size / len(heights))
    lattice.satisfying = marked[tuple(range(len(heights)))]
    lattice.minimal = sorted(subsets.minimal, key=lambda candidate: candidate.vector)
    lattice.counted = subsets.counted
    if not subsets.exact:
        lattice.satisfying, lattice.minimal = settled(problem, lattice.satisfying)
    return lattice


def compose(columns: Columns, heights: tuple[int, ...], smaller: dict[Columns, Lattice]) -> Lattice:
    """Keep the vertices all of whose parts over one column less are marked (Compose)."""
    alive = np.ones(tuple(heights[column] + 1 for column in columns), dtype=bool)
    for place in range(len(columns)):
        part = columns[:place] + columns[place + 1 :]
        if part:
            alive &= np.expand_dims(smaller[part], place)
    return alive


class _Subsets:
    """Marks the lattices of subsets of columns.

    Attributes
    ----------
    exact
        Whether a vector satisfies if and only if it is marked in the lattice of all columns.
    minimal
        The minimal marked vertices of the lattice of all columns.
    """

    def __init__(self, problem: Problem) -> None:
        table = problem.table
        rules = [part for judge in judges(problem) for part in judge.by_closure()]
        closed = [judge for judge in rules if judge.closed_under_supersets]
        simple = len(table.sets) == 1 and not table.has_respondents
        monotone = len(closed) == len(rules) or problem.max_suppressed == 0
        self.exact = simple and monotone and not judges(problem, joined=True)
        self.counted = 0
        self.minimal: list[Candidate] = []
        self._problem = problem
        self._sets = [set(group.columns) for group in table.sets]
        self._values = [column.hierarchy.size for column in table.quasi]
        least = least_respondents(problem.requirements)
        self._roller = Roller(table, rules if self.exact else closed, least)

    def mark(self, columns: Columns, alive: Lattice) -> Lattice:
        """Search the vertices left in a lattice upwards, and mark those that satisfy."""
        if not alive.any() or not any(group.issuperset(columns) for group in self._sets):
            return alive  # nothing is left, or no quasi-identifier holds all of the columns
        marked = np.zeros_like(alive)
        order = sorted(range(len(columns)), key=lambda place: -self._values[columns[place]])
        family = _Family(self._roller, columns, order, alive)
        for vertices in _by_height(alive, order):
            for vertex in vertices:
                if not marked[vertex]:
                    marked[self._above(vertex, family)] = True
            family.rise()
        return marked

    def _above(self, vertex: Vector, family: _Family) -> tuple[slice, ...]:
        """Count a vertex; return where it and all above it are, nowhere if it fails."""
        frequencies = family.counted(vertex)
        dropped, classes = self._roller.dropped(frequencies)
        self.counted += 1
        if dropped > self._problem.max_suppressed:
            family.hold(frequencies)
            return (slice(0, 0),)
        if len(vertex) == len(self._problem.table.quasi):
            self.minimal.append(Candidate.of(self._problem.table, vertex, dropped, classes))
        return tuple(slice(level, None) for level in vertex)


class _Family:
    """The frequency sets of one subset of columns, each from a finer one.

    A vertex is rolled up from one just below that was counted. Where there is none, the super-root
    is raised to it column by column; vertices that come one after the other share the first steps.
    """

    def __init__(self, roller: Roller, columns: Columns, order: list[int], alive: Lattice) -> None:
        self._roller = roller
        self._columns = columns
        self._order = order
        self._super_root = tuple(int(axis.min()) for axis in np.nonzero(alive))
        self._raised: list[Frequencies] = []
        self._below: dict[Vector, Frequencies] = {}
        self._here: dict[Vector, Frequencies] = {}
        self._held = 0

    def counted(self, vertex: Vector) -> Frequencies:
        """Return the frequency set of a vertex."""
        near = [self._below[v] for v in one_below(vertex) if v in self._below]
        if not near:
            return self._from_super_root(vertex)
        smallest = min(near, key=lambda finer: finer.size)
        return self._roller.rolled_up(smallest, self._columns, vertex)

    def hold(self, frequencies: Frequencies) -> None:
        """Keep the frequency set of a vertex that failed, for those just above it."""
        self._held += frequencies.size
        if self._held < MOST_HELD:
            self._here[frequencies.levels] = frequencies

    def rise(self) -> None:
        """Forget the height below: the next height is rolled up from this one."""
        self._below, self._here = self._here, {}
        self._held = sum(frequencies.size for frequencies in self._below.values())

    def _from_super_root(self, vertex: Vector) -> Frequencies:
        steps = list(self._steps(vertex))
        shared = 0
        for step, raised in zip(steps, self._raised, strict=False):
            if raised.levels != step:
                break
            shared += 1
        self._raised = self._raised[:shared] or [
            self._roller.from_table(self._columns, self._super_root)
        ]
        for step in steps[len(self._raised) :]:
            self._raised.append(self._roller.rolled_up(self._raised[-1], self._columns, step))
        return self._raised[-1]

    def _steps(self, vertex: Vector) -> Iterator[Vector]:
        """Yield the super-root, and it with ever more columns raised."""
        levels = list(self._super_root)
        yield self._super_root
        for place in self._order:
            if levels[place] != vertex[place]:
                levels[place] = vertex[place]
                yield tuple(levels)


def settled(problem: Problem, alive: Lattice) -> tuple[Lattice, list[Candidate]]:
    """Count every vector that is left to the end; return which satisfy, and the minimal ones."""
    way = walk(problem, few_values_first(problem.table))
    satisfying = np.zeros_like(alive)
    candidates = []
    for step in _leaves(way, problem, way.root(), alive.transpose(way.order)):
        end = way.settle(step)
        if end.dropped <= problem.max_suppressed:
            vector = vector_of(way, end.levels)
            satisfying[vector] = True
            candidates.append(Candidate.of(problem.table, vector, end.dropped, end.classes))
    candidates.sort(key=lambda candidate: candidate.vector)
    mask = non_dominated(np.array([candidate.vector for candidate in candidates]))
    return satisfying, [c for c, stays in zip(candidates, mask, strict=True) if stays]


def _leaves(way: LatticeWalk, problem: Problem, step: Step, alive: Lattice) -> Iterator[Step]:
    """Yield the steps to all vectors that are alive and may be within the limit."""
    if step.dropped > problem.max_suppressed or not alive.any():
        return
    if alive.ndim == 0:
        yield step
        return
    for level in np.flatnonzero(alive.reshape(len(alive), -1).any(axis=1)).tolist():
        yield from _leaves(way, problem, way.child(step, level), alive[level])


def _by_height(alive: Lattice, order: list[int]) -> Iterator[list[Vector]]:
    """Yield the vertices that are alive, height by height, each in the order of some columns."""
    shape = tuple(alive.shape[place] for place in order)
    height = reduce(np.add.outer, [np.arange(size, dtype=np.int16) for size in shape])
    flat = np.flatnonzero(alive.transpose(order))
    heights = height.ravel()[flat]
    flat = flat[np.argsort(heights, kind="stable")]
    back = np.argsort(order)
    for count in np.bincount(heights):
        vertices = np.stack(np.unravel_index(flat[:count], shape), axis=1)[:, back]
        yield list(map(tuple, vertices.tolist()))
        flat = flat[count:]


def _require_small(heights: tuple[int, ...]) -> None:
    vertices = prod(height + 2 for height in heights)
    if vertices > MOST_VERTICES:
        raise PlanError(
            Fault(
                "method.name",
                f"incognito would hold {_in_words(vertices)} vertices of lattices, "
                f"more than {MOST_VERTICES:,}",
                'Use "optimal" or "best", lower hierarchies, or fewer quasi-identifiers.',
            )
        )


def _in_words(number: int) -> str:
    """Write a number; one that nobody would count, by its power of ten."""
    return f"{number:,}" if number < _COUNTABLE else f"about 10^{log10(number):.0f}"
