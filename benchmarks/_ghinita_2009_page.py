"""The page docs/ghinita-2009.md and its charts, from the results of benchmarks/ghinita_2009.py."""

from __future__ import annotations

from dataclasses import dataclass

from _ghinita_2009_claims import Results, claims
from indistinct.measures.catalogue import MEASURES
from indistinct.report.charts import STYLE, to_svg

COLOURS = {
    "mondrian": "#d1495b",
    "median mondrian": "#e8a3ad",
    "hilbert": "#1f6fb4",
    "hilbert fast": "#86bce4",
    "idistance": "#2c8c4c",
    "idistance fast": "#9bcf9f",
    "topdown": "#b8860b",
    "best": "#222222",
    "diversify hilbert": "#1f6fb4",
    "diversify idistance": "#2c8c4c",
    "permuted hilbert": "#86bce4",
    "permuted idistance": "#9bcf9f",
    "permuted best": "#8a929b",
    "anatomy": "#b8860b",
    "anatomy at random": "#e3c567",
    "ac": "#1f6fb4",
    "ipcsd diversify": "#2c8c4c",
    "ipcsd mondrian": "#d1495b",
}
GROUPING = ["mondrian", "median mondrian", "hilbert", "hilbert fast", "idistance", "idistance fast"]
GROUPING += ["topdown", "best"]
DIVERSE = ["mondrian", "median mondrian", "diversify hilbert", "diversify idistance"]
PERMUTED = ["anatomy", "anatomy at random", "permuted hilbert", "permuted idistance"]
DUAL = ["ac", "ipcsd diversify", "ipcsd mondrian"]
TITLES = {
    "S": "time, S",
    "reached": "l reached",
    **{f"kl_{level}": f"KL-divergence, level {level}" for level in (1, 2, 3)},
    **{name: measure.title for name, measure in MEASURES.items()},
}
POWERS = [10**power for power in range(-9, 10)]
MARKS = ("<!-- by hand -->", "<!-- end -->")


@dataclass(frozen=True)
class Panel:
    """One chart of a row of charts: a measure along the x of an experiment."""

    experiment: str
    x: str
    key: str
    methods: list[str]
    log: bool = False

    @property
    def name(self):
        return TITLES[self.key]


@dataclass(frozen=True)
class Section:
    """A heading, what was run, a row of charts, and tables of some of them."""

    heading: str
    text: str
    file: str
    panels: tuple[Panel, ...]


def both(experiment, x, methods):
    """Loss and time."""
    return (
        Panel(experiment, x, "gcp", methods),
        Panel(experiment, x, "S", [m for m in methods if m != "median mondrian"], log=True),
    )


def losses(experiment, x):
    keys = ("weighted_max_ncp", "il1", "average_volume")
    return tuple(Panel(experiment, x, key, DIVERSE, log=key != "il1") for key in keys)


def privacy(experiment, x):
    return Panel(experiment, x, "reached", DUAL), Panel(experiment, x, "S", DUAL, log=True)


CUBED = [*DIVERSE, "anatomy", "anatomy at random"]
SECTIONS = (
    Section(
        "k-anonymity, variable k (Figure 22)",
        "100,000 rows, all seven columns.",
        "k",
        both("k", "k", GROUPING),
    ),
    Section(
        "k-anonymity, variable N (Figure 23)",
        "k = 50, all seven columns.",
        "k-rows",
        both("k, rows", "rows", GROUPING),
    ),
    Section(
        "k-anonymity, variable d (Figure 24)",
        "100,000 rows, k = 50, the first d columns of the paper's Table II.",
        "k-columns",
        both("k, columns", "columns", GROUPING),
    ),
    Section(
        "l-diversity, variable l (Figure 25)",
        "100,000 rows, all seven columns, frequency l-diversity of `occupation`.",
        "l",
        both("l", "l", DIVERSE),
    ),
    Section(
        "l-diversity, variable N (Figure 26)",
        "l = 10, all seven columns.",
        "l-rows",
        both("l, rows", "rows", DIVERSE),
    ),
    Section(
        "l-diversity, variable d (Figure 27)",
        "100,000 rows, l = 10, the first d columns.",
        "l-columns",
        both("l, columns", "columns", DIVERSE),
    ),
    Section(
        "l-diversity, synthetic data (Figure 28)",
        "100,000 rows, four random columns of ten values, l = 6; the sensitive value is "
        "(A1 + 2 A2 + 3 A3 + 4 A4) mod 10 with probability alpha, otherwise random. The paper "
        "leaves the coefficients and l open.",
        "alpha",
        both("alpha", "alpha", DIVERSE),
    ),
    Section(
        "Other losses, variable l (Figures 29 to 31)",
        "The runs of Figure 25. A class is all rows published alike.",
        "losses-l",
        losses("l", "l"),
    ),
    Section(
        "Other losses, variable N (Figures 29 to 31)",
        "The runs of Figure 26.",
        "losses-rows",
        losses("l, rows", "rows"),
    ),
    Section(
        "The dual problem, variable E (Figure 32)",
        "10,000 rows; the mean over all 35 choices of three columns. E bounds the mean NCP of "
        "each group. Where no group of different values fits the bound, l = 1 is reached.",
        "dual",
        privacy("E", "E"),
    ),
    Section(
        "The dual problem, variable d (Figure 33)",
        "10,000 rows, E = 0.6; the mean over all choices of d columns.",
        "dual-columns",
        privacy("E, columns", "columns"),
    ),
    Section(
        "The dual problem, variable N (Figure 34)",
        "E = 0.6; the mean over all 35 choices of three columns. Fewer rows than in the paper: "
        "each point is 35 searches of each method.",
        "dual-rows",
        privacy("E, rows", "rows"),
    ),
    Section(
        "The data cube, generalized groups against Anatomy (Figure 35)",
        "Level 2 of the cube: all 21 group-bys of two columns and `occupation`. The runs of "
        "Figures 25 to 27.",
        "cube",
        (
            Panel("l", "l", "kl_2", CUBED),
            Panel("l, columns", "columns", "kl_2", CUBED),
            Panel("l, rows", "rows", "kl_2", CUBED),
        ),
    ),
    Section(
        "The data cube, permuted groups against Anatomy (Figure 36)",
        "The same groups with exact quasi values, and sensitive values known by group only.",
        "cube-permuted",
        (
            Panel("l", "l", "kl_2", PERMUTED),
            Panel("l, columns", "columns", "kl_2", PERMUTED),
            Panel("l, rows", "rows", "kl_2", PERMUTED),
        ),
    ),
    Section(
        "Our own: best with l-diversity",
        "20,000 rows only, since `best` takes a thousand S here. All others again on these rows.",
        "best",
        (
            *both("l, best", "l", [*DIVERSE, "best"]),
            Panel(
                "l, best",
                "l",
                "kl_2",
                ["mondrian", "diversify hilbert", "best", *PERMUTED, "permuted best"],
            ),
        ),
    ),
)


def write_page(rows, out):
    """Write the page and its charts; what stands between the marks of an older page is kept."""
    results = Results(rows)
    page = out / "ghinita-2009.md"
    by_hand = _kept(page)
    parts = [HEAD, MARKS[0], by_hand, MARKS[1], "", _claims_table(results)]
    for section in SECTIONS:
        name = f"ghinita-2009/{section.file}.svg"
        (out / name).write_text(to_svg(chart(results, section.panels)), encoding="utf-8")
        parts += [
            f"## {section.heading}",
            "",
            section.text,
            "",
            f"![{section.heading}]({name})",
            "",
        ]
        for panel in section.panels:
            parts += [_table(results, panel), ""]
    parts += [_levels_table(results), "", _measures_table(results)]
    page.write_text("\n".join(parts) + "\n", encoding="utf-8")


HEAD = """# The comparisons of Ghinita et al. 2009, again

Ghinita, Karras, Kalnis and Mamoulis (*A Framework for Efficient Data Anonymization under Privacy
and Accuracy Constraints*, ACM TODS 34(2), 2009) compare their methods with others in section 7.
Here the same comparisons are run on a generated census (`indistinct.datasets.census`) with the
columns, cardinalities and hierarchies of their Table II. All tables, charts and verdicts on this
page are written by

    .venv/bin/python benchmarks/ghinita_2009.py

from [results.csv](ghinita-2009/results.csv), which the same command measures. Each method ran once,
compiled before. Times are multiples of S, one `np.lexsort` of the coded quasi columns measured
beside each run, since the machine (2 cores) was shared; those of the dual problem are mean seconds
over mean S. `best` is our own method. `median mondrian` cuts at the median only, as the original
does, and `anatomy at random` draws the rows of a group at random, as the original does; both are
in benchmarks/_ghinita_2009_runs.py to compare with, and are not timed. `permuted hilbert` and
`permuted idistance` are the paper's Perm-Hilb and Perm-iDist.
"""


def _kept(page):
    if not page.exists():
        return "(not read yet)"
    text = page.read_text(encoding="utf-8")
    return text.partition(MARKS[0])[2].partition(MARKS[1])[0].strip("\n")


def _claims_table(results):
    lines = ["## What the paper states, and what we see", ""]
    lines += [
        "| figure | the paper's statement, in our words | here | figures |",
        "|---|---|---|---|",
    ]
    for claim in claims(results):
        lines.append(f"| {claim.figure} | {claim.text} | {claim.verdict} | {claim.shown} |")
    return "\n".join(lines) + "\n"


def _table(results, panel):
    lines = {m: results.line(panel.experiment, m, panel.key) for m in panel.methods}
    xs = sorted({x for line in lines.values() for x in line})
    head = f"| {panel.name} | " + " | ".join(f"{panel.x} = {_x(x)}" for x in xs) + " |"
    rows = [
        f"| {m} | " + " | ".join(_cell(line.get(x), panel.key) for x in xs) + " |"
        for m, line in lines.items()
    ]
    return "\n".join([head, "|---|" + "---|" * len(xs), *rows])


def _x(x):
    return f"{x:,.0f}" if x >= 1 else f"{x:g}"


def _cell(value, key):
    if value is None:
        return ""
    if key in {"S", "reached"}:
        return f"{value:.3g}" if value < 100 else f"{value:,.0f}"
    return (
        f"{value:.4f}"
        if 0.001 <= value < 10
        else f"{value:.3g}"
        if value < 1000
        else f"{value:,.0f}"
    )


def _levels_table(results):
    lines = ["## The data cube by level (Figures 35b and 36b)", "", "The runs of Figure 25.", ""]
    asked = [(diversity, level) for diversity in (4, 10) for level in (1, 2, 3)]
    heads = " | ".join(f"l = {diversity}, level {level}" for diversity, level in asked)
    for title, key in (("KL-divergence", "kl"), ("relative error", "error")):
        lines += [f"| {title} | {heads} |", "|---|" + "---|" * len(asked)]
        for method in [*DIVERSE, *PERMUTED]:
            found = [results.line("l", method, f"{key}_{level}").get(x) for x, level in asked]
            lines.append(f"| {method} | " + " | ".join(_cell(v, key) for v in found) + " |")
        lines.append("")
    return "\n".join(lines)


def _measures_table(results):
    """All losses at one k and one l."""
    keys = ["gcp", "il1", "il_inf", "weighted_max_ncp", "average_volume", "discernibility"]
    keys += ["classification", "groups"]
    lines = [
        "## All losses, at k = 50 and at l = 10",
        "",
        "100,000 rows, all seven columns. CM classifies rows by a salary above the median.",
        "",
    ]
    for experiment, x, methods in (("k", 50, GROUPING), ("l", 10, DIVERSE)):
        titles = [TITLES.get(key, key) for key in keys]
        lines += [
            f"| {experiment} = {x} | " + " | ".join(titles) + " |",
            "|---|" + "---|" * len(keys),
        ]
        for method in methods:
            cells = [_cell(results.line(experiment, method, key).get(x), key) for key in keys]
            lines.append(f"| {method} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def chart(results, panels):
    """Draw panels side by side, with one legend."""
    methods = list(dict.fromkeys(m for panel in panels for m in panel.methods))
    return {
        "background": "white",
        "padding": {"left": 8, "top": 8, "bottom": 8, "right": 18},
        "spacing": 28,
        "hconcat": [_panel(results, panel, methods) for panel in panels],
        "resolve": {"scale": {"color": "shared", "shape": "shared"}},
        "config": STYLE,
    }


def _panel(results, panel, methods):
    values = [
        {"x": _x(x), "order": x, "value": value, "method": method}
        for method in panel.methods
        for x, value in results.line(panel.experiment, method, panel.key).items()
    ]
    named = {"field": "method", "type": "nominal", "sort": methods}
    legend = {"title": None, "orient": "bottom", "columns": 4, "symbolSize": 60}
    xs = [x for _, x in sorted({(v["order"], v["x"]) for v in values})]
    return {
        "title": {"text": panel.name, "anchor": "start", "frame": "group"},
        "width": 250,
        "height": 200,
        "data": {"values": values},
        "mark": {"type": "line", "point": {"size": 36}, "strokeWidth": 1.8},
        "encoding": {
            "x": {
                "field": "x",
                "type": "ordinal",
                "sort": xs,
                "scale": {"type": "point", "padding": 0.3},
                "axis": {"title": panel.x, "labelAngle": 0, "grid": False},
            },
            "y": {
                "field": "value",
                "type": "quantitative",
                "scale": {"type": "log"} if panel.log else {"zero": True, "nice": True},
                "axis": {"title": None, **({"values": POWERS} if panel.log else {"tickCount": 5})},
            },
            "color": {
                **named,
                "scale": {"domain": methods, "range": [COLOURS[m] for m in methods]},
                "legend": legend,
            },
        },
    }
