"""Samarati's binary search for a k-minimal generalization, and the choice among all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import model_validator

from indistinct.methods.base import ALL_MODELS
from indistinct.methods.common.feasible import (
    nothing_found,
    require_countable,
    require_few_columns,
    require_possible,
)
from indistinct.methods.full_domain.distance_vectors import DistanceMatrix, find_vector
from indistinct.methods.full_domain.minimal import minimal_vectors, recoded, satisfied_above
from indistinct.methods.full_domain.preferences import Choosing, preferred
from indistinct.methods.full_domain.walk import released, walk

if TYPE_CHECKING:
    from indistinct.methods.base import Problem
    from indistinct.methods.full_domain.walk import LatticeWalk, Settled, Step
    from indistinct.model.recoding import LevelVector


class Samarati(Choosing):
    """Find_vector: binary search on height, the first vector of the lowest height that satisfies.

    As published, the vectors of a height are tried one by one; they are tried in lexicographic
    order of the plan's columns, so the answer is defined. Where we differ: `satisfies` walks
    the vectors of a height as a tree over columns, and leaves a branch when its fixed columns
    alone already force more suppression than allowed. Cost: in the worst case every vector of
    about log2(height) heights is counted once, over the distinct rows. Where a requirement is not
    monotone under suppression, heights are tried one by one from below.

    With a preference, all k-minimal vectors are found (see `minimal`) and the preferred one is
    released, the first in lexicographic order if several tie; `search` lists `minimal` and
    `preferred`. Cost: in the worst case every vector but those of the last column is counted.

    Parameters
    ----------
    preference
        None for Find_vector, or how to choose among all k-minimal vectors (section 6):
        `"absolute-distance"`, `"relative-distance"`, `"distribution"`, `"suppression"`,
        `"highest-relative-peak"`, `"highest-absolute-peak"`, `"fewest-columns"`,
        `"most-columns"`, `"weights"`, or a function that gives a `Candidate` a number, the lower
        the better.
    weights
        With `"weights"`: what a step of each column costs; 1 where it is not given.
    distance_vectors
        Find the same vector with the published matrix VT (section 5), whose bounds narrow the
        binary search. Only for k-anonymity, and for tables of few distinct tuples. `search` tells
        the bounds, and the matrix for up to 50 tuples; both are about the private table.

    References
    ----------
    Samarati, *Protecting Respondents' Identities in Microdata Release*, IEEE TKDE 13(6), 2001,
    Figure 10, sections 5 and 6. Suppression of exactly the limit is allowed (Definition 4.3).

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(method={"name": "samarati"}, limits={"suppression": 0.1})
    >>> anonymize(medical(), plan).levels
    {'zip': 1, 'marital': 1, 'sex': 0}
    >>> plan["method"] = {"name": "samarati", "preference": "weights", "weights": {"zip": 5}}
    >>> release = anonymize(medical(), plan)
    >>> release.recoding.search["minimal"]
    [[0, 2, 1], [1, 1, 0]]
    >>> release.levels
    {'zip': 0, 'marital': 2, 'sex': 1}
    """

    decides: ClassVar[str] = "a level for each whole column, and rows to suppress; lowest height"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "Samarati, IEEE TKDE 13(6), 2001, Figure 10"
    draws_rows: ClassVar[bool] = True

    name: Literal["samarati"] = "samarati"
    distance_vectors: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> Samarati:
        if self.distance_vectors and self.preference is not None:
            raise ValueError("distance_vectors narrows Find_vector; leave out the preference")
        return self

    def search(self, problem: Problem) -> LevelVector:
        """Find a k-minimal vector: one of lowest height, or the preferred of all."""
        require_possible(problem)
        require_few_columns(problem)
        require_countable(problem)
        if self.preference is not None:
            return self._preferred(problem)
        if self.distance_vectors:
            return _by_distances(problem)
        heights = problem.table.heights
        way = walk(problem, range(len(heights)))
        search = _binary if satisfied_above(way, problem) else _upwards
        solution = search(way, heights, problem.max_suppressed)
        if solution is None:
            raise nothing_found(problem)
        report = {"height": sum(solution.levels), "lattice_height": sum(heights)}
        return released(problem, way.kept(solution), solution.levels, report)

    def _preferred(self, problem: Problem) -> LevelVector:
        policy = self.policy(problem.table)
        minimal = minimal_vectors(problem)
        if not minimal:
            raise nothing_found(problem)
        ties = preferred(minimal, policy)
        report = {
            "height": sum(ties[0].vector),
            "lattice_height": sum(problem.table.heights),
            "minimal": [list(candidate.vector) for candidate in minimal],
            "preferred": [list(candidate.vector) for candidate in ties],
        }
        return recoded(problem, ties[0].vector, report)


def _by_distances(problem: Problem) -> LevelVector:
    """Find_vector with the matrix VT of section 5."""
    matrix = DistanceMatrix.of(problem)
    vector, tested = find_vector(matrix, problem.max_suppressed)
    heights = {"height": sum(vector), "lattice_height": sum(problem.table.heights)}
    report = heights | {"vectors_tested": tested} | matrix.report(problem.max_suppressed)
    return recoded(problem, vector, report)


def _binary(way: LatticeWalk, heights: tuple[int, ...], limit: int) -> Settled | None:
    """Figure 10 of the paper: halve the range of heights."""
    low, high, solution = 0, sum(heights), None
    while low < high:
        middle = (low + high) // 2
        settled = first_at_height(way, way.root(), heights, middle, limit)
        if settled is None:
            low = middle + 1
        else:
            high, solution = middle, settled
    return solution or first_at_height(way, way.root(), heights, high, limit)


def _upwards(way: LatticeWalk, heights: tuple[int, ...], limit: int) -> Settled | None:
    """Try every height from below, where a height without solution says nothing of lower ones."""
    for height in range(sum(heights) + 1):
        settled = first_at_height(way, way.root(), heights, height, limit)
        if settled is not None:
            return settled
    return None


def first_at_height(
    way: LatticeWalk, step: Step, heights: tuple[int, ...], height: int, limit: int
) -> Settled | None:
    """Return the first vector of a height, in lexicographic order, that satisfies."""
    if step.dropped > limit:
        return None
    depth = len(step.levels)
    if depth == len(heights):
        settled = way.settle(step)
        return settled if settled.dropped <= limit else None
    reachable_above = sum(heights[depth + 1 :])
    for level in range(max(0, height - reachable_above), min(heights[depth], height) + 1):
        first = first_at_height(way, way.child(step, level), heights, height - level, limit)
        if first is not None:
            return first
    return None
