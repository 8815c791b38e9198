"""The report as one self-contained HTML page, and its short form for a notebook."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from coarsen.report import charts, words
from coarsen.report.buckets import LABELS, row_shares

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from coarsen.report.facts import ReportFacts


def render(facts: ReportFacts) -> str:
    """Return the report as an HTML page: no script, no network, the same bytes for the same facts.

    Every value is escaped. In a report whose promises do not all hold, the released rows and the
    worst classes are withheld: they may single somebody out.
    """
    summary = facts.summary
    return _filled(
        "page.html.j2",
        facts,
        title=facts.title,
        summary=summary,
        promises=words.promises(facts),
        loss_chart=_loss_chart(facts),
        size_table=_size_table(facts),
        loss_table=_loss_table(facts),
        preview=facts.preview if facts.holds else [],
        preview_columns=list(dict.fromkeys(name for row in facts.preview for name in row)),
        plan=facts.plan,
        timings=[(_spoken(k), words.duration(v)) for k, v in summary["seconds"].items()],
    )


def notebook_html(facts: ReportFacts) -> str:
    """Return verdict, key numbers and class sizes as an HTML fragment for `_repr_html_`."""
    return _filled("notebook.html.j2", facts)


def _filled(template: str, facts: ReportFacts, **more: Any) -> str:
    page = _environment().get_template(template)
    return page.render(
        verdict=words.verdict(facts),
        numbers=words.key_numbers(facts),
        size_chart=_size_chart(facts),
        holds=facts.holds,
        **more,
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("coarsen.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _svg(spec: charts.Spec) -> Markup:
    from markupsafe import Markup

    return Markup(charts.to_svg(spec))  # noqa: S704 - Vega escapes the text it sets; tests prove it


def _size_chart(facts: ReportFacts) -> Markup | None:
    if not facts.sizes_after:
        return None
    return _svg(charts.class_sizes(facts.sizes_before, facts.sizes_after))


def _loss_chart(facts: ReportFacts) -> Markup | None:
    ncp = facts.summary["measures"]["ncp"]
    if not ncp:
        return None
    return _svg(charts.loss_per_column(ncp, facts.summary["levels"], facts.heights))


def _size_table(facts: ReportFacts) -> list[tuple[str, str, str]]:
    before, after = row_shares(facts.sizes_before), row_shares(facts.sizes_after)
    return [(size, words.percent(before[size]), words.percent(after[size])) for size in LABELS]


def _loss_table(facts: ReportFacts) -> list[tuple[str, str, str]]:
    levels = facts.summary["levels"]
    return [
        (name, words.percent(loss), words.level(levels.get(name), facts.heights.get(name)))
        for name, loss in facts.summary["measures"]["ncp"].items()
    ]


def _spoken(key: str) -> str:
    return key.replace("_", " ")
