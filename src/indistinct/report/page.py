"""The report as one self-contained HTML page, and its short form for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.report import advice, story, words
from indistinct.report.templates import spoken, template

if TYPE_CHECKING:
    from collections.abc import Mapping

    from markupsafe import Markup

    from indistinct.report.facts import ReportFacts
    from indistinct.report.figures.base import Figure


def render(facts: ReportFacts) -> str:
    """Return the report as an HTML page: no script, no network, the same bytes for the same facts.

    Every value is escaped. In a report whose promises do not all hold, the released rows, the
    worst classes and what attackers learn are withheld: they may single somebody out.
    """
    summary, findings = facts.summary, facts.findings
    return _filled(
        "page.html.j2",
        facts,
        title=facts.title,
        audience=facts.audience,
        kind=facts.kind,
        summary=summary,
        opening=story.opening(facts),
        attacked_how=advice.attack_summary(facts),
        advice=advice.recommendation(facts),
        about=_about(facts),
        codes=facts.codes,
        changes=story.changes(facts),
        promises=words.promises(facts),
        cuts=words.cuts_found(summary.get("search", {})),
        losses=_losses(facts),
        detail=summary.get("detail", ()),
        readings=story.readings(facts),
        distributions=() if findings is None else findings.distributions,
        figures=_figures(facts),
        attacks=() if findings is None or not facts.holds else findings.attacks,
        attacked=findings is not None and facts.audience == "internal",
        draw={} if findings is None else findings.draw,
        frontier=_frontier(facts),
        preview=facts.preview if facts.holds else [],
        preview_columns=list(dict.fromkeys(name for row in facts.preview for name in row)),
        roles=facts.roles,
        plan=facts.plan,
        provenance=_flat(facts.provenance),
        search=[(spoken(k), words.shown(v)) for k, v in summary.get("search", {}).items()],
        timings=[(spoken(k), words.duration(v)) for k, v in summary["seconds"].items()],
    )


def notebook_html(facts: ReportFacts) -> str:
    """Return verdict, key numbers and class sizes as an HTML fragment for `_repr_html_`."""
    return _filled("notebook.html.j2", facts)


def _filled(name: str, facts: ReportFacts, **more: Any) -> str:
    return template(name).render(
        verdict=words.verdict(facts),
        numbers=words.key_numbers(facts),
        sizes=facts.size_bars,
        holds=facts.holds,
        warnings=facts.summary["warnings"],
        **more,
    )


def _about(facts: ReportFacts) -> list[tuple[str, str]]:
    """Return what the page says of itself: data set, author, purpose, date."""
    named = {"name": "Data set", "author": "Author", "purpose": "Purpose"}
    said = [(name, facts.about[key]) for key, name in named.items() if key in facts.about]
    return said + ([("Date", facts.made)] if facts.made else [])


def _losses(facts: ReportFacts) -> list[tuple[str, float, str]]:
    """Return each column's loss and level, those that lost most first."""
    levels = facts.summary["levels"]
    lost = sorted(facts.summary["measures"]["ncp"].items(), key=lambda column: -column[1])
    return [(n, ncp, words.level(levels.get(n), facts.heights.get(n))) for n, ncp in lost]


def _figures(facts: ReportFacts) -> list[Figure]:
    """Return the charts that have something to show, and may show it."""
    figures = {} if facts.findings is None else facts.findings.figures
    return [f for f in figures.values() if f.rows and (facts.holds or not f.shows_values)]


def _frontier(facts: ReportFacts) -> Markup | None:
    from markupsafe import Markup

    if facts.frontier is None:
        return None
    return Markup(facts.frontier.svg())  # noqa: S704 - Vega escapes the text it sets; tests prove it


def _flat(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(spoken(key), words.shown(value)) for key, value in provenance.items()]
