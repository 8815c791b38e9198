"""Draws the figures of these pages, from releases that indistinct makes of invented people.

Run: .venv/bin/python docs/figures.py (writes docs/figures/; the same files each time)
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from indistinct import anonymize
from indistinct.datasets import census, medical
from indistinct.report.charts import COLOURS, INK, LINE, PAPER, STYLE, Spec, to_svg
from indistinct.requirements import MODELS
from indistinct.requirements.base import ClassValues, PublishedClasses

FOLDER = Path(__file__).parent / "figures"
BLUE, SOFT, GOOD, BAD = COLOURS[0], "#dbe9f4", "#d7ecdf", "#f9dcd2"
VALUES = [COLOURS[place] for place in (0, 4, 2, 3, 7)]
CONFIG = STYLE | {"view": {"stroke": LINE}}


def planes() -> Spec:
    """Draw what methods publish of the same people: a box for each published row."""
    people = census(70, seed=12).select(["age", "education"])
    told = {
        "optimal": "one level per column",
        "mondrian": "cuts at medians",
        "hilbert": "runs along a curve",
        "best": "groups, improved",
        "freeform": "no groups: every row has its own box",
    }
    panels = [_plane(people, method, text) for method, text in told.items()]
    return {"hconcat": panels, "spacing": 14, "config": CONFIG}


def _plane(people: Any, method: str, told: str) -> Spec:
    plan = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
            "education": {"role": "quasi", "hierarchy": {"intervals": [2, 4, 8]}},
        },
        "require": [{"model": "k-anonymity", "k": 5}],
        "method": {"name": method},
        "seed": 1,
        "publish": "exact",  # boxes as tight as the method makes them
    }
    release = anonymize(people, plan)
    whole = {name: _extent(people.column(name).to_pylist()) for name in ("age", "education")}
    boxes = {
        tuple(_bounds(row[name], whole[name]) for name in whole) for row in release.rows.to_pylist()
    }
    rows = [
        {"x": x[0] - 0.4, "x2": x[1] + 0.4, "y": y[0] - 0.35, "y2": y[1] + 0.35}
        for x, y in sorted(boxes)
    ]
    x = {"type": "quantitative", "scale": {"domain": [15, 92], "nice": False}}
    y = {"type": "quantitative", "scale": {"domain": [-1, 17], "nice": False}}
    first = method == "optimal"
    return {
        "width": 172,
        "height": 190,
        "title": {"text": method, "subtitle": [told, f"loss {release.measures.gcp:.3f}"]},
        "layer": [
            {
                "data": {"values": rows},
                "mark": {
                    "type": "rect",
                    "fill": BLUE,
                    "fillOpacity": 0.1,
                    "stroke": BLUE,
                    "strokeWidth": 1,
                },
                "encoding": {
                    "x": {"field": "x", **x, "axis": {"title": "age", "tickCount": 4}},
                    "x2": {"field": "x2"},
                    "y": {
                        "field": "y",
                        **y,
                        "axis": {"title": "years of schooling"} if first else {"title": None},
                    },
                    "y2": {"field": "y2"},
                },
            },
            {
                "data": {"values": people.to_pylist()},
                "mark": {"type": "circle", "color": INK, "size": 14, "opacity": 0.8},
                "encoding": {"x": {"field": "age", **x}, "y": {"field": "education", **y}},
            },
        ],
    }


def _extent(values: list[int]) -> tuple[float, float]:
    return float(min(values)), float(max(values))


def _bounds(published: Any, whole: tuple[float, float]) -> tuple[float, float]:
    """Read a published range: 17, [17-25] or *."""
    if published == "*":
        return whole
    numbers = [float(number) for number in re.findall(r"\d+", str(published))]
    return max(numbers[0], whole[0]), min(numbers[-1], whole[1])


def cells() -> Spec:
    """Draw ten patients as they are and as methods for cells and buckets publish them."""
    jobs = {
        "private": None,
        "cell-suppression": {"model": "k-anonymity", "k": 3},
        "cell-generalization": {"model": "k-anonymity", "k": 3},
        "anatomy": {"model": "l-diversity", "l": 3},
    }
    return {
        "hconcat": [_patients(method, asked) for method, asked in jobs.items()],
        "spacing": 18,
        "config": CONFIG,
    }


def _patients(method: str, asked: dict[str, Any] | None) -> Spec:
    private = medical().to_pylist()
    rows, title = private, {"text": "the private table", "subtitle": "ten patients"}
    if asked is not None:
        quasi = {name: {"role": "quasi", "hierarchy": "flat"} for name in ("zip", "marital", "sex")}
        quasi["zip"]["hierarchy"] = {"mask": "right"}  # type: ignore[assignment]
        plan = {
            "columns": {**quasi, "disease": {"role": "sensitive"}},
            "require": [asked],
            "method": {"name": method},
            "seed": 1,
            "publish": "exact",
        }
        release = anonymize(medical(), plan, keep_order=True)
        rows = release.rows.to_pylist()
        promised = " ".join(f"{key} = {value}" for key, value in asked.items() if key != "model")
        title = {"text": method, "subtitle": f"{promised}, loss {release.measures.gcp:.2f}"}
    names = list(rows[0])
    values = [
        {
            "row": place,
            "column": name,
            "text": str(row[name]),
            "same": row[name] == private[place].get(name, row[name]),
        }
        for place, row in enumerate(rows)
        for name in names
    ]
    x = {"field": "column", "type": "nominal", "sort": names}
    y = {"field": "row", "type": "ordinal"}
    return {
        "width": {"step": 66},
        "height": {"step": 19},
        "title": title,
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "rect", "stroke": PAPER, "strokeWidth": 2},
                "encoding": {
                    "x": {**x, "axis": {"title": None, "orient": "top", "labelAngle": 0}},
                    "y": {**y, "axis": None},
                    "color": {
                        "condition": {"test": "datum.same", "value": "#eef1f4"},
                        "value": SOFT,
                    },
                },
            },
            {
                "mark": {"type": "text", "fontSize": 10, "color": INK},
                "encoding": {"x": x, "y": y, "text": {"field": "text"}},
            },
        ],
    }


HISTOGRAMS = {
    "A": (5, 0, 0, 0, 0),
    "B": (7, 1, 0, 0, 0),
    "C": (4, 4, 0, 0, 0),
    "D": (0, 1, 4, 1, 2),
    "E": (3, 2, 1, 1, 1),
    "F": (1, 1, 0, 0, 0),
}
ASKED: dict[str, dict[str, Any]] = {
    "k = 5": {"model": "k-anonymity", "k": 5},
    "distinct l = 2": {"model": "l-diversity", "l": 2},
    "entropy l = 2": {"model": "l-diversity", "kind": "entropy", "l": 2},
    "frequency l = 2": {"model": "l-diversity", "kind": "frequency", "l": 2},
    "recursive c = 2, l = 2": {"model": "l-diversity", "kind": "recursive", "c": 2, "l": 2},
    "p = 2, k = 5": {"model": "p-sensitive", "p": 2, "k": 5},
    "alpha = 0.5, k = 5": {"model": "alpha-k", "alpha": 0.5, "k": 5},
    "t = 0.3": {"model": "t-closeness", "t": 0.3},
}
ILLNESSES = ("influenza", "asthma", "diabetes", "gout", "HIV")


def requirements() -> Spec:
    """Draw six classes, and what each requirement measures of each of them."""
    order = list(HISTOGRAMS)
    bars = [
        {"class": name, "value": value, "people": people, "place": place}
        for name, counts in HISTOGRAMS.items()
        for place, (value, people) in enumerate(zip(ILLNESSES, counts, strict=True))
    ]
    tiles = [
        {"class": name, "asked": told, **_measured(counts, asked)}
        for told, asked in ASKED.items()
        for name, counts in HISTOGRAMS.items()
    ]
    y = {"field": "class", "type": "nominal", "sort": order}
    x = {"field": "asked", "type": "nominal", "sort": list(ASKED)}
    left = {
        "width": 190,
        "height": {"step": 27},
        "title": "What each class holds",
        "data": {"values": bars},
        "mark": {"type": "bar", "height": {"band": 0.66}},
        "encoding": {
            "y": {**y, "axis": {"title": "class"}},
            "x": {
                "field": "people",
                "type": "quantitative",
                "axis": {"title": "people", "tickCount": 4, "orient": "bottom"},
            },
            "color": {
                "field": "value",
                "type": "nominal",
                "scale": {"domain": list(ILLNESSES), "range": VALUES},
                "legend": {"orient": "bottom", "columns": 5, "symbolType": "square"},
            },
            "order": {"field": "place"},
        },
    }
    right = {
        "width": {"step": 66},
        "height": {"step": 27},
        "title": "What is measured; red does not hold",
        "data": {"values": tiles},
        "layer": [
            {
                "mark": {"type": "rect", "stroke": PAPER, "strokeWidth": 2},
                "encoding": {
                    "x": {
                        **x,
                        "axis": {
                            "title": None,
                            "labelAngle": 0,
                            "labelExpr": "split(datum.label, ' ', 1)[0] == 'recursive' ? "
                            "['recursive', 'c = 2, l = 2'] : length(split(datum.label, ' l')) > 1 ?"
                            " [split(datum.label, ' l')[0], 'l' + split(datum.label, ' l')[1]] : "
                            "split(datum.label, ', ')",
                        },
                    },
                    "y": {**y, "axis": None},
                    "color": {"condition": {"test": "datum.holds", "value": GOOD}, "value": BAD},
                },
            },
            {
                "mark": {"type": "text", "fontSize": 11, "color": INK},
                "encoding": {"x": x, "y": y, "text": {"field": "text"}},
            },
        ],
    }
    return {"hconcat": [left, right], "spacing": 16, "config": CONFIG}


def _measured(counts: tuple[int, ...], asked: dict[str, Any]) -> dict[str, Any]:
    """Measure a requirement on one class of the table that all classes make up."""
    table = np.array(list(HISTOGRAMS.values())).sum(axis=0)
    held = np.flatnonzero(counts)
    size = np.array([sum(counts)])
    values = ClassValues(
        of_class=np.zeros(held.size, dtype=np.intp),
        value=held,
        count=np.array(counts, dtype=np.int64)[held],
        shares=table / table.sum(),
        levels=np.zeros((1, table.size), dtype=np.int32),
        names=ILLNESSES,
    )
    found = MODELS[asked["model"]].model_validate(asked)
    measured = found.measure(PublishedClasses(size, size, values))
    text = f"{measured.value:.3g}" if np.isfinite(measured.value) else "no end"
    return {"text": text, "holds": bool(measured.holds)}


def main() -> None:
    """Write all figures."""
    FOLDER.mkdir(exist_ok=True)
    for name, make in CHARTS.items():
        (FOLDER / f"{name}.svg").write_text(to_svg(make()), encoding="utf-8")


CHARTS = {"planes": planes, "cells": cells, "requirements": requirements}

if __name__ == "__main__":
    main()
