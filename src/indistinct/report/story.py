"""The first screen of a report: what was, what is now, and what it cost, for people who decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indistinct.measures.catalogue import MEASURES
from indistinct.report.words import loss_note, percent, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indistinct.report.facts import ReportFacts
    from indistinct.report.findings import Findings

MOST_NAMED = 4
_HOW = {
    "classes": (
        "In the release, rows are published in groups that share the same values: no one can be "
        "distinguished from the others in the group."
    ),
    "buckets": (
        "In the release, columns through which people can be recognized are published as they "
        "are: a person can be found, and seen to be in the data. What is hidden is which of the "
        "sensitive values of the person's group is the person's own."
    ),
    "matchings": (
        "In the release, every row fits several people, and every person several rows. Rows need "
        "not look alike, so there are no groups to count."
    ),
}


@dataclass(frozen=True)
class Change:
    """Something measured on the private table and on the release."""

    label: str
    before: str
    after: str
    note: str


@dataclass(frozen=True)
class Reading:
    """A measure with what it says."""

    title: str
    value: str
    reading: str
    paper: str


def opening(facts: ReportFacts) -> list[str]:
    """Say in plain sentences what an attacker could do before and can do now."""
    sentences = [_HOW[facts.kind]]
    if facts.findings is not None:
        risk = facts.findings.risk
        sentences.append(_before(facts, risk["before"]) + " " + _after(facts, risk["after"]))
    return sentences


def _before(facts: ReportFacts, risk: Mapping[str, Any]) -> str:
    columns = _named([name for name, role in facts.roles.items() if role == "quasi"])
    share = risk["unique_share"] if "unique_share" in risk else _share(risk)
    if share == 0:
        known = f"Even to somebody who knew a person's {columns}"
        return f"{known}, every original row looked like another one."
    return (
        f"To somebody who knew a person's {columns}, {_amount(share)} of the original table were "
        "unique: those people could be singled out."
    )


def _after(facts: ReportFacts, risk: Mapping[str, Any]) -> str:
    highest = risk["prosecutor"]["highest"]
    if facts.kind == "buckets":
        return "That is still so in the release; what is hidden is who has which sensitive value."
    if isinstance(highest, str):
        return f"In the release, the chance of picking the right row is {highest} at worst."
    chance = f"1 in {1 / highest:,.0f}" if highest else "none"
    return f"In the release, the chance of picking the right row is {chance} at worst."


def _share(risk: Mapping[str, Any]) -> float:
    return float(risk["unique_rows"]) / risk["rows"] if risk["rows"] else 0.0


def _amount(share: float | str) -> str:
    return f"{share if isinstance(share, str) else percent(share)} of the rows"


def _named(columns: list[str]) -> str:
    if len(columns) == 1:
        return columns[0]
    if len(columns) <= MOST_NAMED:
        return f"{', '.join(columns[:-1])} and {columns[-1]}"
    rest = len(columns) - MOST_NAMED + 1
    return f"{', '.join(columns[: MOST_NAMED - 1])} and {rest} more columns"


def changes(facts: ReportFacts) -> list[Change]:
    """Put original and release side by side: risk, rows, loss."""
    summary = facts.summary
    risks = [] if facts.findings is None else _risks(facts, facts.findings)
    return [
        *risks,
        Change(
            "Rows",
            shown(summary["input_rows"]),
            shown(summary["released_rows"]),
            f"suppressed: {shown(summary['suppressed_rows'])}",
        ),
        Change("Detail lost", "0%", percent(summary["measures"]["gcp"]), loss_note(facts)),
        *([] if facts.findings is None else _counts(facts.findings)),
    ]


def _risks(facts: ReportFacts, findings: Findings) -> list[Change]:
    before, after = findings.risk["before"], findings.risk["after"]
    most = " at most" if facts.kind == "matchings" else ""
    return [
        Change(
            "Highest risk",
            _chance(before["prosecutor"]["highest"]),
            _chance(after["prosecutor"]["highest"]),
            f"of being picked out, for the person at highest risk{most}",
        ),
        Change(
            "Average risk",
            _chance(before["prosecutor"]["average"]),
            _chance(after["prosecutor"]["average"]),
            f"of being picked out, over all rows{most}",
        ),
        Change(
            "Unique rows",
            shown(before["unique_rows"]),
            shown(after["unique_rows"]),
            "no other row looks like them",
        ),
    ]


def _counts(findings: Findings) -> list[Change]:
    """Say how far counts by two columns, read off the release, are from the true ones."""
    return [
        Change(
            "Error of counts",
            "0%",
            percent(cube["relative_error"]),
            f"of a count by {_number(cube['level'])} and {column}, on average",
        )
        for column, cube in findings.cube.items()
    ]


def _number(columns: int) -> str:
    return "one column" if columns == 1 else f"{columns} columns"


def _chance(share: float | str) -> str:
    return share if isinstance(share, str) else percent(share)


def readings(facts: ReportFacts) -> list[Reading]:
    """Name every measure, with how it is to be read."""
    findings = facts.findings
    measures: dict[str, Any] = {k: v for k, v in facts.summary["measures"].items() if k in MEASURES}
    measures |= {} if findings is None else dict(findings.losses)
    measures.pop("ncp", None)
    said = [_reading(name, value) for name, value in measures.items() if value is not None]
    for column, cube in ({} if findings is None else findings.cube).items():
        where = f"counts by {cube['level']} columns and {column}"
        said += [_reading(name, cube[name], where) for name in ("kl_divergence", "relative_error")]
    return said


def _reading(name: str, value: float, where: str = "") -> Reading:
    measure = MEASURES[name]
    title = f"{measure.title} ({where})" if where else measure.title
    return Reading(title, shown(value), measure.reading, measure.paper)
