"""The data cube, against brute force over every cell of every group-by."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import log

import numpy as np
import pytest
from hypothesis import given

from indistinct.datasets import census, census_ladders
from indistinct.encode.table import encode_table
from indistinct.errors import PlanError
from indistinct.measures.cube import cube_errors
from indistinct.model.recoding import Buckets, Partition
from indistinct.plan import Plan
from tests.measures.releases import releases

SECRETS = (0, 1, 2)


def truth(release, columns):
    return Counter(
        (tuple(row[c] for c in columns), secret)
        for row, secret in zip(release.rows, release.secret, strict=True)
    )


def estimate(release, columns):
    """Expected rows in every cell: each row's evenly over what it is published as."""
    found = Counter()
    domains = [release.leaves(c) for c in columns]
    for number, cells in enumerate(release.cells()):
        held = domains if cells is None else [sorted(cells[c][0], key=str) for c in columns]
        places = list(product(*held))
        for secret, share in secrets(release, number).items():
            for place in places:
                found[place, secret] += share / len(places)
    return found


def secrets(release, number):
    """What is known of a row's sensitive value."""
    group = release.groups[number]
    if group < 0:
        return dict.fromkeys(SECRETS, Fraction(1, len(SECRETS)))
    if not isinstance(release.recoding, Buckets):
        return {release.secret[number]: Fraction(1)}
    mates = [s for s, g in zip(release.secret, release.groups, strict=True) if g == group]
    return {s: Fraction(n, len(mates)) for s, n in Counter(mates).items()}


def expected(release, level):
    divergences, errors = [], []
    for columns in combinations(release.columns, level):
        true, guess = truth(release, columns), estimate(release, columns)
        assert sum(guess.values()) == sum(true.values())
        divergences.append(
            sum(n * log(n / guess[cell]) for cell, n in true.items()) / len(release.rows)
        )
        errors += [abs(n - guess[cell]) / n for cell, n in true.items()]
    return sum(divergences) / len(divergences), float(sum(errors) / len(errors)), len(errors)


@given(releases(most_rows=8))
def test_every_level_is_that_of_all_cells(release):
    levels = tuple(range(1, len(release.paths) + 1))
    found = cube_errors(release.table, release.recoding, release.forms, levels=levels)
    for level in levels:
        divergence, error, cells = expected(release, level)
        assert found[level].kl_divergence == pytest.approx(divergence, abs=1e-9)
        assert found[level].relative_error == pytest.approx(error, abs=1e-9)
        assert found[level].cells == cells
        assert found[level].exact


@given(releases(most_rows=8))
def test_a_sample_of_all_rows_alike_is_exact(release):
    """Where every row is the same, each drawn cell is the only one."""
    if len(set(zip(release.rows, release.secret, strict=True))) > 1:
        return
    found = cube_errors(
        release.table, release.recoding, release.forms, levels=(1,), most_cells=0, sample=5
    )[1]
    divergence, error, cells = expected(release, 1)
    assert not found.exact
    assert found.kl_divergence == pytest.approx(divergence, abs=1e-9)
    assert found.relative_error == pytest.approx(error, abs=1e-9)
    assert found.cells == cells


def people(rows):
    columns = {
        name: {"role": "quasi", "hierarchy": {"paths": paths}}
        for name, paths in census_ladders().items()
    }
    columns |= {"occupation": {"role": "sensitive"}, "salary": {"role": "sensitive"}}
    plan = Plan.load({"columns": columns, "require": [{"model": "k-anonymity", "k": 2}]})
    table = encode_table(census(rows=rows, seed=3), plan)
    return table, plan.forms(table)


@pytest.mark.parametrize("publish", [Partition, Buckets])
def test_a_sample_holds_the_exact_value(publish):
    table, forms = people(3_000)
    order = np.lexsort([column.codes for column in table.quasi])
    groups = np.empty(table.rows, dtype=np.int32)
    groups[order] = np.arange(table.rows) // 10
    exact = cube_errors(table, publish(groups), forms, levels=(2, 3))
    sampled = cube_errors(table, publish(groups), forms, levels=(2, 3), most_cells=0, sample=500)
    for level in (2, 3):
        assert exact[level].exact
        assert not sampled[level].exact
        assert sampled[level].low <= exact[level].kl_divergence <= sampled[level].high
        assert sampled[level].cells == exact[level].cells
        assert sampled[level].relative_error == pytest.approx(exact[level].relative_error, rel=0.2)


def test_the_sensitive_column_is_the_one_asked_for():
    table, forms = people(200)
    groups = Partition(np.zeros(200, dtype=np.int32))
    one = cube_errors(table, groups, forms, sensitive="occupation")[2]
    assert cube_errors(table, groups, forms)[2] == one
    assert cube_errors(table, groups, forms, sensitive="salary")[2] != one


def test_what_cannot_be_asked_is_told_at_once():
    table, forms = people(20)
    groups = Partition(np.zeros(20, dtype=np.int32))
    with pytest.raises(PlanError) as told:
        cube_errors(table, groups, forms, levels=(0, 4), sensitive="wage")
    assert [fault.place for fault in told.value.faults] == ["levels", "sensitive"]
    assert "occupation, salary" in str(told.value)
