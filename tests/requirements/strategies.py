"""Random requirements, sensitive columns and classes, and how the library is told of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import strategies as st
from pydantic import TypeAdapter

from indistinct.hierarchy import Hierarchy
from indistinct.model.table import SensitiveColumn
from indistinct.requirements import RequirementSpec
from indistinct.requirements.base import ClassValues, PublishedClasses
from tests.oracle_requirements import Sensitive
from tests.properties.strategies import ladders

FORMS = {
    "k-anonymity": {"k": [2, 3, 4]},
    "l-diversity distinct": {"l": [2, 3]},
    "l-diversity entropy": {"l": [1.2, 1.5, 2, 2.5, 3]},
    "l-diversity recursive": {"l": [2, 3], "c": [0.5, 1, 1.5, 2, 3]},
    "l-diversity frequency": {"l": [1.2, 1.5, 2, 3]},
    "p-sensitive": {"p": [2, 3], "k": [2, 3]},
    "alpha-k": {"alpha": [0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 1], "k": [2, 3]},
    "t-closeness equal": {"t": [0, 0.1, 0.2, 0.25, 0.3, 0.5]},
    "t-closeness ordered": {"t": [0, 0.1, 0.2, 0.25, 0.3, 0.5]},
    "t-closeness hierarchical": {"t": [0, 0.1, 0.2, 0.25, 0.3, 0.5]},
    "beta-likeness basic": {"beta": [0.2, 0.5, 1, 2]},
    "beta-likeness enhanced": {"beta": [0.2, 0.5, 1, 2]},
    "delta-disclosure": {"delta": [0.2, 0.5, 1, 2]},
}
ON_NUMBERS = {"k-e": {"k": [2, 3], "e": [1, 2]}}
ON_VALUES = [form for form in FORMS if form != "k-anonymity"]
KIND = {"l-diversity": "kind", "t-closeness": "distance", "beta-likeness": "kind"}


@st.composite
def requirements(draw, form, values=()):
    """A requirement of a form, as a plan states it."""
    model, _, kind = form.partition(" ")
    choices = (FORMS | ON_NUMBERS)[form].items()
    asked = {"model": model} | {key: draw(st.sampled_from(of)) for key, of in choices}
    if kind:
        asked[KIND[model]] = kind
    known = sorted(value for value in values if value is not None)
    if model == "alpha-k" and known and draw(st.booleans()):
        asked["values"] = draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    return asked


def in_walk(paths):
    """Values in the order of a walk through their hierarchy, nodes as they first appear."""
    seen = [list(dict.fromkeys(level)) for level in zip(*paths, strict=True)]
    by_node = [(tuple(s.index(x) for s, x in zip(seen, p, strict=True))[::-1], p) for p in paths]
    return [path for _, path in sorted(by_node, key=lambda pair: pair[0])]


def with_missing(paths):
    return [*paths, [None] * (len(paths[0]) - 1) + ["*"]]


@st.composite
def sensitive_columns(draw, *, most_values=4):
    """A column whose values, perhaps with a missing one, have a hierarchy."""
    paths = in_walk(draw(ladders("s", most_leaves=most_values)))
    if draw(st.booleans()):
        paths = with_missing(paths)
    counts = draw(st.lists(st.integers(0, 6), min_size=len(paths), max_size=len(paths)).filter(any))
    values = tuple(path[0] for path in paths)
    return Sensitive(values, Counter(dict(zip(values, counts, strict=True))), paths)


@st.composite
def histograms(draw, sensitive, *, most=5):
    """A class: how many of its people have each value."""
    size = len(sensitive.values)
    counts = draw(st.lists(st.integers(0, most), min_size=size, max_size=size).filter(any))
    pairs = zip(sensitive.values, counts, strict=True)
    return Counter({value: count for value, count in pairs if count})


@st.composite
def judged(draw, form, *, most_classes=4, most=5):
    """A requirement, a column and some classes."""
    sensitive = draw(sensitive_columns())
    asked = draw(requirements(form, sensitive.values))
    classes = draw(st.lists(histograms(sensitive, most=most), min_size=1, max_size=most_classes))
    return asked, sensitive, classes


def requirement_of(asked):
    return TypeAdapter(RequirementSpec).validate_python(asked)


def column_of(sensitive, name="s"):
    """The library's column."""
    codes = [
        code for code, value in enumerate(sensitive.values) for _ in range(sensitive.whole[value])
    ]
    hierarchy = Hierarchy.from_paths([p for p in sensitive.ladders if p[0] is not None])
    if None in sensitive.values:
        hierarchy = hierarchy.with_missing()
    assert hierarchy.leaves == sensitive.values
    return SensitiveColumn(name, np.array(codes, dtype=np.int32), sensitive.values, hierarchy)


def published_classes(classes, sensitive):
    """Classes as the check counts them, each person with one row."""
    column = column_of(sensitive)
    triples = [
        (number, code, histogram[value])
        for number, histogram in enumerate(classes)
        for code, value in enumerate(sensitive.values)
        if histogram[value]
    ]
    of_class, value, count = (np.array(part, dtype=np.int64) for part in zip(*triples, strict=True))
    sizes = np.array([sum(histogram.values()) for histogram in classes], dtype=np.int64)
    values = ClassValues(of_class, value, count, column.shares, column.levels, sensitive.values)
    return PublishedClasses(sizes, sizes, values)
