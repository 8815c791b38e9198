"""What every hierarchy must be, checked by its definition, and short ways to build one."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from pydantic import TypeAdapter

from indistinct.errors import HierarchyError
from indistinct.hierarchy import Domain, HierarchySpec

_SPEC = TypeAdapter(HierarchySpec)


def spec_of(table):
    return _SPEC.validate_python(table)


def build(table, column, *, base=Path()):
    domain = Domain.of(column)
    hierarchy = spec_of(table).build(domain, place="column 'x'", base=base)
    assert_sound(hierarchy, domain)
    return hierarchy


def levels(table, column):
    """The labels of each level above the values."""
    return [list(labels) for labels in build(table, column).labels[1:]]


def faults_of(table, column, *, base=Path()):
    """What is wrong, as text, one per fault."""
    with pytest.raises(HierarchyError) as caught:
        spec_of(table).build(Domain.of(column), place="column 'x'", base=base)
    return [str(fault) for fault in caught.value.faults]


def assert_sound(hierarchy, domain=None):
    assert hierarchy.labels[0] == hierarchy.leaves
    assert len(set(hierarchy.leaves)) == hierarchy.size
    assert len(hierarchy.labels[-1]) == 1
    for nodes, labels in zip(hierarchy.nodes, hierarchy.labels, strict=True):
        assert nodes.dtype == np.int32
        assert nodes.size == hierarchy.size
        steps = np.diff(nodes)
        assert nodes[0] == 0
        assert set(steps.tolist()) <= {0, 1}, "nodes are runs, numbered in order"
        assert nodes[-1] == len(labels) - 1
        assert len(set(labels)) == len(labels), "a label names one node of its level"
    for fine, coarse in zip(hierarchy.nodes, hierarchy.nodes[1:], strict=False):
        assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == fine[-1] + 1
    assert hierarchy.position.size == hierarchy.size
    if domain is not None:
        assert all(value in hierarchy.code_of for value in domain.values)


def assert_true(label, text):
    """Check what the label of a range says of a number."""
    value = Decimal(text)
    if label.startswith("<"):
        assert value < Decimal(label[1:])
    elif label.startswith(">="):
        assert value >= Decimal(label[2:])
    elif half_open := re.fullmatch(r"\[(.+), (.+)\)", label):
        assert Decimal(half_open[1]) <= value < Decimal(half_open[2])
    elif closed := re.fullmatch(r"\[(\d+)-(\d+)\]", label):
        assert int(closed[1]) <= value <= int(closed[2])
    else:
        assert value == Decimal(label)


def assert_same(one, other):
    assert one.leaves == other.leaves
    assert one.labels == other.labels
    assert one.kind == other.kind
    assert np.array_equal(one.position, other.position, equal_nan=True)
    assert all(map(np.array_equal, one.nodes, other.nodes))
