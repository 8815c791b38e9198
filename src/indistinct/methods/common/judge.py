"""Requirements on sensitive columns, compiled for the kernel that judges classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.requirements import SensitiveRequirement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.judging_kernel import PairArrays, RuleArrays
    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements import Requirement, Rule

KINDS = (
    "distinct",
    "entropy",
    "recursive",
    "frequency",
    "share",
    "equal",
    "ordered",
    "hierarchical",
)


NOBODY = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Judge:
    """All rules on one sensitive column.

    Attributes
    ----------
    least
        How many people they ask of a class.
    closed_under_supersets
        Whether a class that contains one which all the rules accept is accepted too.
    """

    column: SensitiveColumn
    kinds: NDArray[np.int64]
    numbers: NDArray[np.float64]
    watched: NDArray[np.bool_]
    shares: NDArray[np.float64]
    tree: NDArray[np.int32]
    least: int = 1

    @classmethod
    def of(cls, column: SensitiveColumn, rules: Sequence[Rule], least: int = 1) -> Judge:
        """Compile some rules on a column."""
        watched = np.ones((len(rules), len(column.values)), dtype=bool)
        for place, rule in enumerate(rules):
            if rule.watched is not None:
                watched[place] = False
                watched[place, list(rule.watched)] = True
        return cls(
            column,
            np.array([KINDS.index(rule.kind) for rule in rules], dtype=np.int64),
            np.array([rule.numbers for rule in rules], dtype=np.float64).reshape(-1, 2),
            watched,
            column.shares,
            np.ascontiguousarray(column.levels),
            least,
        )

    @property
    def closed_under_supersets(self) -> bool:
        """Whether all rules only count distinct values."""
        return bool((self.kinds == KINDS.index("distinct")).all())

    def by_closure(self) -> list[Judge]:
        """Part the rules closed under supersets from the others."""
        closed = self.kinds == KINDS.index("distinct")
        return [
            replace(
                self,
                kinds=self.kinds[chosen],
                numbers=self.numbers[chosen],
                watched=self.watched[chosen],
            )
            for chosen in (closed, ~closed)
            if chosen.any()
        ]

    @property
    def arrays(self) -> RuleArrays:
        """The rules for kernels."""
        from indistinct.methods.common.judging_kernel import RuleArrays

        return RuleArrays(self.kinds, self.numbers, self.watched, self.shares, self.tree)

    def __call__(
        self,
        row_class: NDArray[np.int32],
        classes: int,
        pairs: Pairs,
        people: NDArray[np.int64] = NOBODY,
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return for each class whether it satisfies, and how many rows parts of it could hold.

        Where people may have several values, `people` says how many are in each class.
        """
        from indistinct.methods.common.judging_kernel import judge

        fine, capacity = judge(row_class, classes, people, pairs.arrays, self.arrays)
        return fine, capacity


@dataclass(frozen=True, eq=False)
class Pairs:
    """The distinct pairs of a (distinct) row and a sensitive value, with their counts."""

    row: NDArray[np.int32]
    value: NDArray[np.int32]
    count: NDArray[np.int64]

    @property
    def arrays(self) -> PairArrays:
        """The pairs for kernels."""
        from indistinct.methods.common.judging_kernel import PairArrays

        return PairArrays(self.row, self.value, self.count)

    @classmethod
    def of(
        cls, row: NDArray[np.int32], value: NDArray[np.int32], count: NDArray[np.int64], values: int
    ) -> Pairs:
        """Count equal pairs together."""
        from indistinct.kernels.ranking import rank_keys

        numbers, first = rank_keys(row.astype(np.int64) * values + value)
        counts = np.bincount(numbers, weights=count, minlength=first.size)
        return cls(
            np.ascontiguousarray(row[first], dtype=np.int32),
            np.ascontiguousarray(value[first], dtype=np.int32),
            counts.astype(np.int64),
        )


def judges(problem: Problem, *, joined: bool = False) -> list[Judge]:
    """Compile the requirements on each sensitive column by itself, or those in the joined form."""
    found = []
    for column in problem.table.sensitive:
        asked = [
            requirement
            for requirement in problem.requirements
            if isinstance(requirement, SensitiveRequirement)
            and requirement.joined == joined
            and column in requirement.columns(problem.table)
        ]
        if asked:
            rules = [requirement.rule(column) for requirement in asked]
            found.append(Judge.of(column, rules, least_respondents(asked)))
    return found


def least_respondents(requirements: Sequence[Requirement]) -> int:
    """Return how many respondents a class needs at least."""
    return max(requirement.least_respondents for requirement in requirements)


def known_besides(table: Table, judge: Judge) -> NDArray[np.int32]:
    """Number what the sensitive columns other than one say together."""
    from indistinct.kernels.ranking import rank_keys, row_keys

    others = [column for column in table.sensitive if column is not judge.column]
    if not others:
        return np.zeros(table.rows, dtype=np.int32)
    keys, _ = row_keys([c.codes for c in others], [len(c.values) for c in others])
    numbers: NDArray[np.int32] = rank_keys(keys)[0]
    return numbers
