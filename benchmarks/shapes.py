"""`auto` beside all our other methods that publish groups of rows, on tables of many shapes.

Each shape is drawn from its own seed: values by a Zipf law, columns tied to each other through two
hidden traits, numbers published as ranges or labels as nodes of a tree, rows repeated or not. Every
method is shown what it is shown in a release. Printed are the loss (mean NCP of a cell), the bound
(of k alone), processor seconds, and how much more `auto` loses than the best of the others.

Run: .venv/bin/python benchmarks/shapes.py [--rows MOST] [--methods auto,mondrian] [NAME ...]

A name chooses all shapes that begin with it. Shapes of more than 20,000 rows are left out unless
`--rows` allows them; `--rows 10000000` runs all, which takes an hour.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field, replace
from time import process_time

import numpy as np
import pyarrow as pa

from _common import as_shown
from indistinct.datasets import census, census_ladders
from indistinct.encode.table import encode_table
from indistinct.errors import CannotMeetError
from indistinct.measures.bound import lower_bound
from indistinct.measures.loss import column_ncp
from indistinct.methods.posing import pose_problem
from indistinct.model.entries import dealt
from indistinct.plan import Plan
from indistinct.publishing.draws import Draws
from indistinct.publishing.showing import shown

LEXICOGRAPHIC = {"mapping": "lexicographic"}
METHODS = {
    "auto": {"name": "auto"},
    "lexicographic": {"name": "one-dimension"},
    "hilbert": {"name": "hilbert"},
    "idistance": {"name": "idistance"},
    "mondrian": {"name": "mondrian"},
    "diversify": {"name": "diversify"},
    "diversify-lex": {"name": "diversify", **LEXICOGRAPHIC},
    "topdown": {"name": "topdown"},
    "k-member": {"name": "k-member"},
    "local-recoding": {"name": "local-recoding"},
    "optimal": {"name": "optimal", "time_limit": 60},
}
MOST_ROWS = {"k-member": 2_000, "topdown": 20_000, "local-recoding": 20_000}
MOST_COLUMNS = {"optimal": 8, "local-recoding": 8}
USUAL_ROWS = 20_000
NEAR = 0.005


@dataclass(frozen=True)
class Column:
    """A column: how many values, how skewed, how far tied to the others, and its hierarchy."""

    size: int
    skew: float = 0.0
    tied: float = 0.0
    fan: int = 0


def number(size, skew=0.0, tied=0.0):
    """A column of numbers, published as ranges."""
    return Column(size, skew, tied)


def tree(size, fan, skew=0.0, tied=0.0):
    """A column of labels, published as nodes of a tree in which each node has `fan` children."""
    return Column(size, skew, tied, fan)


@dataclass(frozen=True)
class Shape:
    """A table, and what is asked of its release."""

    rows: int
    columns: tuple[Column, ...] | tuple[str, ...]
    require: tuple[dict, ...]
    distinct: float = 1.0
    sensitive: Column = field(default_factory=lambda: Column(12, 0.8, 0.5))

    @property
    def judged(self):
        """Whether sensitive values count."""
        return any(asked["model"] != "k-anonymity" for asked in self.require)

    def drawn(self, seed):
        """The rows, and the columns as a plan states them."""
        if isinstance(self.columns[0], str):
            return _census(self)
        random = np.random.default_rng(seed)
        kept = max(int(self.rows * self.distinct), 1)
        traits = random.normal(size=(2, kept))
        data, stated = {}, {}
        for place, column in enumerate(self.columns):
            codes = _codes(column, traits[place % 2], random)
            name = f"q{place}"
            data[name], stated[name] = _values(column, codes)
        if kept < self.rows:
            again = random.integers(0, kept, self.rows)
            data = {name: values[again] for name, values in data.items()}
            traits = traits[:, again]
        ill = _codes(self.sensitive, traits[0], random)
        data["ill"] = np.char.add("i", ill.astype(str))
        return pa.table(data), stated | {"ill": {"role": "sensitive"}}


def _census(shape):
    ladders = census_ladders()
    ranges = {"publish": "range"} if shape.judged else {}
    stated = {
        name: {"role": "quasi", "hierarchy": {"paths": ladders[name]}}
        | (ranges if name in {"age", "education"} else {})
        for name in shape.columns
    }
    data = census(shape.rows, seed=1).select([*shape.columns, "occupation"])
    return data, stated | {"occupation": {"role": "sensitive"}}


def _codes(column, trait, random):
    """Draw codes whose shares follow a Zipf law; high ones go with a high trait where tied."""
    mixed = column.tied * trait + np.sqrt(1 - column.tied**2) * random.normal(size=trait.size)
    place = np.empty(trait.size)
    place[np.argsort(mixed)] = (np.arange(trait.size) + 0.5) / trait.size
    shares = np.arange(1.0, column.size + 1) ** -column.skew
    return np.searchsorted(np.cumsum(shares / shares.sum()), place).clip(0, column.size - 1)


def _values(column, codes):
    """Return the values of a column, and how a plan states it."""
    if not column.fan:
        return codes, {"role": "quasi", "publish": "range"}
    width = len(str(column.size))
    labels = np.array([f"v{code:0{width}}" for code in range(column.size)])
    paths, size, divided = [labels], column.size, np.arange(column.size)
    while size > column.fan:
        divided = divided // column.fan
        size = int(divided[-1]) + 1
        paths.append(np.array([f"n{len(paths)}.{node}" for node in divided]))
    rows = [[*map(str, path), "*"] for path in zip(*paths, strict=True)]
    return labels[codes], {"role": "quasi", "hierarchy": {"paths": rows}}


def k(least):
    """k-anonymity."""
    return {"model": "k-anonymity", "k": least}


def l(least, kind="distinct"):  # noqa: E743 - as the model is called
    """l-diversity."""
    return {"model": "l-diversity", "kind": kind, "l": least}


def t(most):
    """t-closeness."""
    return {"model": "t-closeness", "t": most}


def alpha(most, least):
    """(alpha, k)-anonymity."""
    return {"model": "alpha-k", "alpha": most, "k": least}


RECURSIVE = {"model": "l-diversity", "kind": "recursive", "l": 3, "c": 3}
CENSUS = ("age", "gender", "education", "marital", "race", "work_class", "country")
MIXED = (number(80, 0.3, 0.6), tree(2, 2), tree(16, 4, 0.7, 0.5), tree(40, 5, 1.0), number(9, 0.5))
WIDE = tuple(
    number(5 + 7 * place, 0.2 * (place % 5), 0.2 * (place % 4))
    if place % 2
    else tree(2 + 3 * place, 3, 0.3 * (place % 4), 0.25 * (place % 3))
    for place in range(30)
)
MANY_VALUES = (
    number(500_000, 0.4),
    tree(50, 5, 0.8, 0.4),
    number(90, 0.2, 0.5),
    tree(2, 2),
    tree(8, 3),
)
SHAPES = {
    "tiny-2": Shape(1_000, MIXED[:2], (k(2),)),
    "tiny-3-k100": Shape(1_000, MIXED[:3], (k(100),)),
    "tiny-5": Shape(1_000, MIXED, (k(5),)),
    "tiny-5-l": Shape(1_000, MIXED, (k(3), l(3))),
    "tiny-4-t": Shape(1_000, MIXED[:4], (k(5), t(0.3))),
    "numbers-2": Shape(5_000, (number(1000), number(300, 0.5)), (k(10),)),
    "numbers-3-tied": Shape(
        5_000, (number(200, 0, 0.9), number(500, 0.3, 0.9), number(50)), (k(5),)
    ),
    "numbers-6": Shape(10_000, tuple(number(60, 0.2, 0.4) for _ in range(6)), (k(10),)),
    "trees-3": Shape(10_000, (tree(100, 5, 1), tree(30, 3, 0.5), tree(12, 4)), (k(25),)),
    "trees-5-skewed": Shape(10_000, tuple(tree(50, 4, 1.3) for _ in range(5)), (k(5),)),
    "trees-8": Shape(10_000, tuple(tree(9, 3, 0.4, 0.5) for _ in range(8)), (k(20),)),
    "copies-3": Shape(10_000, MIXED[:3], (k(10),), 0.1),
    "copies-5": Shape(20_000, MIXED, (k(5),), 0.05),
    "values-many-3": Shape(20_000, (number(15_000), number(900, 0.5, 0.5), tree(20, 4)), (k(5),)),
    "values-tree-4": Shape(10_000, (tree(3_000, 6, 0.9), tree(700, 4), *MIXED[:2]), (k(10),)),
    "wide-12": Shape(10_000, WIDE[:12], (k(5),)),
    "wide-20": Shape(5_000, WIDE[:20], (k(10),)),
    "wide-30": Shape(3_000, WIDE, (k(5),)),
    "census-3-k50": Shape(20_000, CENSUS[:3], (k(50),)),
    "census-4-k10": Shape(20_000, CENSUS[:4], (k(10),)),
    "census-5-k50": Shape(20_000, CENSUS[:5], (k(50),)),
    "census-7-k5": Shape(20_000, CENSUS, (k(5),)),
    "census-2-l10": Shape(20_000, CENSUS[:2], (l(10, "frequency"),)),
    "census-3-l10": Shape(20_000, CENSUS[:3], (l(10, "frequency"),)),
    "census-4-l10": Shape(20_000, CENSUS[:4], (l(10, "frequency"),)),
    "census-7-l10": Shape(20_000, CENSUS, (l(10, "frequency"),)),
    "census-4-l5": Shape(10_000, CENSUS[:4], (k(10), l(5))),
    "mixed-entropy": Shape(10_000, MIXED[:4], (k(5), l(4, "entropy"))),
    "mixed-recursive": Shape(10_000, MIXED, (k(5), RECURSIVE)),
    "mixed-alpha": Shape(10_000, MIXED[:4], (alpha(0.3, 10),)),
    "mixed-t": Shape(10_000, MIXED[:4], (k(10), t(0.2))),
    "mixed-l-t": Shape(5_000, MIXED[:3], (k(5), l(3, "frequency"), t(0.4))),
    "numbers-l": Shape(
        10_000,
        (number(2_000), number(60, 0.4, 0.5)),
        (l(6, "frequency"),),
        1.0,
        Column(30, 0.2, 0.5),
    ),
    "large-census-4": Shape(100_000, CENSUS[:4], (k(50),)),
    "large-census-6": Shape(100_000, CENSUS[:6], (k(50),)),
    "large-census-l": Shape(100_000, CENSUS[:5], (k(20), l(8, "frequency"))),
    "large-wide-12": Shape(200_000, WIDE[:12], (k(5),)),
    "large-values-5": Shape(1_000_000, MANY_VALUES, (k(5),)),
    "large-mixed-6": Shape(1_000_000, (*MIXED, number(365, 0.1)), (k(5),)),
    "huge-census-6": Shape(
        10_000_000,
        CENSUS[:6],
        (k(10),),
    ),
}


def plan_of(shape, stated, method):
    """The plan of a shape for a method."""
    return Plan.load({"columns": stated, "require": list(shape.require), "method": method})


def searched(table, plan):
    """The loss of a method, its processor time, and what it tells of its search."""
    problem = pose_problem(table, plan)
    method = plan.method.chosen_for(problem)
    needed = {*plan.judged_columns(), *method.reads(plan)}
    draws = Draws(1, table.rows)
    entries = shown(problem, method, needed, draws)
    start = process_time()
    recoding = method.search(replace(problem, table=entries.table))
    took = process_time() - start
    if recoding.parts is not None:
        entries = dealt(table, entries, recoding.parts, draws.order("ties"))
    whole = recoding.of_entries(entries.of_row) if method.groups_rows else recoding
    lost = column_ncp(table, whole, plan.forms(table))
    return float(np.mean(list(lost.values()))), took, getattr(recoding, "search", {})


def suits(name, shape):
    """Whether to try a method on a shape."""
    few = shape.rows <= MOST_ROWS.get(name, shape.rows)
    narrow = len(shape.columns) <= MOST_COLUMNS.get(name, len(shape.columns))
    return few and narrow and (shape.judged or not name.startswith("diversify"))


def run(name, shape, methods):
    """Run the methods on a shape, print what each lost, and return by how much `auto` is behind."""
    data, stated = shape.drawn(sum(map(ord, name)))
    plan = plan_of(shape, stated, METHODS["auto"])
    table = encode_table(data, plan)
    lost = {}
    for method in methods:
        if not suits(method, shape):
            continue
        try:
            lost[method] = searched(table, plan_of(shape, stated, METHODS[method]))
        except CannotMeetError:
            continue
    least = min((a for m, (a, *_) in lost.items() if m != "auto"), default=float("nan"))
    problem = as_shown(pose_problem(table, plan), plan)
    most_k = max(asked.get("k", asked.get("l", 1)) for asked in shape.require)
    bound = lower_bound(problem.table, problem.spans, int(most_k)).loss
    behind = lost["auto"][0] / least - 1 if "auto" in lost and least > 0 else 0.0
    asked = ", ".join(" ".join(str(part) for part in asked.values()) for asked in shape.require)
    print(f"{name}: {shape.rows:,} x {len(shape.columns)}, {asked}; bound {bound:.4f}")
    for method, (loss, took, _) in sorted(lost.items(), key=lambda item: item[1][0]):
        print(f"    {method:15} {loss:.5f} {took:8.2f} s")
    print(
        f"    auto behind by {behind:+.2%}" + ("" if behind <= NEAR else "  <-- NOT FIRST"),
        flush=True,
    )
    return behind


def main():
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("names", nargs="*")
    reader.add_argument("--rows", type=int, default=USUAL_ROWS)
    reader.add_argument("--methods", default=",".join(METHODS))
    given = reader.parse_args()
    behind = {}
    for name, shape in SHAPES.items():
        chosen = any(name.startswith(start) for start in given.names)
        if chosen or (not given.names and shape.rows <= given.rows):
            behind[name] = run(name, shape, given.methods.split(","))
    first = [name for name, by in behind.items() if by <= NEAR]
    print(f"auto is first, or within {NEAR:.1%} of the first, on {len(first)} of {len(behind)}")
    for name, by in behind.items():
        if by > NEAR:
            print(f"    {name}: {by:+.1%}")


if __name__ == "__main__":
    sys.exit(main())
