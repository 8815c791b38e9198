"""Downcoding: finer values of a release that is no coarser than it had to be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np
import pyarrow as pa
import pytest

from indistinct import anonymize, attack
from indistinct.encode.table import encode_table
from indistinct.errors import DataError
from indistinct.plan import Plan
from indistinct.risk.attacks.downcoding import _stated_rightly
from indistinct.risk.attacks.worlds import view_of

KINDS = list(product((0, 1), repeat=3))
COLUMNS = {name: {"role": "quasi", "hierarchy": "flat"} for name in "abc"}
PAIRS = [{"model": "k-anonymity", "k": 2}]


def plan(method, columns=COLUMNS):
    return {"columns": columns, "require": PAIRS, "method": {"name": method}, "seed": 1}


def in_columns(rows, names="abc"):
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})


def releases(method, people):
    """What the method publishes of every table of so many people of eight kinds, how often."""
    asked = Plan.load(plan(method))
    every = encode_table(in_columns(KINDS), asked)
    seen, coarsened = Counter(), set()
    for kinds in combinations_with_replacement(range(len(KINDS)), people):
        quasi = tuple(replace(c, codes=c.codes[list(kinds)]) for c in every.quasi)
        view = view_of(replace(every, entries=people, quasi=quasi), asked, 0)
        cells = tuple(sorted(view.cells[number] for number in view.of_row))
        seen[cells] += 1
        if any(low != high for row in cells for low, high in row):
            coarsened.add(cells)
    return seen, coarsened


@pytest.mark.parametrize(("method", "alone", "of"), [("mondrian", 396, 710), ("optimal", 0, 94)])
def test_every_table_of_six_people(method, alone, of):
    """Of mondrian's coarsened releases 56 % have exactly one table that gives them."""
    seen, coarsened = releases(method, 6)
    assert seen.total() == 1716
    assert len(coarsened) == of
    assert sum(seen[cells] == 1 for cells in coarsened) == alone


@pytest.mark.parametrize("method", ["mondrian", "optimal"])
def test_the_attack_leaves_as_many_tables_as_there_are(method):
    """Tables in which each column has both values, since an attacker knows those that are there."""
    seen, _ = releases(method, 5)
    asked = Plan.load(plan(method))
    for kinds in ((0, 1, 2, 2, 7), (0, 3, 5, 6, 6), (0, 0, 1, 7, 7), (1, 2, 4, 7, 7)):
        rows = in_columns([KINDS[kind] for kind in kinds])
        found = attack(anonymize(rows, plan(method)), only=["downcoding"])["downcoding"]
        view = view_of(encode_table(rows, asked), asked, 0)
        cells = tuple(sorted(view.cells[number] for number in view.of_row))
        assert found.details["exact"]
        assert found.details["kept"] == seen[cells]
        assert ("Exactly one table is left" in found.story) == (seen[cells] == 1)


def numbers(method, **publish):
    random = np.random.default_rng(2)
    data = pa.table({name: random.integers(0, 100, 200) for name in ("age", "size")})
    held = {"role": "quasi", "hierarchy": {"intervals": [10, 50, 100]}, **publish}
    release = anonymize(data, plan(method, {"age": held, "size": held}))
    return attack(release, only=["downcoding"])["downcoding"]


def test_pairs_in_ranges_have_the_ends_for_values():
    """Two people published as 20-27 are of 20 and 27."""
    found = numbers("mondrian", publish="exact")
    assert found.succeeded
    assert found.rate.share > found.baseline + 0.2


def test_levels_of_whole_columns_tell_little():
    found = numbers("optimal")
    assert not found.succeeded
    assert found.rate.share <= found.baseline + 0.05


def test_what_is_not_coarsened_is_not_found():
    found = attack(anonymize(in_columns(KINDS * 2), plan("optimal")), only=["downcoding"])
    assert found["downcoding"].rate.of == 0
    assert "nothing to find" in found["downcoding"].story


def test_what_is_stated_is_the_best_that_can_be():
    """By brute force over all statements, on average over the worlds themselves."""
    random = np.random.default_rng(3)
    leaves = np.arange(3, dtype=np.int32)
    for _ in range(10):
        worlds = random.integers(0, 3, (5, 4)).astype(np.int32)
        ours = sum(_stated_rightly(worlds, world, leaves) for world in worlds)
        best = max(
            sum((Counter(said) & Counter(world)).total() for world in worlds.tolist())
            for said in combinations_with_replacement(range(3), 4)
        )
        assert ours == best


def test_it_needs_classes_made_here():
    release = anonymize(in_columns(KINDS), plan("mondrian"))
    with pytest.raises(DataError, match="'downcoding' lacks a release made in Python"):
        attack(release.frame, plan=plan("mondrian"), only=["downcoding"])
