"""Planting loose nodes gives what the builder makes of the nested record."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from indistinct.trees.forest import Labels
from indistinct.trees.planting import plant
from tests.trees.growing import grow, records, sets_of

CLASSES = ("a", "b", "c")
BELOW = {None: ["a", "b", "c"], "a": ["b", "c"], "b": ["c"], "c": []}
VALUES = {"a": ["1", "2"], "b": ["1", "2", "3"], "c": ["x", "y"]}
LABELS = Labels(
    [value for name in CLASSES for value in VALUES[name]],
    np.array([0, 0, 1, 1, 1, 2, 2], dtype=np.int32),
)


def loose(listed):
    """All nodes with their record and parent, parents first, nothing merged."""
    record, parent, label = [], [], []

    def add(nodes, number, above):
        for kind, value, below in nodes:
            record.append(number)
            parent.append(above)
            label.append(LABELS.codes[CLASSES.index(kind), value])
            add(below, number, len(label) - 1)

    for number, nodes in enumerate(listed):
        add(nodes, number, -1)
    return {
        "record": np.array(record, dtype=np.int64),
        "parent": np.array(parent, dtype=np.int64),
        "label": np.array(label, dtype=np.int32),
    }


@given(records(BELOW, VALUES))
def test_planting_is_what_the_builder_does(listed):
    planted = plant(CLASSES, LABELS, size=len(listed), **loose(listed))
    assert sets_of(planted) == sets_of(grow(CLASSES, listed))


@given(records(BELOW, VALUES))
def test_nodes_are_in_preorder_and_siblings_in_the_order_of_their_codes(listed):
    planted = plant(CLASSES, LABELS, size=len(listed), **loose(listed))
    for first, last in zip(planted.starts, planted.starts[1:], strict=False):
        way = []
        for node in range(first, last):
            while way and way[-1] != planted.parent[node]:
                way.pop()
            assert planted.parent[node] == (way[-1] if way else -1)
            way.append(node)
        keys = [(planted.parent[n], planted.label[n]) for n in range(first, last)]
        for parent in {above for above, _ in keys}:
            codes = [label for above, label in keys if above == parent]
            assert codes == sorted(set(codes))
