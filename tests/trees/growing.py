"""Random small forests, and records as sets so that order among siblings does not matter."""

from __future__ import annotations

from hypothesis import strategies as st

from coarsen.trees.forest import ForestBuilder


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


def grow(classes, listed):
    builder = ForestBuilder(classes)
    for record in listed:
        builder.add(record)
    return builder.build()
