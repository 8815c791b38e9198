"""What can go wrong, as one small family: each error knows its exit code and carries its faults.

A fault names the place, what is wrong there, and the way out. Faults are collected and shown
together, so that a user mends a plan or a file once.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SHOWN = 12
HEADER = "The first line must hold the names of the columns. Check it, the delimiter and the plan."


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, where, and how to mend it."""

    place: str
    problem: str
    remedy: str = ""

    def __str__(self) -> str:
        tail = f" {self.remedy}" if self.remedy else ""
        return f"{self.place}: {self.problem}.{tail}"


class IndistinctError(Exception):
    """Base of all errors that indistinct raises on purpose."""

    exit_code = 2

    def __init__(self, faults: Fault | Iterable[Fault]) -> None:
        self.faults = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__(_message(self.faults))


class PlanError(IndistinctError):
    """The plan cannot be read, or asks for something that does not exist."""


class DataError(IndistinctError):
    """The data cannot be read, or does not fit the plan."""


class HierarchyError(IndistinctError):
    """A hierarchy is broken, or does not cover the data."""


class OutputError(IndistinctError):
    """A result cannot be written."""


class CannotMeetError(IndistinctError):
    """No release of this data within these limits meets the requirements."""

    exit_code = 1


class UnsafePlanError(IndistinctError):
    """The plan would publish what looks like an identifier, or count rows instead of people."""

    exit_code = 1


class DoesNotHoldError(IndistinctError):
    """A release was checked and does not meet its requirements; it is not written."""

    exit_code = 1


def _message(faults: tuple[Fault, ...]) -> str:
    lines = [str(fault) for fault in faults[:SHOWN]]
    if len(faults) > SHOWN:
        lines.append(f"... and {len(faults) - SHOWN} more faults of this kind")
    return "\n".join(lines)


def closest(name: str, known: Iterable[str]) -> str:
    """Say which known name is nearest to a wrong one, and what names there are.

    >>> closest("zipcode", ["age", "sex", "ZIP"])
    "Closest: 'ZIP'. Known: age, sex, ZIP."
    """
    names = list(known)
    if not names:
        return "There are none."
    folded = {other.casefold(): other for other in reversed(names)}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.4)
    hint = f"Closest: {folded[near[0]]!r}. " if near else ""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{hint}Known: {', '.join(names[:SHOWN])}{more}."


def no_columns(place: str, asked: Sequence[str], columns: Sequence[str]) -> list[Fault]:
    """Report which columns that are asked for a private table lacks.

    If it has none of them, and none like them, its own are counted and not named: the first line
    of a file without a header is a person.
    """
    missing = [name for name in asked if name not in columns]
    if len(missing) < len(asked) or any(_is_like(name, columns) for name in missing):
        return [Fault(place, f"no column {name!r}", closest(name, columns)) for name in missing]
    names = ", ".join(map(repr, missing))
    problem = f"no column {names} is there; it has {counted(len(columns), 'column')}"
    return [Fault(place, problem, HEADER)] if missing else []


def _is_like(name: str, known: Sequence[str]) -> bool:
    return bool(get_close_matches(name.casefold(), [other.casefold() for other in known], 1, 0.6))


def counted(number: int, what: str, many: str | None = None) -> str:
    """Say a number with its noun.

    >>> counted(1, "row"), counted(30162, "row"), counted(1200, "person", "people")
    ('1 row', '30,162 rows', '1,200 people')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {many or what + 's'}"


def all_checked(*checks: Callable[[], Any]) -> list[Any]:
    """Return what each check returns; raise the faults of all of them together.

    >>> def wrong():
    ...     raise PlanError(Fault("k", "0 is no k", "Give 2."))
    >>> try:
    ...     all_checked(lambda: 5, wrong, wrong)
    ... except PlanError as error:
    ...     len(error.faults)
    2
    """
    results: list[Any] = []
    faults: list[Fault] = []
    for check in checks:
        try:
            results.append(check())
        except PlanError as error:
            faults += error.faults
    if faults:
        raise PlanError(faults)
    return results


def unless_within(place: str, value: float | None, least: float, most: float = inf) -> list[Fault]:
    """Return a fault if a number is given that is not within bounds.

    >>> [str(fault) for fault in unless_within("width", 7, 0, 1)]
    ['width: 7 is not possible. Give a number from 0 to 1.']
    """
    if value is None or least <= value <= most:
        return []
    asked = f"{least:g} or more" if most == inf else f"a number from {least:g} to {most:g}"
    return [Fault(place, f"{value:g} is not possible", f"Give {asked}.")]
