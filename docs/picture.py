"""Draws the picture of the architecture page: the rooms in the order in which data passes them.

Run: .venv/bin/python docs/picture.py (writes docs/figures/architecture.svg)
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from textwrap import wrap

from indistinct.report.charts import COLOURS, FAINT, INK, PAPER

BLUE, SOFT = COLOURS[0], "#dbe9f4"
WIDTH, HEIGHT, BETWEEN, BELOW = 118, 62, 20, 12

STAGES = (
    {
        "io/": "files and frames in",
        "plan/": "what is asked",
        "hierarchy/": "how values coarsen",
    },
    {"encode/": "codes, not values", "model/table.py": "distinct rows, people"},
    {
        "methods/": "search a recoding",
        "requirements/": "what must hold",
    },
    {"model/recoding/": "levels, groups, cells, matchings"},
    {"publishing/": "rows of the release", "model/forms.py": "ranges, nodes, sets, stars"},
    {
        "check/": "reads the rows again",
        "measures/": "what was lost",
        "risk/": "what an attacker gets",
    },
    {"release.py": "rows with their evidence"},
    {
        "report/": "for people",
        "report/certificate.py": "for machines",
        "io/": "files and frames out",
    },
)
ABOVE = "cli/ asks verbs/, and verbs/ ask pipeline.py, which runs these stages:"
BESIDE = (
    "Beyond one release: comparing/ (many of one table), applying/ (later rows), risk/attacks/. "
    "trees/ goes the same way with packages of its own."
)


def architecture() -> str:
    """Draw the rooms in the order in which data passes them, from left to right."""
    tallest = max(map(len, STAGES))
    total = len(STAGES) * (WIDTH + BETWEEN) - BETWEEN + 40
    top = 62
    bottom = top + tallest * (HEIGHT + BELOW) - BELOW
    middle = (top + bottom) / 2
    parts = [_label(total / 2, 34, ABOVE, size=13), _frame(20, 14, total - 40, 32)]
    for place, stage in enumerate(STAGES):
        left = 20 + place * (WIDTH + BETWEEN)
        highest = middle - (len(stage) * (HEIGHT + BELOW) - BELOW) / 2
        for room, (name, told) in enumerate(stage.items()):
            parts.append(_room(left, highest + room * (HEIGHT + BELOW), name, told))
        if place:
            parts.append(_arrow(left - BETWEEN + 3, middle, BETWEEN - 6))
    parts += [
        _frame(20, bottom + 16, total - 40, 32),
        _label(total / 2, bottom + 36, BESIDE, size=13),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {bottom + 62:g}" '
        'font-family="Helvetica, Arial, sans-serif">'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{"".join(parts)}</svg>\n'
    )


def _frame(x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" fill="none" '
        f'stroke="{FAINT}"/>'
    )


def _room(x: float, y: float, name: str, told: str) -> str:
    middle = x + WIDTH / 2
    box = (
        f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{SOFT}" '
        f'stroke="{BLUE}"/>'
    )
    lines = [
        _label(middle, y + 36 + 13 * line, text, size=11, colour=FAINT)
        for line, text in enumerate(wrap(told, 20))
    ]
    return box + _label(middle, y + 20, name, size=13, weight="bold") + "".join(lines)


def _label(
    x: float, y: float, text: str, *, size: int, colour: str = INK, weight: str = "normal"
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" font-weight="{weight}" '
        f'text-anchor="middle">{escape(text)}</text>'
    )


def _arrow(x: float, y: float, length: float) -> str:
    tip = x + length
    return (
        f'<path d="M{x:g} {y:g} H{tip - 5:g}" stroke="{INK}" stroke-width="1.5"/>'
        f'<path d="M{tip:g} {y:g} l-7 -4 v8 z" fill="{INK}"/>'
    )


if __name__ == "__main__":
    place = Path(__file__).parent / "figures" / "architecture.svg"
    place.write_text(architecture(), encoding="utf-8")
