"""Losses told from classes, against brute force over rows and cells."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given

from indistinct.measures.catalogue import MEASURES, class_losses
from indistinct.measures.classes import classes_of, classification
from indistinct.measures.loss import column_ncp
from indistinct.model.recoding import Partition
from tests.measures.releases import most_frequent, ncp, releases


def lost_by_class(release):
    """For each class its number of rows and its NCP; suppressed rows are one class."""
    cells = release.cells()
    found = [(len(rows), ncp(release, cells[rows[0]])) for rows in release.classes()]
    return found + [(release.suppressed, Fraction(1))] * (release.suppressed > 0)


def told(release):
    return class_losses(classes_of(release.table, release.recoding, release.forms))


@given(releases())
def test_widths_of_classes(release):
    classes, found = lost_by_class(release), told(release)
    rows = len(release.rows)
    assert found["gcp"] == pytest.approx(float(sum(n * lost for n, lost in classes) / rows))
    assert found["il1"] == pytest.approx(float(sum(lost for _, lost in classes) / len(classes)))
    assert found["il_inf"] == pytest.approx(float(max(lost for _, lost in classes)))
    assert found["weighted_max_ncp"] == pytest.approx(float(max(n * lost for n, lost in classes)))


@given(releases())
def test_loss_of_each_column(release):
    found = column_ncp(release.table, release.recoding, release.forms)
    for column, measured in zip(release.columns, found.values(), strict=True):
        lost = sum(1 if row is None else row[column][1] for row in release.cells())
        assert measured == pytest.approx(float(lost / len(release.rows)))


@given(releases())
def test_volume(release):
    total = Fraction(0)
    for row in release.cells():
        total += (
            Fraction(1)
            if row is None
            else prod(
                max(lost, Fraction(1, len(release.paths[c]))) for c, (_, lost) in enumerate(row)
            )
        )
    assert told(release)["average_volume"] == pytest.approx(float(total / len(release.rows)))


@given(releases())
def test_discernibility_counts_pairs_that_cannot_be_told_apart(release):
    sizes = [len(rows) for rows in release.classes()]
    expected = sum(size * size for size in sizes) + release.suppressed * len(release.rows)
    assert told(release)["discernibility"] == expected


@given(releases())
def test_classification_counts_rows_outside_the_majority(release):
    wrong = release.suppressed + sum(
        len(rows) - most_frequent([release.secret[row] for row in rows])
        for rows in release.classes()
    )
    classes = classes_of(release.table, release.recoding, release.forms)
    labels = release.table.sensitive[0].codes
    assert classification(classes, labels) == pytest.approx(wrong / len(release.rows))


@given(releases())
def test_measures_stay_within_their_ranges(release):
    for name, value in told(release).items():
        measure = MEASURES[name]
        assert measure.least <= value
        assert measure.most is None or value <= measure.most + 1e-12


@given(releases(kinds=("groups",)))
def test_splitting_a_group_never_costs_more_where_all_rows_count(release):
    """Definition 2 of the paper (super-additivity), for the losses that charge every row."""
    rows = np.flatnonzero(release.recoding.groups == 0)
    if rows.size < 2:
        return
    groups = release.recoding.groups.copy()
    groups[rows[0]] = release.recoding.count
    split = class_losses(classes_of(release.table, Partition(groups), release.forms))
    whole = told(release)
    for name in ("gcp", "il_inf", "average_volume"):
        assert split[name] <= whole[name] + 1e-12


def test_every_measure_says_how_it_is_read():
    assert all(name == measure.name for name, measure in MEASURES.items())
    assert all(m.reading and m.paper and m.title for m in MEASURES.values())
    assert len({m.title for m in MEASURES.values()}) == len(MEASURES)
