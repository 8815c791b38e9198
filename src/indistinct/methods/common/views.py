"""Views: the rows as each kind of attacker sees them, and which of them satisfy what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.judge import Judge, Pairs, judges, known_besides
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem


@dataclass(frozen=True, eq=False)
class AttackerView:
    """The rows as one kind of attacker sees them: told apart by some columns, of some people.

    Attributes
    ----------
    columns
        The quasi columns that he can link.
    known
        A number per row that tells apart what else he knows: nothing, or the other sensitive
        columns.
    people
        Whose row each row is.
    judges
        What must hold of each class he sees, beside its number of people.
    least
        How many people a class needs.
    """

    columns: tuple[int, ...]
    known: NDArray[np.int32]
    people: NDArray[np.int32]
    judges: list[Judge]
    least: int

    def satisfying(
        self, classes: NDArray[np.int32], kept: NDArray[np.bool_], *, bound: bool
    ) -> NDArray[np.bool_]:
        """Return which kept rows are in classes that satisfy.

        With `bound`, only tests closed under supersets are made: rows that fail them can be
        released in no finer vector either.
        """
        numbers, people = classes[kept], self.people[kept]
        size = int(classes.max(initial=0)) + 1
        heads = self._distinct_people(numbers, people, size)
        fine = heads >= self.least
        for judge in self.judges:
            if judge.closed_under_supersets or not bound:
                pairs = self._pairs(numbers, judge.column.codes[kept], people, judge)
                fine &= judge(np.arange(size, dtype=np.int32), size, pairs, heads)[0]
        return kept & fine[classes]

    @staticmethod
    def _distinct_people(
        numbers: NDArray[np.int32], people: NDArray[np.int32], size: int
    ) -> NDArray[np.int64]:
        from indistinct.model.ranking_kernel import rank_keys

        pairs = numbers.astype(np.int64) * (int(people.max(initial=0)) + 1) + people
        return np.bincount(numbers[rank_keys(pairs)[1]], minlength=size).astype(np.int64)

    @staticmethod
    def _pairs(
        numbers: NDArray[np.int32],
        values: NDArray[np.int32],
        people: NDArray[np.int32],
        judge: Judge,
    ) -> Pairs:
        """Count for each class and value the people who have it there."""
        from indistinct.model.ranking_kernel import rank_keys, row_keys

        sizes = [int(column.max(initial=0)) + 1 for column in (numbers, values, people)]
        _, first = rank_keys(row_keys([numbers, values, people], sizes)[0])
        ones = np.ones(first.size, dtype=np.int64)
        return Pairs.of(numbers[first], values[first], ones, len(judge.column.values))


def views(problem: Problem) -> list[AttackerView]:
    """List what the requirements must hold against: each set, and each joined sensitive column."""
    table = problem.table
    nothing = np.zeros(table.rows, dtype=np.int32)
    least = least_respondents(problem.requirements)
    attackers = []
    for group in table.sets:
        people = group.respondents
        if people is None:
            people = np.arange(table.rows, dtype=np.int32)
        alone = [part for judge in judges(problem) for part in judge.by_closure()]
        attackers.append(AttackerView(group.columns, nothing, people, alone, least))
        attackers.extend(
            AttackerView(
                group.columns, known_besides(table, judge), people, judge.by_closure(), judge.least
            )
            for judge in judges(problem, joined=True)
        )
    return attackers
