"""What a classifier still learns from a release."""

from __future__ import annotations

import builtins

import numpy as np
import pyarrow as pa
import pytest

from indistinct import anonymize
from indistinct.errors import DataError, PlanError
from indistinct.measures.catalogue import MEASURES

ROWS = 900


def people(*, depends):
    """People whose disease follows from their age, or from nothing at all."""
    random = np.random.default_rng(7)
    age = random.integers(18, 80, ROWS)
    drawn = random.choice(["asthma", "gout", "flu"], ROWS, p=[0.5, 0.3, 0.2])
    follows = np.array(["asthma", "gout", "flu", "mumps"])[age // 10 % 4]
    return pa.table({"age": age, "disease": follows if depends else drawn})


def plan(method="mondrian", k=5, **more):
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
            "disease": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": method},
        **more,
    }


@pytest.mark.parametrize("method", ["mondrian", "optimal"])
def test_what_is_published_as_it_is_teaches_all_there_is(method):
    # Every age stands for more than k people, so nothing is generalized.
    release = anonymize(people(depends=True), plan(method, k=2))
    found = release.classifier_accuracy()
    assert release.measures.gcp == 0
    assert found.by_private.share == found.by_release.share == 1
    assert found.kept == 1
    assert found.by_majority.share < 0.5


def test_what_is_coarser_teaches_less():
    data = people(depends=True)
    fine, coarse = (anonymize(data, plan(k=k)).classifier_accuracy() for k in (20, 300))
    assert coarse.by_release.share < fine.by_release.share
    assert fine.by_private.share == coarse.by_private.share
    assert coarse.kept == pytest.approx(coarse.by_release.share / coarse.by_private.share)


def test_no_one_learns_chance():
    found = anonymize(people(depends=False), plan()).classifier_accuracy()
    assert found.by_release.share < 0.6
    assert found.by_private.hits <= ROWS // 3 == found.by_private.of


@pytest.mark.parametrize("method", ["freeform", "anatomy"])
def test_permuted_values_are_learnt_beside_what_is_published(method):
    needs = [{"model": "l-diversity", "l": 2}] if method == "anatomy" else None
    asked = plan(method, k=25, seed=3) | ({"require": needs} if needs else {})
    found = anonymize(people(depends=True), asked).classifier_accuracy("disease")
    assert found.column == "disease"
    assert found.by_release.share < found.by_private.share == 1


def test_the_people_asked_about_are_not_learnt_from():
    # Each row has an age of its own: who knows the row knows the disease, and nobody else does.
    random = np.random.default_rng(2)
    data = pa.table({"age": np.arange(600), "disease": random.choice(["a", "b"], 600)})
    found = anonymize(data, plan(k=2)).classifier_accuracy()
    assert found.by_private.low < 0.55
    assert found.by_release.low < 0.55


def test_it_says_what_is_missing(monkeypatch):
    release = anonymize(people(depends=True), plan(k=2))
    with pytest.raises(PlanError, match="no sensitive column 'zip'"):
        release.classifier_accuracy("zip")
    few = anonymize(people(depends=True).slice(0, 2), plan(k=2))
    with pytest.raises(DataError, match="too few rows"):
        few.classifier_accuracy()
    original = builtins.__import__

    def absent(name, *rest):
        if name.startswith("sklearn"):
            raise ImportError
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(DataError, match="pip install scikit-learn"):
        release.classifier_accuracy()


def test_it_is_told_with_its_reading():
    told = anonymize(people(depends=True), plan(k=2)).classifier_accuracy().as_json()
    assert set(told) == {"column", "kept", "by_private", "by_release", "by_majority"}
    measure = MEASURES["classifier_accuracy_kept"]
    assert (measure.best, measure.least, measure.most) == ("most", 0, None)
