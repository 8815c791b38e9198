"""Job: what an attacker has at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from indistinct.errors import DataError, Fault
from indistinct.methods.posing import pose_problem
from indistinct.model.names import GROUP
from indistinct.requirements import people_needed
from indistinct.risk.attacks.classes import ReleasedClasses
from indistinct.risk.counted import CountedRows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indistinct.plan import Plan
    from indistinct.release import Release
    from indistinct.risk.attacks.likelihood import Target
    from indistinct.risk.counted import Rows

LEAST_K = 2
CLASSES = "quasi and sensitive columns (a plan, or --quasi and --sensitive)"


def promised_k(plan: Plan | None) -> int:
    """Return the fewest people that a class of the plan may have."""
    return LEAST_K if plan is None else people_needed(plan.require)


@dataclass(frozen=True)
class Job:
    """What is at hand; tables row by row, or counted."""

    release: Rows
    plan: Plan | None
    k: int
    people: Rows | None = None
    private: Rows | None = None
    old: Rows | None = None
    old_plan: Plan | None = None
    on: Mapping[str, str] = field(default_factory=dict)
    quasi: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    truth: str | None = None
    excluded: int = 1
    gain: float = 0.25
    width: float = 0.2
    known: int = 100
    made: Release | None = None

    @property
    def matched(self) -> bool:
        """Whether the release is known to have no classes, only rows that cover k others each."""
        return self.plan is not None and self.plan.method.matches_rows

    @property
    def about_classes(self) -> bool:
        """Whether it is known which columns are quasi-identifying and which are sensitive."""
        return bool(self.quasi and self.sensitive)

    @cached_property
    def classes(self) -> list[ReleasedClasses]:
        """The classes with their values of each sensitive column."""
        in_buckets = self.plan is not None and self.plan.in_buckets
        quasi = [GROUP] if in_buckets else self.quasi
        of = ReleasedClasses.of
        return [of(self.release, quasi, name, self.private) for name in self.sensitive]

    @cached_property
    def targets(self) -> tuple[Target, Target]:
        """Who could be who in a release of matched rows, and in groups of the same k."""
        from indistinct.risk.attacks.matched import (
            target_in_groups,
            target_of_file,
            target_of_release,
        )

        if self.made is not None and self.plan is not None:
            target, table = target_of_release(self.made), self.made.table
        elif self.private is not None and self.plan is not None:
            rows, private = (
                CountedRows.of(held).one_by_one("attack") for held in (self.release, self.private)
            )
            target, table = target_of_file(rows, self.plan, private)
        else:
            raise DataError(Fault("attack", "the private table is not available", "Give it."))
        if target is None:
            problem = "the rows are not those of the private table, or each fits very many people"
            raise DataError(Fault("attack", problem, "Give the release of this private table."))
        return target, target_in_groups(table, pose_problem(table, self.plan))


def lacks_classes(job: Job) -> str | None:
    """Say what an attack on classes needs that is not at hand."""
    return None if job.about_classes and not job.matched else CLASSES


def lacks_matchings(job: Job) -> str | None:
    """Say what an attack on matched rows needs that is not at hand."""
    at_hand = job.made is not None or job.private is not None
    if job.about_classes and job.matched and at_hand:
        return None
    return "a plan with a freeform method, a sensitive column, or the private table"
