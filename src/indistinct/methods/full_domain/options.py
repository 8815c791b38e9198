"""Options of methods that name columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indistinct.errors import CannotMeetError, Fault, PlanError, closest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indistinct.methods.base import Problem
    from indistinct.model.table import Table


def require_columns(table: Table, option: str, names: Iterable[str]) -> None:
    """Raise, with all faults, if an option names a column that is not quasi."""
    quasi_names = [column.name for column in table.quasi]
    faults = [
        Fault(f"method.{option}", f"no quasi column {name!r}", closest(name, quasi_names))
        for name in names
        if name not in quasi_names
    ]
    if faults:
        raise PlanError(faults)


def at_levels(problem: Problem, levels: Mapping[str, int]) -> Problem:
    """Return the problem with some columns fixed at levels; raise, with all faults, if none is."""
    if not levels:
        return problem
    require_columns(problem.table, "levels", levels)
    quasi, lowest = problem.table.quasi, problem.lowest_levels
    fixed = [levels.get(column.name) for column in quasi]
    heights = problem.table.heights
    wrong = [
        Fault(f"method.levels.{column.name}", f"no level {level}", f"Give one from 0 to {height}.")
        for column, level, height in zip(quasi, fixed, heights, strict=True)
        if level is not None and level > height
    ]
    if wrong:
        raise PlanError(wrong)
    if any(at is not None and at < least for at, least in zip(fixed, lowest, strict=True)):
        raise CannotMeetError(Fault("method.levels", "the rows are counted only at coarser levels"))
    at = [
        (low, high) if level is None else (level, level)
        for level, low, high in zip(fixed, lowest, problem.highest_levels, strict=True)
    ]
    return replace(problem, lowest=tuple(x[0] for x in at), highest=tuple(x[1] for x in at))
