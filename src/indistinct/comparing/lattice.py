"""The lattice of level vectors: what each one would suppress and lose.

A vector publishes each quasi column at one level throughout; its height is the sum of its levels.
Of a lattice with many vectors only those near the one of least loss are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from indistinct.encode.notation import in_notation
from indistinct.encode.table import encode_table
from indistinct.methods.full_domain.optimal import Optimal
from indistinct.methods.full_domain.walk import settled_at, vector_of, walk
from indistinct.methods.posing import pose_problem
from indistinct.model.costs import COSTS
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from indistinct.methods.base import Problem
    from indistinct.methods.full_domain.walk import LatticeWalk, Settled, Step
    from indistinct.plan import Plan

MOST_VECTORS = 3_000
STEPS_AWAY = 2
SEARCH_SECONDS = 10.0


@dataclass(frozen=True)
class Node:
    """A level vector.

    Attributes
    ----------
    levels
        The level of each quasi column.
    suppressed
        How many rows it must leave out to keep what the plan requires.
    loss
        What is lost then, of 1.
    classes
        How many classes it releases.
    """

    levels: tuple[int, ...]
    suppressed: int
    loss: float
    classes: int

    @property
    def height(self) -> int:
        """How far it is from the values as they are."""
        return sum(self.levels)


@dataclass(frozen=True)
class Lattice:
    """Vectors of a lattice, as far as they were counted.

    Attributes
    ----------
    columns, heights
        The quasi columns, and the highest level of each.
    rows, allowed
        How many rows there are, and how many the plan lets be suppressed.
    vectors
        How many vectors there are; `nodes` may be fewer.
    """

    columns: tuple[str, ...]
    heights: tuple[int, ...]
    rows: int
    allowed: int
    vectors: int
    nodes: tuple[Node, ...]

    @property
    def best(self) -> Node | None:
        """The vector of least loss within the limit, ties as `optimal` has them."""
        within = [node for node in self.nodes if node.suppressed <= self.allowed]
        return min(within, key=_rank, default=None)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "columns": list(self.columns),
            "heights": list(self.heights),
            "rows": self.rows,
            "allowed": self.allowed,
            "vectors": self.vectors,
            "best": list(self.best.levels) if self.best else None,
            "nodes": [[list(n.levels), n.suppressed, n.loss, n.classes] for n in self.nodes],
        }


def _rank(node: Node) -> tuple[float, int, int, tuple[int, ...]]:
    return round(node.loss, 9), node.suppressed, node.height, node.levels


def count_lattice(
    data: pa.Table, plan: Plan, *, most: int = MOST_VECTORS, progress: Progress | None = None
) -> Lattice:
    """Count the vectors of a table's lattice: all, or of more than `most` those near the best one.

    Where no vector keeps the plan's limit, the near ones are those around the top.
    """
    progress = progress or Progress()
    progress.stage("encode")
    read, _, unread = in_notation(data, plan)
    problem = pose_problem(encode_table(read, plan, unread), plan, loss=COSTS[plan.loss])
    heights = problem.table.heights
    vectors = prod(height + 1 for height in heights)
    progress.stage("lattice")
    counted = _all(problem) if vectors <= most else _near(problem)
    nodes = []
    for node in counted:
        nodes.append(node)
        progress.advance(min(len(nodes) / min(vectors, most), 1.0))
    names = tuple(column.name for column in problem.table.quasi)
    rows = problem.table.rows
    return Lattice(names, heights, rows, problem.max_suppressed, vectors, tuple(nodes))


def _all(problem: Problem) -> Iterator[Node]:
    """Count every vector, those that begin alike from what they have in common."""
    heights = problem.table.heights
    way = _counting_all(problem)

    def below(step: Step) -> Iterator[Node]:
        depth = len(step.levels)
        if depth == len(heights):
            yield _node(problem, way, way.settle(step))
            return
        for child in way.children(step, range(heights[depth], -1, -1)):
            yield from below(child)

    yield from below(way.root())


def _counting_all(problem: Problem) -> LatticeWalk:
    """Return a walk that counts what is dropped also where it is more than allowed."""
    counted = replace(problem, max_suppressed=problem.table.rows)
    return walk(counted, range(len(problem.table.heights)))


def _near(problem: Problem) -> Iterator[Node]:
    """Count the vectors a few steps away from the one of least loss."""
    from indistinct.errors import CannotMeetError

    heights = problem.table.heights
    try:
        middle = Optimal(time_limit=SEARCH_SECONDS).search(problem).column_levels or heights
    except CannotMeetError:
        middle = heights
    way = _counting_all(problem)
    for vector in vectors_near(middle, heights, STEPS_AWAY):
        yield _node(problem, way, settled_at(way, vector))


def vectors_near(
    middle: tuple[int, ...], heights: tuple[int, ...], steps: int
) -> list[tuple[int, ...]]:
    """Return the vectors that differ from one by at most so many levels in all.

    >>> vectors_near((1, 0), (2, 1), 1)
    [(0, 0), (1, 0), (1, 1), (2, 0)]
    """
    reached = {middle}
    for _ in range(steps):
        for vector, place, move in product(tuple(reached), range(len(heights)), (-1, 1)):
            level = vector[place] + move
            if 0 <= level <= heights[place]:
                reached.add((*vector[:place], level, *vector[place + 1 :]))
    return sorted(reached)


def _node(problem: Problem, way: LatticeWalk, settled: Settled) -> Node:
    cells = problem.table.rows * sum(problem.suppressed_cell)
    loss = settled.cost / cells if cells else 0.0
    return Node(vector_of(way, settled.levels), settled.dropped, loss, settled.classes)
