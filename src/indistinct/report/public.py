"""What the public is told of a release: nothing that helps to find somebody in it.

Facts for the public are made anew from those for internal use, measured on the released people
alone (`released_only`). They hold no value of any row, no class, no attack, no plan and no time. No
count of rows below the promised k is told: nor its complement, nor a risk from which it follows.
Figures are rounded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from indistinct.plan.safety import acceptance
from indistinct.report.certificate import NOT_TOLD, few_rows
from indistinct.report.class_sizes import guarded_shares
from indistinct.report.facts import ReportFacts, facts_of
from indistinct.report.findings import Findings
from indistinct.report.released_only import released_only
from indistinct.report.words import percent
from indistinct.requirements import MODELS
from indistinct.risk.attacks.job import promised_k

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indistinct.release import Release

DIGITS = 3
MEASURES = ("gcp", "gcp_form", "ncp", "ncp_form", "average_class_size")
LOSSES = (
    "il1", "average_volume", "marginals_kept", "association_difference", "classifier_accuracy_kept",
)  # fmt: skip
CUBE = ("level", "kl_divergence", "relative_error")
PROMISE = ("model", "column", "set", "promised", "measured", "holds", "description", "note")


def facts_for_public(release: Release, title: str) -> ReportFacts:
    """Gather what the public may know of a release."""
    told = released_only(release)
    facts = facts_of(told, title, findings=told.findings)
    return for_public(facts, rows=release.table.rows, left_out=release.suppressed_rows)


def certified_facts(release: Release) -> dict[str, Any]:
    """Return what a certificate says of a release: no more than the public may know.

    What anyone can count on the released rows is told exactly.
    """
    told = released_only(release)
    summary = told.summary()
    left_out = release.suppressed_rows
    return {
        "method": summary["method"],
        "released_rows": summary["released_rows"],
        **_left_out(release),
        "classes": summary["classes"],
        "levels": summary["levels"],
        "measures": _rounded({name: summary["measures"][name] for name in MEASURES}),
        "requirements": [found | _not_told(found, left_out) for found in summary["requirements"]],
    }


def _left_out(release: Release) -> dict[str, int | str]:
    """Say how many rows were left out; as blanks, anyone can count them."""
    rows, left_out = release.table.rows, release.suppressed_rows
    if release.published.blanked:
        return {"input_rows": rows, "suppressed_rows": left_out}
    return _rows(rows, left_out, promised_k(release.plan))


def for_public(facts: ReportFacts, *, rows: int, left_out: int) -> ReportFacts:
    """Return of facts about the released people what the public may know.

    Parameters
    ----------
    rows, left_out
        How many rows the private table has, and how many of them were left out.
    """
    return ReportFacts(
        summary=_summary(facts, rows, left_out),
        plan="",
        sizes_before={},
        sizes_after={},
        heights={},
        preview=[],
        title=facts.title,
        findings=None if facts.findings is None else _findings(facts.findings, facts.least),
        roles=facts.roles,
        kind=facts.kind,
        least=facts.least,
        audience="public",
        size_shares=_sizes(facts),
    )


def told_count(count: int, total: int, k: int) -> int | str:
    """Tell a count of rows unless it, or what is left of the total, is below k.

    >>> told_count(7, 100, 5), told_count(2, 100, 5), told_count(98, 100, 5), told_count(0, 100, 5)
    (7, 'fewer than 5', 'all but fewer than 5', 0)
    """
    if 0 < count < k:
        return f"fewer than {k}"
    return f"all but fewer than {k}" if 0 < total - count < k else count


def told_share(count: int, total: int, k: int) -> float | str:
    """Tell a share where the count behind it may be told."""
    told = told_count(count, total, k)
    return told if isinstance(told, str) else _rounded(count / total if total else 0.0)


def _summary(facts: ReportFacts, rows: int, left_out: int) -> dict[str, Any]:
    summary, k = facts.summary, facts.least
    measures = {name: summary["measures"].get(name) for name in MEASURES}
    bound = summary.get("bound")
    return {
        "version": summary["version"],
        "method": summary["method"],
        "released_rows": summary["released_rows"],
        **_rows(rows, left_out, k),
        "classes": told_count(summary["classes"], summary["classes"], k),
        "smallest_class": _smallest(facts.smallest_class, k),
        "levels": summary["levels"],
        "detail": list(summary.get("detail", ())),
        "measures": _rounded(measures),
        "requirements": [
            {key: _rounded(found[key]) for key in PROMISE if key in found}
            | _not_told(found, left_out)
            for found in facts.requirements
        ],
        "warnings": [acceptance(told) for told in summary.get("accepted", ())],
        "accepted": summary.get("accepted", []),
        "seconds": {},
        **({} if bound is None else {"bound": {"interval": _rounded(list(bound["interval"]))}}),
    }


def _not_told(found: Mapping[str, Any], left_out: int) -> dict[str, str]:
    """Hold back what is measured against all private rows, unless all of them are released."""
    against_all = MODELS[found["model"]].compares_with_table
    return {"measured": NOT_TOLD} if against_all and left_out else {}


def _rows(rows: int, left_out: int, k: int) -> dict[str, int | str]:
    """Tell rows; how many there were tells how many are missing, so both are told or neither."""
    return few_rows(k) if 0 < left_out < k else {"input_rows": rows, "suppressed_rows": left_out}


def _smallest(size: int | str | None, k: int) -> int | str | None:
    return told_count(size, size, k) if isinstance(size, int) else size


def _sizes(facts: ReportFacts) -> Mapping[str, tuple[float, float]]:
    if not facts.sizes_after:
        return {}
    found = guarded_shares(facts.sizes_before, facts.sizes_after, facts.least)
    return {label: (_rounded(one), _rounded(two)) for label, (one, two) in found.items()}


def _findings(findings: Findings, k: int) -> Findings:
    return Findings(
        risk={when: _risk(found, k) for when, found in findings.risk.items()},
        losses={
            name: _rounded(findings.losses[name]) for name in LOSSES if name in findings.losses
        },
        cube={
            column: {key: _rounded(found[key]) for key in CUBE}
            for column, found in findings.cube.items()
        },
        attacks=(),
        distributions=tuple(
            replace(found, kept=_rounded(found.kept), bars=()) for found in findings.distributions
        ),
    )


def _risk(found: Mapping[str, Any], k: int) -> dict[str, Any]:
    prosecutor = found["prosecutor"]
    highest = prosecutor["highest"]
    over = highest > 1 / k + 1e-12
    return {
        "prosecutor": {
            "highest": f"over {percent(1 / k)}" if over else _rounded(highest),
            "average": _rounded(prosecutor["average"]),
        },
        "unique_rows": told_count(found["unique_rows"], found["rows"], k),
        "unique_share": told_share(found["unique_rows"], found["rows"], k),
    }


def _rounded(told: Any) -> Any:
    """Round every share and measure; whole numbers stay."""
    if isinstance(told, float):
        return float(f"{told:.{DIGITS}g}")
    if isinstance(told, dict):
        return {key: _rounded(value) for key, value in told.items()}
    return [_rounded(value) for value in told] if isinstance(told, list) else told
