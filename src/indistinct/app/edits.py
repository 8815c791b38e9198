"""What a click changes in the plan: the file is edited, and its comments stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tomlkit
from tomlkit.items import AoT, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tomlkit import TOMLDocument

_OF_QUASI = ("hierarchy", "weight", "publish", "range_as")


def set_role(plan: TOMLDocument, name: str, role: str, hierarchy: Any = None) -> None:
    """Give a column a role; what only another role can have is removed."""
    column = _column(plan, name)
    column["role"] = role
    for key in _OF_QUASI if role != "quasi" else ():
        column.pop(key, None)
    if role not in {"identifier", "respondent"}:
        column.pop("pseudonym", None)
    if role == "quasi" and "hierarchy" not in column and hierarchy is not None:
        column["hierarchy"] = inline(hierarchy)


def set_hierarchy(plan: TOMLDocument, name: str, spec: Any) -> None:
    """Say how a column coarsens."""
    _column(plan, name)["hierarchy"] = inline(spec)


def set_weight(plan: TOMLDocument, name: str, weight: float) -> None:
    """Say what a lost cell of a column costs; 1 is not said."""
    column = _column(plan, name)
    if weight == 1:
        column.pop("weight", None)
    else:
        column["weight"] = weight


def set_requirement(plan: TOMLDocument, model: str, settings: Mapping[str, Any] | None) -> None:
    """Put settings into the requirement of a model, add it, or with None remove it."""
    stated = plan.get("require")
    asked = list(stated) if stated is not None else []
    same = [part for part in asked if part.get("model") == model]
    if settings is None:
        asked = [part for part in asked if part.get("model") != model]
    elif same:
        for key, value in settings.items():
            if same[0].get(key) != value:
                same[0][key] = value
        return
    else:
        asked.append(_table({"model": model, **settings}))
    if len(asked) == len(stated or ()):
        return
    plan.pop("require", None)
    tables = AoT([])
    for part in asked:
        tables.append(part if isinstance(part, Table) else _table(part))
    if asked:
        plan["require"] = tables


def set_section(plan: TOMLDocument, name: str, settings: Mapping[str, Any]) -> None:
    """Put settings into a table of the plan; None removes one, and an empty table goes."""
    section = plan.get(name)
    if section is None:
        section = tomlkit.table()
        if any(value is not None for value in settings.values()):
            plan[name] = section
    for key, value in settings.items():
        if value is None:
            section.pop(key, None)
        elif section.get(key) != value:
            section[key] = value
    if name in plan and not section:
        plan.pop(name)


def set_top(plan: TOMLDocument, key: str, value: Any) -> TOMLDocument:
    """Set a key of the whole plan, which must stand above all tables; None removes it."""
    if value is None:
        plan.pop(key, None)
        return plan
    if key in plan:
        plan[key] = value
        return plan
    line = tomlkit.document()
    line[key] = value
    return tomlkit.parse(tomlkit.dumps(line) + tomlkit.dumps(plan))


def inline(content: Any) -> Any:
    """Write a table on one line, as hierarchies are written."""
    if not isinstance(content, dict):
        return tomlkit.item(content)
    table = tomlkit.inline_table()
    for key, value in content.items():
        table[key] = inline(value) if isinstance(value, dict) else value
    return table


def _column(plan: TOMLDocument, name: str) -> Any:
    columns = plan.get("columns")
    if columns is None:
        columns = tomlkit.table(is_super_table=True)
        plan["columns"] = columns
    if name not in columns:
        columns[name] = tomlkit.table()
    return columns[name]


def _table(content: Mapping[str, Any]) -> Table:
    table = tomlkit.table()
    for key, value in content.items():
        table[key] = value
    return table
