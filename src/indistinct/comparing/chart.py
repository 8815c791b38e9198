"""Charts of loss against privacy: files of their own, readable on paper and on any page."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.disk.drafts import beside, write_text
from indistinct.errors import Fault, OutputError
from indistinct.report.charts import COLOURS, FAINT, STYLE, Spec, to_png, to_svg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.comparing.trials import Trial

DRAWN = (".svg", ".png", ".html")
BOUND = "lower\nbound"
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")


@dataclass(frozen=True, eq=False)
class Chart:
    """A drawing that can be looked at in a notebook or saved.

    Attributes
    ----------
    spec
        The drawing in Vega-Lite.
    rows, notes
        What is drawn, and what to know about it: a page shows both beside the drawing.
    """

    spec: Spec = field(repr=False)
    title: str
    rows: tuple[Trial, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    def svg(self) -> str:
        """Return the drawing as SVG."""
        return to_svg(self.spec)

    def html(self) -> str:
        """Return a self-contained page with the drawing and its figures."""
        from indistinct.comparing.page import chart_page

        return chart_page(self)

    def html_fragment(self) -> str:
        """Return the drawing and its figures for a notebook."""
        from indistinct.comparing.page import chart_fragment

        return chart_fragment(self)

    def save(self, path: str | Path) -> None:
        """Write an SVG, PNG or HTML file."""
        path = Path(path)
        kind = path.suffix.lower()
        if kind == ".png":
            with beside(path) as draft:
                draft.write_bytes(to_png(self.spec))
        elif kind in {".svg", ".html"}:
            write_text(path, self.svg() if kind == ".svg" else self.html())
        else:
            suffix = path.suffix or "a file without a suffix"
            remedy = f"Name a file {' or '.join(DRAWN)}."
            raise OutputError(Fault(str(path), f"{suffix} is not drawn", remedy))

    def _repr_html_(self) -> str:
        return self.html_fragment()


def comparison_spec(trials: Sequence[Trial]) -> Spec:
    """Draw loss against k with the bound, how far above it, and how long it took."""
    methods = list(dict.fromkeys(trial.method for trial in trials))
    met = [trial for trial in trials if trial.met]
    values = [_point(trial) for trial in met]
    main = {
        "title": _title("Loss against privacy", _unmet(trials)),
        "width": 400,
        "height": 330,
        "layer": [
            _bound_line(met),
            _lines("loss", "loss (GCP; 0 nothing lost, 1 everything)", trials),
        ],
    }
    above = {
        "title": "Above the bound",
        "width": 230,
        "height": 125,
        **_lines("above", "loss above the bound", trials),
    }
    took = {
        "title": "Time to search",
        "width": 230,
        "height": 125,
        **_lines("seconds", "seconds", trials, log=True),
    }
    return {
        "data": {"values": values},
        "hconcat": [main, {"vconcat": [above, took], "spacing": 18}],
        "spacing": 28,
        "config": STYLE | {"range": {"category": _palette(methods)}},
        "resolve": {"scale": {"color": "shared", "shape": "shared"}},
    }


def frontier_spec(trials: Sequence[Trial], max_loss: float | None, fit: Trial | None) -> Spec:
    """Draw the curve of one method with the bound, and the answer to which k fits a loss."""
    met = [trial for trial in trials if trial.met]
    layers: list[Spec] = [
        _bound_line(met),
        _lines("loss", "loss (GCP; 0 nothing lost, 1 everything)", trials, few_ticks=True),
    ]
    subtitle = _unmet(trials)
    if max_loss is not None:
        answer = "no k found" if fit is None else f"k = {fit.k:,} is the largest found"
        subtitle = [f"within a loss of {max_loss:g}: {answer}", *subtitle]
        layers.append(_line_at(max_loss))
    if fit is not None:
        layers.append(_ring(fit))
    return {
        "data": {"values": [_point(trial) for trial in met]},
        "title": _title(f"Loss against k: {trials[0].method}", subtitle),
        "width": 560,
        "height": 330,
        "layer": layers,
        "config": STYLE | {"range": {"category": _palette([trials[0].method])}},
    }


def _title(text: str, subtitle: list[str]) -> Spec:
    return {"text": text, **({"subtitle": subtitle} if subtitle else {})}


def _point(trial: Trial) -> dict[str, Any]:
    return {
        "method": trial.method,
        "k": trial.k,
        "loss": trial.loss,
        "above": trial.above_bound,
        "seconds": trial.seconds,
    }


def _palette(methods: Sequence[str]) -> list[str]:
    return [COLOURS[place % len(COLOURS)] for place in range(len(methods))]


def _lines(
    y: str, title: str, trials: Sequence[Trial], *, log: bool = False, few_ticks: bool = False
) -> Spec:
    methods = list(dict.fromkeys(trial.method for trial in trials))
    ks = sorted({trial.k for trial in trials})
    axis: Spec = {"title": title, "domain": False}
    powers = [10.0**power for power in range(-6, 7)]
    axis |= {"format": "~g", "values": powers} if log else {"tickCount": 4}
    return {
        "mark": {"type": "line", "point": {"size": 55, "filled": True}, "strokeWidth": 2},
        "encoding": {
            "x": {
                "field": "k",
                "type": "quantitative",
                "scale": {"type": "log", "nice": False},
                "axis": {
                    "title": "k (smallest class, in people)",
                    "format": ",d",
                    "grid": False,
                    "labelFlush": False,
                    "labelOverlap": "greedy",
                    **({"tickCount": 6} if few_ticks else {"values": ks}),
                },
            },
            "y": {
                "field": y,
                "type": "quantitative",
                "scale": {"type": "log"} if log else {"zero": True},
                "axis": axis,
            },
            "color": {
                "field": "method",
                "type": "nominal",
                "sort": methods,
                "scale": {"domain": methods, "range": _palette(methods)},
                "legend": {"orient": "bottom", "columns": 6} if len(methods) > 1 else None,
            },
            "shape": {
                "field": "method",
                "type": "nominal",
                "sort": methods,
                "scale": {
                    "domain": methods,
                    "range": [SHAPES[place % len(SHAPES)] for place in range(len(methods))],
                },
                "legend": {"orient": "bottom", "columns": 6} if len(methods) > 1 else None,
            },
        },
    }


def _bound_line(met: Sequence[Trial]) -> Spec:
    """Draw the bound of each form, dashed, with its name at its end."""
    values = {(trial.form, trial.k): trial.bound for trial in met if trial.bound is not None}
    points = [{"form": f, "k": k, "bound": bound} for (f, k), bound in sorted(values.items())]
    several = len({point["form"] for point in points}) > 1
    ends = {point["form"]: point for point in points}.values()
    names = [
        point | {"name": BOUND + (f"\n({point['form']})" if several else "")} for point in ends
    ]
    x = {"field": "k", "type": "quantitative"}
    y = {"field": "bound", "type": "quantitative"}
    return {
        "layer": [
            {
                "data": {"values": points},
                "mark": {"type": "line", "strokeDash": [5, 4], "color": FAINT, "strokeWidth": 1.5},
                "encoding": {"x": x, "y": y, "detail": {"field": "form", "type": "nominal"}},
            },
            {
                "data": {"values": names},
                "mark": {
                    "type": "text",
                    "align": "left",
                    "baseline": "middle",
                    "dx": 9,
                    "lineBreak": "\n",
                    "color": FAINT,
                },
                "encoding": {"x": x, "y": y, "text": {"field": "name", "type": "nominal"}},
            },
        ]
    }


def _line_at(loss: float) -> Spec:
    return {
        "data": {"values": [{"loss": loss}]},
        "mark": {"type": "rule", "strokeDash": [2, 3], "color": COLOURS[1], "strokeWidth": 1.5},
        "encoding": {"y": {"field": "loss", "type": "quantitative"}},
    }


def _ring(fit: Trial) -> Spec:
    return {
        "data": {"values": [{"k": fit.k, "loss": fit.loss}]},
        "mark": {"type": "point", "size": 220, "color": COLOURS[1], "strokeWidth": 2.5},
        "encoding": {
            "x": {"field": "k", "type": "quantitative"},
            "y": {"field": "loss", "type": "quantitative"},
        },
    }


def _unmet(trials: Sequence[Trial]) -> list[str]:
    """Say under the title what is missing in the drawing."""
    missing: dict[str, list[int]] = {}
    for trial in trials:
        if not trial.met:
            missing.setdefault(trial.method, []).append(trial.k)
    return [f"not met by {m}: k = {', '.join(map(str, ks))}" for m, ks in missing.items()]
