"""Measures of entries with weights: as of the rows that they stand for."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.measures import learner
from indistinct.measures.associations import associations
from indistinct.measures.bound import lower_bound
from indistinct.measures.catalogue import class_losses
from indistinct.measures.classes import classes_of, classification
from indistinct.measures.classifier import classifier_accuracy
from indistinct.measures.cube import cube_errors
from indistinct.measures.loss import measure_loss
from indistinct.measures.marginals import original_counts, released_counts
from indistinct.model.recoding import Buckets, Partition
from indistinct.model.spans import Spans
from indistinct.model.table import QuasiColumn, QuasiSet, SensitiveColumn, Table
from indistinct.requirements import KAnonymity
from tests.counted import both, expanded, weighted
from tests.measures.releases import releases
from tests.methods.partition.small import flat
from tests.profiles import examples


def close(one, two):
    assert one == pytest.approx(two, abs=1e-9)


@given(both(releases()))
def test_classes_and_losses(drawn):
    release, entries, rows = drawn
    by_entry, by_row = (classes_of(*each, release.forms) for each in (entries, rows))
    assert by_entry.sizes.tolist() == by_row.sizes.tolist()
    close(class_losses(by_entry), class_losses(by_row))
    labels = [table.sensitive[0].codes for table, _ in (entries, rows)]
    close(classification(by_entry, labels[0]), classification(by_row, labels[1]))
    one, two = (measure_loss(*each, by_row.sizes, release.forms) for each in (entries, rows))
    before, after = (asdict(measured) for measured in (one, two))
    assert before.pop("ncp_form") == after.pop("ncp_form")
    for name, measured in after.items():
        close(before[name], measured)


@given(both(releases()))
def test_what_is_shown_of_so_many_rows(drawn):
    release, (table, recoding), (long, of_rows) = drawn
    one, two = recoding.shown(table, release.forms), of_rows.shown(long, release.forms)
    assert one.sizes.tolist() == two.sizes.tolist()
    for before, after in zip(original_counts(table), original_counts(long), strict=True):
        assert before.tolist() == after.tolist()
    one, two = (
        released_counts(table, recoding, release.forms),
        released_counts(long, of_rows, release.forms),
    )
    for before, after in zip(one, two, strict=True):
        close(before.tolist(), after.tolist())


@given(both(releases()))
def test_associations(drawn):
    release, entries, rows = drawn
    one, two = (associations(*each, release.forms) for each in (entries, rows))
    for before, after in zip(one.pairs, two.pairs, strict=True):
        close([before.before, before.after], [after.before, after.after])


@given(both(releases()), st.booleans())
def test_the_cube_whole_and_sampled(drawn, sampled):
    release, entries, rows = drawn
    asked = {"levels": (1,), "most_cells": 0 if sampled else 2**20, "sample": 50}
    one, two = (cube_errors(*each, release.forms, **asked)[1] for each in (entries, rows))
    assert one.exact is two.exact is not sampled
    close(one.as_json()["interval"], two.as_json()["interval"])
    close([one.kl_divergence, one.relative_error], [two.kl_divergence, two.relative_error])
    assert (one.cells, one.group_bys) == (two.cells, two.group_bys)


@given(both(releases()), st.integers(2, 4))
def test_the_bound(drawn, k):
    release, entries, rows = drawn
    one, two = (
        lower_bound(table, Spans(table.quasi, release.forms, at_least=True), [KAnonymity(k=k)])
        for table, _ in (entries, rows)
    )
    assert one.rows == two.rows
    close(one.loss, two.loss)


def made(kind, seed):
    """A table of 60 entries with weights, and a recoding of it."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 8, (60, 2)).astype(np.int32)
    quasi = tuple(QuasiColumn(f"q{i}", np.ascontiguousarray(codes[:, i]), flat(8)) for i in (0, 1))
    held = ((codes[:, 0] // 2 + random.integers(0, 2, 60)) % 4).astype(np.int32)
    column = SensitiveColumn("s", held, ("a", "b", "c", "d"))
    table = Table(60, quasi, (QuasiSet("all", (0, 1)),), (column,))
    groups = (random.integers(-1, 6, 60)).astype(np.int32)
    groups[:6] = np.arange(6)
    heavy = held == np.bincount(held).argmin()  # the rarest value of entries is that of most rows
    return table, kind(groups), np.where(heavy, 20, random.integers(1, 9, 60))


@pytest.mark.parametrize("most", [10_000, 70])
@pytest.mark.parametrize("kind", [Partition, Buckets])
def test_a_classifier_learns_the_same_from_entries_all_or_drawn(monkeypatch, kind, most):
    monkeypatch.setattr(learner.drawn_rows, "__defaults__", (most,))
    table, recoding, weights = made(kind, 3)
    rows = np.repeat(np.arange(60), weights)
    by_entry = classifier_accuracy(weighted(table, weights), recoding)
    assert by_entry == classifier_accuracy(expanded(table, weights), recoding.of_entries(rows))
    assert by_entry.by_private.of == int(weights.sum()) // 3


def test_no_row_is_drawn_twice():
    random = np.random.default_rng(0)
    counts = np.array([3, 0, 1, 50])
    for most in (0, 2, 53, 54, 100):
        drawn = learner.drawn_rows(counts, random, most)
        held = np.bincount(drawn, minlength=4)
        assert drawn.size == min(most, 54)
        assert (held <= counts).all()
        assert (learner.left_of(counts, drawn) == counts - held).all()


@examples(10)
@given(both(releases(kinds=("buckets",))))
def test_values_of_a_bucket_are_dealt_to_its_rows(drawn):
    from indistinct.measures.classifier import _mixed

    _, (table, recoding), _ = drawn
    counts = np.where(recoding.kept, table.weights, 0)
    shown = learner.drawn_rows(counts, np.random.default_rng(0))
    if shown.size:
        given_to = _mixed(shown, counts, recoding.groups, np.random.default_rng(1))
        assert recoding.groups[given_to].tolist() == recoding.groups[shown].tolist()
        assert np.bincount(given_to, minlength=table.entries).tolist() == counts.tolist()


def test_entries_are_numbered_by_their_rows():
    table = weighted(made(Partition, 1)[0], np.full(60, 2))
    assert table.entries_of(np.array([0, 1, 2, 119])).tolist() == [0, 0, 1, 59]
    assert replace(table, weights=None).entries_of(np.array([5])).tolist() == [5]
