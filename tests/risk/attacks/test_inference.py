"""Inference: a classifier that learns from the release, beside two that do not."""

from __future__ import annotations

import builtins

import numpy as np
import pyarrow as pa
import pytest

from indistinct import anonymize, attack
from indistinct.errors import DataError

PLAN = {
    "columns": {
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 20]}},
        "born": {"role": "quasi", "hierarchy": "flat"},
        "disease": {"role": "sensitive"},
    },
    "require": [{"model": "k-anonymity", "k": 5}],
    "method": {"name": "best"},
}


def people(depends):
    """1,200 people, whose disease follows their age or nothing at all."""
    random = np.random.default_rng(5)
    age = random.integers(18, 80, 1200)
    by_age = np.where(age < 50, "asthma", "gout")
    anything = random.choice(["asthma", "gout"], 1200)
    return pa.table(
        {
            "zip": [f"2203{n}" for n in random.integers(0, 10, 1200)],
            "age": age,
            "born": random.choice(["north", "south"], 1200).tolist(),
            "disease": (by_age if depends else anything).tolist(),
        }
    )


def infer(data, rows):
    return attack(rows, plan=PLAN, private=data, only=["inference"])["inference"]


def test_what_follows_from_age_is_learnt_from_others_too():
    data = people(True)
    found = infer(data, anonymize(data, PLAN).rows)
    assert found.by_release.share > 0.9 > found.by_majority.share
    assert found.by_others.share > 0.95
    assert not found.succeeded


def test_chance_is_not_learnt_from_a_release():
    data = people(False)
    asked = {"require": [{"model": "k-anonymity", "k": 40}], "seed": 1}  # 1 draw in 40 may err
    found = infer(data, anonymize(data, PLAN | asked).rows)
    assert abs(found.by_release.share - 0.5) < 0.15
    assert "it fails" in found.story


def test_chance_is_learnt_from_the_raw_table():
    data = people(False)
    found = infer(data, data)
    assert found.succeeded
    assert found.rate.low > found.baseline
    assert found.as_json()["details"]["by_others"]["of"] == 600


def test_it_can_be_repeated():
    data = people(False)
    assert infer(data, data).as_json() == infer(data, data).as_json()


def test_without_scikit_learn(monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(DataError, match=r"pip install scikit-learn"):
        infer(people(False), people(False))
