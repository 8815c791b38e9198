"""What section 7 of Ghinita et al. 2009 states, in our words, and whether our results agree."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

OURS, MEDIAN = "mondrian", "median mondrian"


class Results:
    """Results by experiment, method and x."""

    def __init__(self, rows):
        self.rows = rows

    def line(self, experiment, method, key):
        """The values of a method along x; times in units of S."""
        found = {}
        for row in self.rows:
            if row["experiment"] == experiment and row["method"] == method:
                if key == "S" and "seconds" in row:
                    found[row["x"]] = row["seconds"] / row["unit"]
                elif key in row:
                    found[row["x"]] = row[key]
        return found

    def on(self, experiment, key):
        """Judge statements about one measure along one experiment."""
        return Judge(self, experiment, key)


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, judged at every x of an experiment.

    Attributes
    ----------
    figure
        The figure that the paper states it of.
    text
        The statement, in our words.
    points
        Where it was judged, with whether it holds there.
    shown
        The figures behind it at one x.
    somewhere
        Whether the paper states it of some x only, whichever.
    """

    figure: str
    text: str
    points: dict
    shown: str
    somewhere: bool = False

    @property
    def verdict(self):
        held = sum(self.points.values())
        if self.somewhere:
            return f"yes, at {held} of {len(self.points)}" if held else "no"
        if held in {0, len(self.points)}:
            return "yes" if held else "no"
        return f"at {held} of {len(self.points)}"


@dataclass(frozen=True)
class Judge:
    """Judges statements about a measure along the x of an experiment."""

    results: Results
    experiment: str
    key: str

    def lines(self, methods):
        return {m: self.results.line(self.experiment, m, self.key) for m in methods}

    def less(self, figure, text, better, worse, *, at, factor=1.0, among=None, somewhere=False):
        """All of some methods stay below all of others, times a factor, among some x or at all."""
        low, high = self.lines(better), self.lines(worse)
        everywhere = [*low.values(), *high.values()]
        points = {
            x: max(y[x] for y in low.values()) <= factor * min(y[x] for y in high.values())
            for x in everywhere[0]
            if all(x in line for line in everywhere) and (among is None or x in among)
        }
        return Claim(figure, text, points, _shown({**low, **high}, at), somewhere)

    def both(self, figure, text, better, worse, **more):
        """Judge a claim about Mondrian for ours and for the one that cuts at medians only."""
        found = []
        for kind, name in (("", OURS), (" (median cuts only)", MEDIAN)):
            sides = [[name if m == OURS else m for m in side] for side in (better, worse)]
            found.append(self.less(figure, text + kind, *sides, **more))
        return found

    def falls(self, figure, text, methods, *, at):
        """The measure falls from each x to the next, for all of some methods."""
        lines = self.lines(methods)
        points = {(m, b): line[b] < line[a] for m, line in lines.items() for a, b in pairwise(line)}
        ends = [f"{m} {_figure(line[at[0]])} → {_figure(line[at[1]])}" for m, line in lines.items()]
        return Claim(figure, text, points, "; ".join(ends))

    def widens(self, figure, text, better, worse, *, at):
        """The factor by which one method beats another grows from each x to the next."""
        low, high = self.lines([better, worse]).values()
        ratio = {x: high[x] / low[x] for x in low if x in high and low[x] > 0}
        points = {b: ratio[b] > ratio[a] for a, b in pairwise(ratio)}
        return Claim(figure, text, points, f"factor {ratio[at[0]]:.2f} → {ratio[at[1]]:.2f}")

    def at_most(self, figure, text, methods, most, *, at):
        """Methods lose at most so much at one x."""
        lines = self.lines(methods)
        points = {method: line[at] <= most for method, line in lines.items()}
        return Claim(figure, text, points, _shown(lines, at))


def _shown(lines, at):
    return ", ".join(f"{m} {_figure(line[at])}" for m, line in lines.items() if at in line)


def _figure(value):
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def claims(results):
    """Every statement, with the figures behind it."""
    return [*_grouping(results), *_diverse(results), *_dual(results), *_cube(results)]


def _grouping(results):
    loss, time = results.on("k", "gcp"), results.on("k", "S")
    ours = ["hilbert", "idistance"]
    less = "hilbert and idistance lose less than"
    by_rows, by_columns = results.on("k, rows", "gcp"), results.on("k, columns", "gcp")
    return [
        *loss.both("22", f"{less} Mondrian, at every k", ours, [OURS], at=50),
        loss.less("22", f"{less} topdown, at every k", ours, ["topdown"], at=50),
        *loss.both("22", "hilbert fast loses less than Mondrian", ["hilbert fast"], [OURS], at=50),
        loss.less(
            "22", "hilbert fast loses less than topdown", ["hilbert fast"], ["topdown"], at=50
        ),
        loss.less(
            "22",
            "idistance fast loses at most 1.2 times what topdown does",
            ["idistance fast"],
            ["topdown"],
            at=50,
            factor=1.2,
        ),
        time.less("22", "Mondrian is faster than hilbert", [OURS], ["hilbert"], at=50),
        time.less(
            "22",
            "hilbert fast takes at most twice the time of Mondrian",
            ["hilbert fast"],
            [OURS],
            at=50,
            factor=2.0,
        ),
        time.less("22", "idistance is slower than hilbert", ["hilbert"], ["idistance"], at=50),
        time.less(
            "22",
            "topdown takes over 10 times as long as hilbert",
            ["hilbert"],
            ["topdown"],
            at=50,
            factor=0.1,
        ),
        by_rows.falls(
            "23",
            "every method loses less when there are more rows",
            [OURS, *ours, "topdown"],
            at=_ends(by_rows),
        ),
        *by_rows.both("23", f"{less} Mondrian, at every N", ours, [OURS], at=_ends(by_rows)[1]),
        by_columns.at_most(
            "24",
            "with two columns hilbert and idistance lose next to nothing (at most 0.02)",
            ours,
            0.02,
            at=2,
        ),
        by_columns.widens(
            "24",
            "the more columns, the larger the factor by which hilbert beats Mondrian (median cuts"
            " only)",
            "hilbert",
            MEDIAN,
            at=(2, 7),
        ),
    ]


def _ends(judge):
    """The first and the last x."""
    xs = list(judge.results.line(judge.experiment, OURS, judge.key))
    return min(xs), max(xs)


def _diverse(results):
    hilbert, idistance = ours = ["diversify hilbert", "diversify idistance"]
    loss, time = results.on("l", "gcp"), results.on("l", "S")
    by_rows, alpha = results.on("l, rows", "gcp"), results.on("alpha", "gcp")
    volume = results.on("l", "average_volume")
    return [
        *loss.both(
            "25", "diversify loses less than Mondrian on both mappings", ours, [OURS], at=10
        ),
        loss.less(
            "25", "diversify loses less on hilbert than on idistance", [hilbert], [idistance], at=10
        ),
        time.less(
            "25",
            "diversify on hilbert takes at most twice the time of Mondrian",
            [hilbert],
            [OURS],
            at=10,
            factor=2.0,
        ),
        time.less("25", "it is slower on idistance", [hilbert], [idistance], at=10),
        by_rows.falls(
            "26", "diversify loses less when there are more rows", ours, at=_ends(by_rows)
        ),
        *by_rows.both(
            "26", "it loses less than Mondrian, at every N", ours, [OURS], at=_ends(by_rows)[1]
        ),
        *results.on("l, columns", "gcp").both(
            "27", "it loses less than Mondrian for every number of columns", ours, [OURS], at=4
        ),
        *alpha.both(
            "28",
            "without correlation, Mondrian loses less than diversify on idistance",
            [OURS],
            [idistance],
            at=0,
            among={0},
        ),
        *alpha.both(
            "28",
            "with correlation, diversify loses less than Mondrian",
            ours,
            [OURS],
            at=0.5,
            among={0.1, 0.2, 0.3, 0.4, 0.5},
        ),
        results.on("alpha", "S").falls(
            "28", "all take less time when correlation grows", [*ours, OURS], at=(0, 0.5)
        ),
        *results.on("l", "weighted_max_ncp").both(
            "29",
            "Mondrian's weighted maximum NCP is over 100 times that of diversify",
            ours,
            [OURS],
            at=10,
            factor=0.01,
        ),
        *results.on("l", "il1").both(
            "30", "the average NCP of diversify is below Mondrian's", ours, [OURS], at=10
        ),
        *volume.both("31", "so is its average volume", ours, [OURS], at=10),
        volume.less(
            "31",
            "at some l average volume is less on idistance than on hilbert",
            [idistance],
            [hilbert],
            at=10,
            somewhere=True,
        ),
    ]


def _dual(results):
    on_diversify, on_mondrian = others = ["ipcsd diversify", "ipcsd mondrian"]
    privacy, time = results.on("E", "reached"), results.on("E", "S")
    return [
        privacy.less("32", "ac reaches more than ipcsd diversify", [on_diversify], ["ac"], at=0.6),
        privacy.less("32", "ac reaches more than ipcsd mondrian", [on_mondrian], ["ac"], at=0.6),
        privacy.less(
            "32", "ipcsd diversify reaches least", [on_diversify], [on_mondrian, "ac"], at=0.6
        ),
        time.less("32", "ac is the fastest", ["ac"], others, at=0.6),
        results.on("E, columns", "reached").less(
            "33", "ac reaches most for every number of columns", others, ["ac"], at=3
        ),
        results.on("E, rows", "reached").less(
            "34", "ac reaches most for every number of rows", others, ["ac"], at=_last(results)
        ),
    ]


def _last(results):
    return max(results.line("E, rows", "ac", "reached"))


def _cube(results):
    ours = ["diversify hilbert", "diversify idistance"]
    permuted = ["permuted hilbert", "permuted idistance"]
    anatomy = ["anatomy", "anatomy at random"]
    by_l, by_rows = results.on("l", "kl_2"), results.on("l, rows", "kl_2")
    nearer = "counts from diversify are nearer the truth than from"
    return [
        *by_l.both("35a", f"{nearer} Mondrian, at every l", ours, [OURS], at=10),
        *by_l.both("35a", f"{nearer} Mondrian, 10 times", ours, [OURS], at=10, factor=0.1),
        by_l.less("35a", f"{nearer} Anatomy, while l is small", ours, anatomy, at=2, among={2, 4}),
        by_rows.falls(
            "35d",
            "counts come nearer when there are more rows",
            [*ours, "anatomy at random"],
            at=_ends(by_rows),
        ),
        by_l.less(
            "36a", "permuted groups give nearer counts than Anatomy", permuted, anatomy, at=10
        ),
        results.on("l, columns", "kl_2").less(
            "36c", "and for every number of columns", permuted, anatomy, at=4
        ),
        by_rows.less(
            "36d", "and for every number of rows", permuted, anatomy, at=_ends(by_rows)[1]
        ),
        results.on("l, columns", "kl_2").less(
            "36", "up to 10 times nearer", permuted, anatomy, at=2, factor=0.1, somewhere=True
        ),
    ]
