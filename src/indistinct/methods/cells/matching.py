"""Matchings and cycles: the approximations for k = 2 and k = 3.

**k = 2.** A minimum-weight [1, 2]-factor of the graph of differing columns: each row has one or two
edges. Its components are pairs and paths of three rows, and each is a group. Let W be its weight. A
pair of distance d costs 2d. A path costs at most its weight in each row: 3 times. So the groups
cost at most 3 W. An optimal partition has groups of two and three. A pair costs twice its distance.
In a group of three whose columns have two values, each starred column adds 2 to the three
distances, so it costs 3/2 of their sum, and 9/4 of the lightest path; with more values a column
adds up to 3: the sum, 3/2 of the path. So OPT >= 2 W where columns have two values (the paper's
case): **1.5 times the optimum** at most; and OPT >= 3/2 W otherwise: **2 times**.

**k = 3.** A minimum-weight 2-factor: each row has two edges, so rows lie on cycles of at least
three. A column that differs on a cycle changes at least twice around it, so a row costs at most
half the cycle. Cycles of 3, 4 and 5 rows are groups, at 3/2, 2 and 5/2 W. Longer ones are cut into
paths of 3 and, for what is left over, one or two of 4; of all places to begin the cheapest is
taken, which costs at most the average, at most 3 W (a cycle of 8 cut into 4 and 4). An optimal
group of 3, 4 or 5 rows contains a cycle of at most 2/3 of its cost where columns have two values,
and of at most its cost otherwise. So: **2 times the optimum** where columns have two values (the
paper's case), and **3 times** otherwise.

Both factors are found as perfect matchings of graphs with two copies of each row, by the matching
of rustworkx. For [1, 2]: the first copy must have an edge; the second may be matched with any other
second copy at no cost, which is no edge. For the 2-factor both copies must have one. A matching may
then use an edge twice; where one does, the edge gets two vertices between its ends, by which it can
be used once or not at all (Tutte), and the matching is searched again.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault, PlanError
from indistinct.methods.cells.set_cover import distances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem

    Pair = tuple[int, int]
    Edges = dict[tuple[int, int], int]

MOST_ROWS = 200
STEPS = 1_000_000
TIES = 2**40


def matched_groups(problem: Problem, k: int) -> NDArray[np.int32]:
    """Return the group of each row, each of 2 or 3 rows for k = 2, of 3 to 5 for k = 3.

    Raises
    ------
    PlanError
        If k is another one, or there are too many rows.
    """
    rows = problem.table.entries
    other = 'Set algorithm = "forest" or "local".'
    if k not in {2, 3}:
        problem_ = f'"matching" is for k = 2 and k = 3, and {k} people are asked of a class'
        raise PlanError(Fault("method.algorithm", problem_, other))
    if rows > MOST_ROWS:
        problem_ = f'"matching" compares all pairs of rows, and {rows} are more than {MOST_ROWS}'
        raise PlanError(Fault("method.algorithm", problem_, other))
    apart = distances(problem)
    used = _one_or_two(apart) if k == 2 else _two(apart)
    parts = _components(rows, used)
    if k == 3:
        parts = [arc for cycle in parts for arc in _arcs(problem, _around(cycle, used))]
    groups = np.empty(rows, dtype=np.int32)
    for group, members in enumerate(parts):
        groups[members] = group
    return groups


def _whole(apart: NDArray[np.float64]) -> dict[Pair, int]:
    """Weigh edges in whole numbers, with a little noise by which one optimum is the only one."""
    scale = STEPS / max(float(apart.max()), 1e-300)
    random = np.random.Generator(np.random.PCG64(STEPS))
    weights = {}
    for i, j in combinations(range(apart.shape[0]), 2):
        noise = int(random.integers(0, TIES))
        weights[i, j] = 2 * (round(float(apart[i, j]) * scale) * TIES * apart.shape[0] * 4 + noise)
    return weights


def _one_or_two(apart: NDArray[np.float64]) -> list[Pair]:
    """Find a minimum-weight [1, 2]-factor, without edges that it can do without."""
    edges: Edges = {}
    for (i, j), weight in _whole(apart).items():
        edges[2 * i, 2 * j] = edges[2 * i, 2 * j + 1] = edges[2 * i + 1, 2 * j] = weight
        edges[2 * i + 1, 2 * j + 1] = 0
    used = {
        (min(a // 2, b // 2), max(a // 2, b // 2))
        for a, b in _perfect(edges)
        if a % 2 == 0 or b % 2 == 0
    }
    kept: list[Pair] = []
    degree = np.bincount(np.array(sorted(used)).ravel(), minlength=apart.shape[0])
    for i, j in sorted(used, key=lambda pair: (-apart[pair], pair)):
        if degree[i] == degree[j] == 2:
            degree[[i, j]] -= 1
        else:
            kept.append((i, j))
    return kept


def _two(apart: NDArray[np.float64]) -> list[Pair]:
    """Find a minimum-weight 2-factor."""
    weights = _whole(apart)
    once: list[Pair] = []
    while True:
        counts = _two_matching(weights, once, apart.shape[0])
        twice = sorted(pair for pair, times in counts.items() if times > 1)
        if not twice:
            return sorted(counts)
        once += twice


def _two_matching(weights: dict[Pair, int], once: list[Pair], rows: int) -> dict[Pair, int]:
    """Match two copies of each row; return how often each edge is used, some at most once."""
    between = {pair: 2 * rows + 2 * place for place, pair in enumerate(once)}
    edges: Edges = {}
    for (i, j), weight in weights.items():
        middle = between.get((i, j))
        for copy in (0, 1):
            if middle is None:
                edges[2 * i, 2 * j + copy] = edges[2 * i + 1, 2 * j + copy] = weight
            else:
                edges[2 * i + copy, middle] = edges[2 * j + copy, middle + 1] = weight // 2
                edges[middle, middle + 1] = 0
    uses: dict[Pair, int] = {}
    for a, b in map(sorted, _perfect(edges)):
        if b < 2 * rows:
            pair = (a // 2, b // 2)
        elif a < 2 * rows and (b - 2 * rows) % 2 == 0:
            pair = once[(b - 2 * rows) // 2]
        else:
            continue
        uses[pair] = uses.get(pair, 0) + 1
    return uses


def _perfect(edges: Edges) -> set[Pair]:
    """Find a perfect matching of least weight."""
    import rustworkx

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(1 + max(b for _, b in edges)))
    most = max(edges.values()) + 1
    graph.add_edges_from([(a, b, most - weight) for (a, b), weight in edges.items()])
    return rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)


def _components(rows: int, used: list[Pair]) -> list[list[int]]:
    """List the rows that edges connect."""
    import rustworkx

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(rows))
    graph.add_edges_from_no_data(used)
    return sorted(sorted(part) for part in rustworkx.connected_components(graph))


def _around(cycle: list[int], used: list[Pair]) -> list[int]:
    """Order the rows of a cycle as they follow each other."""
    beside: dict[int, list[int]] = {row: [] for row in cycle}
    for i, j in used:
        if i in beside:
            beside[i].append(j)
            beside[j].append(i)
    way = [cycle[0], min(beside[cycle[0]])]
    while len(way) < len(cycle):
        one, two = beside[way[-1]]
        way.append(two if one == way[-2] else one)
    return way


def _arcs(problem: Problem, cycle: list[int]) -> list[list[int]]:
    """Cut a cycle of more than 5 rows into arcs of 3 and 4, at the cheapest place to begin."""
    length = len(cycle)
    if length <= 5:
        return [cycle]
    sizes = [3] * (length // 3 - length % 3) + [4] * (length % 3)
    ends = np.cumsum(sizes)
    best: tuple[float, list[list[int]]] = (np.inf, [])
    for turn in range(length):
        turned = cycle[turn:] + cycle[:turn]
        arcs = [turned[e - size : e] for size, e in zip(sizes, ends, strict=True)]
        cost = sum(_cost(problem, arc) for arc in arcs)
        best = min(best, (cost, arcs))
    return best[1]


def _cost(problem: Problem, rows: list[int]) -> float:
    low, high = problem.codes[rows].min(axis=0), problem.codes[rows].max(axis=0)
    each = sum(
        float(problem.spans.cost(c, low[c : c + 1], high[c : c + 1])[0]) for c in range(low.size)
    )
    return each * len(rows)
