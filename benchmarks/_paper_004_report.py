"""docs/paper-004.md and its charts, from what benchmarks/paper_004.py measured."""

from __future__ import annotations

import json
from pathlib import Path

import vl_convert

NAMES = ("GCS", "OCS", "MiRaCle")
COLOURS = ("#2f81d6", "#d9822b", "#7a7f87")
DEFAULTS = {"k": 20, "m": 3, "n": 2, "records": 250_000, "g": 2}
MEASURES = {
    "rpd": ("RPD", "{:.2e}"),
    "ml2": ("ML2", "{:.1%}"),
    "dml2": ("dML2", "{:.3f}"),
    "relations": ("relations kept", "{:.1%}"),
    "seconds": ("seconds", "{:.1f}"),
}
TITLES = {"k": "k", "m": "m", "n": "n", "records": "records"}
INK = "#3b4045"


def series(results, part, measure):
    """The points of one panel: everything else at its default."""
    found = []
    for result in results:
        if result.get("compared"):
            continue
        others = {key for key in DEFAULTS if key != part}
        if result["method"] == "MiRaCle":
            others -= {"m", "n", "g"}
        if any(result[key] != DEFAULTS[key] for key in others):
            continue
        values = [result[part]]
        if result["method"] == "MiRaCle" and part in {"m", "n"}:
            values = sorted({r[part] for r in results if r["method"] == "GCS"})
        found += [{part: v, "method": result["method"], "value": result[measure]} for v in values]
    unique = {(point[part], point["method"]): point for point in found}
    return [unique[key] for key in sorted(unique, key=str)]


def panel(results, part, measure, *, log):
    points = series(results, part, measure)
    return {
        "width": 150,
        "height": 150,
        "data": {"values": points},
        "mark": {"type": "line", "point": {"size": 36}, "strokeWidth": 2},
        "encoding": {
            "x": {
                "field": part,
                "type": "ordinal",
                "axis": {"title": TITLES[part], "labelAngle": 0, "format": "~s"},
            },
            "y": {
                "field": "value",
                "type": "quantitative",
                "scale": {"type": "log"} if log else {"zero": True},
                "axis": {"title": None, "tickCount": 4, "format": _format(measure)},
            },
            "color": {
                "field": "method",
                "type": "nominal",
                "scale": {"domain": list(NAMES), "range": list(COLOURS)},
                "legend": {"title": None, "orient": "top"},
            },
        },
    }


def _format(measure):
    return {"ml2": ".0%", "relations": ".0%", "rpd": ".1e", "dml2": ".2f"}.get(measure, "~s")


def chart(results, measure):
    title, _ = MEASURES[measure]
    log = measure in {"rpd", "seconds"}
    return {
        "background": "white",
        "padding": 8,
        "title": {"text": title + (" (log scale)" if log else ""), "anchor": "start"},
        "hconcat": [panel(results, part, measure, log=log) for part in TITLES],
        "resolve": {"scale": {"y": "shared"}} if not log else {},
        "config": {
            "view": {"stroke": None},
            "axis": {"labelColor": INK, "titleColor": INK, "gridOpacity": 0.4, "ticks": False},
            "font": "sans-serif",
        },
    }


def table(results, part):
    shown = ("rpd", "ml2", "dml2", "relations", "seconds")
    lines = [
        f"| {part} | method | " + " | ".join(MEASURES[m][0] for m in shown) + " |",
        "|---|---|" + "---|" * len(shown),
    ]
    columns = {
        m: {(p[part], p["method"]): p["value"] for p in series(results, part, m)} for m in shown
    }
    keys = sorted(columns["rpd"], key=lambda key: (key[0], NAMES.index(key[1])))
    for value, name in keys:
        cells = [MEASURES[m][1].format(columns[m][value, name]) for m in shown]
        lines.append(f"| {value:,} | {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def compared(results):
    rows = [r for r in results if r.get("compared")]
    if not rows:
        return ""
    lines = ["| k, m, n | records | method | cost | RPD | seconds |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {r['k']}, {r['m']}, {r['n']} | {r['records']:,} | {r['method']} | {r['cost']:.3e} | "
        f"{r['rpd']:.3e} | {r['seconds']:.1f} |"
        for r in rows
    ]
    return "\n".join(lines)


def write(results, cache: Path, docs: Path):
    """Write the page and its charts."""
    folder = docs / "charts"
    folder.mkdir(exist_ok=True)
    for measure in MEASURES:
        svg = vl_convert.vegalite_to_svg(chart(results, measure), allowed_base_urls=[])
        (folder / f"paper-004-{measure}.svg").write_text(svg, encoding="utf-8")
    words = (Path(__file__).parent / "paper_004.md").read_text(encoding="utf-8")
    shows = cache / "paper-004-shows.json"
    told = json.loads(shows.read_text()) if shows.exists() else {}
    parts = {part: table(results, part) for part in (*TITLES, "g")}
    growth = "\n".join(
        f"| {int(records):,} | {t['gcs']:.1f} s | {t['json']:.1f} s | {t['gcs'] / t['json']:.1f} |"
        for records, t in told.items()
    )
    for key, text in {**parts, "growth": growth, "compared": compared(results)}.items():
        words = words.replace(f"{{{key}}}", text)
    (docs / "paper-004.md").write_text(words, encoding="utf-8")
