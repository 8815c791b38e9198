"""Requirements on sensitive columns, compiled for the kernel that judges classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.requirements import SensitiveRequirement, least_respondents, some_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.judging_kernel import PairArrays, RuleArrays
    from indistinct.methods.common.part_kernel import Kept
    from indistinct.model.table import QuasiSet, SensitiveColumn, Table
    from indistinct.requirements.rules import Rule

NOBODY = np.zeros(0, dtype=np.int64)
EVEN = 720_720  # the least common multiple of 1 to 16


@dataclass(frozen=True, eq=False)
class Judge:
    """All rules on one sensitive column.

    Attributes
    ----------
    least
        How many people they ask of a class.
    shares
        The shares of values that classes are compared with, where not those of the column.
    weighs
        Whether the values of a person weigh one together, where some have several.
    """

    column: SensitiveColumn
    rules: tuple[Rule, ...]
    least: int = 1
    shares: NDArray[np.float64] | None = None
    weighs: bool = False

    @property
    def closed_under_supersets(self) -> bool:
        """Whether a class that contains one which all the rules accept is accepted too."""
        return all(rule.closed_under == "supersets" for rule in self.rules)

    def by_closure(self) -> list[Judge]:
        """Part the rules closed under supersets from the others."""
        parts = [
            tuple(rule for rule in self.rules if (rule.closed_under == "supersets") is closed)
            for closed in (True, False)
        ]
        return [replace(self, rules=rules) for rules in parts if rules]

    @cached_property
    def arrays(self) -> RuleArrays:
        """The rules for kernels."""
        from indistinct.methods.common.judging_kernel import RuleArrays, test_address

        values = len(self.column.values)
        per_value = [rule.per_value or (0.0,) * values for rule in self.rules]
        return RuleArrays(
            np.array([test_address(rule.test) for rule in self.rules], dtype=np.int64),
            np.array([rule.numbers for rule in self.rules], dtype=np.float64).reshape(-1, 2),
            np.array(per_value, dtype=np.float64).reshape(-1, values),
            self.column.shares if self.shares is None else self.shares,
            np.ascontiguousarray(self.column.levels),
        )

    @cached_property
    def capacities(self) -> NDArray[np.int64]:
        """Where kernels find the capacities of the rules."""
        from indistinct.methods.common.judging_kernel import capacity_address

        return np.array([capacity_address(rule.capacity) for rule in self.rules], dtype=np.int64)

    def parts(self, row_class: NDArray[np.int32], classes: int, pairs: Pairs, least: int) -> Kept:
        """Return what is kept of each class when its fewest rows are suppressed.

        Parameters
        ----------
        least
            How many rows a class needs.
        """
        from indistinct.methods.common.part_kernel import (
            PLACES,
            Kept,
            PartRules,
            fill_address,
            largest_parts,
            limits_address,
        )

        limits = np.array([limits_address(rule.limits) for rule in self.rules], dtype=np.int64)
        fills = np.array([fill_address(rule.fill) for rule in self.rules], dtype=np.int64)
        part_rules = PartRules(self.capacities, limits, fills)
        scratch = np.zeros((PLACES, len(self.column.values)), dtype=np.int64)
        kept = largest_parts(
            row_class, classes, least, pairs.arrays, self.arrays, part_rules, scratch
        )
        return Kept(*kept)

    @property
    def parts_are_largest(self) -> bool:
        """Whether `parts` are proven to be the largest: not where rules want different ones."""
        own = [rule for rule in self.rules if rule.fill is not None]
        evenest = [
            rule
            for rule in self.rules
            if rule.fill is None and rule.limits is None and rule.closed_under != "supersets"
        ]
        return len(own) <= 1 and not (own and (evenest or len(self.rules) > 1))

    @property
    def scratch(self) -> NDArray[np.int64]:
        """Room for a kernel: a histogram, the values that occur, and how often each does."""
        return np.zeros((3, len(self.column.values)), dtype=np.int64)

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

        return judge(
            row_class,
            classes,
            people,
            pairs.arrays,
            self.arrays,
            self.capacities,
            self.scratch,
        )


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
        from indistinct.model.ranking_kernel import rank_keys

        numbers, first = rank_keys(row.astype(np.int64) * values + value)
        counts = np.bincount(numbers, weights=count, minlength=first.size)
        return cls(
            np.ascontiguousarray(row[first], dtype=np.int32),
            np.ascontiguousarray(value[first], dtype=np.int32),
            counts.astype(np.int64),
        )


def judges(problem: Problem, *, joined: bool = False, group: QuasiSet | None = None) -> list[Judge]:
    """Compile the requirements on each sensitive column by itself, or those in the joined form.

    Parameters
    ----------
    group
        Whose people are counted; rows are if not given. Where people have several rows, rules that
        compare with the table are judges of their own: they weigh the values of each person.
    """
    by_people = group is not None and group.respondents is not None
    columns = problem.table.sensitive if group is None else problem.table.sensitive_of(group)
    compiled = []
    for column in columns:
        asked = [
            requirement
            for requirement in problem.requirements
            if isinstance(requirement, SensitiveRequirement)
            and requirement.joined == joined
            and requirement.column in {None, column.name}
        ]
        least = least_respondents(asked)
        for weighs in (False, True):
            rules = tuple(
                requirement.rule(column)
                for requirement in asked
                if (by_people and requirement.compares_with_table) is weighs
            )
            if rules:
                compiled.append(Judge(column, rules, least, weighs=weighs))
    return compiled


def person_weight(people: int) -> int:
    """Return what one of so many people weighs, so that all of them can be added up.

    It can be divided by every number up to 16, and by larger ones with an error far below what
    rules let pass for rounding.
    """
    room = 61 - EVEN.bit_length() - max(people, 1).bit_length()
    return EVEN << min(max(room, 0), 20)


def largest_parts_known(problem: Problem) -> bool:
    """Return whether it is known how to suppress as few rows as can be of each class.

    It is where all rules are closed under supersets: then a class that fails has no part that
    satisfies. Otherwise for one sensitive column and one quasi-identifier that attackers know
    whole, if each row is another person's and the rules do not want different parts.
    """
    joined, alone = judges(problem, joined=True), judges(problem)
    if all(judge.closed_under_supersets for judge in [*joined, *alone]):
        return True
    table = problem.table
    known = some_columns(problem.requirements, len(table.quasi))
    simple = len(table.sets) == 1 and not known and not table.has_respondents and not joined
    return simple and len(alone) == 1 and alone[0].parts_are_largest


def known_besides(table: Table, judge: Judge) -> NDArray[np.int32]:
    """Number what the sensitive columns other than one say together."""
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    others = [column for column in table.sensitive if column.name != judge.column.name]
    if not others:
        return np.zeros(table.entries, dtype=np.int32)
    keys, _ = row_keys([c.codes for c in others], [len(c.values) for c in others])
    numbers: NDArray[np.int32] = rank_keys(keys)[0]
    return numbers
