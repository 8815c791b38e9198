"""The templates of all reports: what is put into them is escaped, and nothing may be missing."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from indistinct.report import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jinja2 import Environment, Template
    from markupsafe import Markup

_HEADING = re.compile(r'<h2[^>]* id="([\w-]+)"[^>]*>(.*?)</h2>')
_SCALES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def template(name: str) -> Template:
    """Return one of the templates."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("indistinct.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "percent": words.percent,
        "width": _width,
        "shown": words.shown,
        "scale": scale,
        "headings": headings,
    }
    return made


def _width(share: float, full: float = 1.0) -> str:
    """Write how long a bar is, in percent of its place."""
    return f"{100 * min(max(float(share) / full, 0.0), 1.0):.2f}"


def scale(shares: Iterable[float | None]) -> float:
    """Return where bars of these shares end, so that differences between them can be seen.

    >>> scale([0.012, 0.031]), scale([0.4, 0.7]), scale([]), scale([0.0])
    (0.05, 1.0, 1.0, 1.0)
    """
    largest = max((float(share) for share in shares if share is not None), default=0.0)
    return next((end for end in _SCALES if 0 < largest <= end), 1.0)


def headings(body: Markup) -> list[tuple[str, Markup]]:
    """Return the anchor and the text of every section of a page, for its list of contents."""
    from markupsafe import Markup

    found = _HEADING.findall(str(body))
    return [(anchor, Markup(text)) for anchor, text in found]  # noqa: S704 - escaped in the body


def spoken(key: str) -> str:
    """Write the name of a fact as words."""
    return key.replace("_", " ")
