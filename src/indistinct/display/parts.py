"""Pieces of HTML for notebooks: texts escaped, colors that suit light and dark ones."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

STYLE = (
    ".indistinct-result{max-width:60em;line-height:1.45}"
    ".indistinct-result table{border-collapse:collapse;margin:.4em 0 .8em}"
    ".indistinct-result caption{text-align:left;font-weight:600;padding:.2em 0}"
    ".indistinct-result th,.indistinct-result td{text-align:left;padding:.15em .9em .15em 0;"
    "border-bottom:1px solid rgba(128,128,128,.3);vertical-align:top}"
    ".indistinct-result .number{text-align:right}"
    ".indistinct-result .bar{background:rgba(128,128,128,.2);width:14em;height:.75em}"
    ".indistinct-result .bar div{background:#0072b2;height:100%}"
    ".indistinct-result .bad{color:#c0392b;font-weight:600}"
    ".indistinct-result .good{color:#1e8449;font-weight:600}"
    ".indistinct-result pre{overflow-x:auto;padding:.6em}"
)


class Markup(str):
    """A piece of HTML; any other text is escaped."""

    __slots__ = ()


def escaped(text: object) -> str:
    """Return HTML as it is, and everything else escaped."""
    return text if isinstance(text, Markup) else escape(str(text))


def fragment(*parts: str) -> str:
    """Put pieces together to what `_repr_html_` returns."""
    return f'<div class="indistinct-result"><style>{STYLE}</style>{"".join(parts)}</div>'


def line(text: object) -> Markup:
    """Write a paragraph."""
    return Markup(f"<p>{escaped(text)}</p>")


def verdict(text: str, *, good: bool | None) -> Markup:
    """Write a word in the color of what it says; None has none."""
    tone = "" if good is None else f' class="{"good" if good else "bad"}"'
    return Markup(f"<span{tone}>{escape(text)}</span>")


def bar(share: float) -> Markup:
    """Draw a share, from 0 to 1."""
    width = 100 * min(max(share, 0.0), 1.0)
    return Markup(f'<div class="bar"><div style="width:{width:.1f}%"></div></div>')


def table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> Markup:
    """Write a table; numbers stand at the right."""
    listed = [tuple(row) for row in rows]
    if not listed:
        return Markup("")
    titles = "".join(
        f'<th scope="col"{_side(value)}>{escape(title)}</th>'
        for title, value in zip(head, listed[0], strict=True)
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in listed)
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    return Markup(f"<table>{above}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>")


def notes(texts: Iterable[str]) -> Markup:
    """Write a list of remarks."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return Markup(f"<ul>{items}</ul>" if items else "")


def folded(title: str, text: str) -> Markup:
    """Write a long text that opens on a click."""
    shown = f"<pre>{escape(text)}</pre>"
    return Markup(f"<details><summary>{escape(title)}</summary>{shown}</details>")


def _side(value: object) -> str:
    """Return the attribute of a cell that holds a number, or stands above one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return ' class="number"' if is_number else ""


def _cell(value: object) -> str:
    if value is None:
        return "<td>-</td>"
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, int):
        return f"<td{_side(value)}>{value:,}</td>"
    if isinstance(value, float):
        return f"<td{_side(value)}>{value:.4g}</td>"
    return f"<td>{escaped(value)}</td>"
