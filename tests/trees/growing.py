"""Random small forests, and records as sets so that order among siblings does not matter."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from indistinct.hierarchy.core import Hierarchy
from indistinct.trees.forest import ForestBuilder
from indistinct.trees.hierarchies import joined
from indistinct.trees.operations import relabelled


def as_set(nodes):
    """A record without order; equal siblings must be merged already."""
    return frozenset((kind, value, as_set(below)) for kind, value, below in nodes)


def sets_of(forest):
    return [as_set(record) for record in forest.records()]


@st.composite
def nodes(draw, below, values, kind=None, most=3):
    """Draw nodes below a class; `below` tells which classes may stand below which."""
    kinds = below[kind]
    if not kinds:
        return []
    chosen = draw(st.lists(st.sampled_from(kinds), max_size=most))
    return [
        (name, draw(st.sampled_from(values[name])), draw(nodes(below, values, name, most)))
        for name in chosen
    ]


def records(below, values, most=3, max_size=6):
    return st.lists(nodes(below, values, None, most), max_size=max_size)


def drawn_nodes(generator, below, values, kind=None, most=3):
    """Draw nodes like `nodes`, all numbers equally likely, for forests larger than hypothesis'."""
    if not below[kind]:
        return []
    chosen = generator.choice(below[kind], generator.integers(0, most + 1)).tolist()
    return [
        (name, str(generator.choice(values[name])), drawn_nodes(generator, below, values, name))
        for name in chosen
    ]


def grow(classes, listed):
    builder = ForestBuilder(classes)
    for record in listed:
        builder.add(record)
    return builder.build()


CARE = ("hospital", "disease", "treatment")
CARE_BELOW = {
    None: ["hospital", "disease", "treatment"],
    "hospital": ["disease", "treatment"],
    "disease": ["treatment"],
    "treatment": [],
}
CARE_PATHS = {
    "hospital": [
        ["H1", "General", "*"],
        ["H2", "General", "*"],
        ["H3", "Maternity", "*"],
        ["H4", "Maternity", "*"],
    ],
    "disease": [
        ["Flu", "Lung", "any disease"],
        ["Bronchitis", "Lung", "any disease"],
        ["Gastritis", "Stomach", "any disease"],
    ],
    "treatment": [["Rest", "*"], ["Pills", "*"]],
}
CARE_VALUES = {name: [path[0] for path in paths] for name, paths in CARE_PATHS.items()}


def care(listed):
    """Records of care with the codes of their hierarchies, and the hierarchies."""
    built = [Hierarchy.from_paths(CARE_PATHS[name]) for name in CARE]
    hierarchies = joined(CARE, built)
    forest = grow(CARE, listed)
    codes = [
        hierarchies.labels.codes[key]
        for key in zip(forest.labels.of_class.tolist(), forest.labels.values, strict=True)
    ]
    return relabelled(forest, hierarchies.labels, np.array(codes, dtype=np.int32)), hierarchies


def ancestors(value, name, paths):
    """All forms of a ground value, itself first."""
    return next(path for path in paths[name] if path[0] == value)


def relations(record):
    """All (upper, lower) pairs of nodes of a record as (class, value) pairs, and its nodes."""
    found, nodes = set(), set()

    def walk(listed, above):
        for kind, value, below in listed:
            nodes.add((kind, value))
            found.update((upper, (kind, value)) for upper in above)
            walk(below, [*above, (kind, value)])

    walk(record, [])
    return found, nodes


def truthful(original, published, paths=CARE_PATHS):
    """Whether each published node and relation generalizes one of the original record."""
    true_pairs, true_nodes = relations(original)

    def forms(node):
        return {(node[0], form) for form in ancestors(node[1], node[0], paths)}

    said, nodes = relations(published)
    every = set().union(*(forms(node) for node in true_nodes)) if true_nodes else set()
    pairs = {
        (above, below)
        for upper, lower in true_pairs
        for above in forms(upper)
        for below in forms(lower)
    }
    return nodes <= every and said <= pairs
