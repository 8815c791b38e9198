"""mu-Argus: no rare combination of two or three columns, by generalizing and starring cells."""

from __future__ import annotations

from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import Fault, PlanError
from indistinct.methods.base import Method
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.full_domain.options import require_columns
from indistinct.model.recoding import LevelVector
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.model.table import QuasiColumn, Table

    Columns = tuple[int, ...]

LARGEST_COMBINATION = 3
MOST_COMBINATIONS = 100_000

Rank = Annotated[int, Field(ge=0, le=3, strict=True)]
Level = Annotated[int, Field(ge=0, strict=True)]


class MuArgus(Method):
    """Generalize rare values, then star cells until no tested combination is rare.

    It tests single values and combinations of two and three columns, so a person can still stand
    out by four, or by two that are not tested together: **it does not keep k-anonymity**, and
    what it returns is mostly refused by the check. It is here to be compared with
    (Samarati 2001, section 7).

    Each column has a rank: 3 most identifying, 2 more identifying, 1 identifying, 0 not. The
    combinations tested are those of columns of different ranks, as Sweeney describes them. First a
    column is generalized level by level while more than a share of its cells hold values that
    fewer than k rows have (the data holder decides this in the program; `generalize_until`
    overrules it). Then, in each row with a rare combination, the cell that is in most of them is
    starred, the first in the plan's order if several are, until no rare one is left; a star
    counts for nothing. Where we differ: the release of Figure 12 has two starred cells, where one
    star meets its tests. Cost: a pass over the distinct rows for each combination, for each
    further cell of a row that must be starred.

    Parameters
    ----------
    ranks
        The rank of each column, 1 where it is not given.
    generalize_until
        The level of a column, where it is not left to be found.
    rare
        The share of cells of a column that may be starred for their value alone.

    References
    ----------
    Hundepool and Willenborg, *mu- and tau-Argus: Software for Statistical Disclosure Control*,
    1996; Sweeney, IJUFKS 10(5), 2002; Samarati, IEEE TKDE 13(6), 2001, section 7, Figure 12.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(
    ...     require=[{"model": "k-anonymity", "k": 2}],
    ...     method={"name": "mu-argus", "ranks": {"zip": 3, "marital": 2}},
    ... )
    >>> anonymize(medical(), plan)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    indistinct.errors.DoesNotHoldError: requirement 'k-anonymity': it measures 1 in the class ...
    """

    decides: ClassVar[str] = "a level for each whole column, and single cells to star"
    keeps: ClassVar[tuple[str, ...]] = ()
    paper: ClassVar[str] = "Hundepool and Willenborg 1996; Samarati, IEEE TKDE 13(6), 2001, sec. 7"

    name: Literal["mu-argus"] = "mu-argus"
    ranks: dict[str, Rank] = Field(default_factory=dict)
    generalize_until: dict[str, Level] = Field(default_factory=dict)
    rare: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.05

    def search(self, problem: Problem) -> LevelVector:
        """Generalize, then star."""
        require_possible(problem)
        self._require_sensible(problem.table)
        least = least_respondents(problem.requirements)
        levels = tuple(self._level(problem.table, column, least) for column in problem.table.quasi)
        distinct = problem.table.frequency_set
        nodes = [
            column.hierarchy.nodes[level][codes]
            for column, level, codes in zip(
                problem.table.quasi, levels, distinct.codes, strict=True
            )
        ]
        tested = list(islice(self._combinations(problem.table, nodes), MOST_COMBINATIONS + 1))
        _require_few(tested)
        starred = star(nodes, distinct.counts, tested, least)[distinct.inverse]
        report = {
            "combinations_tested": len(tested),
            "starred_cells": int(starred.sum(axis=1) @ problem.table.row_counts),
        }
        return LevelVector(levels, np.ones(problem.table.entries, dtype=bool), report, starred)

    def _rank(self, column: QuasiColumn) -> int:
        return self.ranks.get(column.name, 1)

    def _level(self, table: Table, column: QuasiColumn, least: int) -> int:
        """Find the lowest level on which few enough cells hold a rare value."""
        if column.name in self.generalize_until:
            return self.generalize_until[column.name]
        if self._rank(column) == 0:
            return 0
        for level, nodes in enumerate(column.hierarchy.nodes):
            rows = table.rows_by(nodes[column.codes], 1)
            if rows[rows < least].sum() <= self.rare * table.rows:
                return level
        return column.hierarchy.height

    def _combinations(self, table: Table, nodes: list[NDArray[np.int32]]) -> Iterator[Columns]:
        """Yield what is tested: columns that say something, all of different ranks."""
        ranks = [self._rank(column) for column in table.quasi]
        varying = [c for c, rank in enumerate(ranks) if rank and nodes[c].min() < nodes[c].max()]
        alike: dict[int, list[int]] = {}
        for column in varying:
            alike.setdefault(ranks[column], []).append(column)
        for size in range(1, LARGEST_COMBINATION + 1):
            for apart in combinations(alike.values(), size):
                yield from (tuple(sorted(columns)) for columns in product(*apart))

    def _require_sensible(self, table: Table) -> None:
        require_columns(table, "ranks", self.ranks)
        require_columns(table, "generalize_until", self.generalize_until)
        heights = {column.name: column.hierarchy.height for column in table.quasi}
        faults = [
            Fault(
                f"method.generalize_until.{name}",
                f"level {level} is above the hierarchy, whose highest is {heights[name]}",
            )
            for name, level in self.generalize_until.items()
            if level > heights[name]
        ]
        if faults:
            raise PlanError(faults)


def _require_few(tested: list[Columns]) -> None:
    if len(tested) > MOST_COMBINATIONS:
        why = f"there are more than {MOST_COMBINATIONS:,} combinations of columns to test"
        remedy = "Have fewer quasi-identifiers, or give those that matter little rank 0."
        raise PlanError(Fault("method.ranks", why, remedy))


def star(
    nodes: list[NDArray[np.int32]], counts: NDArray[np.int64], tested: list[Columns], least: int
) -> NDArray[np.bool_]:
    """Star cells of rows until every tested combination without a star has enough rows.

    Parameters
    ----------
    nodes, counts
        For each column the node of every distinct row; how many rows each stands for.
    tested
        Combinations of columns.
    least
        How many rows a combination needs (binsize).
    """
    starred = np.zeros((counts.size, len(nodes)), dtype=bool)
    while True:
        rare = np.zeros(starred.shape, dtype=np.int32)
        for columns in tested:
            rare_rows = _rare([nodes[c] for c in columns], counts, starred[:, columns], least)
            rare[rare_rows[:, None], columns] += 1
        rows = np.flatnonzero(rare.any(axis=1))
        if not rows.size:
            return starred
        starred[rows, rare[rows].argmax(axis=1)] = True


def _rare(
    nodes: list[NDArray[np.int32]],
    counts: NDArray[np.int64],
    starred: NDArray[np.bool_],
    least: int,
) -> NDArray[np.intp]:
    """Find the distinct rows whose combination, without a star, fewer rows have than it needs."""
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    whole = np.flatnonzero(~starred.any(axis=1))
    sizes = [int(column.max(initial=0)) + 1 for column in nodes]
    numbers, _ = rank_keys(row_keys([column[whole] for column in nodes], sizes)[0])
    rows = np.bincount(numbers, weights=counts[whole])
    rare_rows: NDArray[np.intp] = whole[rows[numbers] < least]
    return rare_rows
