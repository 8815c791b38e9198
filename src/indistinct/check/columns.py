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


def became(plan: Plan, known: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Tell by the columns of a release which of them each quasi column became."""
    if plan.in_buckets:
        return {name: (name,) for name in plan.with_role("quasi")}
    found = {}
    for name in plan.with_role("quasi"):
        parts = published_names(name, plan.columns[name].range_as)
        found[name] = parts if set(parts) <= set(known) else (name,)
    return found


def refuse_columns(plan: Plan, known: Sequence[str]) -> None:
    """Raise unless a release has the columns that its plan publishes, and no other.

    Raises
    ------
    DoesNotHoldError
        With each column that the plan does not publish: unknown, secret, or beside what became of
        it.
    DataError
        If columns that it publishes are missing, and none is there that should not be.
    """
    promised = _promised(plan, known)
    missing = [name for name in promised if name not in known]
    halved = plan.in_buckets and GROUP in known
    faults = [
        Fault(
            "release",
            f"no column {name!r}, which was promised",
            "Give --sensitive-table with the other file." if halved else closest(name, known),
        )
        for name in missing
    ]
    if extra := list(_extra(plan, known, promised)):
        raise DoesNotHoldError([*extra, *faults])
    if faults:
        raise DataError(faults)


def _promised(plan: Plan, known: Sequence[str]) -> list[str]:
    """Name the columns that a release by the plan has."""
    found: list[str] = []
    for name, column in plan.columns.items():
        if column.role == "quasi":
            found += became(plan, known)[name]
        elif column.role in {"sensitive", "other"} or column.pseudonym:
            found.append(name)
    return [*found, GROUP] if plan.in_buckets else found


def _extra(plan: Plan, known: Sequence[str], promised: Sequence[str]) -> Iterator[Fault]:
    shown = became(plan, known)
    parts = {
        part: name
        for name in plan.with_role("quasi")
        for part in published_names(name, plan.columns[name].range_as)
    }
    for name in known:
        if name in promised:
            continue
        told = None
        if name in shown:
            told = f"beside {' and '.join(shown[name])}"
        elif name in plan.columns:
            told = _SECRET[plan.columns[name].role]
        elif name in parts:
            told = f"of which only a part is there: {parts[name]!r} is published otherwise"
        elif plan.unlisted != "other":
            told = "which the plan does not know"
        if told is not None:
            yield Fault("release", f"it holds a column {name!r}, {told}", _REMEDY)
