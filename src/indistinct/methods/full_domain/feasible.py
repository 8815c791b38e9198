"""Whether a full-domain release exists at all: the top of the lattice is one class of all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.errors import CannotMeetError, Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indistinct.methods.base import Problem
    from indistinct.requirements import Requirement
    from indistinct.table import Table


def require_possible(problem: Problem) -> None:
    """Raise, with all reasons, if even one class of all rows breaks a requirement."""
    if faults := obstacles(problem.table, problem.requirements):
        raise CannotMeetError(faults)


def obstacles(table: Table, requirements: Iterable[Requirement]) -> list[Fault]:
    """Tell which requirements no release of the table can keep, and why."""
    return [
        Fault(f"requirement {requirement.model!r}", reason, "Ask for less, or bring more data.")
        for requirement in requirements
        if (reason := requirement.obstacle(table))
    ]


def nothing_found(problem: Problem) -> CannotMeetError:
    """Say that no vector keeps the requirements within the limit, and what all rows together do."""
    asked = "; ".join(f"{r.model} ({r.asked()})" for r in problem.requirements)
    limit = problem.max_suppressed
    return CannotMeetError(
        Fault(
            "requirements",
            f"no level vector satisfies {asked} with at most {limit} of "
            f"{problem.table.rows} rows suppressed",
            "Raise limits.suppression, ask for less, or use a method that groups rows.",
        )
    )
