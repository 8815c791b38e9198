"""What each level vector suppresses and loses, against releases that are really made."""

from __future__ import annotations

from itertools import product

import pytest

from indistinct import anonymize
from indistinct.comparing.lattice import count_lattice
from indistinct.datasets import medical, medical_plan
from indistinct.plan import Plan

LIMITS = {"suppression": 0.3}


@pytest.fixture
def lattice():
    return count_lattice(medical(), Plan.load(medical_plan(limits=LIMITS)))


def test_every_vector_is_there_once(lattice):
    levels = [range(height + 1) for height in lattice.heights]
    assert sorted(node.levels for node in lattice.nodes) == sorted(product(*levels))
    assert lattice.vectors == len(lattice.nodes)
    assert lattice.allowed == 3


def test_each_is_what_a_release_at_its_levels_is(lattice):
    for node in lattice.nodes:
        if node.suppressed == lattice.rows:
            continue  # there is no release without rows
        levels = dict(zip(lattice.columns, node.levels, strict=True))
        plan = medical_plan(method={"name": "optimal", "levels": levels}, limits={"suppression": 1})
        release = anonymize(medical(), plan)
        assert release.suppressed_rows == node.suppressed
        assert release.recoding.search["loss"] == pytest.approx(node.loss)
        assert release.class_sizes.size == node.classes


def test_the_best_is_what_optimal_finds(lattice):
    release = anonymize(medical(), medical_plan(method={"name": "optimal"}, limits=LIMITS))
    assert dict(zip(lattice.columns, lattice.best.levels, strict=True)) == release.levels


def test_of_a_large_lattice_those_near_the_best_are_counted(lattice):
    near = count_lattice(medical(), Plan.load(medical_plan(limits=LIMITS)), most=1)
    assert near.vectors == lattice.vectors
    assert near.best == lattice.best
    known = {node.levels: node for node in lattice.nodes}
    assert all(known[node.levels] == node for node in near.nodes)
    assert 1 < len(near.nodes) < len(lattice.nodes)


def test_where_none_is_allowed_the_top_is_shown():
    plan = medical_plan(require=[{"model": "k-anonymity", "k": 11}])
    near = count_lattice(medical(), Plan.load(plan), most=1)
    assert near.best is None
    assert near.heights in {node.levels for node in near.nodes}
