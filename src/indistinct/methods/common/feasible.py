"""Whether a full-domain release exists at all: the top of the lattice is one class of all rows."""

from __future__ import annotations

from math import log10, prod
from typing import TYPE_CHECKING

from indistinct.errors import CannotMeetError, Fault, PlanError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indistinct.methods.base import Problem
    from indistinct.model.table import Table
    from indistinct.requirements import Requirement


MOST_COLUMNS = 100
MOST_VECTORS = 1e15
OPEN = "; a class was suppressed as a whole or not at all, so one may exist"


def require_possible(problem: Problem) -> None:
    """Raise, with all reasons, if even one class of all rows breaks a requirement."""
    if faults := obstacles(problem.table, problem.requirements):
        raise CannotMeetError(faults)


def obstacles(table: Table, requirements: Iterable[Requirement]) -> list[Fault]:
    """Return which requirements no release of the table can keep, and why."""
    return [
        Fault(
            f"requirement {requirement.model!r}",
            reason,
            "Relax the requirements, or add more data.",
        )
        for requirement in requirements
        if (reason := requirement.obstacle(table))
    ]


def require_few_columns(problem: Problem, most: int = MOST_COLUMNS) -> None:
    """Raise if there are more columns than a search that fixes one after the other can end with."""
    columns = len(problem.table.quasi)
    if columns > most:
        raise PlanError(
            Fault(
                "method.name",
                f"it searches the levels of all columns together, of at most {most}; there are "
                f"{columns} quasi columns",
                'Set method.name = "best" or "mondrian", or have fewer quasi-identifiers.',
            )
        )


def require_countable(problem: Problem, most: float = MOST_VECTORS) -> None:
    """Raise if there are more level vectors than a search without a time limit can end with."""
    vectors = prod(height + 1 for height in problem.table.heights)
    if vectors > most:
        raise PlanError(
            Fault(
                "method.name",
                f"it has no time limit, and there are about 10^{log10(vectors):.0f} level vectors "
                f"of {len(problem.table.quasi)} quasi columns, more than 10^{log10(most):.0f}",
                'Set method.name = "optimal" with a time_limit, or "best".',
            )
        )


def nothing_found(problem: Problem) -> CannotMeetError:
    """Say that no vector keeps the requirements within the limit, as far as that is certain."""
    from indistinct.methods.common.judge import largest_parts_known

    asked = "; ".join(f"{r.model} ({r.asked()})" for r in problem.requirements)
    limit = problem.max_suppressed
    certain = not limit or largest_parts_known(problem)
    what = "no level vector satisfies" if certain else "no level vector was found for"
    open_still = "" if certain else OPEN
    return CannotMeetError(
        Fault(
            "requirements",
            f"{what} {asked} with at most {limit} of {problem.table.rows} rows suppressed"
            f"{open_still}",
            "Raise limits.suppression, relax the requirements, or use a method that groups rows.",
        )
    )
