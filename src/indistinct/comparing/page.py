"""A chart as a self-contained HTML page: the drawing, its figures, no script, no network."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

    from indistinct.comparing.chart import Chart


def chart_page(chart: Chart) -> str:
    """Return the whole page."""
    return _template("chart_page.html.j2").render(title=chart.title, body=_body(chart))


def chart_fragment(chart: Chart) -> str:
    """Return what stands inside the page."""
    return str(_body(chart))


def _body(chart: Chart) -> Markup:
    from markupsafe import Markup

    body = _template("chart_body.html.j2").render(
        drawing=Markup(chart.svg()),  # noqa: S704 - Vega escapes the text it sets; tests prove it
        headings=chart.rows[0].headings,
        rows=chart.rows,
        notes=chart.notes,
    )
    return Markup(body)  # noqa: S704 - rendered with escaping


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("indistinct.comparing", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template(name)
