"""Samarati's binary search for a k-minimal generalization of lowest height."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from coarsen.methods.base import Method
from coarsen.methods.full_domain.feasible import require_possible
from coarsen.methods.full_domain.walk import walk
from coarsen.recoding import LevelVector

if TYPE_CHECKING:
    from coarsen.methods.base import Problem
    from coarsen.methods.full_domain.walk import Step, Walk


class Samarati(Method):
    """Find_vector: binary search on height, the first vector of the lowest height that satisfies.

    As published, the vectors of a height are tried one by one; they are tried in lexicographic
    order of the plan's columns, so the answer is defined. Where we differ: `satisfies` walks
    the vectors of a height as a tree over columns, and leaves a branch when its fixed columns
    alone already force more suppression than allowed. Cost: in the worst case every vector of
    about log2(height) heights is counted once, over the distinct rows.

    References
    ----------
    Samarati, *Protecting Respondents' Identities in Microdata Release*, IEEE TKDE 13(6), 2001,
    Figure 10. Suppression of exactly the limit is allowed (Definition 4.3).

    Examples
    --------
    >>> from coarsen import anonymize
    >>> from coarsen.datasets import medical
    >>> quasi = {"role": "quasi", "hierarchy": "flat"}
    >>> plan = {
    ...     "columns": {"zip": quasi, "marital": quasi, "sex": quasi, "disease": {"role": "other"}},
    ...     "require": [{"model": "k-anonymity", "k": 2}],
    ...     "method": {"name": "samarati"},
    ...     "limits": {"suppression": 0.4},
    ... }
    >>> anonymize(medical(), plan).levels
    {'zip': 0, 'marital': 0, 'sex': 0}
    """

    decides: ClassVar[str] = "a level for each whole column, and rows to suppress; lowest height"
    keeps: ClassVar[tuple[str, ...]] = ("k-anonymity",)
    paper: ClassVar[str] = "Samarati, IEEE TKDE 13(6), 2001, Figure 10"

    name: Literal["samarati"] = "samarati"

    def search(self, problem: Problem) -> LevelVector:
        """Find a k-minimal vector of lowest height."""
        require_possible(problem)
        heights = problem.table.heights
        way = walk(problem, range(len(heights)))
        low, high, solution = 0, sum(heights), None
        while low < high:
            middle = (low + high) // 2
            found = _first_at_height(way, way.root(), heights, middle, problem.max_suppressed)
            if found is None:
                low = middle + 1
            else:
                high, solution = middle, found
        if solution is None:
            solution = _top(way, heights)
        return LevelVector(
            solution.levels, way.kept(solution), {"height": high, "lattice_height": sum(heights)}
        )


def _first_at_height(
    way: Walk, step: Step, heights: tuple[int, ...], height: int, limit: int
) -> Step | None:
    if step.dropped > limit:
        return None
    depth = len(step.levels)
    if depth == len(heights):
        return step
    reachable_above = sum(heights[depth + 1 :])
    for level in range(max(0, height - reachable_above), min(heights[depth], height) + 1):
        found = _first_at_height(way, way.child(step, level), heights, height - level, limit)
        if found is not None:
            return found
    return None


def _top(way: Walk, heights: tuple[int, ...]) -> Step:
    step = way.root()
    for height in heights:
        step = way.child(step, height)
    return step
