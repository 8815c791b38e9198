"""Views: the rows as each kind of attacker sees them, and which of them satisfy what is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.judge import Judge, Pairs, judges, known_besides, person_weight
from indistinct.requirements import least_respondents, some_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.model.table import QuasiSet
    from indistinct.requirements import Requirement


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
        Whose row each row is; None where each is someone else's.
    rows
        How many rows each entry stands for.
    judges
        What must hold of each class he sees, beside its number of people.
    least
        How many people a class needs.
    """

    columns: tuple[int, ...]
    known: NDArray[np.int32]
    people: NDArray[np.int32] | None
    rows: NDArray[np.int64]
    judges: list[Judge]
    least: int

    def satisfying(
        self, classes: NDArray[np.int32], kept: NDArray[np.bool_], *, bound: bool
    ) -> NDArray[np.bool_]:
        """Return which kept rows are in classes that satisfy.

        With `bound`, only tests closed under supersets are made: rows that fail them can be
        released in no finer vector either.
        """
        size = int(classes.max(initial=0)) + 1
        seen = _Seen(
            classes[kept], self.rows[kept], None if self.people is None else self.people[kept]
        )
        heads = seen.people_by_class(size)
        fine = heads >= self.least
        for judge in self.judges:
            if judge.closed_under_supersets or not bound:
                size_of = len(judge.column.values)
                pairs = seen.pairs(judge.column.codes[kept], size_of, weighs=judge.weighs)
                fine &= judge(np.arange(size, dtype=np.int32), size, pairs, heads)[0]
        return kept & fine[classes]


@dataclass(frozen=True, eq=False)
class _Seen:
    """The entries that are kept: their classes, how many rows each is, and whose they are."""

    classes: NDArray[np.int32]
    rows: NDArray[np.int64]
    people: NDArray[np.int32] | None

    def people_by_class(self, size: int) -> NDArray[np.int64]:
        """Count the people in each class."""
        from indistinct.model.ranking_kernel import rank_keys

        if self.people is None:
            return np.bincount(self.classes, self.rows, minlength=size).astype(np.int64)
        most = int(self.people.max(initial=0)) + 1
        first = rank_keys(self.classes.astype(np.int64) * most + self.people)[1]
        return np.bincount(self.classes[first], minlength=size).astype(np.int64)

    def pairs(self, values: NDArray[np.int32], count: int, *, weighs: bool) -> Pairs:
        """Count for each class and value the people who have it there.

        If it `weighs`, all values that a person has in a class weigh as much as one person.
        """
        from indistinct.model.ranking_kernel import rank_keys, row_keys

        if self.people is None:
            return Pairs.of(self.classes, values, self.rows, count)
        columns = [self.classes, values, self.people]
        sizes = [int(column.max(initial=0)) + 1 for column in columns]
        _, first = rank_keys(row_keys(columns, sizes)[0])
        weight = np.ones(first.size, dtype=np.int64)
        if weighs:
            keys = row_keys([self.classes[first], self.people[first]], [sizes[0], sizes[2]])[0]
            numbers = rank_keys(keys)[0]
            weight = person_weight(first.size) // np.bincount(numbers)[numbers]
        return Pairs.of(self.classes[first], values[first], weight, count)


def views(problem: Problem) -> list[AttackerView]:
    """List what the requirements must hold against: each set, and each joined sensitive column.

    Of a set of which attackers know some columns only, each so many columns.
    """
    return [
        view
        for group in problem.table.sets
        for known, asked in by_knowledge(problem, group).items()
        for columns in combinations(group.columns, known)
        for view in _of_columns(asked, columns, group)
    ]


def whole_views(problem: Problem) -> list[AttackerView]:
    """List those views in which attackers know all columns of a set."""
    return [
        view
        for group in problem.table.sets
        for known, asked in by_knowledge(problem, group).items()
        if known == len(group.columns)
        for view in _of_columns(asked, group.columns, group)
    ]


def by_knowledge(problem: Problem, group: QuasiSet) -> dict[int, Problem]:
    """Part what is asked of a set by how many of its columns attackers know."""
    columns = len(group.columns)
    asked: dict[int, list[Requirement]] = {}
    for requirement in problem.requirements:
        known = columns if requirement.reaches(columns) else requirement.known_columns
        asked.setdefault(known or columns, []).append(requirement)
    return {known: replace(problem, requirements=tuple(r)) for known, r in asked.items()}


def knows_some(problem: Problem) -> bool:
    """Return whether something is asked of attackers who know some columns of a set only."""
    sizes = [len(group.columns) for group in problem.table.sets]
    return any(some_columns(problem.requirements, size) for size in sizes)


def _of_columns(problem: Problem, columns: tuple[int, ...], group: QuasiSet) -> list[AttackerView]:
    """List the views of some columns: by themselves, and with what joined forms let be known."""
    table, rows, people = problem.table, problem.table.row_counts, group.respondents
    nothing = np.zeros(table.entries, dtype=np.int32)
    alone = [part for judge in judges(problem, group=group) for part in judge.by_closure()]
    least = least_respondents(problem.requirements)
    return [
        AttackerView(columns, nothing, people, rows, alone, least),
        *(
            AttackerView(
                columns, known_besides(table, judge), people, rows, judge.by_closure(), judge.least
            )
            for judge in judges(problem, joined=True, group=group)
        ),
    ]
