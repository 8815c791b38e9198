"""The templates of all reports: what is put into them is escaped, and nothing may be missing."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from indistinct.report import words

if TYPE_CHECKING:
    from jinja2 import Environment, Template


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
    made.filters |= {"percent": words.percent, "width": _width, "shown": words.shown}
    return made


def _width(share: float) -> str:
    """Write how long a bar is, in percent of its place."""
    return f"{100 * min(max(float(share), 0.0), 1.0):.2f}"


def spoken(key: str) -> str:
    """Write the name of a fact as words."""
    return key.replace("_", " ")
