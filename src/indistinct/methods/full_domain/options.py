"""Options of methods that name columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.errors import Fault, PlanError, closest

if TYPE_CHECKING:
    from collections.abc import Iterable

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
