"""Charts as Vega-Lite specs: plain dicts in, plain SVG out, no network.

Colours are CSS variables with a fallback that reads on white and on black, and ink is the colour of
the text around the chart, so one SVG serves light pages, dark pages and notebooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coarsen.report.buckets import LABELS, row_shares
from coarsen.report.words import level, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

Spec = dict[str, Any]

INK = "currentColor"
BEFORE = "var(--coarsen-before, #8a929b)"
AFTER = "var(--coarsen-after, #2f81d6)"

_CONFIG: Spec = {
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "labelFontSize": 12,
        "titleColor": INK,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "domainColor": INK,
        "domainOpacity": 0.4,
        "gridColor": INK,
        "gridOpacity": 0.15,
        "ticks": False,
        "labelPadding": 6,
    },
    "legend": {"labelColor": INK, "labelFontSize": 12, "symbolType": "square"},
    "text": {"color": INK, "fontSize": 12},
}


def class_sizes(before: Mapping[int, int], after: Mapping[int, int]) -> Spec:
    """Draw which share of the rows sits in classes of which size, before and after."""
    shares = {"before": row_shares(before), "after": row_shares(after)}
    values = [
        {"size": label, "table": table, "share": shares[table][label]}
        for label in LABELS
        for table in shares
    ]
    return {
        "background": None,
        "autosize": {"type": "fit", "contains": "padding"},
        "padding": 2,
        "width": 400,
        "height": 260,
        "data": {"values": values},
        "mark": {"type": "bar"},
        "encoding": {
            "x": {
                "field": "size",
                "type": "ordinal",
                "sort": list(LABELS),
                "scale": {"paddingInner": 0.3, "paddingOuter": 0.1},
                "axis": {
                    "title": "rows in the class",
                    "titlePadding": 8,
                    "labelAngle": 0,
                    "labelOverlap": False,
                    "labelFontSize": 11,
                },
            },
            "xOffset": {"field": "table", "sort": list(shares)},
            "y": {
                "field": "share",
                "type": "quantitative",
                "axis": {
                    "title": "share of rows",
                    "titlePadding": 12,
                    "format": ".0%",
                    "tickCount": 5,
                    "domain": False,
                },
            },
            "color": {
                "field": "table",
                "type": "nominal",
                "scale": {"domain": list(shares), "range": [BEFORE, AFTER]},
                "legend": {"title": None, "orient": "top"},
            },
        },
        "config": _CONFIG,
    }


def loss_per_column(
    ncp: Mapping[str, float], levels: Mapping[str, int | None], heights: Mapping[str, int]
) -> Spec:
    """Draw how much detail each column lost (NCP, 0 to 1) and how far up its hierarchy it went."""
    values = [
        {
            "column": column,
            "loss": float(loss),
            "percent": percent(loss),
            "level": level(levels.get(column), heights.get(column)),
        }
        for column, loss in sorted(ncp.items(), key=lambda item: -item[1])
    ]
    return {
        "background": None,
        "padding": {"top": 2, "left": 2, "bottom": 2, "right": 10},
        "width": 160,
        "height": {"step": 30},
        "data": {"values": values},
        "encoding": {
            "y": {
                "field": "column",
                "type": "nominal",
                "sort": None,
                "axis": {
                    "title": None,
                    "labelLimit": 104,
                    "minExtent": 120,
                    "maxExtent": 120,
                    "domain": False,
                },
            }
        },
        "layer": [
            _loss_bars(),
            _text_beside("percent", heading="lost", at=56, align="right"),
            _text_beside("level", heading="level", at=68, align="left"),
        ],
        "config": _CONFIG,
    }


def _loss_bars() -> Spec:
    return {
        "mark": {"type": "bar", "height": {"band": 0.6}, "color": AFTER},
        "encoding": {
            "x": {
                "field": "loss",
                "type": "quantitative",
                "scale": {"domain": [0, 1]},
                "axis": {"title": None, "format": ".0%", "values": [0, 0.5, 1]},
            }
        },
    }


def _text_beside(field: str, *, heading: str, at: int, align: str) -> Spec:
    """Set a column of text to the right of the bars, under its heading."""
    mark = {"type": "text", "align": align, "baseline": "middle", "dx": at}
    at_edge = {"x": {"value": "width"}}
    return {
        "layer": [
            {"mark": mark, "encoding": {**at_edge, "text": {"field": field, "type": "nominal"}}},
            {
                "data": {"values": [{}]},
                "mark": {**mark, "opacity": 0.7},
                "encoding": {**at_edge, "y": {"value": -8}, "text": {"value": heading}},
            },
        ]
    }


def to_svg(spec: Spec) -> str:
    """Render a spec as SVG markup; text in it is escaped, and nothing is fetched."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return svg


def to_png(spec: Spec, *, scale: float = 2.0) -> bytes:
    """Render a spec as a PNG; nothing is fetched."""
    import vl_convert

    png: bytes = vl_convert.vegalite_to_png(spec, scale=scale, allowed_base_urls=[])
    return png
