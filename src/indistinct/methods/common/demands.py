"""All that a problem asks of a group of rows, compiled for kernels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import CannotMeetError, Fault
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.judge import judges, known_besides
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.asked import Asked
    from indistinct.methods.common.demands_kernel import DemandArrays, Tally
    from indistinct.methods.common.judge import Judge
    from indistinct.requirements import Requirement


@dataclass(frozen=True, eq=False)
class SensitiveView:
    """A sensitive column as some attacker counts it; -1 where he knows nothing, or counts rows."""

    judge: Judge
    people: int
    known: int
    least: int


def demands(problem: Problem) -> DemandArrays:
    """Compile the requirements of a problem.

    Raises
    ------
    CannotMeetError
        If even all rows together break one.
    """
    from indistinct.methods.common.demands_kernel import runs_satisfied

    require_possible(problem)
    arrays = compiled(problem)
    everything = np.arange(problem.table.entries, dtype=np.int32)
    one_group = np.array([problem.table.entries])
    if beyond_rows(arrays) and not runs_satisfied(arrays, everything, one_group).all():
        asked = "; ".join(f"{r.model} ({r.asked()})" for r in problem.requirements)
        raise CannotMeetError(
            Fault(
                "requirements",
                f"all {problem.table.rows} rows in one group do not satisfy {asked}",
                "Relax the requirements, or add more data.",
            )
        )
    return arrays


def compiled(problem: Problem) -> DemandArrays:
    """Lay out people, what is known, sensitive values and rules in flat arrays."""
    from indistinct.methods.common.demands_kernel import (
        RULE,
        VIEW,
        DemandArrays,
        judging_address,
    )

    table = problem.table
    people, ways = _people(problem)
    joined = judges(problem, joined=True)
    known = [known_besides(table, judge) for judge in joined]
    views = [
        view
        for way in ways
        for view in (
            *(SensitiveView(judge, way, -1, 1) for judge in judges(problem)),
            *(SensitiveView(judge, way, place, judge.least) for place, judge in enumerate(joined)),
        )
    ]
    rules = [(place, rule) for place, v in enumerate(views) for rule in range(len(v.judge.rules))]
    sizes = [len(view.judge.column.values) for view in views]
    asked = [view.judge.arrays for view in views]
    columns = list(table.sensitive)
    return DemandArrays(
        judging=judging_address() if rules or people else 0,  # see `beyond_rows`
        least=least_respondents(problem.requirements),
        weights=table.kernel_weights,
        people=_rows(people, table.entries),
        known=_rows(known, table.entries),
        codes=_rows([column.codes for column in columns], table.entries),
        views=_records(
            VIEW,
            codes=[columns.index(view.judge.column) for view in views],
            people=[view.people for view in views],
            known=[view.known for view in views],
            least=[view.least for view in views],
            first=_starts(sizes),
            values=sizes,
            tree=_starts([arrays.tree.size for arrays in asked]),
            levels=[arrays.tree.shape[0] for arrays in asked],
        ),
        shares=_joined(np.float64, [arrays.shares for arrays in asked]),
        tree=_joined(np.int32, [arrays.tree.ravel() for arrays in asked]),
        rules=_records(
            RULE,
            of=[place for place, _ in rules],
            test=[asked[place].tests[rule] for place, rule in rules],
            first=[asked[place].numbers[rule, 0] for place, rule in rules],
            second=[asked[place].numbers[rule, 1] for place, rule in rules],
            per_value=_starts([sizes[place] for place, _ in rules]),
        ),
        per_value=_joined(np.float64, [asked[place].per_value[rule] for place, rule in rules]),
        general=any(view.people >= 0 or view.known >= 0 for view in views),
    )


def beyond_rows(demands: DemandArrays) -> DemandArrays | None:
    """Return demands that ask more of a group than a number of rows; `None` for others.

    Kernels that get `None` leave out all that judges groups by their rows, and compile faster.
    """
    return demands if demands.rules.size or demands.people.shape[0] else None


def asked_of(problem: Problem, k: int) -> Asked:
    """Compile the requirements of a problem for a search whose groups have at least k rows."""
    from indistinct.methods.common.asked import Asked

    arrays = beyond_rows(compiled(problem))
    return Asked(k, problem.table.kernel_weights, arrays, tally_for(arrays))


def tally_for(demands: DemandArrays | None) -> Tally | None:
    """Return scratch to count for demands, if there are any."""
    from indistinct.methods.common.demands_kernel import new_tally

    return None if demands is None else new_tally(demands)


def kept_by_more(requirements: Iterable[Requirement]) -> bool:
    """Return whether a group that satisfies goes on to do so whatever rows join it."""
    return all(requirement.closed_under == "supersets" for requirement in requirements)


def least_rows(problem: Problem) -> int:
    """Return how many rows every satisfying group has, as far as the rules show at a glance."""
    needed = [least_respondents(problem.requirements)]
    for judge in judges(problem):
        needed.extend(ceil(rule.least_values - 1e-9) for rule in judge.rules)
    return min(max(needed), max(problem.table.rows, 1))


def _people(problem: Problem) -> tuple[list[NDArray[np.int32]], list[int]]:
    """List the ways to say whose row a row is, and which of them (-1: by row) views count by."""
    people: list[NDArray[np.int32]] = []
    ways: list[int] = []
    for group in problem.table.sets:
        if group.respondents is None:
            way = -1
        else:
            same = [i for i, other in enumerate(people) if other is group.respondents]
            if not same:
                people.append(group.respondents)
            way = same[0] if same else len(people) - 1
        if way not in ways:
            ways.append(way)
    return people, ways


def _rows(columns: list[NDArray[np.int32]], rows: int) -> NDArray[np.int32]:
    if not columns:
        return np.zeros((0, rows), dtype=np.int32)
    return np.ascontiguousarray(np.stack(columns), dtype=np.int32)


def _joined(kind: type[np.generic], parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Lay arrays one after the other; there may be none."""
    return np.concatenate([np.zeros(0, dtype=kind), *parts])


def _records(layout: np.dtype[np.void], /, **fields: Sequence[float]) -> NDArray[np.void]:
    """Lay equally long lists side by side."""
    records = np.empty(len(next(iter(fields.values()))), dtype=layout)
    for name, values in fields.items():
        records[name] = values
    return records


def _starts(sizes: list[int]) -> list[int]:
    """Return where each of some stretches begins if they lie one after the other."""
    return list(accumulate(sizes, initial=0))[:-1]
