"""deFinetti: what goes with what is learnt from a release, and used inside its classes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from indistinct import anonymize, attack
from indistinct.errors import DataError
from indistinct.risk.attacks.definetti import InClasses

K = {"model": "k-anonymity", "k": 4}
L = {"model": "l-diversity", "l": 3}
RULES = {"mondrian": K, "optimal": K, "anatomy": L, "freeform-ring": K}


def people(*, told, rows=600):
    """Work goes with age, finer than classes are, or with nothing."""
    random = np.random.default_rng(5)
    age, size = random.integers(0, 40, rows), random.integers(0, 40, rows)
    work = age % 4 if told else random.integers(0, 4, rows)
    work = np.where(random.random(rows) < 0.9, work, random.integers(0, 4, rows))
    return pa.table({"age": age, "size": size, "work": [f"w{n}" for n in work]})


def plan(method):
    interval = {"role": "quasi", "hierarchy": {"intervals": [4, 20, 40]}}
    return {
        "columns": {"age": interval, "size": interval, "work": {"role": "sensitive"}},
        "require": [RULES[method]],
        "method": {"name": method},
        "seed": 3,
    }


def attacked(method, *, told):
    release = anonymize(people(told=told), plan(method))
    return attack(release, only=["definetti"])["definetti"]


@pytest.mark.parametrize("method", RULES)
def test_what_goes_with_what_is_learnt(method):
    found = attacked(method, told=True)
    assert found.succeeded
    assert found.rate.share > found.baseline + 0.03
    assert f"{found.baseline:.1%}" in found.story


@pytest.mark.parametrize("method", RULES)
def test_where_nothing_goes_with_anything_it_fails(method):
    found = attacked(method, told=False)
    assert not found.succeeded
    assert "the attack fails" in found.story


def test_three_buckets_by_hand():
    """One bucket of age 1 has a, one of age 2 has b, and one has both ages and both values.

    Naive Bayes with one more of everything says that p of 1 have a, where p = (2 + p' + 1) / 5 by
    the p' of the fit before: 0.7 after the first half, 0.74, 0.748, and at last 3 / 4.
    """
    age = np.array([0, 0, 1, 1, 0, 1], dtype=np.int32)
    held = np.array([[2, 0], [0, 2], [1, 1]], dtype=float)
    few, many = InClasses((age,), np.array([0, 0, 1, 1, 2, 2]), held).learnt()
    for learnt, likely in ((few, 0.748), (many, 0.75)):
        assert learnt[:4] == pytest.approx(np.array([[1, 0]] * 2 + [[0, 1]] * 2))
        assert learnt[4:] == pytest.approx(np.array([[likely, 1 - likely], [1 - likely, likely]]))


def test_values_stay_as_many_as_they_are():
    random = np.random.default_rng(1)
    of_person = np.repeat(np.arange(20), 5)
    true = random.integers(0, 3, 100)
    held = np.zeros((20, 3))
    np.add.at(held, (of_person, true), 1)
    quasi = (random.integers(0, 4, 100).astype(np.int32),)
    for learnt in InClasses(quasi, of_person, held).learnt():
        assert learnt.sum(axis=1) == pytest.approx(np.ones(100))
        dealt = np.stack([np.bincount(of_person, column) for column in learnt.T], axis=1)
        assert np.abs(dealt - held).max() < 0.1


def test_it_needs_to_know_who_is_in_which_class():
    release = anonymize(people(told=True), plan("mondrian"))
    with pytest.raises(DataError, match="'definetti' lacks a release made in Python"):
        attack(release.frame, plan=plan("mondrian"), only=["definetti"])
