"""The words and numbers of a report, as text ready to print (and still to be escaped)."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indistinct.report.facts import ReportFacts

NOT_MEASURED = "not measured"
_KEPT = {1: "Promise kept", 2: "Both promises kept"}


@dataclass(frozen=True)
class Verdict:
    """The first line of a report."""

    state: Literal["kept", "broken", "none"]
    word: str
    lines: tuple[str, ...]
    advice: str = ""


@dataclass(frozen=True)
class KeyNumber:
    """One number that everybody asks for."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class Promise:
    """One requirement: promised, measured, held or not."""

    model: str
    description: str
    promised: str
    measured: str
    holds: bool
    worst: str

    def __str__(self) -> str:
        return f"{self.model}: promised {self.promised}, measured {self.measured}"


def percent(share: float | None) -> str:
    """Write a share; nothing but zero reads as 0% and nothing but one as 100%.

    >>> percent(0.2345), percent(0), percent(0.0001), percent(0.99999), percent(1)
    ('23.4%', '0%', '< 0.1%', '> 99.9%', '100%')
    """
    if share is None or isnan(share):
        return NOT_MEASURED
    if share in {0, 1}:
        return f"{share:.0%}"
    if 0 < share < 0.001:
        return "< 0.1%"
    if 0.999 < share < 1:
        return "> 99.9%"
    return f"{share:.1%}"


def shown(value: object) -> str:
    """Write any value of a summary: a count, a measure, a parameter, a class.

    >>> shown(30162), shown(0.25), shown({"age": "30-39", "size": 7})
    ('30,162', '0.25', 'age: 30-39, size: 7')
    """
    if isinstance(value, dict):
        return ", ".join(f"{key}: {shown(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(shown(inner) for inner in value)
    if value is None or isinstance(value, bool):
        return {None: "missing", True: "yes", False: "no"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def duration(seconds: float) -> str:
    """Write a span of time.

    >>> duration(0.004), duration(2.345), duration(34.56), duration(192.4)
    ('< 0.01 s', '2.35 s', '34.6 s', '3 min 12 s')
    """
    if seconds < 0.01:
        return "< 0.01 s"
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def level(reached: int | str | None, height: int | None) -> str:
    """Write how far up its hierarchy a column went.

    >>> level(2, 4), level(None, 4), level(2, None), level("withheld", 4)
    ('2 of 4', 'varies', '2', 'withheld')
    """
    if reached is None or isinstance(reached, str):
        return reached or "varies"
    return f"{reached}" if height is None else f"{reached} of {height}"


def cuts_found(search: Mapping[str, Any]) -> str:
    """Say which cuts a method found and how good they are; nothing of other methods.

    >>> search = {"index_set": "{3, 8}", "minimized": "dm", "cost": 37, "proven_optimal": True}
    >>> cuts_found(search)
    'Cut at the indexes {3, 8}; dm is 37, proven the least.'
    >>> cuts_found(search | {"proven_optimal": False, "lower_bound": 31, "gap": 0.162})
    'Cut at the indexes {3, 8}; dm is 37, and cannot be below 31 (gap 16.2%).'
    """
    if "index_set" not in search:
        return ""
    cost = f"{search['minimized']} is {shown(search['cost'])}"
    below = f"and cannot be below {shown(search.get('lower_bound'))} "
    below += f"(gap {percent(search.get('gap'))})"
    good = "proven the least" if search["proven_optimal"] else below
    return f"Cut at the indexes {search['index_set']}; {cost}, {good}."


def promises(facts: ReportFacts) -> list[Promise]:
    """Return every requirement in words.

    The worst class is named only in a release whose promises all hold: otherwise it may be a
    handful of people.
    """
    return [_promise(asked, name_worst=facts.holds) for asked in facts.requirements]


def _promise(requirement: Mapping[str, Any], *, name_worst: bool) -> Promise:
    measured = requirement.get("measured")
    worst = requirement.get("worst_class") if name_worst else None
    return Promise(
        model=f"{requirement['model']} of {requirement['column']}"
        if requirement.get("column")
        else requirement["model"],
        description=str(requirement.get("description", "")),
        promised=str(requirement["promised"]),
        measured=NOT_MEASURED if measured is None else shown(measured),
        holds=requirement["holds"] is True,
        worst=shown(worst) if worst else "",
    )


def verdict(facts: ReportFacts) -> Verdict:
    """Say first what matters: promised, measured, kept or not."""
    checked = promises(facts)
    broken = [promise for promise in checked if not promise.holds]
    if not checked:
        return Verdict(
            "none", "Nothing promised", (), "No requirement was checked. Do not publish."
        )
    several = len(checked) > 1
    if broken:
        word = f"{len(broken)} of {len(checked)} promises broken" if several else "Promise broken"
        return Verdict("broken", word, tuple(map(str, broken)), "Do not publish this table.")
    return all_kept(tuple(map(str, checked)))


def all_kept(promises: tuple[str, ...]) -> Verdict:
    """Say that every promise was kept, and which."""
    word = _KEPT.get(len(promises), f"All {len(promises)} promises kept")
    return Verdict("kept", word, promises)


def key_numbers(facts: ReportFacts) -> list[KeyNumber]:
    """Return the handful of numbers that everybody asks for."""
    summary = facts.summary
    rows, released = summary["input_rows"], summary["released_rows"]
    suppressed, classes = summary["suppressed_rows"], summary["classes"]
    smallest = facts.smallest_class
    average = f", on average {released / classes:,.1f}" if _is_count(classes) and classes else ""
    return [
        KeyNumber("Rows released", shown(released), _of(released, rows)),
        KeyNumber("Rows suppressed", shown(suppressed), _of(suppressed, rows)),
        KeyNumber(
            "Classes",
            shown(classes) if classes else "none",
            f"groups of rows with the same published values{average}",
        ),
        KeyNumber(
            "Smallest class",
            shown(smallest) if smallest else "none",
            "rows with the same published values",
        ),
        KeyNumber("Detail lost", percent(summary["measures"]["gcp"]), loss_note(facts)),
    ]


def loss_note(facts: ReportFacts) -> str:
    """Say how the loss is measured, and what no release can undercut."""
    bound = facts.summary.get("bound")
    nearest = f"; no release can be below {percent(bound['interval'][0])}" if bound else ""
    form = facts.summary["measures"].get("gcp_form")
    return f"GCP, {form} form: 0% all detail kept, 100% none{nearest}"


def _is_count(value: object) -> bool:
    return isinstance(value, int)


def _of(part: int | str, whole: int | str) -> str:
    if isinstance(part, str) or isinstance(whole, str):
        return "of all rows"
    return f"{percent(part / whole if whole else 0)} of {whole:,}"
