"""What the public is told of a release: nothing that helps to find somebody in it.

Facts for the public are made anew from those for internal use. They hold no value of any row, no
class, no attack, no plan and no time. No count of rows below the promised k is told: nor its
complement, nor a risk from which it follows. Figures are rounded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from indistinct.report.class_sizes import guarded_shares
from indistinct.report.facts import ReportFacts
from indistinct.report.findings import Findings
from indistinct.report.words import percent

if TYPE_CHECKING:
    from collections.abc import Mapping

NOT_TOLD = "not told"
DIGITS = 3
MEASURES = ("gcp", "gcp_form", "ncp", "ncp_form", "average_class_size", "accuracy")
LOSSES = (
    "il1", "average_volume", "marginals_kept", "association_difference", "classifier_accuracy_kept",
)  # fmt: skip
CUBE = ("level", "kl_divergence", "relative_error")
PROMISE = ("model", "column", "set", "promised", "measured", "holds", "description", "note")


def for_public(facts: ReportFacts) -> ReportFacts:
    """Return the facts that the public may know."""
    return ReportFacts(
        summary=_summary(facts),
        plan="",
        sizes_before={},
        sizes_after={},
        heights=facts.heights,
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


def _summary(facts: ReportFacts) -> dict[str, Any]:
    summary, k = facts.summary, facts.least
    measures = {name: summary["measures"].get(name) for name in MEASURES}
    bound = summary.get("bound")
    return {
        "version": summary["version"],
        "method": summary["method"],
        **_rows(summary, k),
        "classes": told_count(summary["classes"], summary["classes"], k),
        "smallest_class": _smallest(facts.smallest_class, k),
        "levels": summary["levels"],
        "measures": _rounded(measures),
        "requirements": [
            {key: _rounded(found[key]) for key in PROMISE if key in found}
            for found in facts.requirements
        ],
        "warnings": [],
        "seconds": {},
        **({} if bound is None else {"bound": {"interval": _rounded(list(bound["interval"]))}}),
    }


def _rows(summary: Mapping[str, Any], k: int) -> dict[str, int | str]:
    """Tell rows; how many there were tells how many are missing, so both are told or neither."""
    rows, left_out = summary["input_rows"], summary["suppressed_rows"]
    few = 0 < left_out < k
    return {
        "input_rows": NOT_TOLD if few else rows,
        "released_rows": summary["released_rows"],
        "suppressed_rows": told_count(left_out, left_out, k),
    }


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
