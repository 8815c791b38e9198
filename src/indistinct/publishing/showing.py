"""What a method is shown of the private table: nothing that could decide between equal rows.

Whoever knows the code, the plan without its seed and the quasi-identifier table can run a method
himself. If it parts rows of equal quasi values by anything else that they hold, he learns of it
from where they went. So a method that groups or matches rows sees

- the quasi columns, and the sensitive columns that a requirement (or an option of the method) is
  about; no other column;
- rows of equal quasi values in a secret random order, or put together to entries of equal rows,
  entries of equal quasi values in a secret random order;
- people, and sensitive values whose order no rule heeds, numbered in that order or at random.

*Lemma.* Let two rows be equal in their quasi values, in the sensitive columns that are shown, and
in whose rows they are. Then each of them is in either one's group with equal probability, whatever
else they hold and wherever they stood. *Proof.* Swapping them maps orders of the table to orders
of the table, one to one, and all orders are equally likely; what the method is shown is the same
in an order and in its image, and so is its answer, but for the two rows.

Where no sensitive column is shown, rows of equal quasi values are thus exchangeable, and a release
says of them no more than their classes do. A seed of the search that everyone knows changes
nothing of this. `tests/adversary/` plays the attack.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import DataError, Fault
from indistinct.model.entries import (
    Entries,
    all_apart,
    loosened,
    loosened_ends,
    put_together,
)
from indistinct.requirements import SensitiveRequirement, least_respondents

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from indistinct.methods.base import Method, Problem
    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.publishing.draws import Draws
    from indistinct.requirements import Requirement


def without_others(table: Table, needed: Collection[str]) -> Table:
    """Leave out the sensitive columns that nobody needs."""
    return replace(table, sensitive=tuple(c for c in table.sensitive if c.name in needed))


def shown(
    problem: Problem,
    method: Method,
    needed: Collection[str],
    draws: Draws,
    most: int | None = None,
) -> Entries:
    """Return what a method is shown, and which entry of it each row went into.

    Parameters
    ----------
    most
        How many rows of a table that is given as entries are taken apart at most.

    Raises
    ------
    DataError
        If the method takes each row by itself, and there are more.
    """
    table = without_others(problem.table, needed)
    if not (method.groups_rows or method.takes_rows):
        return put_together(table)
    copies = method.copies_for(problem)
    by_row = copies == "apart" and table.weights is None
    if copies == "apart" and table.weights is not None:
        _refuse_many(table.rows, most, method)
    if by_row or table.has_respondents:
        return _in_secret_order(Entries.of_rows(table), problem, draws)
    entries = put_together(table)
    mixed = _in_secret_order(entries, problem, draws.of_entries(entries.table))
    if copies == "together":
        return mixed
    order = draws.order("ties")
    if copies == "apart":
        return all_apart(table, mixed, order)
    loosen = loosened if copies == "loose" else loosened_ends
    return loosen(table, mixed, least_respondents(problem.requirements), order)


def _refuse_many(rows: int, most: int | None, method: Method) -> None:
    """Raise if rows that were counted together are too many to be taken apart again."""
    if most is not None and rows > most:
        raise DataError(
            Fault(
                "engine.max_distinct",
                f"method {method.name!r} takes each row by itself for what is asked, and {rows:,} "
                f"rows are more than {most:,}",
                'Choose "mondrian", which searches distinct rows, or raise it if memory allows.',
            )
        )


def _in_secret_order(entries: Entries, problem: Problem, draws: Draws) -> Entries:
    """Sort entries by their quasi values, those that are alike there at random."""
    table = entries.table
    ordered, source = table.with_ties_in(draws.order("ties"), {c.name for c in table.sensitive})
    sensitive = tuple(
        column if _in_order(column, table, problem.requirements) else _renumbered(column, draws)
        for column in ordered.sensitive
    )
    view = replace(ordered, sensitive=sensitive)
    view.__dict__["frequency_set"] = ordered.frequency_set  # it is of the quasi columns
    place = np.empty(source.size, dtype=np.int32)
    place[source] = np.arange(source.size, dtype=np.int32)
    return Entries(view, place[entries.of_row])


def _in_order(column: SensitiveColumn, table: Table, requirements: Sequence[Requirement]) -> bool:
    """Return whether a requirement heeds the order or the hierarchy of a column's values."""
    asked = [r for r in requirements if isinstance(r, SensitiveRequirement)]
    return any(
        requirement.heeds_order
        for requirement in asked
        if column.name in {held.name for held in requirement.columns(table)}
    )


def _renumbered(column: SensitiveColumn, draws: Draws) -> SensitiveColumn:
    """Number values at random, so that no choice between them is known."""
    drawn = draws.stream(f"values of {column.name}").order(len(column.values))
    return column.renumbered(drawn)
