"""Drawings from Vega-Lite specs: plain dicts in, plain SVG or PNG out, no network."""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]


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
