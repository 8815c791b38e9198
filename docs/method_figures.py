"""Draws a figure for every method and every requirement, from releases of the same people.

Dots are people by age and years of schooling, coloured by illness; a box is what is published of
the people in it. For buckets, whose people are published where they are, lines join a group.

Run: .venv/bin/python docs/method_figures.py [name ...] (writes docs/figures/methods/ and
docs/figures/requirements/; the same files each time)
"""

from __future__ import annotations

import re
import sys
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.datasets import census
from indistinct.errors import DoesNotHoldError
from indistinct.methods import METHODS
from indistinct.pipeline import Work
from indistinct.plan import Plan
from indistinct.report.charts import COLOURS, INK, LINE, PAPER
from indistinct.running.progress import Progress

FOLDER = Path(__file__).parent / "figures"
ILLNESSES = {"flu": COLOURS[0], "asthma": COLOURS[4], "gout": COLOURS[2], "HIV": COLOURS[3]}
DAYS = dict(zip(("2", "3", "9", "30"), ILLNESSES.values(), strict=True))  # ill, for numbers
SHARES = (0.4, 0.3, 0.2, 0.1)
WIDTH, HEIGHT, LEFT, TOP = 420, 210, 46, 44
AGES, YEARS = (15.0, 92.0), (-1.0, 17.0)
SCHOOLING = "years of schooling"
SVG = "http://www.w3.org/2000/svg"
SLOW = {"freeform-mip": 9}
DIVERSE = {"model": "l-diversity", "kind": "frequency", "l": 2}
K5 = {"model": "k-anonymity", "k": 5}
OPTIONS: dict[str, dict[str, Any]] = {
    "freeform-mip": {"require": [{"model": "k-anonymity", "k": 2}]},
    "diversify": {"require": [DIVERSE]},
    "anatomy": {"require": [{"model": "l-diversity", "l": 3}]},
    "alpha-k-topdown": {"require": [{"model": "alpha-k", "alpha": 0.5, "k": 5}]},
    "ac": {"require": [{"model": "k-anonymity", "k": 2}], "accuracy": {"max_ncp": 0.25}},
    "ipcsd": {"require": [{"model": "k-anonymity", "k": 2}], "accuracy": {"max_ncp": 0.25}},
}
MODELS: dict[str, list[dict[str, Any]]] = {
    "k-anonymity": [K5],
    "l-diversity": [K5, {"model": "l-diversity", "kind": "entropy", "l": 2.5}],
    "p-sensitive": [{"model": "p-sensitive", "p": 4, "k": 5}],
    "alpha-k": [{"model": "alpha-k", "alpha": 0.5, "k": 5}],
    "t-closeness": [K5, {"model": "t-closeness", "t": 0.25}],
    "beta-likeness": [K5, {"model": "beta-likeness", "beta": 1.0}],
    "delta-disclosure": [{"model": "delta-disclosure", "delta": 1.0}],
    "k-e": [K5, {"model": "k-e", "k": 3, "e": 25}],
    "k-m": [{"model": "k-m", "k": 5, "m": 1}],
    "lkc": [{"model": "lkc", "l": 1, "k": 5, "c": 0.5}],
    "variance": [K5, {"model": "variance", "e": 8}],
}


def people(count: int, values: dict[str, str] = ILLNESSES) -> pa.Table:
    """Invent people: age, years of schooling, an illness or its days."""
    drawn = np.random.default_rng(4).choice(list(values), count, p=SHARES)
    known = census(count, seed=12).select(["age", "education"])
    return known.append_column("illness", pa.array(drawn.tolist()))


def plan_of(method: str, **more: Any) -> dict[str, Any]:
    """Ask for five people alike, or for what the method is about."""
    options = {"ranks": {"age": 2, "education": 1}} if method == "mu-argus" else {}
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
            "education": {"role": "quasi", "hierarchy": {"intervals": [2, 4, 8]}},
            "illness": {"role": "sensitive"},
        },
        "require": [K5],
        "limits": {"suppression": 0.1},
        "method": {"name": method, **options},
        "seed": 1,
        "publish": "exact",  # boxes as tight as the method makes them
        **more,
    }


def figure(title: str, data: pa.Table, plan: dict[str, Any]) -> str:
    """Draw what a plan publishes of people."""
    work = Work(Plan.load(plan), Progress())
    work.recode(data, keep_order=True)
    try:
        work.check(work.published.rows)
        release = work.release()
        left_out = f", {release.suppressed_rows} left out" if release.suppressed_rows else ""
        found = f"loss {release.measures.gcp:.3f}{left_out}"
    except DoesNotHoldError:
        found = "refused by the check"
    asked = "; ".join(requirement.asked() for requirement in work.plan.require)
    told = f"{asked}: {found}"
    rows = work.published.rows.to_pylist()
    shapes = _lines(rows) if plan["method"]["name"] == "anatomy" else _boxes(rows, data)
    return _page(title, told, [*shapes, *_dots(data)], _colours(data))


def _colours(data: pa.Table) -> dict[str, str]:
    """Return the colour of each value that people of such a table may have."""
    return DAYS if data["illness"][0].as_py() in DAYS else ILLNESSES


def _boxes(rows: list[dict[str, Any]], data: pa.Table) -> list[str]:
    whole = {n: (min(v), max(v)) for n in ("age", "education") for v in [data[n].to_pylist()]}
    found = {tuple(_bounds(row[name], whole[name]) for name in whole) for row in rows}
    return [
        f'<rect x="{_x(a[0] - 0.5):.1f}" y="{_y(e[1] + 0.35):.1f}" '
        f'width="{_x(a[1] + 0.5) - _x(a[0] - 0.5):.1f}" '
        f'height="{_y(e[0] - 0.35) - _y(e[1] + 0.35):.1f}" fill="{COLOURS[0]}" '
        f'fill-opacity="0.09" stroke="{COLOURS[0]}"/>'
        for a, e in sorted(found)
    ]


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    groups: dict[int, list[tuple[float, float]]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append((_x(row["age"]), _y(row["education"])))
    paths = [" L".join(f"{x:.1f} {y:.1f}" for x, y in sorted(some)) for some in groups.values()]
    return [
        f'<path d="M{path}" fill="none" stroke="{COLOURS[0]}" stroke-opacity="0.5"/>'
        for path in sorted(paths)
    ]


def _bounds(published: Any, whole: tuple[float, float]) -> tuple[float, float]:
    """Read a published value: 17, [17-25] or *."""
    if published == "*":
        return whole
    numbers = [float(number) for number in re.findall(r"\d+", str(published))]
    return max(numbers[0], whole[0]), min(numbers[-1], whole[1])


def _dots(data: pa.Table) -> list[str]:
    colours = _colours(data)
    return [
        f'<circle cx="{_x(row["age"]):.1f}" cy="{_y(row["education"]):.1f}" r="2.6" '
        f'fill="{colours[row["illness"]]}"/>'
        for row in data.to_pylist()
    ]


def _x(age: float) -> float:
    return LEFT + WIDTH * (age - AGES[0]) / (AGES[1] - AGES[0])


def _y(years: float) -> float:
    return TOP + HEIGHT * (YEARS[1] - years) / (YEARS[1] - YEARS[0])


def _page(title: str, told: str, shapes: list[str], colours: dict[str, str]) -> str:
    across, down = LEFT + WIDTH + 14, TOP + HEIGHT + 62
    ages = [(_x(age), TOP + HEIGHT + 16, str(age), "middle") for age in range(20, 91, 10)]
    years = [(LEFT - 8, _y(year) + 4, str(year), "end") for year in range(0, 17, 4)]
    names = [
        (LEFT + 40 + 90 * place, down - 10, name, "start") for place, name in enumerate(colours)
    ]
    marks = [(LEFT + WIDTH / 2, TOP + HEIGHT + 33, "age", "middle")]
    texts = [
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
        for x, y, text, anchor in [*ages, *years, *names, *marks]
    ]
    keys = [
        f'<circle cx="{LEFT + 30 + 90 * place}" cy="{down - 14}" r="4" fill="{colour}"/>'
        for place, colour in enumerate(colours.values())
    ]
    middle, centred = TOP + HEIGHT / 2, 'text-anchor="middle"'
    sized, frame = f'width="{across}" height="{down}"', f'width="{WIDTH}" height="{HEIGHT}"'
    font = f'font-family="Helvetica, Arial, sans-serif" font-size="11" fill="{INK}"'
    return "\n".join(
        [
            f'<svg xmlns="{SVG}" {sized} viewBox="0 0 {across} {down}" {font}>',
            f'<rect width="{across}" height="{down}" fill="{PAPER}"/>',
            f'<text x="{LEFT}" y="17" font-size="13" font-weight="bold">{escape(title)}</text>',
            f'<text x="{LEFT}" y="33">{escape(told)}</text>',
            f'<rect x="{LEFT}" y="{TOP}" {frame} fill="none" stroke="{LINE}"/>',
            f'<text transform="translate(14 {middle}) rotate(-90)" {centred}>{SCHOOLING}</text>',
            *shapes,
            *texts,
            *keys,
            "</svg>\n",
        ]
    )


def drawn(names: list[str]) -> dict[Path, str]:
    """Draw the methods and requirements of these names; all if none is given."""
    found = {}
    for name in METHODS:
        if name != "auto" and (not names or name in names):
            data, plan = people(SLOW.get(name, 60)), plan_of(name, **OPTIONS.get(name, {}))
            found[FOLDER / "methods" / f"{name}.svg"] = figure(name, data, plan)
    for name, require in MODELS.items():
        if not names or name in names:
            method = "levels-and-stars" if name == "k-m" else "mondrian"
            plan = plan_of(method, require=require)
            data = people(60, DAYS if name in {"k-e", "variance"} else ILLNESSES)
            found[FOLDER / "requirements" / f"{name}.svg"] = figure(name, data, plan)
    return found


def main() -> None:
    """Write the figures that are asked for."""
    for path, text in drawn(sys.argv[1:]).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
