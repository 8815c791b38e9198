"""Recodings tell all that others need: no step asks which kind of recoding it was given."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import indistinct
from indistinct import anonymize
from indistinct.errors import PlanError
from indistinct.measures.catalogue import class_losses
from indistinct.measures.classes import classes_of
from indistinct.measures.cube import cube_errors
from indistinct.model.recoding import (
    Buckets,
    ColumnIntervals,
    LevelVector,
    Matching,
    Partition,
    Recoding,
)
from indistinct.publishing.kinds import PUBLISHERS

SOURCE = Path(indistinct.__file__).parent
GROUPS = np.array([0, 1, -1, 0, 1, 1], dtype=np.int32)
STARS = np.array([[row % 2 == 0, row == 3] for row in range(6)])
MADE = {
    "levels": LevelVector((1, 0), GROUPS >= 0, starred=STARS),
    "intervals": ColumnIntervals((np.array([2], dtype=np.int32),), GROUPS >= 0),
    "groups": Partition(GROUPS, starred=STARS),
    "buckets": Buckets(GROUPS),
    "matchings": Matching(np.array([[r, (r + 1) % 3 + r // 3 * 3] for r in range(6)], np.int32)),
}


def kinds(above=Recoding):
    """Every class of recodings."""
    return {kind for part in above.__subclasses__() for kind in (part, *kinds(part))}


def test_every_kind_has_a_name_of_its_own_and_a_publisher():
    at_hand = {kind for kind in kinds() if kind.at_hand}  # others are published block by block
    assert {kind.name for kind in at_hand} == set(PUBLISHERS) == set(MADE)
    assert len(at_hand) == len(PUBLISHERS)
    assert len({kind.name for kind in kinds()}) == len(kinds())
    assert all(type(made).name == name for name, made in MADE.items())


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.name)
def test_nobody_asks_which_kind_it_is(path):
    named = "|".join(sorted(kind.__name__ for kind in (*kinds(), Recoding)))
    assert not re.search(rf"isinstance\([^)]*\b({named})\b", path.read_text("utf-8"))


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_rows_go_back_to_where_they_came_from(made):
    source = np.array([3, 0, 4, 1, 5, 2])
    back = made.reordered(source)
    assert back.kept[source].tolist() == made.kept.tolist()
    assert (back.starred is None) == (made.starred is None)
    if made.starred is not None:
        assert (back.starred[source] == made.starred).all()
    if made.group_of_row is not None:
        assert (back.group_of_row[source] == made.group_of_row).all()
    if made.covered_rows is not None:
        assert (back.covered_rows[source] == source[made.covered_rows]).all()
        assert back.covered_rows.dtype == made.covered_rows.dtype


def test_only_whole_levels_have_levels_and_only_groups_become_buckets():
    assert [made.column_levels for made in MADE.values()] == [(1, 0), None, None, None, None]
    assert [made.as_buckets() is None for made in MADE.values()] == [True, True, False, False, True]
    assert MADE["buckets"].as_buckets() is MADE["buckets"]


def test_without_classes_there_is_nothing_that_classes_measure():
    for measure in (classes_of, cube_errors):
        with pytest.raises(PlanError, match="no classes to measure"):
            measure(None, MADE["matchings"])


LANDS = [["Italy", "South", "*"], ["Spain", "South", "*"], ["Malta", "South", "*"]]
NORTH = [["Norway", "North", "*"], ["Sweden", "North", "*"]]


def test_an_interval_under_the_name_of_a_node_stands_for_the_leaves_of_the_node():
    """Nobody is from Malta, but who reads South cannot know."""
    lands = ["Italy", "Spain"] * 2 + ["Norway", "Sweden"] * 2
    plan = {
        "columns": {"land": {"role": "quasi", "hierarchy": {"paths": LANDS + NORTH}}},
        "require": [{"model": "k-anonymity", "k": 4}],
        "method": {"name": "k-optimize"},
    }
    release = anonymize(pa.table({"land": lands}), plan)
    assert set(release.rows.column("land").to_pylist()) == {"South", "North"}
    forms = release.plan.forms(release.table)
    shown = release.recoding.shown(release.table, forms)
    assert sorted(shown.values[0].held.tolist()) == [2, 3]
    losses = class_losses(classes_of(release.table, release.recoding, forms))
    assert losses["gcp"] == pytest.approx(release.measures.gcp) == pytest.approx(0.375)
