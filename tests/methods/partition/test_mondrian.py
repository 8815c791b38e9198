"""Mondrian: the chapter's example, and that no allowed cut is left."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.datasets.census import census, census_ladders
from indistinct.errors import CannotMeetError
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.requirements import KAnonymity
from tests.methods.partition.battery import in_order
from tests.methods.partition.small import fine, members, problem_of, problems

GOLDEN = Path(__file__).parents[4] / "shared" / "golden" / "chapter_fig1.json"
K_10 = {"model": "k-anonymity", "k": 10}


@pytest.mark.skipif(not GOLDEN.exists(), reason="the golden examples are not here")
def test_the_chapters_example():
    golden = json.loads(GOLDEN.read_text())
    example = golden["mondrian"]
    plan = {
        "columns": {
            name: {"role": "quasi", "hierarchy": {"paths": [[value, "*"] for value in order]}}
            for name, order in example["orders"].items()
        },
        "require": [{"model": "k-anonymity", "k": example["k"]}],
        "method": {"name": "mondrian"},
        "unlisted": "drop",
    }
    found = anonymize(pa.Table.from_pylist(golden["rows"]), plan).recoding
    blocks = sorted(sorted(row + 1 for row in group) for group in members(found))
    assert blocks == sorted(example["blocks"])


def cuts(problem, rows):
    """Every strict cut of a group, as two groups."""
    for column in range(problem.codes.shape[1]):
        held = problem.codes[rows, column]
        for code in np.unique(held)[1:]:
            yield (
                [r for r, c in zip(rows, held, strict=True) if c < code],
                [r for r, c in zip(rows, held, strict=True) if c >= code],
            )


def searched(method, problem):
    """The answer, or nothing where all rows together do not satisfy."""
    everything = list(range(problem.table.rows))
    if not fine(problem, everything):
        with pytest.raises(CannotMeetError):
            method.search(problem)
        assume(False)
    return method.search(problem)


@given(problems(respondents=True))
def test_strict_groups_satisfy_and_are_minimal(problem):
    found = searched(Mondrian(), problem)
    groups = members(found)
    assert all(fine(problem, group) for group in groups)
    if problem.table.sets[0].respondents is None:
        for group in groups:
            for left, right in cuts(problem, group):
                assert not (fine(problem, left) and fine(problem, right))


@pytest.mark.parametrize("small", [20, 20_000])
def test_columns_of_many_values_are_cut_at_their_medians(small, monkeypatch):
    """Groups are small, but span many values; alone, and in parts that threads go on with."""
    monkeypatch.setattr("indistinct.methods.partition.mondrian.SMALL", small)
    rows = np.stack([np.random.default_rng(seed).permutation(600) for seed in (1, 2)], axis=1)
    problem = problem_of(rows, [600, 600], [KAnonymity(k=5)])
    expected = {frozenset(group) for group in halved(rows, np.arange(600), least=5)}
    assert {frozenset(group) for group in members(Mondrian().search(problem))} == expected


def halved(rows, group, least):
    """Halve a group along its widest column as long as both halves have so many rows."""
    if group.size < 2 * least:
        return [group.tolist()]
    column = np.argmax(np.ptp(rows[group], axis=0))
    group = group[np.argsort(rows[group, column])]
    parts = np.split(group, [group.size // 2])
    return [half for part in parts for half in halved(rows, part, least)]


@given(problems(respondents=True))
def test_relaxed_groups_satisfy(problem):
    assert all(fine(problem, group) for group in members(searched(Mondrian(strict=False), problem)))


@given(problems(requirements=[(KAnonymity(k=2),), (KAnonymity(k=3),)]))
def test_relaxed_groups_are_balanced(problem):
    """A group of at least 2k rows that differ can always be cut, if only its size counts."""
    least = problem.requirements[0].k
    assume(problem.table.rows >= least)
    for group in members(Mondrian(strict=False).search(problem)):
        assert len(group) < 2 * least or len(np.unique(problem.codes[group], axis=0)) == 1


@pytest.mark.parametrize("strict", [True, False])
@given(problem=problems(), random=st.randoms())
def test_the_order_of_rows_does_not_matter(strict, problem, random):
    """Published rows are the same multiset, where ties are in the same order."""
    order = list(range(problem.table.rows))
    random.shuffle(order)
    table = problem.table
    shuffled = replace(
        problem,
        table=replace(
            table,
            quasi=tuple(replace(c, codes=c.codes[order]) for c in table.quasi),
            sensitive=tuple(replace(c, codes=c.codes[order]) for c in table.sensitive),
        ),
    )
    one, two = (replace(asked, table=in_order(asked.table)) for asked in (problem, shuffled))
    found = searched(Mondrian(strict=strict), one)
    assert published(one, found) == published(two, Mondrian(strict=strict).search(two))


def published(problem, found):
    held = problem.table.sensitive[0].codes
    return Counter(
        (
            tuple(problem.codes[group].min(axis=0)),
            tuple(problem.codes[group].max(axis=0)),
            tuple(sorted(held[group])),
        )
        for group in members(found)
    )


@pytest.mark.parametrize("strict", [True, False])
def test_a_census_in_threads(strict):
    columns = {
        name: {"role": "quasi", "hierarchy": {"paths": paths}}
        for name, paths in census_ladders().items()
    }
    plan = {
        "columns": columns | {"occupation": {"role": "sensitive"}},
        "require": [K_10, {"model": "l-diversity", "kind": "frequency", "l": 3}],
        "method": {"name": "mondrian", "strict": strict},
        "unlisted": "drop",
        "seed": 1,
    }
    data = census(rows=30_000, seed=3)
    release, again = anonymize(data, plan), anonymize(data, plan)
    assert all(found.holds for found in release.evidence)
    assert release.recoding.count > 100
    assert release.rows.equals(again.rows)
