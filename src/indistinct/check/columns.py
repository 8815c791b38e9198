"""Which columns a release has, by its plan: not one more, and not one less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.errors import DataError, DoesNotHoldError, Fault, closest
from indistinct.model.names import GROUP, published_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indistinct.plan import Plan

_SECRET = {
    "identifier": "which the plan calls an identifier and does not release",
    "respondent": "which the plan calls the respondent and does not release",
    "drop": "which the plan drops",
}
_REMEDY = "Do not publish it: take the column out, or make the release again."


def became(plan: Plan, released: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return for each quasi column which columns of a release it became."""
    if plan.in_buckets:
        return {name: (name,) for name in plan.with_role("quasi")}
    columns = {}
    for name in plan.with_role("quasi"):
        parts = published_names(name, plan.columns[name].range_as)
        columns[name] = parts if set(parts) <= set(released) else (name,)
    return columns


def refuse_columns(plan: Plan, released: Sequence[str]) -> None:
    """Raise unless a release has the columns that its plan publishes, and no other.

    Raises
    ------
    DoesNotHoldError
        With each column that the plan does not publish: unknown, secret, or beside what became of
        it.
    DataError
        If columns that it publishes are missing, and none is there that should not be.
    """
    promised = _promised(plan, released)
    missing = [name for name in promised if name not in released]
    halved = plan.in_buckets and GROUP in released
    faults = [
        Fault(
            "release",
            f"no column {name!r}, which was promised",
            "Give --sensitive-table with the other file." if halved else closest(name, released),
        )
        for name in missing
    ]
    if extra := list(_extra(plan, released, promised)):
        raise DoesNotHoldError([*extra, *faults])
    if faults:
        raise DataError(faults)


def _promised(plan: Plan, released: Sequence[str]) -> list[str]:
    """Name the columns that a release by the plan has."""
    names: list[str] = []
    for name, column in plan.columns.items():
        if column.role == "quasi":
            names += became(plan, released)[name]
        elif column.role in {"sensitive", "other"} or column.pseudonym:
            names.append(name)
    return [*names, GROUP] if plan.in_buckets else names


def _extra(plan: Plan, released: Sequence[str], promised: Sequence[str]) -> Iterator[Fault]:
    shown = became(plan, released)
    parts = {
        part: name
        for name in plan.with_role("quasi")
        for part in published_names(name, plan.columns[name].range_as)
    }
    for name in released:
        if name in promised:
            continue
        why = None
        if name in shown:
            why = f"beside {' and '.join(shown[name])}"
        elif name in plan.columns:
            why = _SECRET[plan.columns[name].role]
        elif name in parts:
            why = f"of which only a part is there: {parts[name]!r} is published otherwise"
        elif plan.unlisted != "other":
            why = "which the plan does not know"
        if why is not None:
            yield Fault("release", f"it holds a column {name!r}, {why}", _REMEDY)
