"""docs/gkountouna-2013.md and its charts, from what benchmarks/gkountouna_2013.py measured."""

from __future__ import annotations

import json
from pathlib import Path

import vl_convert

from _gkountouna_2013_claims import Measured, claims

NAMES = ("GCS", "OCS", "GCS by labels", "OCS by labels", "MiRaCle")
COLOURS = ("#2f81d6", "#d9822b", "#9cc4ee", "#efc79b", "#7a7f87")
# Lines that lie on each other are both to be seen.
DASHES = ([1, 0], [6, 6], [1, 0], [6, 6], [1, 0])
BY_LABELS = " by labels"
MEASURES = {
    "rpd": ("RPD", "{:.2e}"),
    "ml2": ("ML2", "{:.1%}"),
    "dml2": ("dML2", "{:.3f}"),
    "relations": ("relations kept", "{:.1%}"),
    "seconds": ("seconds", "{:.1f}"),
}
TITLES = {"k": "k", "m": "m", "n": "n"}
INK = "#3b4045"


def series(results, part, measure):
    """The points of one panel: everything else at its default."""
    measured = Measured(results)
    return [
        {part: value, "method": name, "value": found}
        for name in NAMES
        for value, found in _points(measured, name, part, measure)
    ]


def _points(measured, name, part, measure):
    if part == "g" and not name.startswith("GCS"):
        return []
    return measured.of(name, part, measure).items()


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
            "strokeDash": {
                "field": "method",
                "type": "nominal",
                "scale": {"domain": list(NAMES), "range": list(DASHES)},
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
        "resolve": {"scale": {"y": "shared"}},
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
    lines = ["| k, m, n | records | method | RPD | seconds |", "|---|---|---|---|---|"]
    lines += [
        f"| {r['k']}, {r['m']}, {r['n']} | {r['records']:,} | {r['method']} | {r['rpd']:.3e} | "
        f"{r['seconds']:.1f}{' (stopped)' if r['stopped'] else ''} |"
        for r in rows
    ]
    return "\n".join(lines)


def judged(results, told):
    lines = [
        "| figure | the paper's statement, in our words | by labels | figures | ours | figures |",
        "|---|---|---|---|---|---|",
    ]
    paper = claims(Measured(results, BY_LABELS), told)
    ours = claims(Measured(results), told)
    lines += [
        "| " + " | ".join([*theirs, *own[2:]]) + " |"
        for theirs, own in zip(paper, ours, strict=True)
    ]
    return "\n".join(lines)


def growth(told):
    lines = [
        "| records | GCS | json loop | ratio | RPD | by labels | its RPD | synopsis | memory |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {int(records):,} | {t['gcs']:.1f} s | {t['json']:.1f} s | {t['gcs'] / t['json']:.1f} | "
        f"{t['rpd']:.2e} | {t['gcs by labels']:.1f} s | {t['rpd by labels']:.2e} | "
        f"{t['synopsis']:,} nodes | {t['gigabytes']:.1f} GB |"
        for records, t in told.items()
    ]
    return "\n".join(lines)


def readings(rows):
    """Two rows for a reading, one column for a k: by how much less GCS loses than OCS."""
    if not rows:
        return ""
    ks = sorted({row["k"] for row in rows})
    lines = [
        "| reading | steps | " + " | ".join(f"k = {k}" for k in ks) + " |",
        "|---|---|" + "---|" * len(ks),
    ]
    for told in dict.fromkeys(row["reading"] for row in rows):
        own = {row["k"]: row for row in rows if row["reading"] == told}
        private = f"{told} (private {own[ks[0]]['private']:.3g})"
        for steps in (BY_LABELS, ""):
            cells = [_less(own[k]["GCS" + steps], own[k]["OCS" + steps]) for k in ks]
            kind = steps.strip() or "ours"
            lines.append(f"| {private} | {kind} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _less(gcs, ocs):
    return f"{gcs:.3g} / {ocs:.3g} ({gcs / ocs - 1:+.1%})"


def write(results, cache: Path, docs: Path):
    """Write the page and its charts."""
    folder = docs / "gkountouna-2013"
    folder.mkdir(exist_ok=True)
    for measure in MEASURES:
        svg = vl_convert.vegalite_to_svg(chart(results, measure), allowed_base_urls=[])
        (folder / f"{measure}.svg").write_text(svg, encoding="utf-8")
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    words = (Path(__file__).parent / "gkountouna_2013.md").read_text(encoding="utf-8")
    parts = {part: table(results, part) for part in (*TITLES, "g")}
    told = _kept(cache / "gkountouna-2013-shows.json", {})
    parts |= {
        "growth": growth(told),
        "readings": readings(_kept(cache / "gkountouna-2013-readings.json", [])),
        "compared": compared(results),
        "claims": judged(results, told),
    }
    for key, text in parts.items():
        words = words.replace(f"{{{key}}}", text)
    (docs / "gkountouna-2013.md").write_text(words, encoding="utf-8")


def _kept(path, otherwise):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else otherwise
