"""The attack on freeform releases: it finds a draw that can be found, and no other."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest

from indistinct import anonymize, attack
from indistinct.errors import DataError
from indistinct.risk.attacks.candidates import Candidates
from tests.old_draw import draw_as_before

K = 4
ON_CLASSES = {"homogeneity", "background knowledge", "skewness", "similarity"}


def plan(method="freeform-ring", **more):
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "size": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "ill": {"role": "sensitive"},
            "work": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": K}],
        "method": {"name": method},
        "seed": 3,
        **more,
    }


def people(rows=600):
    """Illness goes with age, and work with size, for every third person or so."""
    random = np.random.default_rng(5)
    age, size = random.integers(0, 30, rows), random.integers(0, 40, rows)
    ill = np.where(random.random(rows) < 0.35, age // 10, random.integers(0, 3, rows))
    work = np.where(random.random(rows) < 0.3, size // 20, random.integers(0, 2, rows))
    return pa.table(
        {
            "age": age,
            "size": size,
            "ill": [f"i{n}" for n in ill],
            "work": [f"w{n}" for n in work],
        }
    )


@pytest.fixture(scope="module")
def attacked():
    return attack(anonymize(people(), plan()), known=10)


def test_a_draw_of_whole_components_is_found(monkeypatch, attacked):
    draw_as_before(monkeypatch)
    before = attack(anonymize(people(), plan()))
    most = before["association"].details["at_most"]
    for name in ("association", "likelihood"):
        assert before[name].rate.share > 0.95 * most
        assert "likeliest of the k matchings" in before[name].story
        assert attacked[name].rate.share < 0.6 * before[name].rate.share


def test_what_is_left_is_about_what_groups_of_k_leave(attacked):
    for name in ("association", "likelihood"):
        found = attacked[name]
        assert found.baseline == pytest.approx(1 / K, abs=0.03)
        assert found.rate.share <= found.details["partition"]["share"] + 0.1
        assert found.details["partition"]["of"] == 600


def test_who_knows_one_row_learns_a_whole_component_of_the_old_draw(monkeypatch, attacked):
    gained = attacked["known values"]
    beside = gained.details["partition"]
    assert gained.rate.share - gained.baseline < beside["share"] - beside["baseline"] + 0.05
    draw_as_before(monkeypatch)
    none = plan(seed=7)
    none["columns"]["ill"] = none["columns"]["work"] = {"role": "other"}
    data = people().append_column("told", pa.array(["same"] * 600))
    none["columns"]["told"] = {"role": "sensitive"}  # tells nothing by itself
    after = attack(anonymize(data, none), known=1)
    found = after["known values"]
    assert found.rate.share > 0.95 * after["likelihood"].details["at_most"]
    assert found.rate.share > found.baseline + 0.4


def test_values_that_go_with_nothing_tell_nothing():
    random = np.random.default_rng(1)
    data = people().set_column(2, "ill", pa.array([f"i{n}" for n in random.integers(0, 9, 600)]))
    data = data.set_column(3, "work", pa.array(["same"] * 600))
    found = attack(anonymize(data, plan()))["association"]
    assert found.rate.low <= found.baseline <= found.rate.high


def test_a_file_is_attacked_through_what_its_cells_cover(attacked):
    release = anonymize(people(), plan())
    found = attack(release.frame, plan=plan(), private=people())
    names = {one.name for one in found.attacks}
    assert names >= {"association", "likelihood"}
    assert "known values" not in names  # nobody can tell from the file who is who
    assert 0.1 < found["likelihood"].rate.share < attacked["likelihood"].rate.share + 0.05


def test_attacks_on_classes_say_that_there_are_none():
    release = anonymize(people(60), plan())
    found = attack(release)
    by_candidates = {"definetti", "association", "likelihood", "known values"}
    assert {one.name for one in found.attacks} == by_candidates
    assert {fault.place for fault in found.left_out} == ON_CLASSES
    assert all("has no classes" in fault.problem for fault in found.left_out)
    with pytest.raises(DataError, match="has no classes"):
        attack(release, only=["homogeneity"])
    alone = attack(release.frame, plan=plan())
    assert not alone.attacks
    assert "Give the private table" in alone.left_out[0].remedy


def test_who_has_no_part_in_it_is_refused():
    other = people(90).slice(30)
    with pytest.raises(DataError, match="not those of the private table"):
        attack(anonymize(people(60), plan()).frame, plan=plan(), private=other.slice(0, 50))
    with pytest.raises(DataError, match="'likelihood' lacks a plan with a freeform method"):
        attack(anonymize(people(60), plan("best")), only=["likelihood"])
    with pytest.raises(DataError, match="'known values' lacks a freeform release made in Python"):
        attack(
            anonymize(people(60), plan()).frame,
            plan=plan(),
            private=people(60),
            only=["known values"],
        )


def test_beliefs_are_near_what_all_matchings_say():
    """By brute force: the weight of all perfect matchings with a pair, of that of all."""
    random = np.random.default_rng(2)
    for allowed in (
        np.ones((4, 4), dtype=bool),
        np.eye(5, dtype=bool) | np.eye(5, k=1, dtype=bool),
    ):
        size = len(allowed)
        allowed[-1, 0] = True
        row, person = np.nonzero(allowed)
        weights = random.normal(size=row.size)
        logs = np.full((size, size), -np.inf)
        logs[row, person] = weights
        true = np.zeros((size, size))
        for order in permutations(range(size)):
            true[np.arange(size), order] += np.exp(logs[np.arange(size), order].sum())
        true /= true[0].sum()
        found = Candidates(row, person, size).beliefs(weights)
        assert np.abs(found - true[row, person]).max() < 0.1


def test_groups_are_everybody_in_them():
    groups = np.array([1, 0, 1, 1, 0], dtype=np.int32)
    pairs = Candidates.of_groups(groups, np.random.default_rng(0))
    found = set(zip(pairs.row.tolist(), pairs.person.tolist(), strict=True))
    assert found == {(a, b) for a in range(5) for b in range(5) if groups[a] == groups[b]}
    assert len(pairs.row) == len(found)
