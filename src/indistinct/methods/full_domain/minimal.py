"""All k-minimal vectors: those that satisfy while no smaller vector does.

Samarati 2001, Definition 4.3.

The paper (section 6) finds them by a binary search on each strategy. Here one depth-first pass over
the prefixes of a walk does: a prefix that must drop more rows than allowed is left with everything
below it. Where a vector above a satisfying one satisfies too, each prefix (all columns but the
last) has a lowest satisfying level of the last column, which can only fall as the prefix rises;
a vector is minimal where that level is lower than at every prefix one step below. So most prefixes
cost one count. Elsewhere every vector is settled and the dominated ones are left out: the
definition stands, but a vector between two satisfying ones need not satisfy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.methods.full_domain.preferences import Candidate
from indistinct.methods.full_domain.walk import released, vector_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.full_domain.walk import LatticeWalk, Settled, Step
    from indistinct.model.recoding import LevelVector
    from indistinct.model.table import Table


def minimal_vectors(problem: Problem) -> list[Candidate]:
    """Return every minimal vector, in lexicographic order; none if nothing satisfies."""
    way = walk(problem, few_values_first(problem.table))
    if satisfied_above(way, problem):
        candidates = [_described(problem, way, settled) for settled in _lowest(way, problem)]
    else:
        candidates = satisfying_vectors(problem, way)
        mask = non_dominated(np.array([candidate.vector for candidate in candidates]))
        candidates = [candidate for candidate, stays in zip(candidates, mask, strict=True) if stays]
    return sorted(candidates, key=lambda candidate: candidate.vector)


def satisfying_vectors(problem: Problem, way: LatticeWalk | None = None) -> list[Candidate]:
    """Return every vector that satisfies within the limit."""
    way = way or walk(problem, few_values_first(problem.table))
    candidates = []
    for prefix in _prefixes(way, problem, way.root()):
        for step in _affordable(way, problem, prefix):
            settled = way.settle(step)
            if settled.dropped <= problem.max_suppressed:
                candidates.append(_described(problem, way, settled))
    return candidates


def satisfied_above(way: LatticeWalk, problem: Problem) -> bool:
    """Return whether every vector above a satisfying one satisfies.

    It does if what is dropped falls as the vector rises. It also does if nothing may be dropped,
    because classes that satisfy together satisfy as one; but not where people have several rows:
    someone who is in both classes counts once in their union, and shares of it may rise.
    """
    nothing_dropped = problem.max_suppressed == 0 and not problem.table.has_respondents
    return way.monotone or nothing_dropped


def _lowest(way: LatticeWalk, problem: Problem) -> Iterator[Settled]:
    """Yield the minimal vectors where satisfaction is monotone."""
    limit = problem.max_suppressed
    none = problem.table.heights[way.order[-1]] + 1
    lowest: dict[tuple[int, ...], int] = {}
    for prefix in _prefixes(way, problem, way.root()):
        reached = min((lowest.get(below, none) for below in one_below(prefix.levels)), default=none)
        least_settled = None
        while reached > 0:
            settled = way.settle(way.child(prefix, reached - 1))
            if settled.dropped > limit:
                break
            least_settled, reached = settled, reached - 1
        lowest[prefix.levels] = reached
        if least_settled is not None:
            yield least_settled


def _prefixes(way: LatticeWalk, problem: Problem, step: Step) -> Iterator[Step]:
    """Yield all steps that fix all columns but the last within the limit, lower levels first."""
    if len(step.levels) == len(way.order) - 1:
        yield step
        return
    children = _affordable(way, problem, step)
    for place, child in enumerate(reversed(children)):
        yield from _prefixes(way, problem, child)
        if not step.levels:
            problem.progress.advance((place + 1) / len(children))


def _affordable(way: LatticeWalk, problem: Problem, step: Step) -> list[Step]:
    """Fix the next column at each level, from the top down to the first that drops too much."""
    height = problem.table.heights[way.order[len(step.levels)]]
    steps: list[Step] = []
    for child in way.children(step, range(height, -1, -1)):
        if child.dropped > problem.max_suppressed:
            break
        steps.append(child)
    return steps


def one_below(vector: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the vectors one step below.

    >>> list(one_below((1, 0, 2)))
    [(0, 0, 2), (1, 0, 1)]
    """
    for place, level in enumerate(vector):
        if level:
            yield (*vector[:place], level - 1, *vector[place + 1 :])


def non_dominated(vectors: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return which vectors have no other below them.

    The lowest of those left dominate none of each other; what lies above them goes.

    >>> non_dominated(np.array([[1, 1], [0, 2], [1, 0], [0, 2]])).tolist()
    [False, True, True, True]
    """
    minimal = np.zeros(len(vectors), dtype=bool)
    if not minimal.size:
        return minimal
    left = np.argsort(vectors.sum(axis=1), kind="stable")
    columns = np.ascontiguousarray(vectors.T)
    while left.size:
        heights = columns[:, left].sum(axis=0)
        lowest, left = left[heights == heights[0]], left[heights > heights[0]]
        minimal[lowest] = True
        for place in lowest:
            left = left[(columns[:, left] < columns[:, place, None]).any(axis=0)]
    return minimal


def few_values_first(table: Table) -> list[int]:
    """Order columns by how many of their values occur: the first steps are on tiny tables."""
    observed = [
        int(np.count_nonzero(np.bincount(column.codes, minlength=column.hierarchy.size)))
        for column in table.quasi
    ]
    return sorted(range(len(observed)), key=lambda column: (observed[column], column))


def settled_at(way: LatticeWalk, vector: Sequence[int]) -> Settled:
    """Count one vector, given in the order of the table, to the end."""
    step = way.root()
    for column in way.order:
        step = way.child(step, vector[column])
    return way.settle(step)


def recoded(problem: Problem, vector: tuple[int, ...], report: dict[str, Any]) -> LevelVector:
    """Make a recoding of a vector."""
    way = walk(problem, few_values_first(problem.table))
    return released(problem, way.kept(settled_at(way, vector)), vector, report)


def _described(problem: Problem, way: LatticeWalk, settled: Settled) -> Candidate:
    vector = vector_of(way, settled.levels)
    return Candidate.of(problem.table, vector, settled.dropped, settled.classes)
