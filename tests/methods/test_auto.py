"""auto takes the method that the plan leaves room for."""

from __future__ import annotations

import pytest

from indistinct import anonymize
from indistinct.datasets import medical, medical_ladders
from indistinct.model.costs import precision_cost

COLUMNS = {
    name: {"role": "quasi", "hierarchy": {"paths": paths}}
    for name, paths in medical_ladders().items()
}


def taken(**more):
    plan = {
        "columns": {**COLUMNS, "disease": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 2}],
        **more,
    }
    release = anonymize(medical(), plan)
    assert release.verified.class_sizes.min() >= 2
    return release.summary()["method"]


@pytest.mark.parametrize(
    ("plan", "method"),
    [
        ({}, "best"),
        ({"method": {"name": "auto"}}, "best"),
        ({"method": {"name": "auto", "recoding": "global"}}, "optimal"),
        ({"loss": "precision"}, "optimal"),
        ({"accuracy": {"max_ncp": 0.9, "maximize": "k"}}, "ac"),
    ],
)
def test_the_plan_decides(plan, method):
    assert taken(**plan) == method


def test_a_loss_of_ones_own_is_counted_by_whole_columns():
    plan = {
        "columns": {**COLUMNS, "disease": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 2}],
    }
    release = anonymize(medical(), plan, loss=lambda *where: precision_cost(*where) ** 2)
    assert release.summary()["method"] == "optimal"
