"""Random small tables with sensitive columns, and what is asked of them.

The tables are drawn by Python's generator from a seed that hypothesis draws: shrinking towards
small values would mostly give tables of equal rows, where nothing is suppressed or everything is.
"""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import strategies as st

from tests.oracle_requirements import Job, Sensitive
from tests.requirements.strategies import in_walk, requirements, with_missing


def ladders_of(draw, name, leaves):
    """Paths of a hierarchy in which nodes are merged at random, level by level."""
    paths = [[f"{name}{leaf}"] for leaf in range(leaves)]
    for level in range(1, draw.choice([1, 2, 2, 3])):
        nodes = sorted({path[-1] for path in paths})
        group = {node: draw.randrange(max(2, len(nodes) - 1)) for node in nodes}
        for path in paths:
            path.append(f"{name}.{level}.{group[path[-1]]}")
    return [[*path, "*"] for path in paths]


def sensitive_of(draw, name, size, *, hierarchy, most_values):
    """A value for every row, some of them missing; and the column, with a hierarchy or without."""
    paths = in_walk(ladders_of(draw, name, draw.randint(2, most_values)))
    known = [path[0] for path in paths]
    if draw.random() < 0.3:
        known[-1] = None
    held = draw.choices(known, [draw.randint(1, 3) for _ in known], k=size)
    if all(value is None for value in held):
        held[0] = known[0]
    if hierarchy:
        paths = with_missing(paths) if None in held else paths
        return held, Sensitive(tuple(p[0] for p in paths), Counter(held), paths)
    values = sorted({v for v in held if v is not None}) + [None] * (None in held)
    return held, Sensitive(tuple(values), Counter(held))


def sets_of(draw, columns, size, *, people, sets):
    """One quasi-identifier of all columns, or two that may overlap; perhaps with respondents."""

    def whose():
        return [draw.randrange(size - 1) for _ in range(size)] if people else None

    if columns == 2 and sets:
        return [(draw.choice([(0,), (0, 1)]), whose()), ((1,), whose())]
    return [(tuple(range(columns)), whose())]


@st.composite
def jobs(draw, forms, *, columns=1, people=False, sets=False, joined=False, most_rows=12):
    """A table of which requirements of some forms are asked, each of all sensitive columns."""
    drawn = random.Random(draw(st.integers(0, 2**32 - 1)))
    size = drawn.randint(4, most_rows)
    names = ["c0", "c1"][: drawn.choice([1, 2, 2])]
    ladders = {name: ladders_of(drawn, name, drawn.randint(2, 4)) for name in names}
    rows = [{name: drawn.choice(ladders[name])[0] for name in names} for _ in range(size)]
    needed = "t-closeness hierarchical" in forms
    sensitive = {}
    for name in ("s", "t")[:columns]:
        hierarchy = needed or drawn.random() < 0.3
        most_values = 2 if joined else 4
        held, sensitive[name] = sensitive_of(
            drawn,
            "" if "k-e" in forms else name,  # values are numbers
            size,
            hierarchy=hierarchy,
            most_values=most_values,
        )
        rows = [row | {name: value} for row, value in zip(rows, held, strict=True)]
    watched = sensitive["s"].values if columns == 1 else ()
    asked = [draw(requirements(form, watched)) for form in forms]
    if joined:
        asked = [a if a["model"] == "k-anonymity" else a | {"joined": True} for a in asked]
    limit = 0 if drawn.random() < 0.3 else drawn.randint(1, size - 1)
    groups = sets_of(drawn, len(names), size, people=people, sets=sets)
    return Job(rows, names, ladders, sensitive, asked, limit, groups)
