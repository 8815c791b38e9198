"""A chart as a self-contained HTML page: the drawing, its figures, no script, no network."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

    from indistinct.comparing.chart import Chart
    from indistinct.comparing.trials import Trial

HEADINGS = ("method", "k", "loss", "form", "bound", "above it", "left out", "classes", "seconds")


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
        headings=HEADINGS,
        rows=[(trial, figures(trial)) for trial in chart.rows],
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


def figures(trial: Trial) -> tuple[str, ...]:
    """Write the figures of a trial that is met, in the order of the headings after k."""
    about = "" if trial.bound_exact in {None, True} else "~"
    return (
        _shown(trial.loss, ".4f"),
        trial.form or "",
        about + _shown(trial.bound, ".4f"),
        _shown(trial.above_bound, ".4f"),
        _shown(trial.suppressed_rows, ",d"),
        _shown(trial.classes, ",d"),
        _shown(trial.seconds, ".2f"),
    )


def _shown(number: float | None, form: str) -> str:
    return "" if number is None else format(number, form)
