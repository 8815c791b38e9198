"""Top-down local recoding for (alpha, k)-anonymity: specialize from one class of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.repair import Check, repaired
from indistinct.model.recoding import Partition
from indistinct.requirements import SensitiveRequirement, least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.model.table import SensitiveColumn

    Some = NDArray[np.intp]

SLACK = 1e-9


class AlphaKTopDown(Method):
    """Specialize a completely generalized table, group by group, while all requirements hold.

    A group is specialized in one column: its rows move to the children of their node. Children
    that do not satisfy move back to the parent; where the parent then does not satisfy, children
    that can spare rows give it some (of values that are rare in it), or move back whole. Of all
    columns the one is taken that specializes most rows, of equals the one that saves most loss;
    what stays at the parent and what moved are specialized further, until nothing can be. Written
    for (alpha, k)-anonymity; other requirements are kept too, with whole children moving back.
    The result is published as what each group's rows span. A row is looked at once per column and
    level of its way down.

    References
    ----------
    Wong, Li, Fu, Wang: (alpha, k)-anonymity: an enhanced k-anonymity model for privacy-preserving
    data publishing, KDD 2006, section 4; Ciriani et al. 2007, section 5.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(
    ...     require=[{"model": "alpha-k", "alpha": 0.4, "k": 3, "values": ["HIV"]}],
    ...     method={"name": "alpha-k-topdown"},
    ... )
    >>> anonymize(medical(), plan).verified.holds
    True
    """

    decides: ClassVar[str] = "groups of rows, by specializing one class of all"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "Wong, Li, Fu, Wang, KDD 2006, section 4"

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "loose-ends"

    name: Literal["alpha-k-topdown"] = "alpha-k-topdown"

    def search(self, problem: Problem) -> Partition:
        """Specialize from the top."""
        require_possible(problem)
        entries = problem.table.entries
        groups = np.zeros(entries, dtype=np.int32)
        work = _Specializing(problem)
        waiting = [_Node(np.arange(entries), problem.table.heights)]
        if not work.check(groups).all():
            return Partition(repaired(problem, groups))
        number, settled = 0, 0
        while waiting:
            node = waiting.pop()
            parts = work.specialized(node)
            if parts:
                waiting += parts
                continue
            groups[node.entries] = number
            number += 1
            settled += node.entries.size
            problem.progress.advance(settled / entries)
        return Partition(repaired(problem, groups), {"groups_specialized": number})


@dataclass(frozen=True, eq=False)
class _Node:
    """Entries that stand at the same level of every column."""

    entries: Some
    levels: tuple[int, ...]

    def below(self, entries: Some, column: int) -> _Node:
        levels = (*self.levels[:column], self.levels[column] - 1, *self.levels[column + 1 :])
        return _Node(entries, levels)


@dataclass(frozen=True, eq=False)
class _Trial:
    """A group specialized in a column: the child of each entry, -1 where it stays at the parent.

    What decides between columns is how many rows move, then what they save.
    """

    column: int
    child: NDArray[np.int32]
    moved: int
    gain: float


class _Specializing:
    """Tries to specialize groups."""

    def __init__(self, problem: Problem) -> None:
        self.check = Check(problem)
        self._problem = problem
        self._rows = problem.table.row_counts
        self._least = least_respondents(problem.requirements)
        self._shares = [
            (column.codes, _largest_shares(requirement, column))
            for requirement in problem.requirements
            if isinstance(requirement, SensitiveRequirement)
            and requirement.largest_share is not None
            for column in requirement.columns(problem.table)
        ]

    def specialized(self, node: _Node) -> list[_Node]:
        """Return the parts that a group falls into by its best column; none if it stays."""
        trials = [self._trial(node, column) for column, level in enumerate(node.levels) if level]
        done = [trial for trial in trials if trial is not None]
        if not done:
            return []
        best = max(done, key=lambda trial: (trial.moved, trial.gain, -trial.column))
        parts = [_Node(node.entries[best.child < 0], node.levels)] if (best.child < 0).any() else []
        children = np.unique(best.child[best.child >= 0])
        return parts + [node.below(node.entries[best.child == c], best.column) for c in children]

    def _trial(self, node: _Node, column: int) -> _Trial | None:
        quasi, level = self._problem.table.quasi[column], node.levels[column]
        codes = quasi.codes[node.entries]
        nodes = quasi.hierarchy.nodes[level - 1][codes]
        child = np.unique(nodes, return_inverse=True)[1].reshape(-1).astype(np.int32)
        fine = self.check.among(node.entries, child)
        if not fine.any():
            return None
        child[~fine[child]] = -1
        if (child < 0).any() and not self._parent_satisfies(node.entries, child):
            return None
        moved = child >= 0
        costs = self._problem.costs[column]
        rows = self._rows[node.entries[moved]]
        above = costs[level][quasi.hierarchy.nodes[level][codes[moved]]]
        gain = float((rows * (above - costs[level - 1][nodes[moved]])).sum())
        return _Trial(column, child, int(rows.sum()), gain)

    def _parent_satisfies(self, entries: Some, child: NDArray[np.int32]) -> bool:
        """Move entries back until those at the parent satisfy; False if no child would be left."""
        if self._satisfies(entries[child < 0]):
            return True
        for number in self._by_size(entries, child)[::-1]:
            self._give(entries, child, number)
        if self._satisfies(entries[child < 0]):
            return True
        for number in self._by_size(entries, child)[:-1]:
            child[child == number] = -1
            if self._satisfies(entries[child < 0]):
                return True
        return False

    def _satisfies(self, entries: Some) -> bool:
        return bool(self.check.among(entries, np.zeros(entries.size, dtype=np.int32))[0])

    def _give(self, entries: Some, child: NDArray[np.int32], number: int) -> None:
        """Let a child give rows that the parent lacks, if it satisfies without them."""
        lacking = self._lacking(entries[child < 0])
        places = np.flatnonzero(child == number)
        spare = int(self._rows[entries[places]].sum()) - self._least
        if lacking <= 0 or spare <= 0:
            return
        places = places[self._rows[entries[places]] <= spare]
        rare = self._rare_first(entries, child < 0, places)
        rows = self._rows[entries[rare]]
        total = np.cumsum(rows)
        given = rare[(total - rows < lacking) & (total <= spare)]
        child[given] = -1
        if not self._satisfies(entries[child == number]):
            child[given] = number

    def _lacking(self, parent: Some) -> int:
        """Count the rows, of values not yet too frequent, that the parent lacks."""
        needed, rows = self._least, self._rows[parent]
        for codes, most in self._shares:
            held = np.bincount(codes[parent], rows, minlength=most.size)
            needed = max(needed, ceil((held / most).max() - SLACK))
        return needed - int(rows.sum())

    def _rare_first(
        self, entries: Some, parent: NDArray[np.bool_], places: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Order places by how far their values are from too large a share at the parent.

        Entries of values equally rare follow each other by their quasi values, and those that are
        alike by their rows, the fewest first, then as they are given.
        """
        chosen, above = entries[places], entries[parent]
        inverse = self._problem.table.frequency_set.inverse[chosen]
        keys: list[NDArray[np.number]] = [chosen, self._rows[chosen], inverse]
        for codes, most in self._shares:
            held = np.bincount(codes[above], self._rows[above], minlength=most.size)
            keys.append((held / most)[codes[chosen]])
        return places[np.lexsort(keys)]

    def _by_size(self, entries: Some, child: NDArray[np.int32]) -> list[int]:
        """Name the children that have rows, the smallest first."""
        moved = child >= 0
        sizes = np.bincount(child[moved], self._rows[entries[moved]])
        there = np.flatnonzero(sizes)
        return [int(number) for number in there[np.argsort(sizes[there], kind="stable")]]


def _largest_shares(
    requirement: SensitiveRequirement, column: SensitiveColumn
) -> NDArray[np.float64]:
    """Return the largest share of a class that each value may have; 1 where it is not watched."""
    own = requirement.rule(column).per_value
    shares = own or (requirement.largest_share or 1.0,) * len(column.values)
    return np.array(shares, dtype=np.float64)
