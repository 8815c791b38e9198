"""Associations of columns, against counts cell by cell."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import sqrt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.measures.associations import associations, cramers_v
from indistinct.model.recoding import Buckets
from tests.measures.releases import releases


def v(cells):
    """Cramér's V of a mapping of pairs of values to counts, from the definition."""
    total = sum(cells.values())
    rows, columns = {}, {}
    for (one, two), count in cells.items():
        rows[one] = rows.get(one, 0) + count
        columns[two] = columns.get(two, 0) + count
    rows, columns = ({k: n for k, n in side.items() if n} for side in (rows, columns))
    least = min(len(rows), len(columns)) - 1
    if least < 1:
        return 0.0
    squared = sum(
        (cells.get(pair, 0) - rows[pair[0]] * columns[pair[1]] / total) ** 2
        / (rows[pair[0]] * columns[pair[1]] / total)
        for pair in product(rows, columns)
    )
    return sqrt(squared / total / least)


def known(release):
    """For each released row and column, the values it may have with their shares."""
    buckets = isinstance(release.recoding, Buckets)
    classes = {n: rows for rows in release.classes() for n in rows}
    for number, cells in enumerate(release.cells()):
        if cells is None:
            continue
        told = [{leaf: Fraction(1, len(under)) for leaf in under} for under, _ in cells]
        secret = [release.secret[n] for n in classes[number]] if buckets else None
        mine = secret or [release.secret[number]]
        told.append({value: Fraction(mine.count(value), len(mine)) for value in set(mine)})
        yield told


@given(releases(most_rows=8))
def test_associations_are_the_definition(release):
    found = associations(release.table, release.recoding, release.forms)
    width = len(release.paths) + 1
    rows = [(*row, secret) for row, secret in zip(release.rows, release.secret, strict=True)]
    assert len(found.pairs) == width * (width - 1) // 2
    for pair, (a, b) in zip(found.pairs, combinations(range(width), 2), strict=True):
        true, guess = {}, {}
        for row in rows:
            true[row[a], row[b]] = true.get((row[a], row[b]), 0) + 1
        for told in known(release):
            for one, two in product(told[a], told[b]):
                guess[one, two] = guess.get((one, two), 0) + told[a][one] * told[b][two]
        assert pair.before == pytest.approx(v(true), abs=1e-9)
        assert pair.after == pytest.approx(v(guess), abs=1e-9)
    gaps = [abs(pair.before - pair.after) for pair in found.pairs]
    assert found.difference == pytest.approx(sum(gaps) / len(gaps))


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=4))
def test_cramers_v_is_between_nothing_and_everything(counts):
    found = cramers_v(np.array(counts))
    assert 0 <= found <= 1
    assert found == pytest.approx(cramers_v(np.array(counts).T), abs=1e-12)


def test_many_values_are_taken_in_runs_of_neighbours():
    random = np.random.default_rng(3)
    ages = random.permutation(np.arange(300) % 90)
    data = {"age": ages, "old": np.where(ages >= 45, "yes", "no")}
    release = anonymize(pa.table(data), PLAN)
    pair = release.associations.pairs[0]
    # 90 ages in 20 runs: 45 begins the eleventh, so that no run has both answers.
    assert pair.before == pytest.approx(1.0)
    assert 0.5 < pair.after < 1


def test_what_matched_rows_carry_goes_with_what_they_show():
    random = np.random.default_rng(4)
    ages = random.integers(20, 60, 60)
    data = {"age": ages, "old": np.where(ages >= 40, "yes", "no")}
    release = anonymize(pa.table(data), PLAN | {"method": {"name": "freeform"}, "seed": 1})
    assert release.published.carried is not None
    assert release.associations.pairs[0].after > 0.7


PLAN = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 15, 45]}},
        "old": {"role": "sensitive"},
    },
    "require": [{"model": "k-anonymity", "k": 4}],
    "method": {"name": "mondrian"},
}
