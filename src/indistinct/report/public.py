"""What the public may know of a release: nothing that helps to find somebody in it.

Facts for the public are made anew from those for internal use, measured on the released people
alone (`released_only`). They hold no value of any row, no class, no attack, no plan and no time. No
count of rows below the promised k is given: nor its complement, nor a risk from which it follows.
Figures are rounded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from indistinct.plan.safety import acceptance
from indistinct.report.certificate import WITHHELD, few_rows
from indistinct.report.class_sizes import guarded_shares
from indistinct.report.codebook import codebook
from indistinct.report.facts import ReportFacts, facts_of
from indistinct.report.figures import registry
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
    released = released_only(release)
    findings = released.findings if released.recoding.at_hand else None
    facts = facts_of(released, title, findings=findings)
    public = for_public(facts, rows=release.table.rows, left_out=release.suppressed_rows)
    codes = codebook(released, facts.least) if released.recoding.at_hand and facts.holds else ()
    return replace(public, summary={**public.summary, "levels": _levels(release)}, codes=codes)


def certified_facts(release: Release) -> dict[str, Any]:
    """Return what a certificate says of a release: no more than the public may know.

    What anyone can count on the released rows is stated exactly. Where rows were left out and
    entries are not at hand, the loss of the released rows alone is not known, and not stated.
    """
    left_out = release.suppressed_rows
    unmeasured = left_out and not release.recoding.at_hand
    summary = (release if unmeasured else released_only(release)).summary()
    told = ("average_class_size",) if unmeasured else MEASURES
    return {
        "method": summary["method"],
        "released_rows": summary["released_rows"],
        **_left_out(release),
        "classes": summary["classes"],
        "levels": _levels(release),
        "measures": _rounded({name: summary["measures"][name] for name in told}),
        "requirements": [
            requirement | _withheld(requirement, left_out)
            for requirement in summary["requirements"]
        ],
    }


def _levels(release: Release) -> dict[str, int | str | None]:
    """Return the level of each column, in words where the public may not know it.

    Where a hierarchy is made of the data, how many levels it has depends on the values of rows that
    were left out, and so does the number of a level. What is published tells it anyway.
    """
    levels = release.levels
    if not release.suppressed_rows:
        return dict(levels)
    specs = {name: release.plan.columns[name].hierarchy for name in levels}
    listed = {name for name, spec in specs.items() if spec is not None and spec.lists_values}
    return {
        name: level if level is None or name in listed else WITHHELD
        for name, level in levels.items()
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
        about=facts.about,
        made=facts.made,
    )


def count_or_words(count: int, total: int, k: int) -> int | str:
    """Return a count of rows unless it, or what is left of the total, is below k.

    >>> [count_or_words(count, 100, 5) for count in (7, 2, 98, 0)]
    [7, 'fewer than 5', 'all but fewer than 5', 0]
    """
    if 0 < count < k:
        return f"fewer than {k}"
    return f"all but fewer than {k}" if 0 < total - count < k else count


def share_or_words(count: int, total: int, k: int) -> float | str:
    """Return a share where the count behind it may be known."""
    shown = count_or_words(count, total, k)
    return shown if isinstance(shown, str) else _rounded(count / total if total else 0.0)


def _summary(facts: ReportFacts, rows: int, left_out: int) -> dict[str, Any]:
    summary, k = facts.summary, facts.least
    measures = {name: summary["measures"].get(name) for name in MEASURES}
    bound = summary.get("bound")
    return {
        "version": summary["version"],
        "method": summary["method"],
        "released_rows": summary["released_rows"],
        **_rows(rows, left_out, k),
        "classes": count_or_words(summary["classes"], summary["classes"], k),
        "smallest_class": _smallest(facts.smallest_class, k),
        "levels": summary["levels"],
        "detail": list(summary.get("detail", ())),
        "measures": _rounded(measures),
        "requirements": [
            {key: _rounded(requirement[key]) for key in PROMISE if key in requirement}
            | _withheld(requirement, left_out)
            for requirement in facts.requirements
        ],
        "warnings": [acceptance(danger) for danger in summary.get("accepted", ())],
        "accepted": summary.get("accepted", []),
        "seconds": {},
        **({} if bound is None else {"bound": {"interval": _rounded(list(bound["interval"]))}}),
    }


def _withheld(requirement: Mapping[str, Any], left_out: int) -> dict[str, str]:
    """Hold back what is measured against all private rows, unless all of them are released."""
    against_all = MODELS[requirement["model"]].compares_with_table
    return {"measured": WITHHELD} if against_all and left_out else {}


def _rows(rows: int, left_out: int, k: int) -> dict[str, int | str]:
    """Count rows; how many there were shows how many are missing, so both are given or neither."""
    return few_rows(k) if 0 < left_out < k else {"input_rows": rows, "suppressed_rows": left_out}


def _smallest(size: int | str | None, k: int) -> int | str | None:
    return count_or_words(size, size, k) if isinstance(size, int) else size


def _sizes(facts: ReportFacts) -> Mapping[str, tuple[float, float]]:
    if not facts.sizes_after:
        return {}
    shares = guarded_shares(facts.sizes_before, facts.sizes_after, facts.least)
    return {label: (_rounded(one), _rounded(two)) for label, (one, two) in shares.items()}


def _findings(findings: Findings, k: int) -> Findings:
    return Findings(
        risk={when: _risk(risk, k) for when, risk in findings.risk.items()},
        losses={
            name: _rounded(findings.losses[name]) for name in LOSSES if name in findings.losses
        },
        cube={
            column: {key: _rounded(errors[key]) for key in CUBE}
            for column, errors in findings.cube.items()
        },
        attacks=(),
        distributions=tuple(
            replace(column, kept=_rounded(column.kept), bars=())
            for column in findings.distributions
        ),
        figures=registry.for_public(findings.figures, k),
    )


def _risk(risk: Mapping[str, Any], k: int) -> dict[str, Any]:
    prosecutor = risk["prosecutor"]
    highest = prosecutor["highest"]
    over = highest > 1 / k + 1e-12
    return {
        "prosecutor": {
            "highest": f"over {percent(1 / k)}" if over else _rounded(highest),
            "average": _rounded(prosecutor["average"]),
        },
        "unique_rows": count_or_words(risk["unique_rows"], risk["rows"], k),
        "unique_share": share_or_words(risk["unique_rows"], risk["rows"], k),
    }


def _rounded(figures: Any) -> Any:
    """Round every share and measure; whole numbers stay."""
    if isinstance(figures, float):
        return float(f"{figures:.{DIGITS}g}")
    if isinstance(figures, dict):
        return {key: _rounded(value) for key, value in figures.items()}
    return [_rounded(value) for value in figures] if isinstance(figures, list) else figures
