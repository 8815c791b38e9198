"""Drawings from Vega-Lite specs, all in one style: plain dicts in, plain SVG or PNG out."""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]

INK, FAINT, LINE, PAPER = "#24292f", "#6e7781", "#d8dee4", "#ffffff"
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7b4fa3", "#8c6d1f",
    "#b2182b", "#1b7837", "#4d4d4d", "#a6761d",
)  # fmt: skip

STYLE: Spec = {
    "background": PAPER,
    "padding": 14,
    "font": "Helvetica, Arial, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "labelFontSize": 12,
        "titleColor": INK,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "domainColor": FAINT,
        "gridColor": LINE,
        "ticks": False,
        "labelPadding": 6,
    },
    "legend": {
        "title": None,
        "labelColor": INK,
        "labelFontSize": 12,
        "symbolSize": 70,
        "labelLimit": 240,
    },
    "title": {
        "color": INK,
        "fontSize": 13,
        "anchor": "start",
        "frame": "group",
        "fontWeight": "bold",
        "subtitleColor": FAINT,
        "subtitleFontSize": 11,
        "offset": 10,
    },
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
