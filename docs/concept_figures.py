"""Draws the figures of docs/concepts/, from small tables and from releases of invented people.

Run: .venv/bin/python docs/concept_figures.py (writes docs/figures/concepts/; the same each time)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from indistinct import anonymize, frontier
from indistinct.datasets import census, medical, medical_plan
from indistinct.report.charts import COLOURS, INK, LINE, PAPER, STYLE, Spec, to_svg

FOLDER = Path(__file__).parent / "figures" / "concepts"
CONFIG = STYLE | {"view": {"stroke": None}}
PLAIN, FOUND = "#eef1f4", "#f9dcd2"
TINTS = ("#dbe9f4", "#d7ecdf", "#fbe8c8", "#f9dcd2", "#e6def2", "#e3e7ea")

Row = dict[str, str]


def _grid(rows: list[Row], title: str, told: str, tints: list[str], step: int = 66) -> Spec:
    """Draw a table, each row in its tint."""
    names = list(rows[0])
    cells = [
        {"row": place, "column": name, "text": row[name], "tint": tints[place]}
        for place, row in enumerate(rows)
        for name in names
    ]
    x = {"field": "column", "type": "nominal", "sort": names}
    y = {"field": "row", "type": "ordinal"}
    axis = {"title": None, "orient": "top", "labelAngle": 0, "domain": False, "ticks": False}
    return {
        "width": {"step": step},
        "height": {"step": 21},
        "title": {"text": title, "subtitle": told},
        "data": {"values": cells},
        "layer": [
            {
                "mark": {"type": "rect", "stroke": PAPER, "strokeWidth": 2},
                "encoding": {
                    "x": {**x, "axis": axis},
                    "y": {**y, "axis": None},
                    "color": {"field": "tint", "type": "nominal", "scale": None},
                },
            },
            {
                "mark": {"type": "text", "fontSize": 10, "color": INK},
                "encoding": {"x": x, "y": y, "text": {"field": "text"}},
            },
        ],
    }


def linking() -> Spec:
    """Draw a table without names beside a public list with them."""
    private = [
        {"zip": "22030", "born": "1962-04-11", "sex": "F", "disease": "gout"},
        {"zip": "22031", "born": "1964-09-23", "sex": "F", "disease": "hypertension"},
        {"zip": "22041", "born": "1970-01-02", "sex": "M", "disease": "flu"},
        {"zip": "22042", "born": "1970-01-02", "sex": "F", "disease": "asthma"},
    ]
    public = [
        {"name": "Ann Ash", "zip": "22040", "born": "1962-08-19", "sex": "F"},
        {"name": "Bea Birch", "zip": "22031", "born": "1964-09-23", "sex": "F"},
        {"name": "Carl Cedar", "zip": "22044", "born": "1958-12-30", "sex": "M"},
        {"name": "Dora Dale", "zip": "22046", "born": "1970-03-05", "sex": "F"},
    ]
    tints = [PLAIN, FOUND, PLAIN, PLAIN]
    return {
        "hconcat": [
            _grid(private, "Hospital file", "no names", tints, 76),
            _grid(public, "Voter list", "names, and the same three columns", tints, 76),
        ],
        "spacing": 40,
        "config": CONFIG,
    }


def classes() -> Spec:
    """Draw ten patients before and after, each equivalence class in its tint."""
    plan = medical_plan() | {"limits": {"suppression": 0}, "seed": 1}
    released = anonymize(medical(), plan, keep_order=True).rows.to_pylist()
    quasi = [name for name in released[0] if name != "disease"]
    keys = [tuple(row[name] for name in quasi) for row in released]
    tint = dict(zip(dict.fromkeys(keys), TINTS, strict=False))
    order = sorted(range(len(keys)), key=lambda place: list(tint).index(keys[place]))
    tints = [tint[keys[place]] for place in order]
    private = medical().to_pylist()
    return {
        "hconcat": [
            _grid([private[p] for p in order], "Private table", "ten patients", tints, 84),
            _grid(
                [{n: str(v).replace("_", " ") for n, v in released[p].items()} for p in order],
                "Release",
                f"k = 2: {len(tint)} equivalence classes",
                tints,
                84,
            ),
        ],
        "spacing": 30,
        "config": CONFIG,
    }


ILLNESSES = ("flu", "asthma", "gout", "HIV")
HELD = {
    "whole table": (40, 30, 20, 10),
    "k = 5 only": (0, 0, 0, 5),
    "distinct l = 3": (1, 1, 0, 8),
    "frequency l = 2": (2, 1, 0, 3),
    "t = 0.2": (3, 3, 2, 2),
}


def diversity() -> Spec:
    """Draw what classes hold that satisfy ever stricter models."""
    rows = [
        {"class": name, "value": value, "share": count / sum(counts), "place": place}
        for name, counts in HELD.items()
        for place, (value, count) in enumerate(zip(ILLNESSES, counts, strict=True))
    ]
    colours = [COLOURS[place] for place in (0, 4, 2, 3)]
    return {
        "width": 460,
        "height": {"step": 32},
        "title": {
            "text": "A class that satisfies each model",
            "subtitle": "the share of each diagnosis among the people of the class",
        },
        "data": {"values": rows},
        "mark": {"type": "bar", "height": {"band": 0.7}},
        "encoding": {
            "y": {"field": "class", "type": "nominal", "sort": list(HELD), "axis": {"title": None}},
            "x": {
                "field": "share",
                "type": "quantitative",
                "axis": {"title": None, "format": "%", "tickCount": 5},
            },
            "color": {
                "field": "value",
                "type": "nominal",
                "scale": {"domain": list(ILLNESSES), "range": colours},
                "legend": {"title": None, "orient": "bottom", "symbolType": "square"},
            },
            "order": {"field": "place"},
        },
        "config": CONFIG,
    }


def loss() -> Spec:
    """Draw published ages as parts of the whole range of ages."""
    low, high = 17, 90
    shown = {"34": (34, 34), "[30-39]": (30, 39), "[17-52]": (17, 52), "*": (low, high)}
    rows = [
        {"cell": cell, "from": a - 0.4, "to": b + 0.4, "ncp": f"loss {(b - a) / (high - low):.2f}"}
        for cell, (a, b) in shown.items()
    ]
    y = {"field": "cell", "type": "nominal", "sort": list(shown), "axis": {"title": "published"}}
    scale = {"domain": [15, 108], "nice": False}
    axis = {"title": "age, from 17 to 90 in the table", "values": [17, 30, 50, 70, 90]}
    x = {"field": "from", "type": "quantitative", "scale": scale, "axis": axis}
    return {
        "width": 460,
        "height": {"step": 32},
        "title": {
            "text": "What a cell loses",
            "subtitle": "the width of the range, as a share of all ages",
        },
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "bar", "height": {"band": 0.5}, "color": COLOURS[0]},
                "encoding": {"y": y, "x": x, "x2": {"field": "to"}},
            },
            {
                "mark": {"type": "text", "align": "left", "color": INK, "fontSize": 11},
                "encoding": {"y": y, "x": {"datum": 94}, "text": {"field": "ncp"}},
            },
        ],
        "config": CONFIG,
    }


def frontier_curve() -> Spec:
    """Draw what `mondrian` loses for each k on 2,000 invented people."""
    people = census(2_000, seed=12).select(["age", "gender", "education", "marital"])
    quasi: dict[str, Any] = {name: {"role": "quasi"} for name in people.column_names}
    plan = {"columns": quasi, "require": [{"model": "k-anonymity", "k": 2}], "seed": 1}
    curve = frontier(people, plan, method="mondrian", k=[2, 3, 5, 8, 12, 20, 35, 60, 100])
    rows = [{"k": trial.k, "loss": trial.loss} for trial in curve.rows]
    x = {"field": "k", "type": "quantitative", "scale": {"type": "log", "domain": [2, 100]}}
    ticks = {"title": "k, on a logarithmic scale", "values": [2, 5, 10, 20, 50, 100]}
    y = {"field": "loss", "type": "quantitative", "axis": {"title": "loss (GCP)"}}
    return {
        "width": 460,
        "height": 240,
        "title": {"text": "The frontier", "subtitle": "2,000 invented people, method mondrian"},
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "line", "color": COLOURS[0], "strokeWidth": 2},
                "encoding": {"x": {**x, "axis": {**ticks, "gridColor": LINE}}, "y": y},
            },
            {
                "mark": {"type": "circle", "color": COLOURS[0], "size": 45},
                "encoding": {"x": x, "y": y},
            },
        ],
        "config": CONFIG,
    }


def limits() -> Spec:
    """Draw two releases, each 3-anonymous, that single out a person together."""
    first = [
        {"age": "[30-39]", "zip": "220**", "disease": "flu"},
        {"age": "[30-39]", "zip": "220**", "disease": "HIV"},
        {"age": "[30-39]", "zip": "220**", "disease": "gout"},
    ]
    second = [
        {"age": "[35-44]", "zip": "2203*", "disease": "HIV"},
        {"age": "[35-44]", "zip": "2203*", "disease": "asthma"},
        {"age": "[35-44]", "zip": "2203*", "disease": "angina"},
    ]
    return {
        "hconcat": [
            _grid(first, "Release in May", "k = 3", [PLAIN, FOUND, PLAIN], 76),
            _grid(second, "Release in June", "k = 3", [FOUND, PLAIN, PLAIN], 76),
        ],
        "spacing": 40,
        "config": CONFIG,
    }


CHARTS = {
    "linking": linking,
    "classes": classes,
    "diversity": diversity,
    "loss": loss,
    "frontier": frontier_curve,
    "limits": limits,
}


def main() -> None:
    """Write all figures."""
    FOLDER.mkdir(exist_ok=True, parents=True)
    for name, make in CHARTS.items():
        (FOLDER / f"{name}.svg").write_text(to_svg(make()), encoding="utf-8")


if __name__ == "__main__":
    main()
